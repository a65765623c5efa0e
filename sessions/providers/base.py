"""What the agent asks of a model service, and what comes back."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from sessions.messages import Message, Stop, Usage

Purpose: TypeAlias = Literal["chat", "distill", "recap", "title", "compact", "reflect"]

LEFT_OUT = "[left out: "
"""Begins the text of a call's arguments that were too much to take; the reason, a `]` and their beginning follow."""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model sees it."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON Schema of an object."""


@dataclass(frozen=True, slots=True)
class Request:
    """One call of the model. `messages` are well-formed: each tool result after its call, none orphaned."""

    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    purpose: Purpose = "chat"
    environment: str = ""
    """Date, zone, folder and changed facts; belongs right before the newest user message."""
    summary: str = ""
    """What compaction left of older turns; belongs before the messages."""


@dataclass(frozen=True, slots=True)
class TextPiece:
    text: str


@dataclass(frozen=True, slots=True)
class ReasoningPiece:
    text: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """The service refused for now; the provider tries again after `wait_s`."""

    reason: str
    wait_s: float
    attempt: int


@dataclass(frozen=True, slots=True)
class Remark:
    """What the person should know of the service, beside the answer. It comes again until it was shown."""

    text: str
    shown: Callable[[], None] = lambda: None
    """Called by who has shown it."""


@dataclass(frozen=True, slots=True)
class RequestedCall:
    """A tool call as the service sent it, put together. `arguments` is None when the text was no JSON object."""

    name: str
    arguments: dict[str, Any] | None
    arguments_text: str
    provider_id: str | None = None
    items: dict[str, Any] | None = None
    """What the service wants to read again with this call."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The last piece of a stream, always sent unless the stream raises."""

    stop: Stop
    calls: tuple[RequestedCall, ...] = ()
    usage: Usage | None = None
    model: str | None = None
    """The model that the service names, if it does."""
    provider_items: dict[str, Any] | None = field(default=None)
    cut: str = ""
    """Why no more of the answer was taken, as a sentence; `stop` is `length` then."""


Piece: TypeAlias = TextPiece | ReasoningPiece | Waiting | Remark | Finished


async def ready(provider: Provider) -> None:
    """Let a provider load what its next request needs, and ask how much its model sees. Never raises."""
    warm = getattr(provider, "warm", None)
    if warm is not None:
        with suppress(Exception):  # the request says what is wrong
            await warm()


class Provider(Protocol):
    """A named model. One request at a time; closing the stream ends the request."""

    @property
    def profile(self) -> str:
        """Name of the profile in the settings."""
        ...

    @property
    def model(self) -> str: ...

    @property
    def place(self) -> str:
        """Where words go: THIS_MACHINE or a host name."""
        ...

    @property
    def context_window(self) -> int:
        """In tokens."""
        ...

    def stream(self, request: Request) -> AsyncIterator[Piece]:
        """The answer as it comes. Raises ProviderError with a sentence that names the URL."""
        ...

    async def close(self) -> None: ...
