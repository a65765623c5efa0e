"""Which of the listed things a typed filter means, and where its words stand. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from tui.widgets.rows import Span


def fold(text: str) -> str:
    """The text in lower case and without accents, character by character, so that positions stay."""
    if text.isascii():
        return text.lower()
    return "".join(map(_folded, text))


@lru_cache(maxsize=4096)
def _folded(character: str) -> str:
    base = unicodedata.normalize("NFKD", character.lower())
    base = "".join(c for c in base if not unicodedata.combining(c))
    low = character.lower()
    return base if len(base) == 1 else low if len(low) == 1 else character


def terms(query: str) -> tuple[str, ...]:
    """The words of a filter, folded. All of them must occur."""
    return tuple(fold(query).split())


def matches(folded: str, words: Sequence[str]) -> bool:
    """Whether every word occurs in the folded text."""
    return all(word in folded for word in words)


def spans(text: str, words: Sequence[str]) -> list[Span]:
    """Where the words occur in the text, in order, without overlaps."""
    if not words:
        return []
    low = fold(text)
    found: list[Span] = []
    for word in words:
        at = low.find(word)
        while at >= 0:
            found.append((at, at + len(word)))
            at = low.find(word, at + len(word))
    found.sort()
    merged: list[Span] = []
    for start, end in found:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
