"""Vectors for what is in the index and has none yet: in the background, the newest first, a little at a time.

What is due stands in the index itself, so that it goes on after a kill. One program at a time sees to it. What was
said with memory off is never given to an embedder; nor are tool results, nor, to one elsewhere, what was told to models
on this machine only.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sessions.errors import LockedError, ProviderError
from sessions.store.corpus import PLACE
from sessions.store.index_db import IndexDb
from sessions.store.locks import FileLock
from sessions.store.meanings import DUE, Embedder, sentences, signs

if TYPE_CHECKING:
    import sqlite3

_ROWS = 24
"""Documents whose sentences are sent together."""


class MeaningFeed:
    """Brings the signs of an index up to date."""

    def __init__(self, db: IndexDb, lock: Path) -> None:
        self._db = db
        self._lock = FileLock(lock)

    def step(self, embedder: Embedder) -> int:
        """Take in some documents; how many are left to do, 0 also while another program sees to it.

        Raises ProviderError and StoreError; what is due stays due.
        """
        try:
            self._lock.acquire(0)
        except LockedError:
            return 0
        try:
            return self._step(embedder)
        finally:
            self._lock.release()

    def begin(self, embedder: Embedder) -> None:
        """Forget the vectors of another embedder, if there are any."""
        self._db.run(lambda db: begin(db, embedder.name))

    def _step(self, embedder: Embedder) -> int:
        self.begin(embedder)
        rows = self._db.run(lambda db: _due(db, embedder))
        if not rows:
            return 0
        parts = [sentences(text) for _, text in rows]
        vectors = embedder.embed([s for some in parts for s in some])
        given = iter(vectors)
        made = [(id_, text, [next(given) for _ in some]) for (id_, text), some in zip(rows, parts, strict=True)]
        size = (len(vectors[0]) + 7) // 8 if vectors else 0
        return self._db.run(lambda db: _write(db, embedder, size, made))


def begin(db: sqlite3.Connection, name: str) -> None:
    """Forget the vectors of another embedder."""
    row = db.execute("SELECT name FROM embedder").fetchone()
    if row is not None and row[0] == name:
        return
    db.execute("BEGIN IMMEDIATE")
    db.execute("DELETE FROM meanings")
    db.execute("DELETE FROM meant")
    db.execute("DELETE FROM fact_meanings")
    db.execute("DELETE FROM embedder")
    db.execute(f"INSERT OR IGNORE INTO unmeant SELECT id FROM rows WHERE {DUE.format('')}")
    db.execute("INSERT INTO embedder VALUES (?, 0, 0)", (name,))
    db.execute("COMMIT")


def _due(db: sqlite3.Connection, embedder: Embedder) -> list[tuple[int, str]]:
    found = db.execute(
        f"SELECT id, text FROM {_of(embedder)} JOIN rows USING (id) ORDER BY unmeant.id DESC LIMIT ?", (_ROWS,)
    )
    return found.fetchall()


def _of(embedder: Embedder) -> str:
    """The part of `unmeant` that the embedder may be given."""
    told = f"JOIN files ON files.away AND files.number = unmeant.id >> {PLACE + 2}"
    return "unmeant" if embedder.trusted else f"unmeant {told}"


def _write(
    db: sqlite3.Connection, embedder: Embedder, size: int, made: Sequence[tuple[int, str, Sequence[Sequence[float]]]]
) -> int:
    generation = next_generation(db, embedder.name, size)
    if generation is None:
        return 1
    for id_, text, vectors in made:
        # The row may have gone, or its place been taken by another, while the embedder was at work.
        there = db.execute("SELECT text FROM rows WHERE id = ?", (id_,)).fetchone()
        if there is None or there[0] != text:
            continue
        db.execute("INSERT OR REPLACE INTO meanings VALUES (?, ?)", (id_, b"".join(map(signs, vectors))))
        db.execute("DELETE FROM unmeant WHERE id = ?", (id_,))
        db.execute("INSERT OR REPLACE INTO meant VALUES (?, ?)", (id_ >> PLACE, generation))
    db.execute("COMMIT")
    return left(db, embedder)


def next_generation(db: sqlite3.Connection, name: str, size: int) -> int | None:
    """Begin a transaction that writes signs of `size` bytes; None, without one, when another program began anew with
    another embedder. Raises ProviderError when vectors were of another size before."""
    db.execute("BEGIN IMMEDIATE")
    row = db.execute("SELECT name, bytes, generation FROM embedder").fetchone()
    if row is None or row[0] != name:
        db.execute("ROLLBACK")
        return None
    if row[1] and size and row[1] != size:
        db.execute("DELETE FROM embedder")
        db.execute("COMMIT")
        raise ProviderError(f"{name} gave vectors of {size * 8} numbers, before that of {row[1] * 8}")
    generation = int(row[2]) + 1
    db.execute("UPDATE embedder SET bytes = max(bytes, ?), generation = ?", (size, generation))
    return generation


def left(db: sqlite3.Connection, embedder: Embedder) -> int:
    """How many rows have no signs yet, of those that the embedder may be given."""
    (count,) = db.execute(f"SELECT count(*) FROM {_of(embedder)}").fetchone()
    return int(count)


def is_away(db: sqlite3.Connection, session: str) -> bool:
    """Whether a model on another machine was told what stands in the session."""
    return db.execute("SELECT 1 FROM files WHERE session = ? AND away", (session,)).fetchone() is not None
