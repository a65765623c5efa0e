"""The turn that the guide is in: what was asked, what is known, and the tool results so far.

A turn's plan is a generator that yields the calls of a step and is sent their results. It starts anew with every
request and runs up to where the log stands, so that nothing is kept between requests.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any, TypeAlias

from sessions.clock import Clock, parse_iso
from sessions.messages import AssistantMessage, ToolMessage, UserMessage
from sessions.providers.base import Request
from sessions.providers.guide_facts import Seen, changed_facts, read_facts

_TODAY = re.compile(r"Today:\s*(\d{4}-\d\d-\d\d)(?:\s*\((\w+)\))?(?:,\s*(\d\d:\d\d))?")
_HELD = re.compile(r"\s*(?:proposed|to review|waits? for|waiting for)\b", re.I)


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Result:
    """A tool's answer; empty and failed when the call's result is missing."""

    content: str = ""
    ok: bool = False

    @property
    def proposed(self) -> bool:
        """The fact waits for the person's yes."""
        return self.ok and _HELD.match(self.content) is not None

    @property
    def known_before(self) -> bool:
        """A save that changed nothing."""
        return self.ok and self.content.startswith("Already known")

    @property
    def facts(self) -> list[Seen]:
        return read_facts(self.content) if self.ok else []


Steps: TypeAlias = Generator[list[Call], list[Result], str]
"""Yields the calls of a step, is sent their results, returns the answer."""


@dataclass(frozen=True, slots=True)
class Done:
    """A step that was run: the tools it called and their results, in call order."""

    names: list[str]
    results: list[Result]


@dataclass(slots=True)
class Turn:
    """One turn, as far as the request tells."""

    message: str
    today: date
    time: str
    tools: frozenset[str]
    known: list[Seen]
    """Facts that stand in the request, without a call; of two with one number the newer text."""
    done: list[Done] = field(default_factory=list)
    """The steps so far."""
    earlier: list[str] = field(default_factory=list)
    """What the person said in earlier turns, oldest first."""
    earlier_calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """Tools called in the turn before."""
    place: str | None = None
    """A place that this turn's own words say the person lives in."""
    units: str | None = None
    private: bool = False
    """Nothing of the session is kept."""
    screen: bool = True
    """There are keys and slash commands; else the person is in a shell."""

    def has(self, tool: str) -> bool:
        return tool in self.tools


def read_turn(request: Request, clock: Clock) -> Turn:
    """The newest turn of a request."""
    messages = list(request.messages)
    start = max((i for i, m in enumerate(messages) if isinstance(m, UserMessage)), default=-1)
    newest = messages[start] if start >= 0 else None
    text = newest.content if isinstance(newest, UserMessage) else ""
    day, time = now_of(request.environment, clock)
    earlier = [m.content for m in messages[: max(start, 0)] if isinstance(m, UserMessage)]
    before = max((i for i, m in enumerate(messages[: max(start, 0)]) if isinstance(m, UserMessage)), default=0)
    calls = [
        (call.name, call.arguments or {})
        for m in messages[before : max(start, 0)]
        if isinstance(m, AssistantMessage)
        for call in m.tool_calls
    ]
    notes = request.environment.partition(" Folder: ")[0]
    return Turn(
        text,
        day,
        time,
        frozenset(t.name for t in request.tools),
        _known(request),
        _done(messages[start + 1 :]),
        earlier,
        calls,
        private="session is private" in notes,
        screen="without a screen" not in notes,
    )


def now_of(environment: str, clock: Clock) -> tuple[date, str]:
    """Day and time that a request names, else the clock's."""
    m = _TODAY.search(environment)
    at = parse_iso(m[1]) if m else None
    now: datetime = clock.now().astimezone(UTC)
    return (at.date() if at else now.date()), (m[3] if m and m[3] else "")


def _known(request: Request) -> list[Seen]:
    contents = next((t.description for t in request.tools if t.name == "recall_memory"), "")
    newest = changed_facts(request.environment)
    gone = set(map(int, re.findall(r"\bforgotten: #(\d+) ", request.environment)))
    known: dict[int, Seen] = {}
    # The table of contents is shorter than the block, so the block's text counts.
    for fact in [*read_facts(contents), *read_facts(request.system), *newest]:
        known[fact.number] = fact
    return [fact for fact in known.values() if fact.number not in gone]


def _done(messages: Sequence[object]) -> list[Done]:
    answered = {m.tool_call_id: Result(m.content, m.ok) for m in messages if isinstance(m, ToolMessage)}
    return [
        Done([c.name for c in m.tool_calls], [answered.get(c.id, Result()) for c in m.tool_calls])
        for m in messages
        if isinstance(m, AssistantMessage) and m.tool_calls
    ]


def advance(steps: Steps, done: list[Done]) -> list[Call] | str:
    """The next step's calls, or the answer, after the steps that were run.

    A save of this very turn may already stand in the request and change the plan. A step that was run and is not
    planned any more is passed over, one that was planned only afterwards counts as without result.
    """
    at = 0
    try:
        calls = next(steps)
        while True:
            names = [call.name for call in calls]
            found = next((i for i in range(at, len(done)) if done[i].names == names), None)
            if found is None and at >= len(done):
                return calls
            if found is None:
                calls = steps.send([Result() for _ in calls])
            else:
                at = found + 1
                calls = steps.send(done[found].results)
    except StopIteration as end:
        return str(end.value)
