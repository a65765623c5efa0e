"""What facts mean: the signs of their vectors, kept beside the search index by a digest of what each fact says.

Facts go to an embedder on this machine only, or to one of the profile that `memory.worker` names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from heapq import nsmallest
from typing import TYPE_CHECKING, TypeAlias

from sessions.errors import LockedError, ProviderError, StoreError
from sessions.store.index_db import IndexDb
from sessions.store.locks import FileLock
from sessions.store.meaning_feed import begin, next_generation
from sessions.store.meanings import Embedder, Likeness, Sentences, sentences, signs

if TYPE_CHECKING:
    import sqlite3

    from sessions.memory.fact import Fact
    from sessions.paths import HomePaths
    from sessions.store.questions import Questions

_AT_ONCE = 24
"""Facts whose sentences are sent together."""
_FEWEST = 12
"""Of fewer facts nobody can tell what stands out."""
_FAR = 2.5
"""How many standard deviations nearer than the mean a fact must be that shares no word with the question. Models differ
in how near they put what has nothing to do with each other, so no fixed nearness would do."""
_MOST = 4
"""Facts that are found by their meaning alone."""
_Known: TypeAlias = tuple[tuple[str, int, int], dict[bytes, tuple[int, ...]]]
"""Name of the embedder, bytes of a sentence, generation; the signs of each fact's sentences by its digest."""
_NOTHING: _Known = ("", 0, 0), {}


class FactMeanings:
    """The meanings of a home's facts. Thread-safe."""

    def __init__(self, paths: HomePaths, questions: Callable[[], Questions]) -> None:
        """`questions` knows the embedder and what went wrong with it; asked for when there is something to do."""
        self._db = IndexDb(paths.local)
        self._lock = FileLock(paths.local / "locks" / "embedding.lock")
        self._questions = questions
        self._known = _NOTHING

    def learn(self, facts: Iterable[Fact]) -> int:
        """Get vectors for some facts that have none, forget those of facts that are gone; how many are left to do.

        0 also without an embedder, and while another program sees to it. Raises StoreError.
        """
        embedder = self._embedder()
        if embedder is None:
            return 0
        try:
            self._lock.acquire(0)
        except LockedError:
            return 0
        try:
            return self._step(embedder, {digest(f): text_of(f) for f in facts if f.active})
        except ProviderError as e:
            self._questions().failed(e)
            return 0
        finally:
            self._lock.release()

    def keep_only(self, facts: Iterable[Fact]) -> None:
        """Forget the signs of all other facts. Raises StoreError."""
        kept = {digest(f) for f in facts}
        self._db.run(lambda db: _forget(db, {key for (key,) in db.execute("SELECT key FROM fact_meanings")} - kept))

    def near(self, query: str) -> FactLikeness | None:
        """How like the question facts are; None without an embedder, or when nothing is known yet."""
        if not query.strip() or not self._db.path.exists():
            return None
        try:
            (name, size, _), known = self._db.run(self._read)
        except StoreError:  # facts are found by their words
            return None
        # Before there is anything to compare with, no server is looked for.
        embedder = self._embedder() if known else None
        if embedder is None or embedder.name != name:
            return None
        vector = self._questions().vector(embedder, query)
        return FactLikeness(known, vector) if vector is not None and (len(vector) + 7) // 8 == size else None

    def close(self) -> None:
        self._db.close()

    def _embedder(self) -> Embedder | None:
        embedder = self._questions().embedder()
        return embedder if embedder is not None and embedder.trusted else None

    def _step(self, embedder: Embedder, texts: Mapping[bytes, str]) -> int:
        def due(db: sqlite3.Connection) -> list[bytes]:
            begin(db, embedder.name)
            there = {key for (key,) in db.execute("SELECT key FROM fact_meanings")}
            _forget(db, there - texts.keys())
            return [key for key in texts if key not in there]

        missing = self._db.run(due)
        some = missing[:_AT_ONCE]
        if not some:
            return 0
        parts = [sentences(texts[key]) or [""] for key in some]
        vectors = iter(embedder.embed([s for sentences_ in parts for s in sentences_]))
        made = [(key, [signs(next(vectors)) for _ in sentences_]) for key, sentences_ in zip(some, parts, strict=True)]
        size = len(made[0][1][0])

        def write(db: sqlite3.Connection) -> None:
            if next_generation(db, embedder.name, size) is not None:
                rows = [(key, b"".join(each)) for key, each in made]
                db.executemany("INSERT OR REPLACE INTO fact_meanings VALUES (?, ?)", rows)
                db.execute("COMMIT")

        self._db.run(write)
        return len(missing) - len(some)

    def _read(self, db: sqlite3.Connection) -> _Known:
        row = db.execute("SELECT name, bytes, generation FROM embedder").fetchone()
        if row is None or not row[1]:
            return _NOTHING
        name, size, generation = row
        if self._known[0] != (name, size, generation):
            known = {
                key: tuple(int.from_bytes(blob[at : at + size], "big") for at in range(0, len(blob), size))
                for key, blob in db.execute("SELECT key, signs FROM fact_meanings")
            }
            self._known = (name, size, generation), known
        return self._known


def _forget(db: sqlite3.Connection, keys: Collection[bytes]) -> None:
    """Remove the signs of facts that are gone or say something else now."""
    if keys:
        db.execute("BEGIN IMMEDIATE")
        db.executemany("DELETE FROM fact_meanings WHERE key = ?", [(key,) for key in keys])
        db.execute("COMMIT")


def text_of(fact: Fact) -> str:
    """What a fact says."""
    return f"{fact.summary}\n{fact.body}".strip()


def digest(fact: Fact) -> bytes:
    """Of what a fact says."""
    return hashlib.blake2b(text_of(fact).encode("utf-8", "replace"), digest_size=16).digest()


class FactLikeness:
    """How near facts are to one question."""

    def __init__(self, known: Mapping[bytes, Sequence[int]], vector: Sequence[float]) -> None:
        self._known = known
        self._vector = vector
        self._mine = int.from_bytes(signs(vector), "big")
        self._groups: dict[int, Sentences] = {}
        self._likeness = Likeness(self, vector)
        self.near: frozenset[int] = frozenset()
        """The groups that stand out."""

    def over(self, digests: Mapping[int, bytes]) -> FactLikeness:
        """The same for facts in groups, with what each says by its digest."""
        known = self._known
        self._groups = {
            g: Sentences([0] * len(known[key]), list(known[key])) for g, key in digests.items() if key in known
        }
        self.near = frozenset(self._standing_out())
        return self

    def group(self, number: int) -> Sentences:
        return self._groups.get(number) or Sentences()

    def held(self) -> Iterable[tuple[int, Sentences]]:
        return self._groups.items()

    def closest(self, only: Collection[int] | None) -> list[int]:
        return [g for g in self.near if only is None or g in only]

    def of(self, groups: Iterable[int]) -> dict[int, float]:
        return self._likeness.of(groups)

    def _standing_out(self) -> list[int]:
        differ = {g: min((self._mine ^ x).bit_count() for x in s.signs) for g, s in self._groups.items()}
        if len(differ) < _FEWEST:
            return []
        mean = sum(differ.values()) / len(differ)
        spread = (sum((n - mean) ** 2 for n in differ.values()) / len(differ)) ** 0.5
        bar = mean - _FAR * spread
        return [g for n, g in nsmallest(_MOST, ((n, g) for g, n in differ.items())) if n < bar]
