"""Where words stand in a text, as it is written: case and accents do not count, positions stay."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

Span: TypeAlias = tuple[int, int]
"""Start and end, in characters."""
_OTHER = re.compile(r"[^\x00-\x7f]")
_LONG = 64 << 10
"""Characters from which on each is folded once only."""


def fold(text: str) -> str:
    """The text in lower case and without accents, character by character, so that positions stay."""
    if text.isascii():
        return text.lower()
    if len(text) < _LONG:
        low = _OTHER.sub(lambda m: _folded(m[0]), text).lower()
    else:
        low = text.translate({ord(c): _folded(c) for c in set(text) if c > "\x7f"}).lower()
    return low if len(low) == len(text) else "".join(_folded(c) for c in text)


@lru_cache(maxsize=4096)
def _folded(character: str) -> str:
    base = unicodedata.normalize("NFKD", character.lower())
    base = "".join(c for c in base if not unicodedata.combining(c))
    low = character.lower()
    return base if len(base) == 1 else low if len(low) == 1 else character


def spans(text: str, words: Sequence[str]) -> list[Span]:
    """Where the folded words occur in the text, in order, without overlaps."""
    return spans_in(fold(text), words) if words else []


def spans_in(folded: str, words: Sequence[str]) -> list[Span]:
    """The same of a text that is folded already."""
    if len(words) == 1:
        return [match.span() for match in re.finditer(re.escape(words[0]), folded)] if words[0] else []
    found: list[Span] = []
    for word in words:
        at = folded.find(word) if word else -1
        while at >= 0:
            found.append((at, at + len(word)))
            at = folded.find(word, at + len(word))
    found.sort()
    merged: list[Span] = []
    for start, end in found:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
