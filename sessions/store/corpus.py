"""What the ranker works on: where documents come from, what a question wants, and what it gives back."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

PLACE = 20
"""Bits of a document's place in the group, in its number."""


@dataclass(slots=True)
class Group:
    """The talk of a session, its tool results, what is said about it; or one fact."""

    docs: int
    length: int
    """In terms."""
    first: str = ""
    """ISO time of the earliest document; `last` of the latest."""
    last: str = ""


Posting = tuple[int, int, bytes]
"""(group, how often the term stands in it, its documents: 32 bits each, place << 8 | how often)."""


class Corpus(Protocol):
    """Where the documents come from. Groups whose number ends in the bits 00 are talk: they set the measure."""

    groups: dict[int, Group]
    docs: int
    """Documents of talk; `length` their terms, `talks` their groups."""
    length: int
    talks: int

    def count(self, term: str) -> int: ...
    def postings(
        self, terms: Sequence[str], groups: Collection[int] | None = None, most: int | None = None
    ) -> list[Posting]: ...
    def shapes(self, groups: Sequence[int]) -> dict[int, array[int]]: ...


class Meaning(Protocol):
    """How near to the question documents are in meaning."""

    def closest(self, only: Collection[int] | None) -> list[int]:
        """The groups that hold the nearest ones, of `only` these."""
        ...

    def of(self, groups: Iterable[int]) -> dict[int, float]:
        """Of the documents (group << PLACE | place) of these groups: 0 to 1, 1 for the nearest."""
        ...


@dataclass(slots=True)
class Asked:
    """A question, taken apart."""

    about: str = ""
    """The words without the names of who speaks: what is compared by meaning."""

    terms: list[tuple[str, ...]] = field(default_factory=list)
    """Each with the other forms that will do."""
    phrases: list[str] = field(default_factory=list)
    """Folded words that must stand together; a question has none."""
    needles: tuple[str, ...] = ()
    """Folded texts by which a snippet finds its line."""
    question: bool = False
    """A question is answered near its words too; mere words are all wanted."""
    speakers: frozenset[int] = frozenset()
    speaker_weight: float = 1.0
    named: bool = False
    """The speaker is one with a name."""
    when: bool = False
    where: bool = False
    name: bool = False
    guessed: bool = False
    """A word that nobody said was taken for one that is spelt nearly so."""
    month: str = ""
    """The end of an ISO month, `day` of an ISO day."""
    day: str = ""

    @property
    def every(self) -> int:
        """All terms, as bits."""
        return (1 << len(self.terms)) - 1


@dataclass(slots=True)
class Place:
    """A document with its score."""

    score: float
    group: int
    place: int
    found: int
    """The terms in it, as bits."""


@dataclass(slots=True)
class Term:
    rows: list[Posting]
    idf: float
    group_idf: float
