"""A model that says what a test wrote down, and a session around it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sessions.agent.agent import Agent
from sessions.agent.logs import Log, MemoryLog
from sessions.agent.repair import repair
from sessions.clock import FixedClock
from sessions.events import Event, TurnFinished
from sessions.messages import Record
from sessions.providers.base import Finished, Piece, Request, RequestedCall, TextPiece
from sessions.settings import Settings
from sessions.tools.base import ContextSource, Tool, ToolContext, ToolResult

NOW = datetime(2026, 11, 29, 17, 14, tzinfo=UTC)
SESSION = "20261129-171408-7f3a9c"
Step = list[Any]
"""Pieces, exceptions to raise, events to wait for, callables to call; a stream ends with `Finished` by itself."""


class Scripted:
    """Answers each request with the next step of its script and keeps the requests."""

    def __init__(self, *steps: Step, profile: str = "test", window: int = 100_000) -> None:
        self.steps = list(steps)
        self.requests: list[Request] = []
        self.profile = profile
        self.model = "test-1"
        self.place = "this machine"
        self.context_window = window
        self.closed = False
        self.streaming = 0

    async def stream(self, request: Request) -> AsyncIterator[Piece]:
        self.requests.append(request)
        assert list(request.messages) == repair(request.messages, self.profile), "every request is well-formed"
        self.streaming += 1
        try:
            finished = False
            for item in self.steps.pop(0) if self.steps else [TextPiece("(no more script)")]:
                if isinstance(item, BaseException):
                    raise item
                if isinstance(item, asyncio.Event):
                    await item.wait()
                elif callable(item):
                    item()
                else:
                    finished = isinstance(item, Finished)
                    yield item
            if not finished:
                yield Finished("stop")
        finally:
            self.streaming -= 1

    async def close(self) -> None:
        self.closed = True


def calls(*wanted: tuple[str, dict[str, Any] | str], **more: Any) -> Finished:
    """The end of a step that asks for these tools; a text stands for arguments that are no JSON."""
    made = tuple(
        RequestedCall(name, a if isinstance(a, dict) else None, a if isinstance(a, str) else "{}", f"p{i}")
        for i, (name, a) in enumerate(wanted)
    )
    return Finished("tool_calls", made, **more)


def says(text: str) -> Step:
    return [TextPiece(text)]


def tool(name: str, run: Callable[..., Any], *, side_effects: bool = False, **properties: Any) -> Tool:
    """A tool whose `run` takes (arguments, context), plain or a coroutine."""

    async def call(arguments: dict[str, Any], context: ToolContext) -> ToolResult | str:
        answer = run(arguments, context)
        return await answer if asyncio.iscoroutine(answer) else answer

    schema = {"type": "object", "properties": properties, "required": []}
    return Tool(name, f"Does {name}.", schema, call, side_effects)


def echo(name: str = "echo") -> Tool:
    return tool(name, lambda arguments, _: f"echo {arguments.get('text', '')}", text={"type": "string"})


def agent(
    provider: Scripted,
    *,
    log: Log | None = None,
    records: Iterable[Record] = (),
    tools: Iterable[Tool] = (),
    sources: Iterable[ContextSource] = (),
    settings: Settings | None = None,
    cwd: Path = Path("/tmp"),
    **more: Any,
) -> Agent:
    return Agent(
        provider,
        log or MemoryLog(),
        records,
        list(sources),
        list(tools),
        settings or Settings(),
        FixedClock(NOW),
        SESSION,
        cwd,
        **more,
    )


async def run(made: Agent, text: str, **more: Any) -> list[Event]:
    return [event async for event in made.turn(text, **more)]


class KeptLog(MemoryLog):
    """Notes what was written and what had to reach the disk."""

    def __init__(self) -> None:
        self.lines: list[tuple[Record, bool]] = []

    def append(self, record: Record, *, sync: bool = False) -> Record:
        self.lines.append((record, sync))
        return record


def of(kind: type, items: Any) -> list[Any]:
    return [item for item in items if isinstance(item, kind)]


def end(events: list[Event]) -> TurnFinished:
    assert isinstance(events[-1], TurnFinished)
    return events[-1]
