"""What a screen, `ask` and other programs use: sessions to talk in, and everything that happens as events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, ParamSpec, TypeVar

from sessions import ids
from sessions.agent import fact_lines
from sessions.agent.approval import Approver
from sessions.agent.inspect import ContextView
from sessions.agent.logs import MemoryLog, NewLog
from sessions.clock import iso
from sessions.errors import StoreError, UsageError
from sessions.events import Event, FactEvent, FactsRecalled, Notice, SessionChanged
from sessions.home import Home
from sessions.hub.approvals import Approvals, consent_of
from sessions.hub.background import Background, Lent, Rest
from sessions.hub.branches import Branching
from sessions.hub.follow import ByOption, follow, look_again
from sessions.hub.indexing import Indexing
from sessions.hub.leading import Leading
from sessions.hub.live import LiveSession
from sessions.hub.opening import opened
from sessions.hub.outside import Outside, outside
from sessions.hub.parts import Parts
from sessions.hub.pool import Pool
from sessions.hub.shared import Known, Outgoing, Shared
from sessions.hub.start import start_info
from sessions.hub.state import ContextUse, SessionState, StartInfo
from sessions.hub.subscription import Subscription
from sessions.hub.threads import Threads
from sessions.library import first_line
from sessions.settings import MemoryMode
from sessions.store.log import append_meta

P = ParamSpec("P")
T = TypeVar("T")
# How long work in the background may take to end when the hub closes.
_REST_S = 1.0


class SessionHub(Branching, Leading, Parts):
    """Several sessions at once, one turn in each. Lives on one event loop; `close` it at the end.

    `profile`, `model` and `memory` are the options of the command line: they beat what a session had and the settings.
    `rest` returns when a session rests that begins to now; without it nothing is done in the background.
    `approver` is asked before a call that can change something, None = it waits in `approvals` for an answer; `allow`
    are rules beside `approvals.always` of the settings.
    """

    def __init__(
        self,
        home: Home,
        *,
        profile: str | None = None,
        model: str | None = None,
        memory: MemoryMode | None = None,
        private: bool = False,
        rest: Rest | None = None,
        screen: bool = True,
        approver: Approver | None = None,
        allow: Sequence[str] = (),
    ) -> None:
        self.home = home
        self._profile = profile
        self._model = model
        self._memory = memory
        self._private = private
        self._threads = Threads()
        self._pool = Pool(home, self._warn)
        self._subscriptions: list[Subscription] = []
        self._live: dict[str, LiveSession] = {}
        self._background: set[asyncio.Task[Any]] = set()
        self._followers: dict[str, asyncio.Task[Any]] = {}
        self._opening = asyncio.Lock()
        self.indexing = Indexing(home, self._threads, self._spawn, self._warn)
        self._closed = False
        self.work = Background(Lent(home, self._pool, self._publish, self._live, self._recap_left), rest)
        self.approvals = Approvals()
        consent = partial(consent_of, home, self._threads, self._warn, approver or self.approvals, tuple(allow))
        told = home, self._threads, self._pool, self._publish, self._spawn, self.index_soon, self.work
        self._shared = Shared(*told, consent, self._offered, screen)

    # Sessions

    async def new(
        self,
        cwd: Path,
        *,
        private: bool | None = None,
        memory: MemoryMode | None = None,
        profile: str | None = None,
        model: str | None = None,
    ) -> SessionState:
        """A new session in a folder; its file appears with the first message. UsageError for an unknown profile."""
        chosen = await self._pool.chosen(profile or self._profile, model or self._model)
        hidden = self._private if private is None else private
        mode = memory or self._memory or self.home.settings.memory.mode
        session = ids.session_id(self.home.clock.now())
        provider = await self._pool.take(chosen.name, chosen.model)
        self._pool.give_back(provider)
        known = Known(session, cwd, chosen.name, model or self._model or "", mode, provider, hidden)
        first = first_line(self.home, cwd, profile=chosen.name, model=provider.model, memory=mode)
        log = MemoryLog() if hidden else NewLog(self.home.paths, session, first)
        live = await asyncio.to_thread(LiveSession, self._shared, known, log, [])
        self._live[session] = live
        self.work.rests(session)
        return await live.state()

    async def open(self, session: str) -> SessionState:
        """Take up a session; while another program has it, read only and followed. StoreError when there is none."""
        async with self._opening:
            live = self._live.get(session)
            if live is None:
                await self.work.stirs(session)
                live, size, ours = await opened(
                    self._shared, session, profile=self._profile, model=self._model, memory=self._memory
                )
                self._live[session] = live
                if size is not None:
                    by_option = ByOption(self._memory, self._profile or self._model)
                    self._followers[session] = self._spawn(follow(self._shared, live, size, by_option, ours=ours))
                self.work.rests(session)
        return await live.state()

    async def state(self, session: str) -> SessionState:
        """An open session as it is now."""
        return await self._get(session).state()

    async def leave(self, session: str, then: Callable[[], object] = lambda: None) -> None:
        """Give a session free that is shown no more, and do `then`. One whose turn runs stays open."""
        live = self._live.get(session)
        if live is not None and not live.busy:
            del self._live[session]
            follower = self._followers.pop(session, None)
            if follower is not None:
                follower.cancel()
            await live.close(then)
            self.work.left(session)

    async def idle(self, session: str) -> None:
        """Return when no turn of it runs and none waits."""
        live = self._live.get(session)
        if live is not None:
            await live.idle()

    def subscribe(self, session: str | None = None) -> Subscription:
        """All events from now on, of all sessions or of one."""
        subscription = Subscription(session, self._unsubscribe)
        self._subscriptions.append(subscription)
        if self._closed:
            subscription.end()
        return subscription

    # Talking

    async def send(self, session: str, text: str, *, typed: Iterable[tuple[int, int]] | None = None) -> None:
        """Start a turn, or queue the message while one runs. `typed` = spans that the person typed, None = all.

        LockedError when another program has the session.
        """
        self._get(session).send(text, typed)

    def cancel(self, session: str) -> None:
        """Stop the running turn; what came is kept."""
        self._get(session).cancel()

    def running(self, session: str) -> bool:
        live = self._live.get(session)
        return live is not None and live.running

    def is_open(self, session: str) -> bool:
        return session in self._live

    def queued(self, session: str) -> list[str]:
        """Messages that wait, the next first."""
        return self._get(session).queued()

    def unqueue(self, session: str) -> Outgoing | None:
        """Take back the newest message that waits, with what of it was typed."""
        return self._get(session).unqueue()

    def context_use(self, session: str) -> ContextUse:
        return self._get(session).context_use()

    async def context(self, session: str, text: str = "") -> ContextView:
        """What would go to the model with the message `text`, part by part. UsageError when it is only read here."""
        return await self._writable(session).look(text)

    async def keep(self, session: str) -> None:
        """Make a private session an ordinary one: all that was said in it is written. UsageError while a turn runs."""
        await self._get(session).keep()

    # Changing a session

    async def set_memory(self, session: str, mode: MemoryMode) -> None:
        """Use memory otherwise, from the next message of this session on."""
        live = self._writable(session)
        live.known.memory = mode
        live.remake()
        await self._mark(live, {"memory": mode})

    async def staying(self, session: str) -> int:
        """How many turns were told to a model on this machine and go to one elsewhere only when they are shared."""
        return await self._get(session).staying()

    async def set_share(self, session: str, share: Literal["any", "local"]) -> None:
        """Whether models elsewhere may see what was told here to one on this machine."""
        live = self._live.get(session)
        if live is not None:
            live.known.share = share
        await self._meta(session, {"share": share})

    async def rename(self, session: str, title: str) -> None:
        await self._meta(session, {"title": title})

    async def pin(self, session: str, pinned: bool = True) -> None:
        await self._meta(session, {"pinned": pinned})

    async def archive(self, session: str, archived: bool = True) -> None:
        await self._meta(session, {"archived": archived})

    async def clear(self, session: str) -> None:
        """Begin the context anew; nothing is deleted."""
        live = self._writable(session)
        await live.mark("cleared", {})
        self._publish(SessionChanged(session=session, what={"cleared": True}))

    async def tell(self, session: str, event: FactEvent) -> None:
        """Say and log what the person did to a fact in this session: an undo, a hand-typed fact."""
        live = self._writable(session)
        head = {"session": session, "turn": event.turn}
        for one in fact_lines.of_call([event], head, event.call_id):
            if live.kept and not isinstance(one, FactsRecalled):
                line = fact_lines.marker(one, ids.message_id(), iso(self.home.clock.now()))
                await live.mark("fact", line.data)
            self._publish(one)

    def facts_changed(self) -> None:
        """A person changed facts: the next turn of every open session sees them as they are now."""
        for live in self._live.values():
            live.remake()

    # The home

    async def run(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function that reads or writes files, off the event loop: `await hub.run(home.catalog.list)`."""
        return await self._threads.run(fn, *args, **kwargs)

    def outside(self, *, poll: bool = False) -> AsyncGenerator[Outside, None]:
        """What editors and other programs do to the files, taken in as it comes; `poll` = look twice a second."""
        return outside(self.home, self._threads, partial(look_again, self._shared, self._live), poll=poll)

    async def start_info(self, cwd: Path) -> StartInfo:
        """What an empty session's first lines say."""
        return await self._threads.run(start_info, self.home, cwd)

    def index_soon(self, session: str | None = None) -> None:
        """Let the search index catch up in the background: with one session that grew, or with all logs."""
        self.indexing.soon(session)

    async def close(self) -> None:
        """Stop all turns, keeping what came, and end every subscription."""
        if self._closed:
            return
        self._closed = self.indexing.closed = True
        if "following" in vars(self):
            self.following.close()
        await self.work.close()
        for follower in self._followers.values():
            follower.cancel()
        await asyncio.gather(*(live.close() for live in self._live.values()), return_exceptions=True)
        self._live.clear()
        await self._close_servers()
        await self._pool.close()
        # The index may be in the middle of a long log: it is told to stop and ends by itself soon after.
        await asyncio.wait({asyncio.ensure_future(asyncio.to_thread(self.home.close))}, timeout=_REST_S)
        if self._background:
            await asyncio.wait(self._background, timeout=_REST_S)
        for task in self._background:
            task.cancel()
        for subscription in list(self._subscriptions):
            subscription.end()
        self._threads.close()

    async def __aenter__(self) -> SessionHub:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # Inside

    async def _meta(self, session: str, data: dict[str, Any]) -> None:
        live = self._live.get(session)
        if live is not None and live.writable:
            await self._mark(live, data)
            return
        if not ids.is_session_id(session):
            raise StoreError(f"{session!r} is no session id")
        if live is not None and "title" in data:
            live.known.title = data["title"]
        await self._threads.run(append_meta, self.home.paths, session, data, self.home.clock)
        await self._threads.run(self.home.catalog.refresh, session)
        self._publish(SessionChanged(session=session, what=data))

    async def _mark(self, live: LiveSession, data: dict[str, Any], **more: Any) -> None:
        await live.mark("meta", data)
        if "title" in data:
            live.known.title = data["title"]
        if live.kept:
            live.known.meta = await self._threads.run(self.home.catalog.refresh, live.id)
        self._publish(SessionChanged(session=live.id, what=data | more))

    async def _recap_left(self, session: str) -> None:
        if self.home.settings.history.recap == "leave":
            await self.recaps.after_leaving(session)

    def _get(self, session: str) -> LiveSession:
        live = self._live.get(session)
        if live is None:
            raise UsageError(f"The session {session} is not open")
        return live

    def _writable(self, session: str) -> LiveSession:
        live = self._get(session)
        if not live.writable:
            raise UsageError(live.note, "Fork it, or close it there")
        return live

    def _publish(self, event: Event) -> None:
        for subscription in self._subscriptions:
            subscription.put(event)

    def _warn(self, text: str) -> None:
        self._publish(Notice(session="", level="warning", text=text))

    def _unsubscribe(self, subscription: Subscription) -> None:
        if subscription in self._subscriptions:
            self._subscriptions.remove(subscription)

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.get_running_loop().create_task(work)
        self._background.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._background.discard(task)
        if task.cancelled() or self._closed:
            return
        error = task.exception()
        if error is not None:
            self.home.report(error)
            where = f"The details are in {self.home.paths.log_file}"
            self._publish(Notice(session="", level="warning", text=f"Work in the background failed: {error}. {where}"))
