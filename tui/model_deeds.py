"""What the actions on models do: connect one, change to another."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from sessions.address import shown
from sessions.hub.leading import HERE
from sessions.providers.listing import Model
from tui.connecting import Connecting
from tui.dialogs.models import ModelPicker, Profiled

if TYPE_CHECKING:
    from tui.app import MemagentApp
    from tui.desk import Desk


class ModelDeeds:
    """A part of the deeds: one method an action."""

    app: MemagentApp
    connecting: Connecting

    @property
    def _desk(self) -> Desk:
        assert self.app.desk is not None
        return self.app.desk

    def connect(self, _: str) -> None:
        self._desk.run("connect", self.connecting.ask)

    def key(self, _: str) -> None:
        self._desk.run("connect", self.connecting.rekey)

    def model(self, name: str) -> None:
        settings = self.app.settings = self._desk.home.reload_settings()
        names = ["guide", *(n for n in settings.profiles if n != "guide")]
        if name and name not in names:
            there = f"there are {', '.join(names)}" if len(names) > 1 else f"there is only {names[0]}"
            self.app.say(f"no model {name}: {there}. /connect finds more", "warning")
        elif name:
            self._desk.run("model", self._use, name)
        else:
            self._desk.run("model", self._pick_model, [Profiled(n, self._profile_note(n)) for n in names])

    def _profile_note(self, name: str) -> str:
        profile = self.app.settings.profile(name)
        return "rules, no AI" if profile.type == "guide" else f"{profile.model or '?'} · {shown(profile.base_url)}"

    async def _pick_model(self, profiles: list[Profiled]) -> None:
        desk = self._desk
        await desk.ready.wait()
        state = desk.state
        now = state.profile if state is not None else ""
        profile = desk.home.settings.profiles.get(now)
        load: Callable[[], Awaitable[Sequence[Model]]] | None = None
        if profile is not None and profile.type == "openai":
            load = partial(desk.hub.connecting.models, profile)
        picker = ModelPicker(
            "Model", (), load, profiles=profiles, place=state.place if state else "", now=now, free=load is not None
        )
        chosen = await self.app.push_screen_wait(picker)
        if isinstance(chosen, Profiled):
            await self._use(chosen.name)
        elif isinstance(chosen, Model):
            await self._use(now, chosen.id)

    async def _use(self, name: str, model: str | None = None) -> None:
        """Change to a profile; a session that leaves this machine for the first time does so after a yes."""
        desk = self._desk
        place = await desk.hub.leads(name, model)
        if place not in HERE and desk.hub.place(desk.session) in HERE and not await self.connecting.leaves(place):
            return
        await desk.hub.set_profile(desk.session, name, model, place=place)
