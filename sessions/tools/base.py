"""What a tool is: a description for the model and a coroutine that answers with text."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

from sessions.clock import Clock
from sessions.events import FactEvent
from sessions.providers.base import ToolSpec
from sessions.typed import Typed


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Where a call comes from."""

    session: str
    turn: int
    call_id: str
    message: str
    """Id of the user's message that the turn answers."""
    cwd: Path
    clock: Clock
    progress: Callable[[str], None] = lambda text: None
    """Shows a line while the tool works; the newest replaces the one before."""
    typed: Callable[[], Sequence[Typed]] = tuple
    """What the person typed in this session, oldest first: the ground on which facts are kept at once."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A tool's answer to the model, and what it did to the facts."""

    content: str
    ok: bool = True
    events: tuple[FactEvent, ...] = field(default=())


MEMORY_TOOLS = frozenset({"recall_memory", "save_memory", "delete_memory", "search_history"})
"""Not offered while memory is off, and what they said earlier is then left out of the context."""

Offered: TypeAlias = "Callable[[bool], Awaitable[Offering]]"
"""Tools that come and go: those of now. True = a turn begins, which may wait a moment for some that are coming."""

ToolRun: TypeAlias = Callable[[dict[str, Any], ToolContext], Awaitable[ToolResult | str]]


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that the model may call. `run` may raise: the loop turns that into text for the model."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON Schema of an object; arguments are checked against it before `run`."""
    run: ToolRun
    side_effects: bool = False
    """True: the log reaches the disk before the call."""
    asks: str = ""
    """What the person is told of the tool before each call: `MCP server notes · can write`. Empty = it runs unasked."""
    source: str = ""
    """Where it comes from, in full: a yes for longer than one call holds for this and `asks` alone."""
    aliases: dict[str, str] = field(default_factory=dict)
    """Argument names that are accepted, not advertised: old name -> name."""
    brief: str = ""
    """The description where the model's window is small; empty = the first sentence of the other."""


@dataclass(frozen=True, slots=True)
class Offering:
    """Tools that come and go, as they are now."""

    tools: Sequence[Tool]
    remarks: tuple[str, ...] = ()
    """Sentences on what is missing, for the turn that would have had it; each is given once."""


class ContextSource(Protocol):
    """Gives a session's requests their fixed parts, without the loop knowing what they are about.

    A turn asks in this order: `fit`, `changed`, `block`, `tools`.
    """

    def fit(self, chars: int, short: bool) -> None:
        """How long block and tools may be together. What was made already stays, unless it is far too long. `short`:
        the tools are described in short."""
        ...

    def changed(self) -> str:
        """One line on what changed since `block` was made; empty when nothing did."""
        ...

    def block(self) -> ContextBlock: ...

    def tools(self) -> list[Tool]: ...


@dataclass(frozen=True, slots=True)
class BlockPart:
    """A piece of a block's text, in the order in which they stand there."""

    group: Literal["label", "self", "fact"]
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class ContextBlock:
    """Text that stands in every request before the conversation."""

    text: str = ""
    count: int = 0
    """How many facts it holds."""
    parts: tuple[BlockPart, ...] = ()
    """The text in pieces, for who wants to read it; joined by newlines they are the text."""
    left_out: int = 0
    """Facts that belong here and did not fit."""
    listed: int = 0
    """Facts in the table of contents, which stands in the description of a tool."""
    unlisted: int = 0
    """Facts that did not fit there."""


FRAME_CHARS = 16
"""What a tool, a message or a call takes beside its text, roughly."""


def tools_chars(tools: Iterable[Tool | ToolSpec]) -> int:
    """Characters that the tools take in a request, roughly."""
    return sum(len(t.name) + len(t.description) + len(json.dumps(t.parameters)) + FRAME_CHARS for t in tools)
