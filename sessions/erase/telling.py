"""The words by which a fact is known wherever they stand, and whether a line speaks of nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sessions.memory.wording import content, held, plain

_LEAST = 5
"""Letters of a word that tells something by itself."""
_MOST_WORDS = 40
_OWN = re.compile(r"(?<=[\w,;:] )[A-Z\u00c0-\u00de][\w'-]{3,}|\S*\w[@_-]\w\S*|\S*\d\S*\d\S*\d\S*\d\S*")
_DATE = re.compile(r"\d{4}-\d\d(-\d\d)?\W*\Z|\d{1,4}\W*\Z")
_WORD = re.compile(r"[^\W\d_]+")
_VALUE = re.compile(r"\b(?:is|are|called|named|ist|sind|heißt|est|es)\s+(?P<value>\S.*)\Z")
_LIGHT = frozenset(
    "remember memory memories recall forget forgot know knew mean meaning think thought again today yesterday tomorrow "
    "right really exactly actually sure okay thanks thank hello great good well maybe never ever before after until "
    "while about something anything nothing everything someone anyone question answer query quote fact facts limit "
    "search history session summary body scope found find look show give given note noted saved save keep kept still "
    "always often every month year week monday tuesday wednesday thursday friday saturday sunday first second third "
    "other another could would should going doing being having makes made make takes take taken goes comes back "
    "erinnere erinnern merken vergiss weißt weiß sagen gesagt heute gestern morgen etwas nichts immer wieder".split()
)
"""Said of anything."""


def own_words(lines: Iterable[str]) -> tuple[str, ...]:
    """Names, addresses, identifiers and numbers, which are hardly said of anything else."""
    found = (w.strip(".,;:!?()[]{}\"'“”") for line in lines for w in _OWN.findall(line))
    return tuple(dict.fromkeys(w for w in found if len(w) > 3 and not _DATE.match(w)))


def rare_words(lines: Iterable[str]) -> tuple[str, ...]:
    """The other words that may tell it: long ones that are not said of anything, and what it "is"."""
    found: dict[str, None] = {}
    for line in map(plain, lines):
        if (told := value_of(line)) != line and len(told.split()) > 1:
            found.setdefault(told)
        for word in _WORD.findall(line):
            if len(word) >= _LEAST and word.casefold() not in _LIGHT and content(word):
                found.setdefault(word.casefold())
    return tuple(found)[:_MOST_WORDS]


def value_of(line: str) -> str:
    """What a line says that something is; all of it where it says no such thing."""
    m = _VALUE.search(line.rstrip(" .!?"))
    return m["value"] if m else line


def says_no_more(text: str, known: Iterable[str], values: Iterable[str]) -> bool:
    """Whether a text tells one of the values, and speaks of known words only."""
    said = [w for w in content(text) if w not in _LIGHT]
    return bool(held(said, values)) and len(held(said, known)) == len(said)
