"""Where in a message the words stand that carry a claim, and what stands in front of them and after them.

A model may quote a clause or all of the message: what governs the words, or takes them back, stands where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sessions.memory.folded import words
from sessions.memory.said import Saying
from sessions.memory.wording import content, full_stop, held, plain

_CLOSES = re.compile(r"(?:[.!?…。！？]+[\"')\]]*(?=\s|$|[^\x00-\x7f])|\n)\s*|[,;:]\s+|[、，；：]|\s-+\s|\s*[()]\s*")
_ENDS = re.compile(r"(?:[.!?…。！？]|\n)")
_JOINS = re.compile(r"\s(?=(?:and|but|so|because|or|und|aber|oder|et|mais|ou|y|pero)\s)", re.I)
_EDGE = " \t\n\"'.,;:!?…-()[]*_。、！？，；："


@dataclass(frozen=True, slots=True)
class Piece:
    """A clause of a message as it stands there."""

    text: str
    start: int
    end: int
    close: str
    """What stands between it and the next one."""
    sentence: int
    """The number of its sentence."""

    @property
    def words(self) -> str:
        return self.text.strip(_EDGE)


@dataclass(frozen=True, slots=True)
class Place:
    """The pieces of a message; with that of number `last` a claim is said."""

    text: str
    pieces: tuple[Piece, ...]
    last: int

    @property
    def ahead(self) -> tuple[Piece, ...]:
        return self.pieces[: self.last]

    @property
    def carries(self) -> Piece:
        return self.pieces[self.last]

    @property
    def after(self) -> tuple[Piece, ...]:
        return self.pieces[self.last + 1 :]

    @property
    def tail(self) -> str:
        """All that follows, with the signs in between."""
        return self.text[self.carries.end :]


def place_of(saying: Saying, claim: str) -> Place:
    """Up to the first clause, from the quote on, with which all words of the claim are there."""
    text = "\n".join(map(plain, saying.typed.parts))
    start, end = len(saying.lead), len(text) - len(saying.rest)
    pieces = pieces_of(text) or (Piece(text, 0, len(text), "", 0),)
    inside = [i for i, p in enumerate(pieces) if p.end > start and p.start < end] or [0]
    told = content if content(claim) else _words
    missing, bears = list(told(claim)), set[int]()
    # What the quote has not may stand elsewhere in the message.
    for i in (*inside, *(i for i in range(len(pieces)) if i not in inside)):
        if found := held(missing, told(pieces[i].text)):
            bears.add(i)
            missing = [w for w in missing if w not in found]
    return Place(text, pieces, max(bears, default=inside[0]))


def _words(text: str) -> tuple[str, ...]:
    """All words of a text but the shortest, for a claim that has none of its own."""
    return tuple(w for w in words(text) if len(w) > 2)


def pieces_of(text: str) -> tuple[Piece, ...]:
    """The clauses of a text, but for those without a word."""
    out: list[Piece] = []
    at = sentence = 0
    text = plain(text)
    closes = [*_separators(text), (len(text), len(text))]
    for start, stop in closes:
        close = text[start:stop]
        if text[at:start].strip(_EDGE):
            out.append(Piece(text[at:start], at, start, close, sentence))
        if _ENDS.search(close):
            sentence += 1
        at = stop
    return tuple(out)


def opening(text: str) -> str:
    """The first sentence, and what follows a word or two ("No. That was a lie.")."""
    pieces = pieces_of(text)
    last = max((p.end for p in pieces if p.sentence <= 1), default=0)
    return plain(text)[:last]


def sentences_of(pieces: tuple[Piece, ...]) -> Iterator[tuple[str, str]]:
    """The sentences that pieces make up, each with what stands after it."""
    at = 0
    for i, piece in enumerate(pieces):
        if i + 1 == len(pieces) or pieces[i + 1].sentence != piece.sentence:
            yield "".join(p.text + (p.close if p is not piece else "") for p in pieces[at : i + 1]).strip(), piece.close
            at = i + 1


def _separators(text: str) -> Iterator[tuple[int, int]]:
    found = [m.span() for m in _CLOSES.finditer(text) if m[0][:1] != "." or full_stop(text, m.start())]
    yield from sorted({*found, *(m.span() for m in _JOINS.finditer(text))})
