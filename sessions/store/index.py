"""One search over everything that was ever said: a full-text index of all logs, made from them and made again at will.

Catching up is idempotent: it may be killed, run twice, or run by several programs at once; each log is taken up at
the byte where the index stands, and from the start when it is no longer the same file.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sessions.clock import Clock, iso
from sessions.paths import HomePaths
from sessions.store.asked import ask
from sessions.store.index_db import IndexDb
from sessions.store.index_feed import Feed
from sessions.store.postings import ABOUT, PLACE, Reader
from sessions.store.rank import Asked, Place, by_session, rank
from sessions.store.words import is_cjk, runs, snippet

if TYPE_CHECKING:
    import sqlite3

_ROWS = 200
"""Rows that are read at once."""


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
        self._corpus = Reader()
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

        Of mere words all are wanted; when no place has them all, any. The last one may be a beginning, a "phrase"
        must stand as it is. A question is answered by what was said near its words, too. Without words, but with
        dates: what was said then, newest first. `exclude` leaves out a session, `include_off` adds what was said
        with memory off (for the person only, never for a model).
        """
        when = _When(_text(after), _text(before), include_off)

        def work(db: sqlite3.Connection) -> list[Hit]:
            asked, places = self._ranked(db, query, when, exclude, 4 * limit)
            if not asked.terms:
                return _said(db, when, exclude, limit) if after or before else []
            return [hit for _, hit in _hits(db, asked, places, when, limit)]

        return self._reader.run(work)

    def sessions(
        self,
        query: str,
        *,
        after: datetime | None = None,
        before: datetime | None = None,
        limit: int = 10,
        exclude: str | None = None,
        include_off: bool = False,
    ) -> list[Hit]:
        """The best sessions for the query, each by its best place; the score is the session's."""
        when = _When(_text(after), _text(before), include_off)

        def work(db: sqlite3.Connection) -> list[Hit]:
            asked, places = self._ranked(db, query, when, exclude, 16 * limit)
            if not asked.terms:
                return []
            best: list[Hit] = []
            for number, score in by_session(places):
                own = [p for p in places if p.group >> 2 == number]
                best += [replace(hit, score=score) for _, hit in _hits(db, asked, own, when, 1)]
                if len(best) == limit:
                    break
            return best

        return self._reader.run(work)

    def _ranked(
        self, db: sqlite3.Connection, query: str, when: _When, exclude: str | None, most: int
    ) -> tuple[Asked, list[Place]]:
        """The question taken apart, and the documents that answer it; those of a group partly within `when` too."""
        self._corpus.refresh(db)
        groups = self._corpus.groups
        asked = ask(query, self._corpus)
        out = None
        if exclude is not None:
            row = db.execute("SELECT number FROM files WHERE session = ?", (exclude,)).fetchone()
            out = row[0] if row else None

        def allowed(group: int) -> bool:
            return group >> 2 != out and when.meets(groups[group].first, groups[group].last)

        narrow = out is not None or when.after or when.before
        return asked, rank(asked, self._corpus, most=most, allowed=allowed if narrow else None, off=when.off)

    def exists(self) -> bool:
        """Whether there is an index of this home."""
        return self._writer.path.exists()

    def scrub(self) -> None:
        """Leave nothing in the file of what the index no longer has. Raises StoreError."""
        with self._catching:
            self._reader.close()
            self._writer.scrub()

    def close(self) -> None:
        """End a catching-up after the session under way and let the files go; a later call opens them again."""
        self._feed.stop.set()
        self._writer.close()
        self._reader.close()


@dataclass(frozen=True, slots=True)
class _When:
    """Which of the rows are wanted."""

    after: str | None
    before: str | None
    off: bool
    """Those said with memory off as well."""

    def meets(self, first: str, last: str) -> bool:
        return (not self.after or last >= self.after) and (not self.before or first < self.before)


def _text(at: datetime | None) -> str | None:
    return iso(at) if at else None


def _hits(
    db: sqlite3.Connection, asked: Asked, places: list[Place], when: _When, limit: int
) -> list[tuple[Place, Hit]]:
    hits: list[tuple[Place, Hit]] = []
    seen: set[tuple[str, str]] = set()
    # Title and recap repeat what was said: they stand for a session only when none of its messages was found.
    said = {p.group >> 2 for p in places if p.group & 3 != ABOUT}
    places = [p for p in places if p.group & 3 != ABOUT or p.group >> 2 not in said]
    step = 2 * limit if not (asked.phrases or when.after or when.before) else _ROWS
    for start in range(0, len(places), step):
        some = places[start : start + step]
        rows = _rows(db, [p.group << PLACE | p.place for p in some])
        for place in some:
            row = rows.get(place.group << PLACE | place.place)
            if row is None or (row[1], row[2]) in seen or not when.meets(row[5], row[5]):
                continue
            if asked.phrases and not _holds(row[6], asked.phrases):
                continue
            seen.add((row[1], row[2]))
            hits.append((place, _hit(row, asked.needles, place.score)))
            if len(hits) == limit:
                return hits
    return hits


def _holds(text: str, phrases: list[str]) -> bool:
    """Whether all phrases stand in the text; words count as wholes, runs of CJK as parts."""
    words = f" {' '.join(runs(text))} "
    return all((p if is_cjk(p) else f" {p} ") in words for p in phrases)


def _said(db: sqlite3.Connection, when: _When, exclude: str | None, limit: int) -> list[Hit]:
    where = "role IN ('user', 'assistant') AND at >= ? AND at < ? AND session != ? AND (? OR NOT off)"
    values = (when.after or "", when.before or "\U0010ffff", exclude or "", when.off, limit)
    ids = db.execute(f"SELECT id FROM rows WHERE {where} ORDER BY at DESC LIMIT ?", values)
    rows = _rows(db, [i for (i,) in ids])
    return [_hit(row, (), 0.0) for row in sorted(rows.values(), key=lambda row: row[5], reverse=True)]


def _rows(db: sqlite3.Connection, ids: list[int]) -> dict[int, tuple[Any, ...]]:
    fields = "id, rows.session, message, turn, role, at, text, title, cwd, source"
    marks = ",".join("?" * len(ids))
    found = db.execute(f"SELECT {fields} FROM rows JOIN files USING (session) WHERE id IN ({marks})", ids)
    return {row[0]: row for row in found}


def _hit(row: tuple[Any, ...], needles: tuple[str, ...], score: float) -> Hit:
    _, session, message, turn, role, at, text, title, cwd, source = row
    return Hit(session, message, turn, role, at, snippet(text, needles), title, cwd, source, score)
