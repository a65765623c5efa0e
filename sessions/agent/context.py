"""What the model sees: a pure function of the log and of the parts made for this turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sessions.agent.budget import CHARS_PER_TOKEN, messages_chars, tools_chars
from sessions.agent.large import told
from sessions.agent.line import main_line, messages_of, whole_turns
from sessions.agent.repair import repair
from sessions.messages import AssistantMessage, Marker, Message, Record, ToolMessage
from sessions.providers.base import Request, ToolSpec
from sessions.settings import ContextSettings
from sessions.tools.base import ContextBlock

STUB = "[left out: memory is off]"
# Room for the answer, in tokens: at most this, and at most an eighth of the window.
_ANSWER_TOKENS = 4096


def build(
    records: Sequence[Record],
    *,
    system: str,
    blocks: Sequence[ContextBlock],
    tools: Sequence[ToolSpec],
    environment: str,
    settings: ContextSettings,
    window: int,
    profile: str | None = None,
    stubbed: frozenset[str] = frozenset(),
    chars_per_token: float = CHARS_PER_TOKEN,
) -> Request:
    """The request for the newest user message of the log.

    Messages come from the newest compaction's `first_kept`, or after the newest `cleared`, without what was taken
    back and without sub-agents' lines; then the newest `settings.max_turns` turns, then the newest whole turns that
    fit in `window` tokens (the newest turn always). Large results of tools are cut, and calls and results of the
    `stubbed` tools lose their content.
    What stands before the newest turn depends on nothing that changes within the session but these rules.
    """
    head = "\n\n".join(text for text in (system, *(block.text for block in blocks)) if text)
    summary, kept = _after_summary(main_line(records))
    turns = whole_turns(told(message) for message in messages_of(kept))
    if settings.max_turns > 0:
        turns = turns[-settings.max_turns :]
    fixed = len(head) + len(summary) + len(environment) + tools_chars(tools)
    room = (window - min(_ANSWER_TOKENS, window // 8)) * chars_per_token - fixed
    turns = _newest_that_fit(turns, room)
    messages = [_stub(message, stubbed) for turn in turns for message in turn]
    return Request(
        system=head,
        messages=tuple(repair(messages, profile)),
        tools=tuple(tools),
        environment=environment,
        summary=summary,
    )


def _after_summary(line: Sequence[Record]) -> tuple[str, Sequence[Record]]:
    """The summary that stands for older lines, and the lines after it."""
    for at in range(len(line) - 1, -1, -1):
        marker = line[at]
        if not isinstance(marker, Marker):
            continue
        if marker.kind == "cleared":
            return "", line[at + 1 :]
        if marker.kind == "compaction" and isinstance(marker.data.get("content"), str):
            first = marker.data.get("first_kept")
            start = next((i for i, r in enumerate(line) if getattr(r, "id", None) == first), at) if first else at
            return marker.data["content"], line[start:]
    return "", line


def _newest_that_fit(turns: list[list[Message]], room_chars: float) -> list[list[Message]]:
    first = len(turns)
    for i in range(len(turns) - 1, -1, -1):
        room_chars -= messages_chars(turns[i])
        if room_chars < 0 and first < len(turns):
            break
        first = i
    return turns[first:]


def _stub(message: Message, names: frozenset[str]) -> Message:
    if not names:
        return message
    if isinstance(message, ToolMessage) and message.name in names:
        return replace(message, content=STUB, facts=(), fact_numbers=(), file=None)
    if isinstance(message, AssistantMessage) and any(c.name in names for c in message.tool_calls):
        calls = tuple(
            replace(c, arguments={}, arguments_text=None) if c.name in names else c for c in message.tool_calls
        )
        return replace(message, tool_calls=calls, reasoning=None, provider_items=None)
    return message
