"""The last step before sending: whatever happened to the log, the request is well-formed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sessions.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage

NO_RESULT = "No result: the call was interrupted before it answered."


def repair(messages: Sequence[Message], profile: str | None = None) -> list[Message]:
    """Each tool result right after its call, in call order, exactly one for each call.

    A missing result is made up as an error, orphans and duplicates are dropped, and so are answers that say nothing.
    With `profile`, reasoning and a provider's own items and ids stay only on that profile's messages, and a
    provider's id that came before gives way to ours. Pure, and doing it twice changes nothing.
    """
    results: dict[str, list[tuple[int, ToolMessage]]] = {}
    for at, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            results.setdefault(message.tool_call_id, []).append((at, message))
    seen: set[str] = set()
    out: list[Message] = []
    for at, message in enumerate(messages):
        match message:
            case UserMessage():
                out.append(message)
            case ToolMessage():
                pass  # placed with its call
            case AssistantMessage():
                calls: list[ToolCall] = []
                for call in message.tool_calls:
                    if call.id not in seen:
                        seen.add(call.id)
                        calls.append(call)
                if not calls and not message.content.strip():
                    continue
                kept = message if len(calls) == len(message.tool_calls) else replace(message, tool_calls=tuple(calls))
                out.append(kept)
                out.extend(_result(call, at, results.get(call.id, ()), message) for call in calls)
    return _for_profile(out, profile) if profile is not None else out


def _result(
    call: ToolCall, at: int, found: Sequence[tuple[int, ToolMessage]], message: AssistantMessage
) -> ToolMessage:
    for where, result in found:
        if where > at:
            return result
    return ToolMessage(f"{call.id}-none", message.at, message.turn, call.id, call.name, NO_RESULT, ok=False)


def _for_profile(messages: list[Message], profile: str) -> list[Message]:
    taken: set[str] = set()
    return [_own(m, profile, taken) if isinstance(m, AssistantMessage) else m for m in messages]


def _own(message: AssistantMessage, profile: str, taken: set[str]) -> AssistantMessage:
    own = message.profile == profile
    if not own and (message.reasoning or message.provider_items):
        message = replace(message, reasoning=None, provider_items=None)
    if not own and any(call.provider_items for call in message.tool_calls):
        message = replace(message, tool_calls=tuple(replace(call, provider_items=None) for call in message.tool_calls))
    calls: list[ToolCall] = []
    for call in message.tool_calls:
        # The first keeps a repeated id, so that a later repetition changes nothing that was sent before.
        keeps = own and call.provider_id is not None and call.provider_id not in taken
        if keeps and call.provider_id:
            taken.add(call.provider_id)
        calls.append(call if keeps or call.provider_id is None else replace(call, provider_id=None))
    return message if tuple(calls) == message.tool_calls else replace(message, tool_calls=tuple(calls))
