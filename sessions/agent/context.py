"""What the model sees: a pure function of the log and of the parts made for this turn."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from sessions.agent.budget import CHARS_PER_TOKEN, messages_chars
from sessions.agent.large import told
from sessions.agent.repair import repair
from sessions.agent.staying import STAYED, for_others, leaving
from sessions.messages import AssistantMessage, Marker, Message, Record, ToolMessage, UserMessage
from sessions.providers.base import Request, ToolSpec
from sessions.settings import ContextSettings
from sessions.store.line import main_line, messages_of, whole_turns
from sessions.tools.base import MEMORY_TOOLS, ContextBlock, tools_chars

STUB = "[left out: memory is off]"
LONG_RESULT = 2_000
"""Characters: longer results of tools are the first to go when room is needed."""
# Room for the answer, in tokens: at most this, and at most an eighth of the window.
_ANSWER_TOKENS = 4096


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What of the log a request does not hold."""

    off: int = 0
    """Turns said while memory was off; they are sent only while it is off again."""
    here: int = 0
    """Turns that a model on this machine answered, and that one elsewhere does not see."""
    older: int = 0
    """Turns before the newest ones that fit, or that the settings allow."""
    summarised: int = 0
    """Messages that the summary stands for."""
    gone: tuple[Message, ...] = ()
    """Messages of older turns, and those that the summary stands for, oldest first."""


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
    window: int | None,
    profile: str | None = None,
    off: bool = False,
    chars_per_token: float = CHARS_PER_TOKEN,
    before: str = "",
    stays: Collection[str] | None = None,
) -> Built:
    """The request for the newest user message of the log, and what it does not hold.

    Messages come from the newest compaction's `first_kept`, or after the newest `cleared`, without what was taken
    back and without sub-agents' lines; then the newest `settings.max_turns` turns, then the newest whole turns that
    fit in `window` tokens (the newest turn always). Large results of tools are cut. While memory is `off`, calls and
    results of the memory's tools lose their content; otherwise the turns that were said while it was off are not
    sent, nor a summary made then: what is said on can be remembered and found again, what was said off must not come
    back that way. What stands before the newest turn depends on nothing that changes within the session but these
    rules. `window` None: nothing is left out to fit. `stays` not None: the model is elsewhere and does not see the
    turns that one on this machine answered (of a profile in `stays` where the log does not say where it was).
    """
    head = "\n\n".join(text for text in (system, *(block.text for block in blocks)) if text)
    now = standing(records, off, before, stays)
    turns = now.turns[-settings.max_turns :] if settings.max_turns > 0 else now.turns
    if window is not None:
        fixed = len(head) + len(now.summary) + len(environment) + tools_chars(tools)
        turns = _newest_that_fit(turns, answerable(window) * chars_per_token - fixed)
    request = Request(
        system=head,
        messages=tuple(repair([message for turn in turns for message in turn], profile)),
        tools=tuple(tools),
        environment=environment,
        summary=now.summary,
    )
    older = now.turns[: len(now.turns) - len(turns)]
    gone = (*now.gone, *(message for turn in older for message in turn))
    return Built(request, LeftOut(now.off, now.here, len(older), len(now.gone), gone))


def answerable(window: int) -> int:
    """Tokens of a window that a request may take, so that there is room for an answer."""
    return window - min(_ANSWER_TOKENS, window // 8)


@dataclass(frozen=True, slots=True)
class Standing:
    """The conversation as it stands: what of the log a request may hold."""

    summary: str
    """What stands for the turns before these; empty without any."""
    turns: list[list[Message]]
    """Whole turns, oldest first; what is left out of their results is left out here."""
    gone: tuple[Message, ...]
    """The messages that the summary stands for."""
    off: int
    """Turns that are not here because they were said while memory was off."""
    here: int
    """Turns that are not here because they stay on this machine."""
    first: str | None
    """Id of the first message that the summary does not stand for."""
    results_before: str | None
    """Id of the message before which long results are left out."""


def standing(records: Sequence[Record], off: bool, before: str = "", stays: Collection[str] | None = None) -> Standing:
    """What is left of the log after compaction, clearing, going back, and the rules of memory `off` and of what `stays`
    on this machine.

    `before` stands for what was said before the records, when they are the end of a log.
    """
    line = main_line(records)
    marker, start = _newest_compaction(line, off, elsewhere=stays is not None)
    data = marker.data if marker is not None else {}
    kept, results = line[start:], data.get("results_before")
    messages = messages_of(kept)
    long_until = next((i for i, m in enumerate(messages) if m.id == results), 0) if results else 0
    stubbed = MEMORY_TOOLS if off else frozenset()
    shown = [_stub(_short(told(m)) if i < long_until else told(m), stubbed) for i, m in enumerate(messages)]
    turns = whole_turns(shown)
    sent = turns if off else [turn for turn in turns if not said_off(turn)]
    left = len(sent)
    sent = sent if stays is None else leaving(sent, stays)
    known = marker is not None or start or stays is not None
    summary = data.get("content") or ("" if known else before)
    gone = tuple(messages_of(line[:start])) if summary else ()
    return Standing(
        summary, sent, gone, len(turns) - left, left - len(sent), messages[0].id if messages else None, results
    )


def said_off(turn: Sequence[Message]) -> bool:
    """Whether a turn was said while memory was off."""
    return any(isinstance(message, UserMessage) and message.memory == "off" for message in turn[:1])


def _newest_compaction(line: Sequence[Record], off: bool, *, elsewhere: bool) -> tuple[Marker | None, int]:
    """The marker that counts, and where what is kept begins; a marker that says why it failed does not count.

    Nor, for a model `elsewhere`, one of what stays here; for one here none that knows nothing of it.
    """
    for at in range(len(line) - 1, -1, -1):
        marker = line[at]
        if not isinstance(marker, Marker):
            continue
        if marker.kind == "cleared":
            return None, at + 1
        if marker.kind == "compaction" and isinstance(marker.data.get("content"), str):
            if not off and marker.data.get("memory") == "off":
                continue
            if not for_others(marker) if elsewhere else marker.data.get(STAYED) is True:
                continue
            first = marker.data.get("first_kept")
            return marker, next((i for i, r in enumerate(line) if r.id == first), at) if first else at
    return None, 0


def _newest_that_fit(turns: list[list[Message]], room_chars: float) -> list[list[Message]]:
    first = len(turns)
    for i in range(len(turns) - 1, -1, -1):
        room_chars -= messages_chars(turns[i])
        if room_chars < 0 and first < len(turns):
            break
        first = i
    return turns[first:]


def _short(message: Message) -> Message:
    """An old result without its text, if that is long."""
    if not isinstance(message, ToolMessage) or len(message.content) <= LONG_RESULT:
        return message
    size = f"{len(message.content):,} characters"
    return replace(message, content=f"[left out to make room: {size}. Call the tool again if you need it.]", file=None)


def _stub(message: Message, names: frozenset[str]) -> Message:
    if not names:
        return message
    if isinstance(message, ToolMessage) and message.name in names:
        return replace(message, content=STUB, facts=(), fact_numbers=(), file=None)
    if isinstance(message, AssistantMessage) and any(c.name in names for c in message.tool_calls):
        calls = tuple(
            replace(c, arguments={}, arguments_text=None, provider_items=None) if c.name in names else c
            for c in message.tool_calls
        )
        return replace(message, tool_calls=calls, reasoning=None, provider_items=None)
    return message
