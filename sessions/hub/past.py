"""What was said in an open session before what is in memory: read from its log a part at a time, and not kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sessions.agent.replay import Replayer, replay
from sessions.agent.shapes import turn_ended
from sessions.agent.trace import Trace, TurnNode
from sessions.events import Event, TurnFinished, TurnStarted
from sessions.hub.live import LiveSession
from sessions.messages import Marker, ToolMessage
from sessions.store.log import LogRead, read_log
from sessions.store.outline import Outline, TurnLine
from sessions.store.sidefiles import read_beside
from sessions.store.tail import TAIL, find_line

RESULT = 1 << 20
"""Bytes of a large result that are shown, as of those that are looked through."""


@dataclass(frozen=True, slots=True)
class Page:
    """The events of the log's bytes `[start, end)`: whole turns."""

    events: list[Event]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Earlier:
    """The turns before those in memory, without their steps."""

    turns: list[TurnNode] = field(default_factory=list)
    """Those that count, oldest first."""
    taken_back: list[TurnNode] = field(default_factory=list)


class Past:
    """Reads what is above. Every answer is None when lines were erased since the caller learned where things are."""

    def __init__(self, get: Callable[[str], LiveSession]) -> None:
        self._get = get

    async def before(self, session: str, start: int, end: int, least: int = TAIL) -> Page | None:
        """The part that ends at byte `end`, from `start` at most."""
        live, turns = await self._known(session)
        return await self._page(live, max(start, turns.before(end, least)), end)

    async def after(self, session: str, start: int, end: int, least: int = TAIL) -> Page | None:
        """The part that begins at byte `start`, to `end` at most."""
        live, turns = await self._known(session)
        return await self._page(live, start, turns.after(start, least, end))

    async def around(self, session: str, message: str, end: int) -> Page | None:
        """The part that holds a message, looked for before byte `end`; None when it is not there either."""
        live, turns = await self._known(session)
        at = await asyncio.to_thread(find_line, live.above.path, message, end)
        return await self._page(live, *turns.span(at, end)) if at is not None else None

    async def turns(self, session: str, end: int) -> Earlier:
        """The turns before byte `end`, as far as a folded tree shows them."""
        live = self._get(session)
        await live.above.settle(live.records)
        turns = await live.above.outline(lambda line: _node(line, session))
        return await asyncio.to_thread(_earlier, turns, session, end)

    async def turn(self, session: str, start: int, end: int) -> TurnNode | None:
        """A turn with its steps; `start` and `end` as of its `part`."""
        page = await self._page(self._get(session), start, end)
        return next(iter(Trace(page.events).turns), None) if page is not None else None

    async def result(self, session: str, call: str, file: str) -> str | None:
        """The whole result of a call, up to a megabyte, kept in this file; None when it is not to be had."""
        live = self._get(session)
        here = (r for r in reversed(live.records) if isinstance(r, ToolMessage) and r.tool_call_id == call)
        if (record := next(here, None)) is not None and record.file is None:
            return record.content[:RESULT]
        folder = live.above.path.with_name(f"{session}.files")
        return await asyncio.to_thread(read_beside, folder, file, limit=RESULT)

    async def _known(self, session: str) -> tuple[LiveSession, Outline]:
        live = self._get(session)
        await live.above.settle(live.records)
        return live, await live.above.outline()

    async def _page(self, live: LiveSession, start: int, end: int) -> Page | None:
        read = await asyncio.to_thread(_read, live, start, end)
        if read is None:
            return None
        events = await asyncio.to_thread(lambda: list(replay(read.records, live.id, skipped=len(read.problems))))
        return Page(events, start, end)


def _read(live: LiveSession, start: int, end: int) -> LogRead | None:
    path, file = live.above.path, live.above.file
    if start >= end or path.stat().st_ino != file:
        return None
    return read_log(path, start, limit=end - start)


def _earlier(turns: Outline, session: str, end: int) -> Earlier:
    def nodes(lines: list[TurnLine]) -> list[TurnNode]:
        nodes = [line.made for line in lines if line.start < end and isinstance(line.made, TurnNode)]
        trace = Trace()
        trace.put_above(nodes, ())
        for line in lines:
            if line.distilled is not None:
                for event in Replayer(session).feed(Marker("", "", "distilled", line.distilled)):
                    trace.apply(event)
        return nodes

    found = Earlier(nodes(turns.turns), nodes(turns.taken_back))
    turns.forget()
    return found


def _node(line: TurnLine, session: str) -> TurnNode:
    """The turn as far as it shows in one line."""
    head: dict[str, Any] = {"session": session, "turn": line.number}
    end = line.end()
    ended = turn_ended(end, "", head) if end is not None else [TurnFinished(**head, stop="cancelled", text="")]
    node = Trace([TurnStarted(**head, text=line.text, at=line.at, message=line.message), *ended]).turns[0]
    node.part = (line.start, line.stop)
    return node
