"""What the model sees: a pure function of the log and of the parts made for this turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sessions.agent.budget import CHARS_PER_TOKEN, messages_chars
from sessions.agent.large import told
from sessions.agent.line import main_line, messages_of, whole_turns
from sessions.agent.repair import repair
from sessions.messages import AssistantMessage, Marker, Message, Record, ToolMessage, UserMessage
from sessions.providers.base import Request, ToolSpec
from sessions.settings import ContextSettings
from sessions.tools.base import MEMORY_TOOLS, ContextBlock, tools_chars

STUB = "[left out: memory is off]"
# Room for the answer, in tokens: at most this, and at most an eighth of the window.
_ANSWER_TOKENS = 4096


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What of the log a request does not hold."""

    off: int = 0
    """Turns said while memory was off; they are sent only while it is off again."""
    older: int = 0
    """Turns before the newest ones that fit, or that the settings allow."""
    summarised: int = 0
    """Messages that the summary stands for."""


@dataclass(frozen=True, slots=True)
class Built:
    """A request, and what the log has beside it."""

    request: Request
    left_out: LeftOut


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
    off: bool = False,
    chars_per_token: float = CHARS_PER_TOKEN,
) -> Built:
    """The request for the newest user message of the log, and what it does not hold.

    Messages come from the newest compaction's `first_kept`, or after the newest `cleared`, without what was taken
    back and without sub-agents' lines; then the newest `settings.max_turns` turns, then the newest whole turns that
    fit in `window` tokens (the newest turn always). Large results of tools are cut. While memory is `off`, calls and
    results of the memory's tools lose their content; otherwise the turns that were said while it was off are not
    sent, nor a summary made then: what is said on can be remembered and found again, what was said off must not come
    back that way. What stands before the newest turn depends on nothing that changes within the session but these
    rules.
    """
    head = "\n\n".join(text for text in (system, *(block.text for block in blocks)) if text)
    line = main_line(records)
    summary, kept = _after_summary(line, off)
    all_turns = whole_turns(told(message) for message in messages_of(kept))
    sent = all_turns if off else [turn for turn in all_turns if not said_off(turn)]
    turns = sent[-settings.max_turns :] if settings.max_turns > 0 else sent
    fixed = len(head) + len(summary) + len(environment) + tools_chars(tools)
    room = (window - min(_ANSWER_TOKENS, window // 8)) * chars_per_token - fixed
    turns = _newest_that_fit(turns, room)
    stubbed = MEMORY_TOOLS if off else frozenset()
    messages = [_stub(message, stubbed) for turn in turns for message in turn]
    request = Request(
        system=head,
        messages=tuple(repair(messages, profile)),
        tools=tuple(tools),
        environment=environment,
        summary=summary,
    )
    summarised = len(messages_of(line)) - len(messages_of(kept)) if summary else 0
    return Built(request, LeftOut(len(all_turns) - len(sent), len(sent) - len(turns), summarised))


def said_off(turn: Sequence[Message]) -> bool:
    """Whether a turn was said while memory was off."""
    return any(isinstance(message, UserMessage) and message.memory == "off" for message in turn[:1])


def _after_summary(line: Sequence[Record], off: bool) -> tuple[str, Sequence[Record]]:
    """The summary that stands for older lines, and the lines after it."""
    for at in range(len(line) - 1, -1, -1):
        marker = line[at]
        if not isinstance(marker, Marker):
            continue
        if marker.kind == "cleared":
            return "", line[at + 1 :]
        if marker.kind == "compaction" and isinstance(marker.data.get("content"), str):
            if not off and marker.data.get("memory") == "off":
                continue
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
