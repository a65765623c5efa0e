"""The model's message while it comes."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from sessions.messages import AssistantMessage, Stop, ToolCall, Usage, clean


@dataclass(slots=True)
class Answer:
    """Collects the pieces of one step and takes their times."""

    step: int
    start: float = field(default_factory=time.monotonic)
    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    first_token_ms: int | None = None
    reasoning_start: float | None = None
    reasoning_ms: int | None = None

    def add_text(self, text: str) -> str:
        """The piece as it may be kept."""
        self._mark(thinking=False)
        self.text.append(clean(text))
        return self.text[-1]

    def add_reasoning(self, text: str) -> str:
        self._mark(thinking=True)
        self.reasoning.append(clean(text))
        return self.reasoning[-1]

    def message(
        self,
        id_: str,
        at: str,
        turn: int,
        *,
        profile: str,
        model: str,
        place: str,
        stop: Stop,
        calls: tuple[ToolCall, ...] = (),
        usage: Usage | None = None,
        items: dict[str, Any] | None = None,
    ) -> AssistantMessage:
        """The log's line of what came."""
        self._end_reasoning()
        return AssistantMessage(
            id_,
            at,
            turn,
            "".join(self.text),
            reasoning="".join(self.reasoning) or None,
            tool_calls=calls,
            profile=profile,
            model=model,
            provider_items=items,
            usage=usage,
            ms=round((time.monotonic() - self.start) * 1000),
            first_token_ms=self.first_token_ms,
            reasoning_ms=self.reasoning_ms,
            stop=stop,
            place=place,
        )

    def _mark(self, *, thinking: bool) -> None:
        if self.first_token_ms is None:
            self.first_token_ms = round((time.monotonic() - self.start) * 1000)
        if not thinking:
            self._end_reasoning()
        elif self.reasoning_start is None:
            self.reasoning_start = time.monotonic()

    def _end_reasoning(self) -> None:
        if self.reasoning_start is not None and self.reasoning_ms is None:
            self.reasoning_ms = round((time.monotonic() - self.reasoning_start) * 1000)
