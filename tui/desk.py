"""The engine's side of the screen: opens the home after the first paint, keeps the shown session, follows events."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from sessions.errors import MemagentError
from sessions.settings import GUIDE
from tui import past_prompts
from tui.approving import Approving
from tui.chat.composer import Prompt
from tui.chat.start import Recent, StartState, Waiting
from tui.earlier import Earlier
from tui.elsewhere import Elsewhere
from tui.erasing import Erasing
from tui.finding import Finding
from tui.importing import Importing
from tui.moving import Moving
from tui.presenter import Presenter, only_read
from tui.private import PrivateTalk
from tui.serving import Serving
from tui.turns import Turns

if TYPE_CHECKING:
    from sessions.home import Home
    from sessions.hub import SessionHub, SessionState
    from tui.app import MemagentApp
    from tui.chat.blocks import Said


class Desk:
    """Everything here runs on the app's loop; what reads or writes files goes through the hub's I/O thread."""

    def __init__(self, app: MemagentApp) -> None:
        self.app = app
        self.presenter = Presenter(app, self)
        self.ready = asyncio.Event()
        """Set when home, hub and session are there."""
        self.home: Home
        self.hub: SessionHub
        self.state: SessionState | None = None
        """The shown session."""
        self.turns = Turns(app, self)
        self.elsewhere = Elsewhere(app, self)
        self.editing = ""
        """Id of the message in whose place the next one is said; empty = it is a new one."""
        self.private = PrivateTalk(app, self)
        self.erasing = Erasing(app, self)
        self.moving = Moving(app, self)
        self.importing = Importing(app, self)
        self.approving = Approving(app, self)
        self.serving = Serving(app, self)
        self.earlier = Earlier(app, self)
        self.finding = Finding(app, self)
        self._drafts: dict[str, Prompt] = {}
        self._switch = asyncio.Lock()
        """Held while another session is being opened."""
        self.closing = False
        """The program is ending."""
        self._continue = False
        """Enter was pressed before it was known which session it continues."""

    @property
    def session(self) -> str:
        """Id of the shown session; empty before there is one."""
        return self.state.id if self.state else ""

    @property
    def running(self) -> bool:
        return self.session in self.turns.running

    def run(
        self,
        group: str,
        work: Callable[..., Coroutine[Any, Any, Any]],
        *args: Any,
        exclusive: bool = False,
        **named: Any,
    ) -> None:
        """Work beside the screen; what fails is said in a notice. `exclusive` ends what the group does."""
        # A partial, not a coroutine: a worker that is cancelled before it begins leaves none behind.
        guarded: Any = partial(self._guarded, partial(work, *args, **named))
        # Described, or Textual writes out all that the work is given.
        self.app.run_worker(guarded, group=group, description=group, exclusive=exclusive, exit_on_error=False)

    async def _guarded(self, work: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        try:
            await work()
        except MemagentError as error:
            if self.app.is_running:
                self.app.say(str(error), "error")
        except Exception as error:
            if not self.app.is_running:
                return  # there is no screen any more
            from tui.__main__ import log_traceback

            private = self.state is not None and self.state.private
            where = "" if private else f". The details are in {log_traceback(self.app.paths, error)}"
            self.app.say(f"{type(error).__name__}: {error}{where}", "error")

    # ------------------------------------------------------------------ start and end

    def start(self) -> None:
        self.run("home", self._open, exclusive=True)

    async def _open(self) -> None:
        options = self.app.options
        try:
            self.home, self.hub = await asyncio.to_thread(self._make)
        except Exception as error:
            self.app.failure = error
            self.app.exit(1)
            return
        self.hub.approvals.changed = self.approving.changed
        self.run("events", self._follow)
        try:
            await self.show(await self._first())
        except MemagentError as error:
            if options.resume is None:
                self.app.failure = error
                self.app.exit(1)
                return
            await self.show(await self.hub.new(options.cwd))
            self.app.say(str(error), "error")
        self.ready.set()
        for problem in [*self.app.keymap.problems, *map(str, self.app.settings.problems)]:
            self.app.say(problem, "warning")
        await past_prompts.load(self.app, self)
        await self.refresh_start()
        self.warm()
        self.run("watch", self._watch)
        self.app.body.chat.start.found(await self.importing.look())
        self.importing.begin()
        await self.serving.begin()

    def _make(self) -> tuple[Home, SessionHub]:
        from sessions.home import Home
        from sessions.hub import SessionHub
        from sessions.hub.background import rest

        options = self.app.options
        home = Home(options.home, overrides=options.overrides, clock=self.app.clock)
        given = partial(SessionHub, home, private=options.private, rest=rest)
        return home, given(profile=options.profile, model=options.model, memory=options.memory)

    async def _first(self) -> SessionState:
        options = self.app.options
        if options.resume == "newest":
            newest = await self.hub.run(self.home.catalog.newest, str(options.cwd))
            newest = newest or await self.hub.run(self.home.catalog.newest, None)
            if newest is not None:
                return await self.hub.open(newest.id)
        elif options.resume:
            return await self.hub.open(options.resume)
        return await self.hub.new(options.cwd)

    def close(self, code: int) -> None:
        """End the turns, close the logs, leave; a second call leaves at once."""
        if self.closing:
            self.app.exit(code)
            return
        self.closing = True
        self.app.run_worker(self._close(code), group="close", exit_on_error=False)

    async def _close(self, code: int) -> None:
        try:
            if hasattr(self, "hub"):
                await asyncio.wait_for(self.hub.close(), 5)
        except Exception as error:
            from tui.__main__ import log_traceback

            log_traceback(self.app.paths, error)
        finally:
            self.app.exit(code)

    async def _follow(self) -> None:
        async with self.hub.subscribe() as events:
            async for event in events:
                self.presenter.apply(event)

    async def _watch(self) -> None:
        self.hub.index_soon()
        await self.erasing.finish()
        async with aclosing(self.hub.outside(poll=self.app.settings.ui.watch == "poll")) as seen:
            async for one in seen:
                if one.problem:
                    self.app.say(one.problem, "error")
                if one.missed and self.app.lists is not None:
                    self.app.lists.missed = True
                    self.app.lists.memory_changed()
                if one.facts:
                    await self.facts_changed()
                elif one.memory and self.app.lists is not None:
                    self.app.lists.memory_changed()
                for session in one.sessions - self.turns.running.keys():
                    self.hub.index_soon(session)
                if one.sessions and self.app.lists is not None:
                    self.app.lists.history_changed()

    async def facts_changed(self) -> None:
        """A person changed facts: running sessions see it in their next request, the screen at once."""
        self.hub.facts_changed()
        if self.app.lists is not None:
            self.app.lists.memory_changed()

    # ------------------------------------------------------------------ sessions

    async def show(self, state: SessionState, *, leave: bool = True) -> None:
        """Make a session the one on screen; without `leave` the one before stays open."""
        composer = self.app.body.chat.composer
        since = composer.draft()
        before, self.state, self.editing = self.state, state, ""
        self.presenter.load(state)
        self.importing.shown(state.private)
        composer.load(since if since.text else self._drafts.pop(state.id, Prompt("")))
        if not state.events:
            self.app.body.chat.show_start(not composer.text)
        self.turns.shown(state)
        if self.app.deeds is not None and self.ready.is_set():
            self.app.deeds.connecting.sharing.shown(state)
        if self.ready.is_set():
            self.warm()
        if leave and before is not None and before.id != state.id:
            await self.private.left(before)

    async def open(self, session: str, said: Said | None = None, *, along: bool = False) -> None:
        """Take up a session, at its end or where something was said."""
        await self.ready.wait()
        if session != self.session:
            await self._change(partial(self.hub.open, session), along=along)
        self.app.go("chat")
        if said is not None:
            self.app.call_after_refresh(self._go_to, said)

    def _go_to(self, said: Said) -> None:
        transcript = self.app.body.chat.transcript
        if transcript.go_to(*said):
            transcript.focus()
        else:
            self.app.say("the message is no longer in this session", "warning")

    async def new(self, *, private: bool | None = None, leave: bool = True) -> None:
        await self.ready.wait()
        await self._change(partial(self.hub.new, self.app.options.cwd, private=private), leave=leave)
        self.app.go("chat")
        await self.refresh_start()

    async def _change(
        self, other: Callable[[], Coroutine[Any, Any, SessionState]], *, along: bool = False, leave: bool = True
    ) -> None:
        """Show another session. What is typed from now on is for that one (with `along`, all that is written), and so
        is what is sent."""
        composer = self.app.body.chat.composer
        async with self._switch:
            left, draft = self.session, composer.draft()
            if not along:
                self._drafts[left] = draft
                composer.load(Prompt(""))
            try:
                state = await other()
            except BaseException:
                if not composer.text:
                    composer.load(self._drafts.pop(left, draft))
                raise
            await self.show(state, leave=leave)

    async def let_go(self, session: str) -> None:
        """Give a session free that was left and stayed open, as soon as no turn of it runs."""
        await self.hub.idle(session)
        async with self._switch:
            if session != self.session and self.hub.is_open(session):
                await self.private.left(await self.hub.state(session))

    def refuses(self, prompt: Prompt) -> bool:
        """Whether the shown session is only read here; what was to be sent is then put back at once."""
        if self._switch.locked() or self.state is None or self.state.writable:
            return False
        self._put_back(prompt, only_read(self.state))
        return True

    def _put_back(self, prompt: Prompt, why: str) -> None:
        """The message stands in the composer again, before what was written since."""
        composer = self.app.body.chat.composer
        composer.load(prompt.then(composer.draft()))
        self.app.say(why, "warning")

    async def send(self, prompt: Prompt) -> None:
        """Send, or queue while a turn runs; to the session that is being opened, if one is."""
        await self.ready.wait()
        async with self._switch:
            await self._send(prompt)

    async def _send(self, prompt: Prompt) -> None:
        assert self.state is not None
        if not self.state.writable:
            self._put_back(prompt, only_read(self.state))
            return
        self.app.body.chat.notice.clear()
        if not await self.may_go():
            self._put_back(prompt, "not sent: /model changes to another model")
            return
        self.app.body.chat.show_start(False)
        self.app.body.chat.transcript.to_newest()
        await past_prompts.keep(self.app, self, prompt)
        message, self.editing = self.editing, ""
        try:
            if message:
                await self.hub.edit(self.session, message, prompt.text, typed=prompt.typed)
            else:
                await self.hub.send(self.session, prompt.text, typed=prompt.typed)
        except MemagentError:
            if not self.app.body.chat.composer.text:
                self.editing = message
                self.app.body.chat.composer.load(prompt)
            raise
        self.show_queue()

    async def may_go(self) -> bool:
        """Whether the next words may go where the session's model is by now: asked when that became another machine."""
        place = await self.hub.renew(self.session)
        return not place or self.app.deeds is None or await self.app.deeds.connecting.moved(place)

    def leave_editing(self) -> None:
        """The message stays as it was said."""
        self.editing = ""
        self.app.body.chat.notice.clear()
        self.app.body.chat.composer.load(Prompt(""))

    def warm(self) -> None:
        """Let the shown session's model and what other panes are made by be loaded while the person reads."""
        self.run("warm", self._warm, self.session)
        self.run("parts", asyncio.to_thread, self.app.body.load_parts)

    async def _warm(self, session: str) -> None:
        await self.hub.warm(session)
        if session == self.session:
            self.presenter.gauge()

    def cancel(self) -> None:
        self.hub.cancel(self.session)

    def show_queue(self) -> None:
        self.app.body.chat.queue.show(self.hub.queued(self.session) if self.session else [])

    def up_from_empty(self) -> None:
        """The queued message to be edited, else the newest answer's foot, else past prompts."""
        chat = self.app.body.chat
        queued = self.hub.unqueue(self.session) if self.ready.is_set() else None
        if queued is not None:
            chat.composer.load(Prompt(queued.text, queued.typed))
            self.show_queue()
        elif not chat.start.display and chat.transcript.focus_foot():
            # At once, not with the next message: the next key may be waiting.
            self.app.screen.set_focus(chat.transcript)
        else:
            chat.composer.past()

    # ------------------------------------------------------------------ the start lines

    async def refresh_start(self) -> None:
        """What an empty session shows; quick counts first, so that useful words are there at once."""
        start, state = self.app.body.chat.start, self.state
        counts = await self.hub.run(self.home.facts.quick_counts)
        self.app.header.change(facts=counts.active, to_review=counts.to_review)
        if not start.display or state is None:
            return
        from tui.history.rows import badge, recap_text

        guide = state.profile == GUIDE
        start.show(replace(start.state, guide=guide, private=state.private))
        info = await self.hub.start_info(self.app.options.cwd)
        self.app.header.change(facts=info.facts, to_review=info.to_review)
        metas = [meta for meta in (info.newest, *info.more) if meta is not None and meta.turns]
        recent = tuple(Recent(m.id, m.title, recap_text(m), m.updated_at, m.turns, badge(m)) for m in metas)
        waiting = tuple(Waiting(w.number, w.summary, w.due) for w in info.waiting[:3])
        moved, review, private = await self.moving.look(), info.to_review, state.private
        found = start.state.found
        start.show(StartState(info.facts, info.sessions, waiting, review, recent, guide, private, moved, found))
        if self._continue:
            self.continue_first(start.display)

    def continue_first(self, offered: bool) -> None:
        """Enter with nothing written: take up the first of the sessions shown, if any were."""
        start = self.app.body.chat.start
        self._continue = offered and start.state.sessions is None
        if offered and start.state.recent:
            # The field was empty then: what is in it was typed since.
            self.run("session", self.open, start.state.recent[0].id, exclusive=True, along=True)
        elif offered and start.state.guide and not self._continue and self.app.deeds is not None:
            self.app.deeds.do("connect")
