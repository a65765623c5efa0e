"""What is taken of a service at most. No honest answer comes near any of it; a broken or hostile server goes beyond."""

from __future__ import annotations

from typing import Any

LINE = 16_000_000
"""Bytes of one line or one event of a stream."""
ANSWER = 64_000_000
"""Bytes of one answer, decompressed."""
TEXT = 4_000_000
"""Characters of an answer, its reasoning counted."""
CALLS = 256
"""Tool calls of one answer."""
ARGUMENTS = 1_000_000
"""Characters of the arguments of one call."""
DEPTH = 100
"""Lists and objects inside of each other in the arguments of one call."""
ITEMS = 1_000_000
"""Characters of what a service wants to read again with an answer, or with a call."""
NAME = 200
"""Characters of the name of a tool or a model, and of an id."""
ERROR_BODY = 64_000
"""Bytes of what a service says when it refuses."""
ERROR_TEXT = 4_000
"""Characters of that in which a reason is looked for."""


def short(text: str, most: int = NAME) -> str:
    """The text, or its beginning with a sign that it went on."""
    return text if len(text) <= most else text[: most - 1] + "…"


def mega(amount: int) -> str:
    """`64 MB`, or `1 MB` for what is less."""
    return f"{max(1, amount // 1_000_000)} MB"


def too_deep(value: Any, most: int) -> bool:
    """Whether more than `most` lists and objects stand inside of each other."""
    level = [value]
    for _ in range(most):
        level = [
            inner
            for one in level
            for inner in (one.values() if isinstance(one, dict) else one)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True
