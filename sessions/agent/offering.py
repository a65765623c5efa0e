"""Which tools a request offers: all, or few and in short where the model's window is small."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from sessions.messages import AssistantMessage, Record, UserMessage
from sessions.tools.base import MEMORY_TOOLS, Tool

SMALL = 8_000
"""Tokens: a window below has room for few tools."""
Why: TypeAlias = Literal["", "small", "no tools"]
"""Why tools are left out: the window is small for them, or the model cannot call any."""
_WORD = re.compile(r"[^\W_]+")
_COMMON = frozenset({"tool", "this", "that", "with", "from", "have", "make", "what", "when"})


def asked_for(tools: Iterable[Tool], records: Sequence[Record], text: str = "") -> list[Tool]:
    """The tools that the memory has none to do with and the person asked for: a word of their name stands in one of
    the messages of this session or in `text`, which is not sent yet. Those that were called already stay.
    """
    said = _words(text)
    called: set[str] = set()
    for record in records:
        if isinstance(record, UserMessage):
            said |= _words(record.content)
        elif isinstance(record, AssistantMessage):
            called |= {call.name for call in record.tool_calls}
    return [tool for tool in tools if tool.name in MEMORY_TOOLS | called or _words(tool.name) & said]


def _words(text: str) -> set[str]:
    """Words of four letters or more, without a plural's s."""
    words = (word.casefold() for word in _WORD.findall(text))
    return {word.removesuffix("s") for word in words if len(word) >= 4} - _COMMON
