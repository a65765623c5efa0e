"""The words by which a fact is known wherever they stand, and whether a line speaks of nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sessions.memory.wording import content, held, plain

_LEAST = 5
"""Letters of a word that tells something by itself."""
_MOST_WORDS = 40
_OWN = re.compile(r"(?<=[\w,;:] )[A-Z\u00c0-\u00de][\w'-]{3,}|\S*\w[@_-]\w\S*|\S*\d\S*\d\S*\d\S*\d\S*")
_DATE = re.compile(r"\d{4}-\d\d(-\d\d)?\W*\Z|\d{1,4}\W*\Z")
_WORD = re.compile(r"[^\W\d_]+")
_VALUE = re.compile(
    r"(?:\b(?:is|are|was|called|named|equals|ist|sind|war|heißt|lautet|genannt|namens|est|sont|s'appelle|appelée?s?|"
    r"nommée?s?|es|son|era|se llaman?|llamad[oa]s?|è|é|si chiama|chiamat[oa]|chama-se|chamad[oa]|heet|heter|это)\s+"
    r"(?:(?:called|named|genannt|nommée?|llamad[oa])\s+)?|(?<=\w)(?:は|が|是|叫|為|为|은\s|는\s)\s*)(?P<value>\S.*)\Z"
)
_AFTER = re.compile(r"(?<=\w)\s?[:：=]\s*(?P<value>\S.*)\Z")
_DOES = re.compile(r"(?:s|ing)\Z")
"""How the verb ends with which a fact begins: "Plays chess"."""
_FEW_WORDS = 5
_POLITE = re.compile(r"(?:です|だ|である|입니다|이다)\Z")
_SAID_OF = re.compile(
    r"(?:the|a|an|my|our|your|his|her|their|der|die|das|ein|eine|mein|meine|le|la|les|un|une|mon|ma|el|una|mi|il|lo)\s",
    re.I,
)
"""How what is said of a thing begins, while the thing itself tells: "Anna is my boss"."""
_CJK_PART = re.compile(r"[\u30a1-\u30ff]{3,}|[\u4e00-\u9fff]{2,}|[\uac00-\ud7af]{2,}")
_LIGHT = frozenset(
    "remember memory memories recall forget forgot know knew mean meaning think thought again today yesterday tomorrow "
    "right really exactly actually sure okay thanks thank hello great good well maybe never ever before after until "
    "while about something anything nothing everything someone anyone question answer query quote fact facts limit "
    "search history session summary body scope found find look show give given note noted saved save keep kept still "
    "always often every month year week monday tuesday wednesday thursday friday saturday sunday first second third "
    "euros dollar dollars pound pounds francs percent hours minutes weeks months years kilometres kilometers miles "
    "kilos grams degrees letters words times "
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
        found |= dict.fromkeys(_rare_in(line))
    return tuple(found)[:_MOST_WORDS]


def _rare_in(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        for part in _CJK_PART.findall(word) if not word.isascii() and _CJK_PART.search(word) else [word]:
            least = _LEAST if part == word else 2
            if len(part) >= least and part.casefold() not in _LIGHT and content(part):
                yield part.casefold()


def telling_words(lines: Iterable[str]) -> tuple[str, ...]:
    """The words by each of which the lines are told: names, numbers, and what something is said to be; where nothing is
    said to be anything, all that are not said of anything."""
    found: dict[str, None] = {}
    for line in map(plain, lines):
        told, said_to_be = value_of(line), value_of(line) != line
        thing = line[: len(line.rstrip(" .!?")) - len(told)]
        if said_to_be and _SAID_OF.match(told) and len(thing.split()) < _FEW_WORDS:
            told = line
        found |= dict.fromkeys(own_words([f"- {told}" if said_to_be else told]))
        words = [*_rare_in(told)]
        first = line.split()[0].casefold() if line.split() else ""
        found |= dict.fromkeys(w for w in words if said_to_be or w != first or not _DOES.search(w) or len(words) == 1)
        if said_to_be and len(told) < _LEAST and short_words([line]):
            found.setdefault(told)
    known = {w.casefold(): w for w in reversed(found)}
    return tuple(w for w in found if known[w.casefold()] == w)[:_MOST_WORDS]


def short_words(lines: Iterable[str]) -> tuple[str, ...]:
    """The short words of what something is said to be: they tell it only where it is spoken of."""
    found: dict[str, None] = {}
    for line in map(plain, lines):
        told = value_of(line)
        if told != line:
            words = (w.casefold() for w in _WORD.findall(told))
            found |= dict.fromkeys(w for w in words if 3 <= len(w) < _LEAST and w not in _LIGHT and content(w))
    return tuple(found)


def value_of(line: str) -> str:
    """What a line says that something is; all of it where it says no such thing."""
    ended = line.rstrip(" .!?")
    m = _VALUE.search(ended) or _AFTER.search(ended)
    return _POLITE.sub("", m["value"]) if m else line


def says_no_more(text: str, known: Iterable[str], values: Iterable[str]) -> bool:
    """Whether a text tells one of the values, and speaks of known words only."""
    said = [w for w in content(text) if w not in _LIGHT]
    return bool(held(said, values)) and len(held(said, known)) == len(said)
