"""What is looked for as it stands, in one session or in what has no index: a text, or several words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sessions.store.spans import Span, fold, spans_in

_PLAIN = re.compile(r'[^\x00-\x1f"\\\x7f-\U0010ffff]+')


@dataclass(frozen=True, slots=True)
class Wording:
    """Folded texts, and when they count as found."""

    needles: tuple[str, ...]
    """What is marked."""
    whole: bool = False
    """They are forms of one text, found wherever it stands; else a message that holds them counts as one place."""
    every: bool = True
    """All of them are wanted in one message; else one will do."""

    @property
    def wanted(self) -> tuple[str, ...]:
        """Those by which it is found: of the forms of a word the one that all of them hold."""
        return tuple(n for n in self.needles if not any(o != n and o in n for o in self.needles))

    def places(self, text: str) -> list[Span]:
        """What counts as found in a message, in order."""
        return self.places_in(fold(text))

    def places_in(self, folded: str) -> list[Span]:
        """The same of a text that is folded already."""
        if self.whole:
            return spans_in(folded, self.needles)
        wanted = self.wanted
        there = [needle for needle in wanted if needle in folded]
        if not there or (self.every and len(there) < len(wanted)):
            return []
        return [_best(folded, there)]

    def marks(self, text: str) -> list[Span]:
        """What is to be marked in a text."""
        return spans_in(fold(text), self.needles)


def wordings(text: str, needles: Sequence[str] = ()) -> tuple[Wording, ...]:
    """The ways in which something may be found, the strictest first: as it stands, all words in one message.

    `needles` are those of a search that brought the reader here; then words that stand alone count as well.
    """
    if needles:
        some = tuple(dict.fromkeys(needles))
        if len(Wording(some).wanted) == 1:
            return (Wording(some, whole=True),)
        return Wording(some), Wording(some, every=False)
    phrase = " ".join(fold(text).split())
    words = tuple(dict.fromkeys(phrase.replace('"', " ").split()))
    if not words:
        return ()
    whole = Wording((phrase,), whole=True)
    return (whole, Wording(words)) if len(words) > 1 else (Wording(words, whole=True),)


def sieve(ways: Sequence[Wording]) -> Callable[[bytes], bool]:
    """Whether a line of a log may hold one of these, told by its bytes; those that surely do not are not decoded."""
    every = all(way.every for way in ways)
    words = {word for way in ways for needle in way.wanted for word in needle.split()}
    plain = [word.encode() for word in words if _PLAIN.fullmatch(word)]
    if not plain or (not every and len(plain) < len(words)):
        return lambda data: True
    holds = all if every else any

    def may_hold(data: bytes) -> bool:
        if b"\\u" in data:
            return True
        if not data.isascii():
            # What folding makes of a character is among what this leaves of it.
            text = unicodedata.normalize("NFKD", data.decode("utf-8", "replace"))
            data = text.encode("ascii", "ignore")
        low = data.lower()
        return holds(word in low for word in plain)

    return may_hold


def _best(folded: str, needles: Sequence[str]) -> Span:
    """The first needle of the line that holds most of them."""
    at, best, most = 0, (0, 0), 0
    for line in folded.split("\n"):
        found = [(i, i + len(n)) for n in needles if (i := line.find(n)) >= 0]
        if len(found) > most:
            start, end = min(found)
            best, most = (at + start, at + end), len(found)
        at += len(line) + 1
    return best
