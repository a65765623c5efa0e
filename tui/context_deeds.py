"""What the actions on the next request do: look at it, use memory otherwise, keep nothing, keep after all."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sessions.settings import MemoryMode
from tui.lists import PERSON

if TYPE_CHECKING:
    from tui.app import MemagentApp
    from tui.desk import Desk
    from tui.dialogs.context import Inspector


class ContextDeeds:
    """A part of the deeds: one method an action."""

    app: MemagentApp

    @property
    def _desk(self) -> Desk:
        assert self.app.desk is not None
        return self.app.desk

    # ------------------------------------------------------------------ what goes to the model

    def context(self, _: str) -> None:
        self._desk.run("context", self._context, exclusive=True)

    async def _context(self) -> None:
        from tui.dialogs.context import Inspector

        await self._desk.ready.wait()
        desk, state = self._desk, self._desk.state
        if state is not None and not state.writable:
            self.app.say("another program has it: only read here · /fork goes on in a copy", "warning")
            return
        view = await desk.hub.context(desk.session, self.app.body.chat.composer.text)
        place = self.app.header.state.place or (state.place if state else "") or "the model"
        spent = await desk.hub.run(self._spent, desk.session)
        inspector = Inspector(
            view, place, spent, mute=lambda ref: self._mute(ref, inspector), copy=lambda: self._copy(inspector)
        )
        await self.app.push_screen(inspector)

    def _spent(self, session: str) -> str:
        """What this session and this day cost; empty where no profile has a price."""
        from sessions.hub.spending import money

        spending, limit = self._desk.hub.spending, self._desk.home.settings.agent.spend_limit
        if not spending.priced:
            return ""
        most = f" of {money(limit)}" if limit is not None else ""
        mine, today = spending.of_session(session), spending.today()
        return f"Spent: {mine} in this session, {today}{most} today{(mine + today).source}"

    def _mute(self, ref: str, inspector: Inspector) -> None:
        self._desk.run("facts", self._switch_off, ref, inspector)

    async def _switch_off(self, ref: str, inspector: Inspector) -> None:
        desk = self._desk
        await desk.hub.run(desk.home.facts.edit, ref, by=PERSON, status="off")
        await desk.facts_changed()
        inspector.show(await desk.hub.context(desk.session, self.app.body.chat.composer.text))

    def _copy(self, inspector: Inspector) -> None:
        import json

        from sessions.providers.chat_request import body
        from sessions.settings import Profile

        state, known = self._desk.state, self._desk.home.settings.profiles
        base = known.get(state.profile, Profile("")).base_url if state else ""
        wire = body(inspector.view.request, Profile("", base_url=base, model=state.model if state else ""), usage=False)
        self.app.copy_to_clipboard(json.dumps(wire, ensure_ascii=False, indent=2))

    # ------------------------------------------------------------------ memory on, off, private

    def memory_mode(self, words: str) -> None:
        chosen = words.split()
        modes = [word for word in chosen if word != "--default"]
        if not chosen:
            from tui.dialogs.memory_mode import memory_mode

            state = self._desk.state
            now = state.memory if state is not None and state.private else self.app.header.state.memory
            private = state is not None and state.private
            self.app.push_screen(memory_mode(now, private=private), self._use_memory)
        elif len(modes) != 1 or modes[0] not in {"on", "read-only", "off"}:
            self.app.say("/memory on, read-only or off, and --default to keep it", "warning")
        else:
            self._use_memory(modes[0])
            if "--default" in chosen:
                self._desk.run("settings", self._default_mode, modes[0])

    async def _default_mode(self, mode: str) -> None:
        """Write the setting, so that sessions begun from now on have it."""
        from sessions.settings_file import set_value

        await self._desk.hub.run(set_value, self.app.paths.config, "memory.mode", mode)
        self.app.settings = await self._desk.hub.run(self._desk.home.reload_settings)

    def _use_memory(self, mode: str | None) -> None:
        if mode == "private":
            self.private("")
        elif mode in {"on", "read-only", "off"}:
            self._desk.run("memory-mode", self._set_memory, cast(MemoryMode, mode))

    async def _set_memory(self, mode: MemoryMode) -> None:
        desk = self._desk
        await desk.hub.set_memory(desk.session, mode)
        if desk.state is not None and desk.state.private:
            self.app.say(
                "memory off; private: nothing is kept either"
                if mode == "off"
                else "this session is private: nothing is saved (/keep); facts are recalled"
            )
        if mode != "off" and (hidden := (await desk.hub.context(desk.session)).left_out.off):
            turns = "1 turn" if hidden == 1 else f"{hidden} turns"
            self.app.say(f"{turns} said while memory was off: no longer sent, until it is off again")

    def private(self, _: str) -> None:
        self._desk.run("session", self._desk.new, private=True, exclusive=True)

    def keep(self, _: str) -> None:
        self._desk.run("session", self._desk.private.keep)

    def moved(self, _: str) -> None:
        self._desk.run("moved", self._desk.moving.ask)
