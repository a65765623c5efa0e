"""The events that a log's line stands for: the same functions serve the turn that writes it and the replay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sessions.agent.approval import ApprovalRequest
from sessions.agent.large import told
from sessions.events import (
    ApprovalDecided,
    ApprovalRequested,
    CompactionFinished,
    Event,
    Notice,
    StepFinished,
    ToolCallFinished,
    ToolCallStarted,
    TurnFailed,
    TurnFinished,
    TurnStop,
)
from sessions.messages import AssistantMessage, Marker, ToolCall, ToolMessage, Usage
from sessions.numbers import whole
from sessions.store.sidefiles import kept_as

_STOPS: tuple[TurnStop, ...] = ("stop", "length", "cancelled", "max_steps", "repeat")


def step_finished(message: AssistantMessage, step: int, head: Mapping[str, Any]) -> StepFinished:
    return StepFinished(
        **head,
        step=step,
        stop=message.stop,
        usage=message.usage,
        ms=message.ms,
        first_token_ms=message.first_token_ms,
        reasoning_ms=message.reasoning_ms,
        message=message.id,
    )


def call_started(call: ToolCall, head: Mapping[str, Any]) -> ToolCallStarted:
    arguments = call.arguments if call.arguments is not None else call.arguments_text or ""
    return ToolCallStarted(**head, call_id=call.id, name=call.name, arguments=arguments)


def call_finished(message: ToolMessage, head: Mapping[str, Any]) -> ToolCallFinished:
    shown = told(message)
    return ToolCallFinished(
        **head,
        call_id=message.tool_call_id,
        name=message.name,
        content=shown.content,
        ok=message.ok,
        ms=message.ms,
        file=kept_as(message) if shown is not message else "",
    )


def approval_asked(request: ApprovalRequest) -> ApprovalRequested:
    return ApprovalRequested(
        session=request.session,
        turn=request.turn,
        call_id=request.call_id,
        name=request.name,
        arguments=request.arguments,
        about=request.about,
    )


def approval_decided(data: Mapping[str, Any], head: Mapping[str, Any]) -> ApprovalDecided:
    call, decision, by = (str(data.get(key) or "") for key in ("call_id", "decision", "by"))
    return ApprovalDecided(**head, call_id=call, decision=decision, by=by)


def compacted(marker: Marker, head: Mapping[str, Any]) -> list[Event]:
    """The events of a `compaction` marker; one that failed says why."""
    data = marker.data
    before, after = _number(data.get("tokens_before")), data.get("tokens_after")
    content = data.get("content")
    if not isinstance(content, str):
        error, advice = _text(data.get("error")), _text(data.get("advice"))
        failed = CompactionFinished(**head, tokens_before=before)
        said = [Notice(**head, level="warning", text=f"{error}. {advice}" if advice else error)] if error else []
        return [failed, *said]
    return [
        CompactionFinished(
            **head,
            tokens_before=before,
            tokens_after=after if isinstance(after, int) else None,
            content=content,
            first_kept=_text(data.get("first_kept")),
            message=marker.id,
            results_only=data.get("results_only") is True,
        )
    ]


def turn_ended(data: Mapping[str, Any], text: str, head: Mapping[str, Any]) -> list[Event]:
    """The events of a `turn_end` marker: a word of warning where the turn ended otherwise than with an answer."""
    stop, error, advice = data.get("stop"), _text(data.get("error")), _text(data.get("advice"))
    ms = _number(data.get("ms"))
    if stop not in _STOPS:
        return [TurnFailed(**head, error=error or "The turn failed", advice=advice, ms=ms)]
    raw = data.get("usage")
    usage = Usage.of(raw) if isinstance(raw, Mapping) else None
    always = _number(data.get("always_sent"))
    end = TurnFinished(**head, stop=stop, text=text, usage=usage, ms=ms, always_sent=always)
    if not error:
        return [end]
    return [Notice(**head, level="warning", text=f"{error}. {advice}" if advice else error), end]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int:
    return whole(value) or 0
