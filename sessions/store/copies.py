"""Messages that are copies of another session's: not counted while that one is there, once when it is not."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from sessions.errors import StoreError
from sessions.messages import Marker, Message
from sessions.paths import HomePaths
from sessions.store.log import read_log

if TYPE_CHECKING:
    import sqlite3


def is_copy(message: Message) -> bool:
    return message.extra.get("copied") is True


def origin_of(message: Message) -> str:
    """The session that a copy was first told in; empty when its line does not say."""
    origin = message.extra.get("of")
    return origin if isinstance(origin, str) else ""


class Copies:
    """Those of one log, on its way into the index."""

    def __init__(self, db: sqlite3.Connection, paths: HomePaths, session: str) -> None:
        self._db = db
        self._paths = paths
        self._session = session
        self._there: dict[str, bool] = {}
        self._forked: str | None = None

    def counts(self, message: Message) -> bool:
        """Whether a copy counts here. Notes that it is one."""
        origin = origin_of(message) or self._forked_from()
        if not origin:
            return False
        if origin not in self._there:
            self._there[origin] = self._paths.session_log(origin).exists()
        other = "SELECT 1 FROM copies WHERE message = ? AND session != ? AND counted"
        counted = not self._there[origin] and not self._db.execute(other, (message.id, self._session)).fetchone()
        self._db.execute(
            "INSERT OR REPLACE INTO copies VALUES (?, ?, ?, ?)", (message.id, self._session, origin, counted)
        )
        return counted

    def _forked_from(self) -> str:
        """Copies in older forks do not say whose they are: the first line does."""
        if self._forked is None:
            self._forked = _forked_from(self._paths.session_log(self._session))
        return self._forked


def forget(db: sqlite3.Connection, session: str) -> None:
    """The session is no longer in the index."""
    db.execute("DELETE FROM copies WHERE session = ?", (session,))


def turned(db: sqlite3.Connection, came: Collection[str], gone: Collection[str]) -> set[str]:
    """The sessions whose copies count otherwise now that others came or are gone."""
    out: set[str] = set()
    if not db.execute("SELECT 1 FROM copies LIMIT 1").fetchone():
        return out
    origin = "SELECT DISTINCT session FROM copies WHERE origin = ? AND counted = ?"
    other = (
        "SELECT DISTINCT b.session FROM copies a JOIN copies b ON b.message = a.message AND NOT b.counted "
        "WHERE a.session = ? AND a.counted"
    )
    for session in came:
        out |= _sessions(db.execute(origin, (session, 1)))
    for session in gone:
        out |= _sessions(db.execute(origin, (session, 0))) | _sessions(db.execute(other, (session,)))
    return out


def _sessions(rows: Iterable[tuple[str]]) -> set[str]:
    return {session for (session,) in rows}


def _forked_from(path: Path) -> str:
    try:
        records = read_log(path, limit=1).records
    except StoreError:
        return ""
    data = next((r.data for r in records if isinstance(r, Marker) and r.kind == "session"), {})
    origin = data.get("forked_from")
    return origin if isinstance(origin, str) else ""
