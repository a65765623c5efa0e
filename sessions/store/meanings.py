"""What sentences mean: the signs of their vectors, one bit a dimension, compared with the vector of a question.

A vector of 384 numbers becomes 48 bytes. Of a question all numbers are used: against signs alone that finds nearly
as much as whole vectors do, and 100,000 sentences are gone through in some milliseconds without any library.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from typing import TYPE_CHECKING, Protocol

from sessions.store.corpus import PLACE

if TYPE_CHECKING:
    import sqlite3

DUE = "NOT {0}off AND {0}tool = '' AND {0}role IN ('user', 'assistant', 'recap')"
"""Which rows get vectors."""
TABLES = f"""CREATE TABLE meanings (id INTEGER PRIMARY KEY, signs BLOB NOT NULL);
CREATE TABLE unmeant (id INTEGER PRIMARY KEY);
CREATE TABLE meant (id INTEGER PRIMARY KEY, generation INT NOT NULL);
CREATE TABLE fact_meanings (key BLOB PRIMARY KEY, signs BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE embedder (name TEXT NOT NULL, bytes INT NOT NULL, generation INT NOT NULL);
CREATE TRIGGER rows_came AFTER INSERT ON rows WHEN {DUE.format("new.")} BEGIN
    INSERT OR REPLACE INTO unmeant VALUES (new.id); END;
CREATE TRIGGER rows_gone AFTER DELETE ON rows BEGIN
    DELETE FROM meanings WHERE id = old.id; DELETE FROM unmeant WHERE id = old.id; END;
"""
"""Signs go with the row whose sentences they are of; `unmeant` are the rows that have none yet, `meant` the groups
with the generation of their newest signs; those of facts go by a digest of what they say."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_SHORT = 12
"""Characters; what is shorter joins the sentence before."""
_MOST = 24
"""Sentences of one document, at most."""
_HELD = 100_000
"""Sentences that are held in memory and all compared: the newest."""
_CLOSEST = 40
"""Groups that are looked into though no word of the question stands in them."""
_EXACT = 300
"""Sentences that are compared with all numbers of the question; the others by signs alone."""
_PLACES = (1 << PLACE) - 1


class Embedder(Protocol):
    """Gives the vectors of texts."""

    @property
    def name(self) -> str:
        """Model and place: vectors of another name are not compared with these."""
        ...

    @property
    def label(self) -> str:
        """`model · place`, to be shown."""
        ...

    @property
    def local(self) -> bool:
        """Whether the texts stay on this machine."""
        ...

    @property
    def trusted(self) -> bool:
        """Whether it may be given what was told to models on this machine only: it is one, or the person said so."""
        ...

    def embed(self, texts: Sequence[str], *, limit_s: float | None = None) -> list[Sequence[float]]:
        """One vector a text, in order. Raises ProviderError, also after `limit_s`."""
        ...


def sentences(text: str) -> list[str]:
    """The sentences of a text; very short ones join the one before."""
    found: list[str] = []
    for part in _SENTENCE.split(text):
        sentence = part.strip()
        if found and len(sentence) < _SHORT:
            found[-1] = f"{found[-1]} {sentence}".strip()
        elif sentence:
            found.append(sentence)
    return found[:_MOST]


def signs(vector: Sequence[float]) -> bytes:
    """The signs as bits, eight a byte; the last byte is filled up."""
    bits = 0
    for x in vector:
        bits = bits << 1 | (x > 0)
    size = (len(vector) + 7) // 8
    return (bits << size * 8 - len(vector)).to_bytes(size, "big")


@dataclass(slots=True)
class Sentences:
    """The sentences of a group: the place of each one's document, and its signs as a number."""

    places: list[int] = field(default_factory=list)
    signs: list[int] = field(default_factory=list)


class Held(Protocol):
    """Signs by group."""

    def group(self, number: int) -> Sentences: ...
    def held(self) -> Iterable[tuple[int, Sentences]]: ...


class Meanings:
    """The signs in an index, held in memory as far as there is room."""

    def __init__(self) -> None:
        self.name = ""
        """Of the embedder whose vectors these are; empty while there are none."""
        self._size = 0
        """Bytes of one sentence."""
        self._groups: dict[int, Sentences] = {}
        self._count = 0
        self._db: sqlite3.Connection | None = None
        self._epoch = self._generation = -1

    def refresh(self, db: sqlite3.Connection) -> None:
        """See the signs as they are in `db` now."""
        (epoch,) = db.execute("SELECT epoch FROM state").fetchone()
        row = db.execute("SELECT name, bytes, generation FROM embedder").fetchone()
        name, size, generation = row or ("", 0, 0)
        if db is not self._db or epoch != self._epoch or name != self.name or size != self._size:
            self._groups, self._count, self._generation = {}, 0, -1
        self._db, self._epoch, self.name, self._size = db, epoch, name, size
        if not size or generation == self._generation:
            return
        changed = db.execute("SELECT id FROM meant WHERE generation > ? ORDER BY id DESC", (self._generation,))
        for (group,) in changed.fetchall():
            known = self._groups.pop(group, None)
            self._count -= len(known.signs) if known else 0
            if self._count < _HELD:
                self._hold(group)
        self._generation = generation

    def _hold(self, group: int) -> Sentences:
        found = self._read(group)
        if self._count < _HELD:
            self._groups[group] = found
            self._count += len(found.signs)
        return found

    def _read(self, group: int) -> Sentences:
        out, size = Sentences(), self._size
        if self._db is None:
            return out
        ids = (group << PLACE, (group + 1 << PLACE) - 1)
        for id_, blob in self._db.execute("SELECT id, signs FROM meanings WHERE id BETWEEN ? AND ?", ids):
            for at in range(0, len(blob), size):
                out.places.append(id_ & _PLACES)
                out.signs.append(int.from_bytes(blob[at : at + size], "big"))
        return out

    def ask(self, vector: Sequence[float]) -> Likeness:
        """How like the question everything is. ValueError when the vector is of another size than the signs."""
        if (len(vector) + 7) // 8 != self._size:
            raise ValueError(f"a vector of {len(vector)} numbers, not of about {self._size * 8}")
        return Likeness(self, vector)

    def group(self, number: int) -> Sentences:
        return self._groups.get(number) or self._read(number)

    def held(self) -> Iterable[tuple[int, Sentences]]:
        return self._groups.items()


class Likeness:
    """How near in meaning sentences are to one question."""

    def __init__(self, meanings: Held, vector: Sequence[float]) -> None:
        self._meanings = meanings
        self._vector = vector
        packed = signs(vector)
        self._size = len(packed)
        self._signs = int.from_bytes(packed, "big")
        self._tables = _tables(vector)
        # What one differing sign is worth on average, so that both ways of comparing give the same measure.
        self._mean = sum(map(abs, vector)) / max(len(vector), 1)

    def closest(self, only: Collection[int] | None) -> list[int]:
        """The groups of the nearest sentences, of `only` these groups."""
        mine = self._signs
        best = [
            (min([(mine ^ x).bit_count() for x in group.signs]), number)
            for number, group in self._meanings.held()
            if group.signs and (only is None or number in only)
        ]
        return [number for _, number in nsmallest(_CLOSEST, best)]

    def of(self, groups: Iterable[int]) -> dict[int, float]:
        """Of the documents (group << PLACE | place) of these groups the nearness of their best sentence, 0 to 1."""
        mine, size = self._signs, self._size
        found: list[tuple[int, int, int]] = []
        for number in groups:
            group = self._meanings.group(number)
            first = number << PLACE
            found += [
                ((mine ^ x).bit_count(), first | place, x) for place, x in zip(group.places, group.signs, strict=True)
            ]
        nearness: dict[int, float] = {}
        length = len(self._vector)
        found.sort()
        for n, (differ, id_, x) in enumerate(found):
            value = self.exact(x.to_bytes(size, "big")) if n < _EXACT else (length - 2 * differ) * self._mean
            if value > nearness.get(id_, 0.0):
                nearness[id_] = value
        top = max(nearness.values(), default=0.0)
        return {id_: value / top for id_, value in nearness.items()} if top > 0 else {}

    def exact(self, packed: bytes) -> float:
        """The sum of the question's numbers, each with the sign of the sentence's."""
        total = 0.0
        for table, byte in zip(self._tables, packed, strict=True):
            total += table[byte >> 4][byte & 15]
        return total


def _tables(vector: Sequence[float]) -> list[list[list[float]]]:
    """Of each eight numbers the signed sums for every byte of signs, by its two halves."""
    out = []
    padded = [*vector, *[0.0] * (-len(vector) % 8)]
    for at in range(0, len(padded), 8):
        high, low = _half(padded[at : at + 4]), _half(padded[at + 4 : at + 8])
        out.append([[a + b for b in low] for a in high])
    return out


def _half(four: Sequence[float]) -> list[float]:
    sums = [0.0]
    for x in four:
        sums = [total + sign * x for total in sums for sign in (-1, 1)]
    return sums
