"""What a session that another program wrote took back: it follows its source, where that is no longer said, or was told
again under another id. So it is left out of the index; in sessions of our own it stays readable, and is found."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from sessions.messages import Marker, Record
from sessions.store import postings
from sessions.store.corpus import PLACE
from sessions.store.line import main_line
from sessions.store.log import read_log

if TYPE_CHECKING:
    import sqlite3


_PLACES = (1 << PLACE) - 1


class TakenBack:
    """That of one log, on its way into the index."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: set[str] = set()
        """The markers that were gone by."""
        self.ids: frozenset[str] = frozenset()
        """Ids of all that the log takes back, as far as `more` was told."""

    def more(self, records: Iterable[Record]) -> bool:
        """Take in later records of the log; whether they go back. Raises StoreError when the log cannot be read."""
        if all(r.id in self._seen for r in records if _goes_back(r)):
            return False
        every = read_log(self._path).records
        self._seen = {r.id for r in every if _goes_back(r)}
        left = {r.id for r in main_line(every)}
        self.ids = frozenset(r.id for r in every if r.id not in left)
        return True


def cut(db: sqlite3.Connection, session: str, number: int, gone: Collection[str]) -> bool:
    """Take these messages of a session out of the index. False, and nothing is done, when something that counts stands
    behind them: what is taken back is what was said last, unless an earlier version took the log in."""
    ends: list[tuple[int, int, list[str]]] = []
    """Of each group, the documents that are left, and the texts of the others."""
    for kind in (postings.TALK, postings.TOOLS):
        group, left, texts = number << 2 | kind, 0, []
        rows = "SELECT id, message, text FROM rows WHERE id BETWEEN ? AND ? ORDER BY id DESC"
        for id_, message, text in db.execute(rows, _ids(group)):
            if message not in gone:
                left = (id_ & _PLACES) + 1
                break
            texts.append(text)
        ends.append((group, left, texts))
    for group, left, _ in ends:
        first, _ = _ids(group)
        found = db.execute("SELECT DISTINCT message FROM rows WHERE id BETWEEN ? AND ?", (first, first + left - 1))
        if any(message in gone for (message,) in found):
            return False
    for group, left, texts in ends:
        if texts:
            first, last = _ids(group)
            db.execute("DELETE FROM rows WHERE id BETWEEN ? AND ?", (first + left, last))
            at = "SELECT coalesce(min(at), ''), coalesce(max(at), '') FROM rows WHERE id BETWEEN ? AND ? AND at != ''"
            postings.cut(db, group, left, texts, db.execute(at, (first, last)).fetchone())
    db.executemany("DELETE FROM uses WHERE session = ? AND message = ?", [(number, id_) for id_ in gone])
    db.executemany("DELETE FROM copies WHERE message = ? AND session = ?", [(id_, session) for id_ in gone])
    return True


def told_again(db: sqlite3.Connection) -> list[str]:
    """The sessions of other programs of which something stands in the index that was told again."""
    again = "SELECT DISTINCT session FROM rows JOIN files USING (session) WHERE source NOT NULL AND message LIKE '%~%'"
    return [session for (session,) in db.execute(again)]


def _goes_back(record: Record) -> bool:
    return isinstance(record, Marker) and record.kind == "rewound"


def _ids(group: int) -> tuple[int, int]:
    return group << PLACE, group << PLACE | _PLACES
