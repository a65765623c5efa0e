"""A conversation as text for a model that is to read it and not to answer it: each message an element of its own.

Results of the memory's tools are left out: facts are recalled anew, and may have changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from sessions.agent.context import LONG_RESULT
from sessions.messages import AssistantMessage, Message, ToolMessage, UserMessage
from sessions.tools.base import MEMORY_TOOLS

_TAGS = re.compile(r"<(?=/?(?:conversation|earlier|user|assistant|call|result)\b)", re.I)
_CAPS = (20_000, 8_000, 4_000, 2_000, 1_000, 500, 250, 120, 60)
_PROMPTS = 4
"""A person's words are cut this much later than the rest."""
_FIRST = 6


def conversation(messages: Sequence[Message], room: int) -> str:
    """All messages in about `room` characters.

    Of long ones beginning and end where room is short, and of too many the first and the newest.
    """
    lines: list[str] = []
    for cap in _CAPS:
        lines = list(_lines(messages, cap))
        if sum(map(len, lines)) + len(lines) <= room:
            return "\n".join(lines)
    first, rest = lines[:_FIRST], lines[_FIRST:]
    room -= sum(map(len, first)) + 100
    newest: list[str] = []
    for line in reversed(rest):
        room -= len(line) + 1
        if room < 0:
            break
        newest.append(line)
    missing = len(rest) - len(newest)
    left_out = f"({missing:,} message{'' if missing == 1 else 's'} left out here)"
    return "\n".join([*first, left_out, *reversed(newest)])


def _lines(messages: Iterable[Message], cap: int) -> Iterator[str]:
    for message in messages:
        match message:
            case UserMessage():
                yield f'<user at="{message.at[:16]}">\n{_part(message.content, cap * _PROMPTS)}\n</user>'
            case AssistantMessage():
                if message.content.strip():
                    yield f"<assistant>\n{_part(message.content, cap)}\n</assistant>"
                for call in message.tool_calls:
                    if call.name not in MEMORY_TOOLS:
                        arguments = call.arguments if call.arguments is not None else call.arguments_text or ""
                        text = json.dumps(arguments, ensure_ascii=False)
                        yield f"<call>{safe(call.name)} {_part(text, cap)}</call>"
            case ToolMessage():
                if message.name not in MEMORY_TOOLS:
                    yield f"<result>\n{_part(message.content, min(cap, LONG_RESULT))}\n</result>"


def _part(text: str, cap: int) -> str:
    if len(text) > cap:
        end = cap // 3
        text = f"{text[: cap - end]} … {text[-end:]}"
    return safe(text)


def safe(text: str) -> str:
    """The text without what could end the element in which it stands."""
    return _TAGS.sub("‹", text)
