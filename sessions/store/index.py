"""One search over everything that was ever said: a full-text index of all logs, made from them and made again at will.

Catching up is idempotent: it may be killed, run twice, or run by several programs at once; each log is taken up at
the byte where the index stands, and from the start when it is no longer the same file.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from sessions.clock import Clock, iso
from sessions.errors import ProviderError, StoreError
from sessions.paths import HomePaths
from sessions.store.asked import ask
from sessions.store.corpus import Asked, Place
from sessions.store.hits import Hit, Wanted, hits, newest
from sessions.store.index_db import IndexDb
from sessions.store.index_feed import Feed
from sessions.store.meaning_feed import MeaningFeed, is_away, left
from sessions.store.meanings import Embedder, Likeness, Meanings
from sessions.store.postings import TOOLS, Reader
from sessions.store.query import OURS, Query, without_time
from sessions.store.questions import Questions, Source
from sessions.store.rank import by_session, rank
from sessions.store.uses import Uses, of_fact
from sessions.store.words import fold

if TYPE_CHECKING:
    import sqlite3

__all__ = ["Found", "Hit", "Index", "SessionHits"]
BY_WORDS = "by words"
Where = Literal["anywhere", "here", "nowhere"]
_NOT_ALL = "; what only models on this machine were told is found by its words"
_GROUPED = 60
"""Hits that `find` spreads over the sessions."""
_DATED = 300
"""The same when the newest are wanted, and not the best."""


@dataclass(frozen=True, slots=True)
class SessionHits:
    """A session with its hits, best first."""

    session: str
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """The answer to what a person typed."""

    sessions: tuple[SessionHits, ...] = ()
    """That of the best hit first."""
    near: bool = False
    """Nothing is quite what was asked for; these come near."""
    needles: tuple[str, ...] = ()
    """Folded words that may be marked in the texts."""
    timeless: bool = False
    """Nothing was said then: the words that were taken for a time are words here."""

    @property
    def count(self) -> int:
        return sum(len(s.hits) for s in self.sessions)


class Index:
    """The index of a home. Thread-safe: one thread catches up at a time, and searching does not wait for it."""

    def __init__(self, paths: HomePaths, clock: Clock, embedder: Source = lambda: None) -> None:
        """`embedder` gives what finds by meaning, when there is something; it is asked for at every search."""
        self._paths = paths
        self._writer = IndexDb(paths.local)
        self._reader = IndexDb(paths.local)
        self._corpus = Reader()
        self._feed = Feed(paths, clock)
        self._catching = threading.Lock()
        self._meanings = Meanings()
        self._learning = MeaningFeed(self._writer, paths.local / "locks" / "embedding.lock")
        self.questions = Questions(embedder)
        self.ranker = BY_WORDS
        """How the last search ranked, in words."""

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

    def freshen(self, most_s: float = 3.0) -> None:
        """Take in what is new, as much of it as goes in so long, the newest sessions first; StoreError is passed over.

        For a search in a program that takes nothing in on the side.
        """
        if not self._catching.acquire(timeout=most_s):
            return
        end = threading.Timer(most_s, self._feed.stop.set)
        end.daemon = True
        try:
            self._feed.stop.clear()
            end.start()
            with suppress(StoreError):
                self._writer.run(lambda db: self._feed.catch_up(db, None, None))
        finally:
            end.cancel()
            self._catching.release()

    def learn(self) -> int:
        """Get some vectors for what has none yet; how many messages are left to do, 0 without an embedder.

        What goes wrong is kept in `questions`, and tried again later. Raises StoreError.
        """
        embedder = self.questions.embedder()
        if embedder is None:
            return 0
        try:
            return self._learning.step(embedder)
        except ProviderError as e:
            self.questions.failed(e)
            return 0

    def ranking(self) -> tuple[str, int]:
        """How a search would rank now, in words; how many messages have no vector yet. May ask a server."""
        embedder = self.questions.embedder()
        if embedder is None:
            return BY_WORDS, 0
        self._learning.begin(embedder)
        rest = "" if embedder.trusted else _NOT_ALL
        return by_meaning(embedder) + rest, self._reader.run(lambda db: left(db, embedder))

    def search(
        self,
        query: str | Query,
        *,
        after: datetime | None = None,
        before: datetime | None = None,
        limit: int = 10,
        exclude: str | None = None,
        include_off: bool = False,
        only: Collection[str] | None = None,
    ) -> list[Hit]:
        """The best places for the query, best first; at or after `after`, before `before`.

        Of mere words all are wanted; when no place has them all, any. The last one may be a beginning, a "phrase"
        must stand as it is. A question is answered by what was said near its words, too. Without words, but with
        dates or other limits: what was said then, newest first. `exclude` leaves out a session, `only` all others;
        `include_off` adds what was said with memory off (for the person only, never for a model).
        """
        asked_for = _limited(query, after, before)
        # A session without a file is private: its words go to no other program.
        private = exclude is not None and not self._paths.session_log(exclude).exists()
        vector = self._vector(asked_for, of=exclude) if not private else None

        sought = (asked_for, limit, exclude, include_off, vector, only)
        return self._reader.run(lambda db: [hit for hit, _ in self._searched(db, *sought)[0]])

    def find(
        self,
        query: Query,
        *,
        limit: int = _GROUPED,
        include_off: bool = True,
        meaning: Where = "anywhere",
        only: Collection[str] | None = None,
        by_date: bool = False,
    ) -> Found:
        """The best places for what a person typed, by session; when there are none, what comes near.

        `meaning` says where the embedder may be that is asked for the meaning: `anywhere`, `here` on this machine,
        `nowhere`. With `only` other sessions are left out; `by_date` puts what was said last first.
        """
        vector = self._vector(query, local=meaning == "here") if meaning != "nowhere" else None
        query = replace(query, by_date=by_date)
        most = max(limit, _DATED) if by_date or not query.words else limit

        def work(db: sqlite3.Connection) -> Found:
            found, asked = self._searched(db, query, most, None, include_off, vector, only)
            near = asked.guessed or any(bits != asked.every for _, bits in found if not asked.question)
            if by_date:
                found.sort(key=lambda row: row[0].at, reverse=True)
            sessions: dict[str, list[Hit]] = {}
            for hit, _ in found:
                sessions.setdefault(hit.session, []).append(hit)
            grouped = tuple(SessionHits(session, tuple(some)) for session, some in sessions.items())
            return Found(grouped, bool(found) and near, asked.needles)

        def again(other: Query) -> Found:
            near = self.find(other, limit=limit, include_off=include_off, meaning=meaning, only=only, by_date=by_date)
            return replace(near, near=True, timeless=near.timeless or bool(query.literal and not other.literal))

        found = self._reader.run(work)
        if found.sessions:
            return found
        if query.literal:
            return again(without_time(query))
        if '"' in query.words:
            return again(replace(query, words=query.words.replace('"', " ")))
        return found

    def sessions(
        self,
        query: str | Query,
        *,
        after: datetime | None = None,
        before: datetime | None = None,
        limit: int = 10,
        exclude: str | None = None,
        include_off: bool = False,
        only: Collection[str] | None = None,
    ) -> list[Hit]:
        """The best sessions for the query, each by its best place; the score is the session's."""
        asked_for = _limited(query, after, before)
        wanted = _wanted(asked_for, include_off)
        vector = self._vector(asked_for, of=exclude)

        def work(db: sqlite3.Connection) -> list[Hit]:
            asked, places = self._ranked(db, asked_for, wanted, exclude, 16 * limit, vector)
            if not asked.terms:
                return []
            best: list[Hit] = []
            for number, score in by_session(places):
                own = [p for p in places if p.group >> 2 == number]
                best += [replace(hit, score=score) for _, hit in hits(db, asked, own, wanted, 1)]
                if len(best) == limit:
                    break
            return best

        return self._reader.run(work)

    def _vector(self, query: Query, *, local: bool = False, of: str | None = None) -> _Vector | None:
        """What the question means; None without an embedder (on this machine, with `local`), or when words decide.

        What a model asks in the session `of` goes no further than the session did.
        """
        if not query.words or query.tool or '"' in query.words:
            return None
        embedder = self.questions.embedder()
        if embedder is None or (local and not embedder.local):
            return None

        def about(db: sqlite3.Connection) -> str:
            if of is not None and not embedder.trusted and not is_away(db, of):
                return ""
            self._corpus.refresh(db)
            self._meanings.refresh(db)
            # Before there is anything to compare with, nothing is asked.
            return ask(query.words, self._corpus).about if self._meanings.name == embedder.name else ""

        text = self._reader.run(about)
        vector = self.questions.vector(embedder, text) if text.strip() else None
        return _Vector(embedder, vector) if vector is not None else None

    def _searched(
        self,
        db: sqlite3.Connection,
        query: Query,
        limit: int,
        exclude: str | None,
        off: bool,
        vector: _Vector | None,
        only: Collection[str] | None = None,
    ) -> tuple[list[tuple[Hit, int]], Asked]:
        """The hits, each with the terms that it holds as bits."""
        wanted = _wanted(query, off)
        asked, places = self._ranked(db, query, wanted, exclude, 4 * limit, vector, only)
        if asked.terms:
            return [(hit, place.found) for place, hit in hits(db, asked, places, wanted, limit)], asked
        if not query.narrow:
            return [], asked
        limited = query.folder or query.source or only is not None
        some = {session for _, session in _sessions(db, query, only)} if limited else None
        return [(hit, 0) for hit in newest(db, wanted, limit, some, exclude)], asked

    def _ranked(
        self,
        db: sqlite3.Connection,
        query: Query,
        wanted: Wanted,
        exclude: str | None,
        most: int,
        vector: _Vector | None,
        sessions: Collection[str] | None = None,
    ) -> tuple[Asked, list[Place]]:
        """The question taken apart, and the documents that answer it; those of a group partly wanted too."""
        self._corpus.refresh(db)
        asked = ask(query.words, self._corpus)
        if not asked.terms:
            return asked, []
        only = self._only(db, query, wanted, exclude, sessions)
        meaning = self._likeness(db, vector) if vector is not None else None
        self.ranker = by_meaning(vector.embedder) if vector is not None and meaning is not None else BY_WORDS
        by_date = query.by_date
        return asked, rank(asked, self._corpus, most=most, only=only, off=wanted.off, meaning=meaning, by_date=by_date)

    def _likeness(self, db: sqlite3.Connection, vector: _Vector) -> Likeness | None:
        self._meanings.refresh(db)
        if self._meanings.name != vector.embedder.name:
            return None
        try:
            return self._meanings.ask(vector.numbers)
        except ValueError as e:
            self.questions.failed(ProviderError(f"{vector.embedder.label} gave {e}"))
            return None

    def _only(
        self,
        db: sqlite3.Connection,
        query: Query,
        wanted: Wanted,
        exclude: str | None,
        sessions: Collection[str] | None,
    ) -> set[int] | None:
        """The groups that may be looked into; None = all."""
        groups = self._corpus.groups
        out = None
        if exclude is not None:
            row = db.execute("SELECT number FROM files WHERE session = ?", (exclude,)).fetchone()
            out = row[0] if row else None
        if not query.narrow and sessions is None:
            return None if out is None else {g for g in groups if g >> 2 != out}
        some = None
        if query.folder or query.source or sessions is not None:
            some = {number for number, _ in _sessions(db, query, sessions)}
        return {
            g
            for g, group in groups.items()
            if g >> 2 != out
            and (not query.tool or g & 3 == TOOLS)
            and (some is None or g >> 2 in some)
            and wanted.meets(group.first, group.last)
        }

    def uses(self, fact: int, name: str, *, limit: int = 5) -> Uses:
        """Where a fact was recalled, by its number and, in lines that have none, its name."""
        return self._reader.run(lambda db: of_fact(db, fact, name, limit))

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
class _Vector:
    """What a question means to an embedder."""

    embedder: Embedder
    numbers: Sequence[float]


def by_meaning(embedder: Embedder) -> str:
    return f"{BY_WORDS} and meaning ({embedder.label})"


def _limited(query: str | Query, after: datetime | None, before: datetime | None) -> Query:
    """The query with these limits beside its own: the narrower ones hold. Of a text every part is words."""
    known = Query(query) if isinstance(query, str) else query
    starts = [at for at in (known.after, after) if at]
    ends = [at for at in (known.before, before) if at]
    return replace(known, after=max(starts, default=None), before=min(ends, default=None))


def _wanted(query: Query, off: bool) -> Wanted:
    after, before = (iso(at) if at else None for at in (query.after, query.before))
    return Wanted(after, before, off, query.tool)


def _sessions(db: sqlite3.Connection, query: Query, only: Collection[str] | None) -> list[tuple[int, str]]:
    """Number and id of the sessions of a folder and a source; of `only` these, when given."""
    folder, source = fold(query.folder), fold(query.source)
    found = []
    for number, session, cwd, kind in db.execute("SELECT number, session, cwd, source FROM files"):
        if folder not in fold(cwd) or (only is not None and session not in only):
            continue
        if not source or (fold(kind).startswith(source) if kind else OURS.startswith(source)):
            found.append((number, session))
    return found
