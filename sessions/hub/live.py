"""One open session: its agent, its queue of messages, its turn."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

from sessions import ids
from sessions.agent.agent import Agent
from sessions.agent.enough import enough
from sessions.agent.inspect import ContextView
from sessions.agent.logs import Log, NewLog
from sessions.agent.replay import told_again
from sessions.clock import iso
from sessions.errors import LockedError, UsageError
from sessions.events import Event, Notice, Rewound, SessionChanged, TurnFailed, TurnFinished
from sessions.hub.above import Above
from sessions.hub.leading import held, renewed
from sessions.hub.making import agent_of
from sessions.hub.shared import Known, Outgoing, Shared
from sessions.hub.state import ContextUse, SessionState
from sessions.library import first_line
from sessions.messages import Marker, Record, Unknown, UserMessage, erased_line
from sessions.providers.base import Provider
from sessions.store.line import before, main_line
from sessions.store.log import LogRead

_MORE = 512 << 10
"""Bytes that are taken up at first when more of a log is needed than its tail."""


class LiveSession:
    """`log` None = held by another program: read only, and grown by `follow`."""

    def __init__(
        self,
        shared: Shared,
        known: Known,
        log: Log | None,
        records: list[Record],
        note: str = "",
        above: Above | None = None,
    ) -> None:
        self.id = known.session
        self.known = known
        self.note = note
        self._shared = shared
        self._log = log
        self._records = records
        self._consent = shared.consent()
        self._agent: Agent | None = self._made(log, records) if log is not None else None
        self._queue: deque[Outgoing] = deque()
        self._task: asyncio.Task[None] | None = None
        self._cancelled = False
        self._over = True
        """The turn has told its end, whatever its task still does."""
        self._queue_told = False
        self.above = above or Above(shared.home.paths.session_log(known.session))
        self._loading = asyncio.Lock()
        self._opened = self._before = len(records)
        self._now: list[Event] = []
        """Events of the turn that runs; what was before is in the records."""

    @property
    def agent(self) -> Agent | None:
        return self._agent

    @property
    def log(self) -> Log | None:
        """None while another program has the session."""
        return self._log

    @property
    def records(self) -> list[Record]:
        """The log, or the end of it that is in memory: whole turns."""
        return self._agent.records if self._agent is not None else self._records

    @property
    def whole(self) -> bool:
        """Whether all of the log is in memory."""
        return not self.above.start

    @property
    def running(self) -> bool:
        return self._task is not None and not self._over

    @property
    def busy(self) -> bool:
        """A turn runs, ends, or waits to begin."""
        return self._task is not None

    @property
    def writable(self) -> bool:
        return self._agent is not None

    @property
    def kept(self) -> bool:
        """Whether the session has a file."""
        return not self.known.private and not (isinstance(self._log, NewLog) and not self._log.exists)

    @property
    def learns(self) -> bool:
        """Whether something of it may be kept now."""
        meta = self.known.meta
        imported = meta is not None and meta.source is not None
        return self.kept and self.writable and self.known.memory == "on" and not imported

    @property
    def folder(self) -> Path:
        return self.known.cwd

    @property
    def private(self) -> bool:
        return self.known.private

    async def load(self, enough: Callable[[Sequence[Record]], bool]) -> None:
        """Take up more of the log until what is in memory is enough, or all of it is. Raises StoreError."""
        async with self._loading:
            least = _MORE
            await self.above.settle(self.records)
            while self.above.start and not await asyncio.to_thread(enough, list(self.records)):
                read = await self.above.more(least)
                self.records[:0] = read.records
                self._before += len(read.records)
                self._opened += len(read.records)
                self.known.skipped += len(read.problems)
                least *= 2

    async def reach(self, message: str) -> None:
        """Take up the log to a message and the line before it. Raises StoreError."""
        ids_ = {message}
        await self.load(lambda records: any(record.id in ids_ for record in records[1:]))

    def begin_at(self, read: LogRead) -> None:
        """The log is another one now: this is its end."""
        self.records[:] = read.records
        self._opened = len(read.records)
        self.above = Above(self.above.path, read.start, read.file)

    async def state(self) -> SessionState:
        """The session now, with the events of what is in memory."""
        known = self.known
        await self.above.settle(self.records)
        before, now = self.records[: self._before] if self._now else list(self.records), list(self._now)
        elsewhere = not self.writable and not known.rests

        at, skipped = self._opened, known.skipped

        def events() -> list[Event]:
            return told_again(before, self.id, skipped=skipped, running=elsewhere, notices=known.notices, at=at)

        told, stays = await asyncio.to_thread(events), await self.staying() if known.far() else 0
        return SessionState(
            id=self.id,
            title=known.title,
            cwd=known.cwd,
            writable=self.writable,
            memory=known.memory,
            profile=known.profile,
            model=known.provider.model,
            place=known.provider.place,
            meta=known.meta,
            holder_note=self.note,
            events=[*told, *now],
            above=self.above.start,
            running=self.running,
            private=known.private,
            cwd_missing=not known.cwd.is_dir(),
            queued=tuple(self.queued()),
            share=known.share,
            stays=stays,
        )

    async def staying(self) -> int:
        """Turns that a model elsewhere does not see because they were told to one on this machine."""
        if self._agent is None or self.known.share == "any":
            return 0
        return await asyncio.to_thread(self._agent.staying)

    # Turns

    def send(self, text: str, typed: Iterable[tuple[int, int]] | None, *, instead: UserMessage | None = None) -> None:
        """Start a turn, or let the message wait for the one that runs. LockedError when it cannot be written."""
        spans = tuple(typed) if typed is not None else None
        self._put(Outgoing(text, spans, instead, self.known.memory == "off"))

    def compact(self, focus: str) -> None:
        """Put older turns in short, after the turn that runs. LockedError as of `send`."""
        self._put(Outgoing(f"/compact {focus}".rstrip(), None, focus=focus))

    def _put(self, outgoing: Outgoing) -> None:
        if self._agent is None:
            raise LockedError(self.note or "The session is open in another program", "Fork it, or close it there")
        self._queue.append(outgoing)
        if self._task is None:
            self._over = False
            self._task = asyncio.get_running_loop().create_task(self._drain(self._agent))
        elif not self._over:
            self._queue_changed()

    def cancel(self) -> None:
        """End the running turn; messages that wait are then sent."""
        self._cancelled = True
        if self._agent is not None:
            self._agent.cancel()

    def queued(self) -> list[str]:
        return [waiting.text for waiting in self._queue]

    def unqueue(self) -> Outgoing | None:
        """Take back the newest message that waits."""
        if not self._queue:
            return None
        taken = self._queue.pop()
        self._queue_changed()
        return taken

    async def look(self, text: str) -> ContextView:
        """What would go to the model with this message."""
        assert self._agent is not None
        await self._ready()
        return await self._agent.look(text)

    def context_use(self) -> ContextUse:
        tokens = self._agent.context_tokens() if self._agent is not None else 0
        return ContextUse(tokens, self.known.provider.context_window)

    async def _drain(self, agent: Agent) -> None:
        try:
            await self._shared.background.stirs(self.id)
            while self._queue:
                message = self._queue.popleft()
                self._over = False
                if self._queue_told:
                    self._queue_changed()
                await self._one(agent, message)
                self._shared.spawn(self.settle())
            self._shared.background.rests(self.id)
        finally:
            self._task = None

    async def _one(self, agent: Agent, message: Outgoing) -> None:
        self._cancelled = False
        known, pool = self.known, self._shared.pool
        taken = await pool.take(known.profile, known.model)
        place = renewed(self, taken, self._shared.publish)
        provider = known.using = held(known, place) if place else taken
        agent.use(provider)
        try:
            if message.instead is not None:
                await self.go_back(message.instead)
            await self._ready()
            self._before = len(agent.records)
            if message.focus is not None:
                doing = agent.compact(message.focus)
            else:
                doing = agent.turn(message.text, typed=message.typed, off=message.off)
            async with aclosing(doing) as events:
                async for event in events:
                    self._over = isinstance(event, TurnFinished | TurnFailed)
                    self._now.append(event)
                    self._shared.publish(event)
                    if self._cancelled and not self._over:
                        agent.cancel()
        except Exception as e:
            self._report(e)
            if not self._over:
                why = f"The turn failed: {str(e) or type(e).__name__}"
                self._shared.publish(TurnFailed(session=self.id, error=why, advice="Send the message again"))
        finally:
            self._over = True
            self._now = []
            known.using = None
            pool.give_back(taken)

    async def _ready(self) -> None:
        """Have in memory what the next request can hold."""
        window, max_turns = self.known.provider.context_window, self._shared.home.settings.context.max_turns
        await self.load(lambda records: enough(records, window=window, max_turns=max_turns))
        if self._agent is not None:
            self._agent.begins_after(await self.above.before())

    async def settle(self) -> None:
        """What the log has now: the title, the catalog, the index."""
        home = self._shared.home
        try:
            if self.known.private:
                from sessions.store.recap import rule_title

                title = await asyncio.to_thread(rule_title, list(self.records))
            else:
                # A large log may have to be read through, which nobody waits for.
                meta = await asyncio.to_thread(home.catalog.refresh, self.id)
                self.known.meta, title = meta, meta.title
                self._shared.index_soon(self.id)
        except Exception as e:
            self._report(e)
            self._shared.publish(Notice(session=self.id, level="warning", text=f"The list is not up to date: {e}"))
            return
        if title != self.known.title:
            self.known.title = title
            self._shared.publish(SessionChanged(session=self.id, what={"title": title}))

    def _queue_changed(self) -> None:
        self._queue_told = bool(self._queue)
        self._shared.publish(SessionChanged(session=self.id, what={"queued": self.queued()}))

    async def idle(self) -> None:
        """Return when no turn runs and none waits."""
        while self._task is not None:
            await asyncio.wait({self._task})

    # Lines that no turn writes

    async def go_back(self, prompt: UserMessage) -> None:
        """Take back a message and all after it. StoreError when that cannot be written."""
        await self.load(lambda records: before(main_line(records), prompt.id) is not None)
        to = before(main_line(self.records), prompt.id)
        await self.mark("rewound", {"to": to})
        self._shared.publish(Rewound(session=self.id, turn=prompt.turn, message=prompt.id, to=to))

    async def mark(self, kind: str, data: dict[str, Any]) -> None:
        """Append a marker. StoreError when it cannot be written."""
        assert self._agent is not None
        at = iso(self._shared.home.clock.now())
        await self._agent.write(Marker(ids.message_id(), at, kind, data), sync=True)

    def use(self, profile: str, model: str, provider: Provider) -> None:
        self.known.profile, self.known.model, self.known.provider = profile, model, provider
        self.remake()  # another model may see other facts
        if self._agent is not None and not self.running:
            self._agent.use(provider)

    def remake(self) -> None:
        """The person changed the facts: block and contents are made anew with the next turn."""
        for source in self._agent.sources if self._agent is not None else ():
            getattr(source, "remake", lambda: None)()

    async def keep(self) -> None:
        """Write down what was private. UsageError while a turn runs, StoreError when it cannot be written."""
        known, home = self.known, self._shared.home
        if not known.private:
            return
        if self.busy:
            raise UsageError("A turn is running", "Stop it first")
        had = {"profile": known.profile, "model": known.provider.model, "memory": known.memory, "private": True}
        log = NewLog(home.paths, self.id, first_line(home, known.cwd, **had))
        records = list(self.records)
        await asyncio.get_running_loop().run_in_executor(self._shared.threads.log, log.append_all, records)
        known.private = False
        self._log, self._agent = log, self._made(log, records)
        self._shared.publish(SessionChanged(session=self.id, what={"private": False}))
        if self.kept:
            await self.settle()

    def erased(self, ids_: Collection[str]) -> None:
        """These lines were erased from the log."""
        for i, record in enumerate(self.records):
            if record.id and record.id in ids_:
                self.records[i] = Unknown(erased_line(record.id), "erased")
        self.above.moved()

    def take_over(self, log: Log) -> None:
        """The other program has gone: this one writes now."""
        self._log, self.note = log, ""
        self._agent = self._made(log, self._records)

    async def close(self, then: Callable[[], object] = lambda: None, timeout_s: float = 2.0) -> None:
        """Stop what runs, keeping what came, and give the session free; `then` comes before others can take it."""
        self._queue.clear()
        task = self._task
        if task is not None:
            self.cancel()
            await asyncio.wait({task}, timeout=timeout_s)
            task.cancel()

        def end() -> None:
            if self._log is not None:
                self._log.close()
            then()

        await asyncio.get_running_loop().run_in_executor(self._shared.threads.log, end)

    def _made(self, log: Log, records: list[Record]) -> Agent:
        return agent_of(self._shared, self.known, log, records, self._consent, self._report)

    def _report(self, error: Exception) -> None:
        """Of a private session nothing is written, not even what went wrong."""
        if not self.known.private:
            self._shared.home.report(error)
