"""One search over everything that was ever said: a full-text index of all logs, made from them and made again at will.

Catching up is idempotent: it may be killed, run twice, or run by several programs at once; each log is taken up at
the byte where the index stands, and from the start when it is no longer the same file.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sessions.clock import Clock, iso
from sessions.paths import HomePaths
from sessions.store.index_db import IndexDb
from sessions.store.index_feed import Feed
from sessions.store.words import parse_query, snippet

if TYPE_CHECKING:
    import sqlite3

_BEST = 500
"""Rows that are looked at after ranking; filters that leave too few of them look at all."""
_ABOUT = {"title", "recap"}


@dataclass(frozen=True, slots=True)
class Hit:
    """A place where something was said."""

    session: str
    message: str
    """Id of the message; empty for a hit in the title or the recap."""
    turn: int
    role: str
    """user, assistant, tool, title, recap."""
    at: str
    text: str
    """The line that matches, one before and one after."""
    title: str
    """The session's."""
    cwd: str
    source: str | None
    """The kind of program that wrote the session, when it was not this one."""
    score: float
    """Higher is better; comparable within one search."""


class Index:
    """The index of a home. Thread-safe: one thread catches up at a time, and searching does not wait for it."""

    def __init__(self, paths: HomePaths, clock: Clock) -> None:
        self._clock = clock
        self._writer = IndexDb(paths.local)
        self._reader = IndexDb(paths.local)
        self._feed = Feed(paths, clock)
        self._catching = threading.Lock()

    def catch_up(
        self, progress: Callable[[int, int], None] | None = None, *, only: Collection[str] | None = None
    ) -> None:
        """Take in what the logs got since the last time; `progress(sessions done, sessions to do)`.

        With `only` the other sessions are not even looked at: cheap after a turn.

        Raises StoreError (LockedError when other programs keep the index busy).
        """
        with self._catching:
            self._feed.stop.clear()
            self._writer.run(lambda db: self._feed.catch_up(db, progress, only))

    def search(
        self,
        query: str,
        *,
        after: datetime | None = None,
        before: datetime | None = None,
        limit: int = 10,
        exclude: str | None = None,
        include_off: bool = False,
    ) -> list[Hit]:
        """The best places for the query, best first; at or after `after`, before `before`.

        All words are looked for; when no place has them all, any. Without words, but with dates: what was said then,
        newest first. `exclude` leaves out a session, `include_off` adds what was said with memory off (for the person
        only, never for a model).
        """
        parsed = parse_query(query)
        where, values = _filters(after, before, exclude, include_off)
        if not parsed.strict:
            if after is None and before is None:
                return []
            return self._reader.run(lambda db: _said(db, where, values, limit))

        def work(db: sqlite3.Connection) -> list[Hit]:
            ranked = _ranked(db, parsed.strict, where, values, limit)
            if not ranked and parsed.loose != parsed.strict:
                ranked = _ranked(db, parsed.loose, where, values, limit)
            return _hits(db, ranked, parsed.needles, limit)

        return self._reader.run(work)

    def close(self) -> None:
        """End a catching-up after the session under way and let the files go; a later call opens them again."""
        self._feed.stop.set()
        self._writer.close()
        self._reader.close()


def _filters(
    after: datetime | None, before: datetime | None, exclude: str | None, include_off: bool
) -> tuple[str, list[Any]]:
    where, values = ["1"], []
    for condition, value in (("rows.at >= ?", after), ("rows.at < ?", before)):
        if value is not None:
            where.append(condition)
            values.append(iso(value))
    if exclude is not None:
        where.append("rows.session != ?")
        values.append(exclude)
    if not include_off:
        where.append("NOT rows.off")
    return " AND ".join(where), values


def _ranked(
    db: sqlite3.Connection, expression: str, where: str, values: list[Any], limit: int
) -> list[tuple[int, float]]:
    """(row, score), best first."""
    most = max(_BEST, 2 * limit)
    best = db.execute(
        "SELECT rowid, rank FROM words WHERE words MATCH ? AND rank MATCH 'bm25(1.0, 0.5)' ORDER BY rank LIMIT ?",
        (expression, most),
    ).fetchall()
    scores = dict(best)
    marks = ",".join("?" * len(scores))
    kept = db.execute(f"SELECT id FROM rows WHERE id IN ({marks}) AND {where}", [*scores, *values]).fetchall()
    if len(kept) < limit and len(best) == most:
        more = (
            "SELECT rows.id, bm25(words, 1.0, 0.5) AS rank FROM words JOIN rows ON rows.id = words.rowid "
            f"WHERE words MATCH ? AND {where} ORDER BY rank LIMIT ?"
        )
        return [(row, -rank) for row, rank in db.execute(more, [expression, *values, most])]
    ids = {row for (row,) in kept}
    return [(row, -rank) for row, rank in best if row in ids]


def _hits(db: sqlite3.Connection, ranked: list[tuple[int, float]], needles: tuple[str, ...], limit: int) -> list[Hit]:
    scores = dict(ranked)
    rows = {row[0]: row for row in _rows(db, f"rows.id IN ({','.join('?' * len(scores))})", [*scores])}
    order = sorted(rows, key=lambda i: (scores[i], rows[i][5]), reverse=True)
    # Title and recap repeat what was said: they stand for a session only when none of its messages was found.
    said = {rows[i][1] for i in order if rows[i][4] not in _ABOUT}
    hits, seen = [], set()
    for i in order:
        _, session, message, _, role, *_ = rows[i]
        key = (session, message)
        if key in seen or (role in _ABOUT and session in said):
            continue
        seen.add(key)
        hits.append(_hit(db, rows[i], needles, scores[i]))
        if len(hits) == limit:
            break
    return hits


def _said(db: sqlite3.Connection, where: str, values: list[Any], limit: int) -> list[Hit]:
    rows = _rows(db, f"{where} AND rows.role IN ('user', 'assistant') ORDER BY rows.at DESC LIMIT ?", [*values, limit])
    return [_hit(db, row, (), 0.0) for row in rows]


def _rows(db: sqlite3.Connection, where: str, values: list[Any]) -> list[tuple[Any, ...]]:
    fields = "rows.id, rows.session, rows.message, rows.turn, rows.role, rows.at, files.title, files.cwd, files.source"
    found = db.execute(f"SELECT {fields} FROM rows JOIN files ON files.session = rows.session WHERE {where}", values)
    return found.fetchall()


def _hit(db: sqlite3.Connection, row: tuple[Any, ...], needles: tuple[str, ...], score: float) -> Hit:
    id_, session, message, turn, role, at, title, cwd, source = row
    (text,) = db.execute("SELECT text FROM words WHERE rowid = ?", (id_,)).fetchone()
    return Hit(session, message, turn, role, at, snippet(text, needles), title, cwd, source, score)
