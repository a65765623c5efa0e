"""Connecting a model: looks for what could answer, offers it on the start screen, and sees a choice through."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from sessions.errors import MemagentError
from sessions.hub.connecting import Connecting as Engine
from sessions.hub.connecting import Tested, with_model
from sessions.hub.spending import Spent, cost_of
from sessions.messages import Usage
from sessions.providers.discovery import FoundKey, Looked
from sessions.providers.listing import Model
from sessions.providers.service import Service
from sessions.settings import GUIDE, Profile
from sessions.settings_schema import VARIABLE
from tui.chat.start import Offer
from tui.dialogs.choice import Choice, ChoiceRow
from tui.dialogs.connect import Answer, Connect
from tui.dialogs.connect_rows import Place
from tui.dialogs.models import AnotherKey, ModelPicker
from tui.dialogs.rename import AskText
from tui.sharing import Sharing
from tui.widgets.rows import wrap

if TYPE_CHECKING:
    from tui.app import MemagentApp
    from tui.desk import Desk

AGAIN_S = 30.0
"""After which it is looked again while the guide answers."""


class Connecting:
    """Belongs to the deeds."""

    def __init__(self, app: MemagentApp, desk: Desk) -> None:
        self._app = app
        self._desk = desk
        self._looked: Looked | None = None
        self._wake = asyncio.Event()
        self.sharing = Sharing(app, desk)
        self._allowed: set[str] = set()
        """Hosts to which words may go, as the person said since the dialog was opened."""

    @property
    def _engine(self) -> Engine:
        return self._desk.hub.connecting

    @property
    def _on_guide(self) -> bool:
        return self._desk.state is not None and self._desk.state.profile == GUIDE

    # Looking

    async def watch(self) -> None:
        """While the guide answers: look at once, every half minute, and when the terminal gets the focus."""
        self._app.watch(self._app, "app_focus", self._focused, init=False)
        await self._desk.ready.wait()
        self._app.body.agent.priced(self._cost)
        if self._desk.state is not None:
            self.sharing.shown(self._desk.state)
        while True:
            if self._on_guide and self._app.app_focus:
                with suppress(OSError):
                    await self.look(asked=False)
            self._wake.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), AGAIN_S)

    def _cost(self, profile: str, model: str, usage: Usage) -> Spent:
        """What so many tokens cost, where the profile has a price."""
        return cost_of(self._desk.home.settings, profile, model, usage)

    def _focused(self, focused: bool) -> None:
        if focused:
            self._wake.set()

    async def look(self, *, asked: bool) -> Looked:
        """See what there is, and say it on the start screen."""
        self._looked = looked = await self._engine.look(asked=asked)
        self._app.body.chat.start.offer(offer_of(looked))
        return looked

    async def models(self, place: Place) -> Sequence[Model]:
        return place.models or await self._engine.models(self._profile(place))

    async def test(self, place: Place, model: Model) -> Tested:
        return await self._engine.test(with_model(self._profile(place), model))

    def own(self) -> list[Place]:
        """The addresses that stand in the settings."""
        return [
            Place(
                "own",
                profile.name,
                profile.base_url,
                (Model(profile.model),) if profile.model else (),
                keyed=bool(profile.api_key or profile.api_key_env),
            )
            for profile in self._engine.own()
        ]

    async def pick(self, place: Place) -> Model | None:
        """A model of the place, chosen from its own list."""
        if place.kind == "key" and not self._profile(place).api_key and not place.variable:
            self._app.say(f"{place.name} wants a key first: enter asks for it", "warning")
            return None
        if place.kind == "server" and place.models:
            picker = ModelPicker(f"Models of {place.name}", place.models, free=False)
        else:
            profile = self._profile(place)
            # The list is asked for with the key.
            if not Service(profile, None).local and not await self._agreed(profile, None):
                return None
            picker = ModelPicker(f"Models of {place.name}", (), self._loader(profile, None))
        chosen = await self._app.push_screen_wait(picker)
        if isinstance(chosen, AnotherKey):
            self._app.say(f"{place.name} wants another key: k gives it", "warning")
        return chosen if isinstance(chosen, Model) else None

    def _loader(self, profile: Profile, key: str | None) -> Callable[[], Awaitable[Sequence[Model]]]:
        return lambda: self._engine.models(profile, key)

    def _profile(self, place: Place) -> Profile:
        made = self._engine.profile_for(place.name, place.url)
        if place.kind == "own":
            return made
        return replace(made, api_key_env=place.variable, api_key=None) if place.variable else made

    # Choosing

    async def ask(self) -> None:
        """The dialog, and what its answer needs before it can be used."""
        await self._desk.ready.wait()
        state = self._desk.state
        known = self._desk.home.settings.profiles.get(state.profile) if state is not None else None
        now = Service(known, None).door if known is not None and known.type != GUIDE else GUIDE
        model = state.model if state is not None else ""
        self._allowed.clear()
        answer = await self._app.push_screen_wait(Connect(self, self._looked, now, model, self.own()))
        if answer is not None:
            await self._use(answer)

    async def _use(self, answer: Answer) -> None:
        place, key = answer.place, None
        if place.kind == "guide":
            await self._keep(Profile(GUIDE, type="guide", model=GUIDE), None)
            return
        if place.kind == "other":
            url = await self._address()
            if url is None:
                return
            place = Place("other", Service(Profile("", base_url=url), None).host, url)
        profile = self._profile(place)
        local = Service(profile, None).local
        wanted = not place.variable and (not local or place.kind == "other" or place.state == "wants a key")
        known = profile.api_key or (profile.api_key_env and os.environ.get(profile.api_key_env))
        if answer.rekey or (wanted and not known):
            got = await self._key(profile, optional=local or place.kind == "other")
            if got is None:
                return
            profile, key = got
        if not local and not await self._agreed(profile, key):
            return
        if answer.model is not None:
            chosen = profile, key, answer.model
        elif (listed := await self._listed(place, profile, key)) is not None:
            chosen = listed
        else:
            return
        profile, key, model = chosen
        made = self._engine.with_model(profile, model)
        beside = made.name != profile.name
        more = f"; {profile.name} stays as it is" if beside else ""
        await self._keep(made, key, more)

    async def _listed(
        self, place: Place, profile: Profile, key: str | None
    ) -> tuple[Profile, str | None, Model] | None:
        """A model of the service's list, with the profile and the key that opened it."""
        while True:
            picker = ModelPicker(f"Models of {place.name}", (), self._loader(profile, key))
            chosen = await self._app.push_screen_wait(picker)
            if isinstance(chosen, Model):
                return profile, key, chosen
            if not isinstance(chosen, AnotherKey):
                return None
            got = await self._key(profile, optional=Service(profile, None).local or place.kind == "other")
            if got is None:
                return None
            profile, key = got

    async def _address(self) -> str | None:
        note = "Any service that speaks OpenAI's chat completions. The address usually ends in /v1."
        url = ""
        while True:
            asked = AskText(
                "Address of the service", url, placeholder="https://api.example.com/v1", verb="Next", note=note
            )
            answer = await self._app.push_screen_wait(asked)
            if answer is None:
                return None
            url = answer if "://" in answer else f"http://{answer}"
            service = Service(Profile("", base_url=url), None)
            if service.valid and "@" not in url and "?" not in url:
                return url
            note = "That is no address. One looks like https://api.example.com/v1: no user, no key, no question mark."

    async def _key(self, profile: Profile, *, optional: bool) -> tuple[Profile, str | None] | None:
        """Where the key comes from: the profile that says so, and the key itself when it goes into the keyring."""
        why = await asyncio.to_thread(self._engine.usable_keyring)
        rows = [
            ChoiceRow("env", "An environment variable", "its name is kept, never the key", letter="1"),
            ChoiceRow("ring", "The keyring", "typed once, kept by your system" if not why else "not here", letter="2"),
        ]
        if optional:
            rows.append(ChoiceRow("none", "No key", "the service needs none", letter="3"))
        below = wrap(why, 66) if why else []
        host = Service(profile, None).host
        now = "ring" if profile.api_key == "keyring" else ""  # where it lies now comes first
        chosen = await self._app.push_screen_wait(
            Choice(f"Where does the key for {host} come from?", rows, now, below=below)
        )
        if chosen == "none":
            return replace(profile, api_key=None, api_key_env=None), None
        if chosen == "env":
            asked = AskText("Name of the variable", placeholder="EXAMPLE_API_KEY", verb="Next")
            name = await self._app.push_screen_wait(asked)
            if name is None:
                return None
            if not VARIABLE.fullmatch(name.lstrip("$")):
                raise MemagentError("That is no name of a variable", "One looks like EXAMPLE_API_KEY")
            if not os.environ.get(name.lstrip("$"), "").strip():
                raise MemagentError(f"{name} is not set here", "Leave, export it, and start memagent-tui again")
            return replace(profile, api_key_env=name.lstrip("$"), api_key=None), None
        if chosen == "ring" and why:
            raise MemagentError(why.rstrip("."))
        if chosen == "ring":
            asked = AskText(
                f"Key for {host}", verb="Keep", secret=True, note="It goes into your keyring, nowhere else."
            )
            key = await self._app.push_screen_wait(asked)
            return (replace(profile, api_key="keyring", api_key_env=None), key) if key else None
        return None

    async def rekey(self) -> None:
        """Ask for the key of what answers in the shown session; the next request goes with it."""
        desk = self._desk
        await desk.ready.wait()
        settings = await asyncio.to_thread(desk.home.reload_settings)
        profile = settings.profiles.get(desk.state.profile) if desk.state is not None else None
        if profile is None or profile.type == GUIDE:
            self._app.say("the guide takes no key: /connect connects a model", "warning")
            return
        got = await self._key(profile, optional=Service(profile, None).local)
        if got is None:
            return
        profile, key = got
        await asyncio.to_thread(partial(self._engine.keep, profile, key, default=False))
        self._app.settings = desk.home.settings
        where = f"in {profile.api_key_env}" if profile.api_key_env else "in the keyring" if profile.api_key else "none"
        self._app.say(f"the key for {Service(profile, None).host} is {where} from now on")

    async def _agreed(self, profile: Profile, key: str | None) -> bool:
        """Whether words may go to another machine, asked once in a visit; nothing has been sent until then."""
        host = Service(profile, None).host
        if host in self._allowed:
            return True
        comes = f"The key comes from {profile.api_key_env}." if profile.api_key_env else ""
        if profile.api_key == "keyring":
            comes = "The key goes into your keyring." if key else "The key comes from your keyring."
        text = [f"Messages and recalled facts go to {host}.", comes or "No key is sent."]
        if yes := await self.sharing.ask(text, "Not now"):
            self._allowed.add(host)
        return yes

    async def leaves(self, host: str) -> bool:
        """Whether the shown session, which was on this machine until now, may go to another one; asked once."""
        agreed = self._desk.session in self.sharing.agreed
        return agreed or await self.sharing.ask([f"Messages and recalled facts go to {host}."], "Stay here")

    async def moved(self, place: str) -> bool:
        """The same where the settings were changed so that its profile leads there; a yes takes it there."""
        desk = self._desk
        state = await desk.hub.state(desk.session)
        if desk.session not in self.sharing.agreed:
            text = [f"{state.profile} leads to {place} by now.", f"Messages and recalled facts go to {place}."]
            if not await self.sharing.ask(text, "Don't send"):
                return False
        await desk.hub.set_profile(desk.session, state.profile, desk.hub.model(desk.session), place=place)
        return True

    async def _keep(self, profile: Profile, key: str | None, more: str = "") -> None:
        desk = self._desk
        await asyncio.to_thread(self._engine.keep, profile, key)
        self._app.settings = desk.home.settings
        desk.hub.begins_with(profile.name)
        if desk.state is not None and desk.state.writable:
            place = Service(profile, None).place if profile.type != "guide" else None
            await desk.hub.set_profile(desk.session, profile.name, place=place)
            # The event that says so may come later than what is drawn next.
            desk.state = replace(desk.state, profile=profile.name, model=profile.model)
        else:
            await desk.new()
        where = Service(profile, None).place if profile.type != "guide" else "by rules"
        self._app.say(f"{profile.model} ({where}) answers from now on{more}")
        await desk.refresh_start()


def offer_of(looked: Looked) -> Offer:
    """What the start screen says of it."""
    best = looked.best
    if best is None:
        running = next((s for s in looked.servers if s.state == "runs"), None)
        return Offer(f"{running.name} runs here and has no model yet") if running else Offer()
    if isinstance(best, FoundKey):
        return Offer(f"{best.name}: {best.variable} is set, nothing was sent")
    more = len(best.models) - 1
    return Offer(f"{best.name} runs here: {best.models[0].id}{f' and {more} more' if more else ''}", found=True)
