"""Which of the listed things a typed filter means. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from sessions.store.spans import fold, spans

__all__ = ["fold", "matches", "spans", "terms"]


def terms(query: str) -> tuple[str, ...]:
    """The words of a filter, folded. All of them must occur."""
    return tuple(fold(query).split())


def matches(folded: str, words: Sequence[str]) -> bool:
    """Whether every word occurs in the folded text."""
    return all(word in folded for word in words)
