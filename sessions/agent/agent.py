"""The agent of one session: a model, its tools, and the log that remembers what was said."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from concurrent.futures import Executor
from contextlib import aclosing
from pathlib import Path

from sessions.agent.approval import Consent
from sessions.agent.before import Before
from sessions.agent.by_hand import ByHand
from sessions.agent.desk import Desk
from sessions.agent.inspect import NEXT, ContextView, view
from sessions.agent.logs import Log
from sessions.agent.turn import Turn
from sessions.clock import Clock, iso
from sessions.events import Event
from sessions.messages import Record, UserMessage, clean
from sessions.providers.base import Provider
from sessions.settings import MemoryMode, Settings
from sessions.store.line import last_turn
from sessions.tools.base import ContextSource, Offered, Tool


class Agent:
    """One session's loop, one turn at a time.

    `records` is the log as read so far. `mode` tells how memory is used now, `notes` what else the model should know
    of the session, `io` is one thread for all that touches
    files, `report` takes what should not have happened (the person sees the turn fail), `consent` says which calls that
    can change something may run (None = those that `approvals.always` of the settings names), `offered` gives tools
    beside `tools` that come and go, `shared` tells whether a model elsewhere may see what was told to one here.
    """

    def __init__(
        self,
        provider: Provider,
        log: Log,
        records: Iterable[Record],
        sources: Sequence[ContextSource],
        tools: Sequence[Tool],
        settings: Settings,
        clock: Clock,
        session: str,
        cwd: Path,
        *,
        mode: Callable[[], MemoryMode] = lambda: "on",
        notes: Callable[[], str] = str,
        io: Executor | None = None,
        report: Callable[[Exception], None] = traceback.print_exception,
        consent: Consent | None = None,
        offered: Offered | None = None,
        shared: Callable[[], bool] = lambda: True,
    ) -> None:
        given = (provider, log, records, sources, tools, settings, clock, session, cwd)
        self._desk = Desk(
            *given, mode=mode, notes=notes, io=io, report=report, consent=consent, offered=offered, shared=shared
        )
        self._work: Turn | ByHand | None = None

    @property
    def provider(self) -> Provider:
        return self._desk.provider

    @property
    def records(self) -> list[Record]:
        """The log, growing."""
        return self._desk.records

    def begins_after(self, before: Before) -> None:
        """The records are the end of a log of which this stands before them."""
        self._desk.before = before

    @property
    def sources(self) -> tuple[ContextSource, ...]:
        return self._desk.sources

    async def turn(
        self, text: str, *, typed: Iterable[tuple[int, int]] | None = None, off: bool = False
    ) -> AsyncGenerator[Event, None]:
        """Answer a message. `typed` = the spans of it that the person typed, None = all. `off` = it was sent while
        memory was off, whatever the mode is by now.

        `cancel` ends it with `TurnFinished(stop="cancelled")`. Closing the generator, or cancelling its task, ends it
        as well: what came is in the log, only the events are not heard. Raises RuntimeError while a turn runs.
        """
        turn = Turn(self._desk, last_turn(self.records) + 1, text, typed, off=off)
        async with aclosing(self._run(turn)) as events:
            async for event in events:
                yield event

    async def compact(self, focus: str = "") -> AsyncGenerator[Event, None]:
        """Put older turns in short now; `focus` = what the summary takes special care of. Else as `turn`."""
        async with aclosing(self._run(ByHand(self._desk, focus))) as events:
            async for event in events:
                yield event

    async def _run(self, work: Turn | ByHand) -> AsyncGenerator[Event, None]:
        if self._work is not None:
            raise RuntimeError("a turn is running in this session")
        self._work = work
        task = work.start()
        try:
            while True:
                for event in await work.events.get():
                    if event is None:
                        return
                    yield event
        finally:
            work.cancel()
            await asyncio.wait({task})
            self._work = None

    def cancel(self) -> None:
        """End the running turn now, keeping what came."""
        if self._work is not None:
            self._work.cancel()

    def staying(self) -> int:
        """How many turns of what is in memory a model on this machine was told, whatever the model is now."""
        return self._desk.staying()

    async def look(self, text: str = "") -> ContextView:
        """What the next message, `text`, would send, part by part."""
        desk = self._desk
        off = desk.mode() == "off"
        at, turn = iso(desk.clock.now()), last_turn(self.records) + 1
        message = UserMessage(NEXT, at, turn, clean(text), memory="off" if off else None)
        parts = await desk.parts(off, wait=False, text=message.content)
        return view(parts, desk.next(parts, message), desk.budget, desk.window)

    def context_tokens(self) -> int:
        """Tokens of the conversation as it stands: the last report of the provider, else an estimate."""
        return self._desk.context_tokens()

    def use(self, provider: Provider) -> None:
        """Answer with another model from the next turn on."""
        self._desk.use(provider)

    async def write(self, record: Record, *, sync: bool = False) -> Record:
        """Append a line that no turn writes: a changed title, a cleared context."""
        return await self._desk.write(record, sync=sync)
