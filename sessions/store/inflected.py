"""A word as it may stand inflected: plurals, cases, possessives, a number with signs between its digits."""

from __future__ import annotations

import re
import unicodedata

_NUMBER = re.compile(r"\d[\d.,' ]*\d")
_LONG = 6
"""Letters of a word of which a few more at the end are an inflection of it, whatever they are."""
_ENDINGS = r"(?:s|es|e|n|en|er|ed|d|ing|x)?"
_DROPPED = "aeiouy\u0430\u0435\u0438\u043e\u0443\u044b\u044c\u044e\u044f\u0439"
"""What an inflection may put another letter in the place of, in Latin and Cyrillic."""


def stem(word: str) -> str:
    """What stands in every inflection of a word, as it is written; of a number its last digits."""
    if _NUMBER.fullmatch(word):
        return re.sub(r"\D", "", word)[-3:]
    *before, last = word.split(" ")
    if not _inflects(last):
        return word
    if len(last) > 4 and last[-1] in "sS" and last[-2:].lower() not in {"ss", "us", "is"}:
        last = last[:-1]
    if len(last) >= _LONG and last[-1].lower() in _DROPPED:
        last = last[:-1]
    return " ".join((*before, last))


def inflected(folded: str) -> str:
    """A rule for a folded word in a folded text."""
    if _NUMBER.fullmatch(folded):
        return r"(?<!\d)" + r"[.,'\u2019 _]?".join(re.sub(r"\D", "", folded)) + r"(?!\d)"
    if not _apart(folded[-1]):
        return re.escape(folded)
    last = folded.rsplit(" ", maxsplit=1)[-1]
    if not _inflects(last):
        ending = ""
    elif len(last) >= _LONG:
        ending = r"[^\W\d_]{0,3}"
    else:
        ending = _ENDINGS
    left = r"(?<![^\W_])" if _apart(folded[0]) else ""
    return left + re.escape(stem(folded)).replace(r"\ ", r"[\s-]") + ending + r"(?![^\W_])"


def _inflects(word: str) -> bool:
    """Whether it is a word, and no address or identifier, of a script with endings."""
    return word.isalpha() and all(map(_apart, word))


def _apart(char: str) -> bool:
    """Whether words of its script stand apart from each other."""
    return char.isalnum() and unicodedata.east_asian_width(char) not in "WF"
