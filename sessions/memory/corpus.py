"""Facts as documents for the ranker, kept between searches."""

from __future__ import annotations

import threading
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from heapq import nlargest
from itertools import islice
from typing import TYPE_CHECKING

from sessions.memory.meaning import FactLikeness, digest, text_of
from sessions.store.asked import ask
from sessions.store.corpus import Group, Posting
from sessions.store.rank import rank
from sessions.store.signals import USER, shape
from sessions.store.words import near_spellings, terms

if TYPE_CHECKING:
    from sessions.memory.fact import Fact

_NAME, _SUMMARY = 3, 2
"""How often a word of the name and of the one line counts; one of body and kind counts once."""


class FactCorpus:
    """Each fact is a group of one document. Thread-safe."""

    def __init__(self) -> None:
        self.groups: dict[int, Group] = {}
        self.docs = self.length = self.talks = 0
        self.speakers: dict[str, int] = {}
        self._guard = threading.Lock()
        self._held: list[Fact] = []
        self._facts: dict[int, Fact] = {}
        self._group_of: dict[int, int] = {}
        """The group of a fact by the identity of the object, which is kept in `_facts`."""
        self._postings: dict[str, dict[int, Posting]] = {}
        self._terms: dict[int, Counter[str]] = {}
        self._shapes: dict[int, array[int]] = {}
        self._said: dict[int, bytes] = {}
        """Digests of what the facts say, once they were wanted."""
        self._next = 0
        self._vocabulary = ""
        """All terms, each in a line; empty when they changed since."""

    def search(
        self, facts: Sequence[Fact], query: str, likeness: FactLikeness | None = None
    ) -> list[tuple[float, Fact]]:
        """The facts that share a term with the query or stand out by their meaning, with their scores; those that are
        most alike only."""
        with self._guard:
            self._take(facts)
            asked = ask(query, self)
            asked.question, asked.phrases = True, []
            meaning = likeness.over(self._digests()) if likeness is not None else None
            near = meaning.near if meaning is not None else ()
            found = rank(asked, self, meaning=meaning)
            return [(p.score, self._facts[p.group]) for p in found if p.found or p.group in near]

    def _digests(self) -> dict[int, bytes]:
        for group, fact in self._facts.items():
            if group not in self._said:
                self._said[group] = digest(fact)
        return self._said

    def count(self, term: str) -> int:
        return len(self._postings.get(term, ()))

    def postings(
        self, terms: Sequence[str], groups: Collection[int] | None = None, most: int | None = None
    ) -> list[Posting]:
        found: list[Posting] = []
        for term in terms:
            rows = self._postings.get(term, {})
            if most is not None:
                newest = (row for g, row in reversed(rows.items()) if groups is None or g in groups)
                found += islice(newest, most // len(terms) + 1)
            elif groups is not None:
                found += (rows[g] for g in groups if g in rows)
            else:
                found += rows.values()
        return found

    def shapes(self, groups: Sequence[int]) -> dict[int, array[int]]:
        return {g: self._shapes[g] for g in groups}

    def starting(self, prefix: str, most: int) -> list[str]:
        return self._best(self._lines(f"\n{prefix}"), most)

    def containing(self, part: str, ends: Sequence[str], most: int) -> list[str]:
        found = {t for t in self._lines(part) if len(t) >= len(part) + 3}
        for end in ends:
            found |= {t for t in self._lines(f"{end}\n") if len(t) >= len(end) + 3}
        return self._best(found, most)

    def alike(self, word: str, most: int) -> list[str]:
        # Of short stems every other one is near: "operating" and "over", "Paris" and "pays".
        near = near_spellings(word) if 4 < len(word) < 20 else ()
        return self._best((t for t in near if t in self._postings), most)

    def _lines(self, part: str) -> set[str]:
        """The terms in whose lines of the vocabulary the text stands."""
        if not self._vocabulary:
            self._vocabulary = "\n" + "\n".join(self._postings) + "\n"
        text, found, at = self._vocabulary, set(), -1
        while (at := text.find(part, at + 1)) >= 0:
            start, end = text.rfind("\n", 0, at + 1) + 1, text.find("\n", at + 1)
            found.add(text[start:end])
            at = end - 1
        return found

    def _best(self, found: Iterable[str], most: int) -> list[str]:
        return nlargest(most, sorted(found), key=self.count)

    def _take(self, facts: Sequence[Fact]) -> None:
        """Hold exactly these facts; those that were there before are not read again."""
        if self._held == facts:  # which compares the objects themselves first
            return
        self._held, self._vocabulary = [*facts], ""
        now = {id(fact): fact for fact in facts}
        for known in [k for k in self._group_of if k not in now]:
            self._drop(self._group_of.pop(known))
        for key, fact in now.items():
            if key not in self._group_of:
                self._group_of[key] = self._add(fact)

    def _add(self, fact: Fact) -> int:
        group = self._next << 2
        self._next += 1
        often = Counter(_words(fact))
        length = sum(often.values())
        for term, tf in often.items():
            blob = array("I", [min(tf, 255)]).tobytes()
            self._postings.setdefault(term, {})[group] = (group, tf, blob)
        self._facts[group], self._terms[group] = fact, often
        self._shapes[group] = array("Q", [shape(text_of(fact), length, USER)])
        self.groups[group] = Group(1, length)
        self.docs += 1
        self.talks += 1
        self.length += length
        return group

    def _drop(self, group: int) -> None:
        for term in self._terms.pop(group):
            rows = self._postings[term]
            del rows[group]
            if not rows:
                del self._postings[term]
        del self._facts[group], self._shapes[group]
        self._said.pop(group, None)
        self.length -= self.groups.pop(group).length
        self.docs -= 1
        self.talks -= 1


def _words(fact: Fact) -> Iterator[str]:
    yield from terms(fact.name) * _NAME
    yield from terms(fact.summary) * _SUMMARY
    yield from terms(fact.kind)
    yield from terms(fact.body)
