"""Connecting a model: what was found, what it has, whether it answers, and keeping the answer as a profile."""

from __future__ import annotations

import asyncio
import re
import time
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace

from sessions.clock import iso
from sessions.errors import MemagentError, ProviderError
from sessions.home import Home
from sessions.messages import UserMessage
from sessions.providers import chat_errors
from sessions.providers.discovery import Looked, found_keys, look
from sessions.providers.known import place_of
from sessions.providers.listing import MORE_S, Model, models_of
from sessions.providers.service import Service
from sessions.settings import GUIDE, Profile

LISTING_S = 15.0
TEST_S = 60.0
"""A model may have to be loaded first."""
_NAME = 60
"""Characters of a profile's name that is made here."""
_TEST = "Call the tool `ready` once, with the word yes. Then say ready."


@dataclass(frozen=True, slots=True)
class Tested:
    """What one small request came to."""

    ms: int = 0
    tools: bool = False
    """It called the tool that it was offered."""
    window: int | None = None
    error: str = ""
    """What went wrong and what to do; empty = it answered."""


class Connecting:
    """A part of the hub. A profile that is tried here need not be in the settings."""

    def __init__(self, home: Home) -> None:
        self._home = home

    async def look(self, *, asked: bool = False) -> Looked:
        """What is there. Without `agent.discover` servers are only looked for when the person asks for it."""
        if not asked and not self._home.settings.agent.discover:
            return Looked(keys=found_keys())
        return await asyncio.to_thread(look)

    async def models(self, profile: Profile, key: str | None = None) -> tuple[Model, ...]:
        """The models of a service, within `LISTING_S` and a few seconds; `key` in place of the profile's own. Raises
        ProviderError."""
        service = await asyncio.to_thread(self._service, profile, key)
        return await self._listed(service)

    async def _listed(self, service: Service) -> tuple[Model, ...]:
        try:
            async with asyncio.timeout(LISTING_S + MORE_S + 1):
                return await asyncio.to_thread(models_of, service, LISTING_S)
        except TimeoutError:  # it sends something, but no end of it
            raise chat_errors.silence(service, LISTING_S) from None

    async def test(self, profile: Profile, key: str | None = None) -> Tested:
        """Send one small request with a tool, for two minutes at most. Never raises."""
        from sessions.providers.base import Finished, Request, TextPiece, ToolSpec
        from sessions.providers.chat import ChatProvider

        try:
            service = await asyncio.to_thread(self._service, profile, key)
        except MemagentError as e:
            return Tested(error=str(e))
        patient = replace(profile, timeout_s=min(profile.timeout_s, TEST_S))
        provider = ChatProvider(patient, service.key, clock=self._home.clock, tried=True)
        word = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
        tool = ToolSpec("ready", "Says that you are ready.", word)
        message = UserMessage("test", iso(self._home.clock.now()), 1, _TEST)
        request = Request("You answer in few words.", (message,), (tool,))
        called = said = False
        try:
            await provider.warm()
            began = time.monotonic()
            async with asyncio.timeout(2 * TEST_S):
                while True:
                    try:
                        async with aclosing(provider.stream(request)) as pieces:
                            async for piece in pieces:
                                said = said or isinstance(piece, TextPiece)
                                if isinstance(piece, Finished):
                                    called = any(call.name == tool.name for call in piece.calls)
                        break
                    except ProviderError as e:
                        if not (e.no_tools and request.tools):
                            raise
                        request = replace(request, tools=())  # it can be talked with all the same
            ms = round((time.monotonic() - began) * 1000)
        except TimeoutError:
            return Tested(error=f"{profile.model} was not done after {2 * TEST_S:g} s. Try a smaller model")
        except MemagentError as e:
            return Tested(error=str(e))
        finally:
            await provider.close()
        if not called and not said:
            return Tested(ms, error=f"{profile.model} sent an empty answer. Try another model")
        return Tested(ms, called, profile.context_window or await self._window(service, profile.model))

    async def _window(self, service: Service, model: str) -> int | None:
        """Now that the model is loaded, its server can tell."""
        with suppress(ProviderError):
            listed = await self._listed(service)
            return next((m.window or m.most for m in listed if m.id == model), None)
        return None

    def profile_for(self, name: str, base_url: str, model: Model | None = None) -> Profile:
        """The profile that leads to an address, with its other settings, or a new one under a free name. Of several it
        is the one that answers now, else the one of that name."""
        settings = self._home.settings
        same = self._same(base_url)
        if same:
            wanted = settings.agent.profile, name, _slug(name)
            made = next((p for w in wanted for p in same if p.name == w), same[0])
        else:
            made = Profile(self._free(_slug(name)), base_url=base_url.rstrip("/"))
        return self.with_model(made, model) if model is not None else made

    def with_model(self, profile: Profile, model: Model) -> Profile:
        """The profile for another model of its service: the one that has it already, else this one with the model.

        Where window or prices stand in it, they are those of its own model: it stays as it is, and the other model gets
        a profile beside it.
        """
        if profile.model == model.id:
            return profile
        known = next((p for p in self._same(profile.base_url) if p.model == model.id), None)
        if known is not None:
            as_it_is = profile == self._home.settings.profiles.get(profile.name)
            return known if as_it_is else replace(known, api_key=profile.api_key, api_key_env=profile.api_key_env)
        made = with_model(profile, model)
        numbers = profile.context_window, profile.price_in, profile.price_out
        if profile.name not in self._home.settings.profiles or numbers == (None, None, None):
            return made
        return replace(made, name=self._free(f"{profile.name}-{_slug(model.id.rpartition('/')[2])}"[:_NAME]))

    def own(self) -> list[Profile]:
        """The profiles of the settings that lead to a model, one for each address: the one that answers now, else the
        first."""
        now = self._home.settings.agent.profile
        known = [p for p in self._home.settings.profiles.values() if p.type == "openai" and p.base_url]
        doors: dict[str, Profile] = {}
        for profile in sorted(known, key=lambda p: p.name != now):
            doors.setdefault(Service(profile, None).door, profile)
        return [profile for profile in known if profile in doors.values()]

    def _same(self, base_url: str) -> list[Profile]:
        door = Service(Profile("", base_url=base_url), None).door
        known = self._home.settings.profiles.values()
        return [p for p in known if p.type == "openai" and Service(p, None).door == door]

    def _free(self, wanted: str) -> str:
        taken = {*self._home.settings.profiles, GUIDE}
        return next(n for i in range(1, len(taken) + 2) if (n := wanted if i == 1 else f"{wanted}-{i}") not in taken)

    def keep(self, profile: Profile, key: str | None = None, *, default: bool = True) -> None:
        """Write the profile into the settings and, with `default`, use it from now on; `key` goes into the keyring. Not
        for the event loop. Raises ProviderError when the keyring takes no key, StoreError when the settings cannot be
        written.
        """
        from sessions.settings_file import save_profile, set_value

        if profile.api_key == "keyring":
            from sessions.providers import keys

            if key is None and profile.name not in self._home.settings.profiles:
                # It stands beside one whose key it has.
                beside = (keys.kept(p.name) for p in self._same(profile.base_url) if p.api_key == "keyring")
                key = next((kept for kept in beside if kept), None)
            if key is not None:
                keys.keep(profile.name, key)
        if profile.type == "guide":
            set_value(self._home.paths.config, "agent.profile", GUIDE)
        else:
            save_profile(self._home.paths.config, profile, default=default)
        self._home.reload_settings()

    def _service(self, profile: Profile, key: str | None) -> Service:
        """With `key`, or with the profile's own. Raises ProviderError."""
        if key is None:
            from sessions.providers.keys import key_of

            key = key_of(profile)
        return Service(profile, key, tried=profile.name not in self._home.settings.profiles)

    def usable_keyring(self) -> str:
        """Why no key can be kept in the keyring; empty when one can. Not for the event loop."""
        from sessions.providers import keys

        return keys.usable()


def with_model(profile: Profile, model: Model) -> Profile:
    """The profile with another model, and what its listing told about it.

    The window of a model on this machine is asked of its server each time; that of one elsewhere is kept. So is a
    price, unless its service tells it with each answer.
    """
    if profile.model == model.id:
        return profile
    far, place = not Service(profile, None).local, place_of(Service(profile, None).host)
    told = place is not None and place.prices
    return replace(
        profile,
        model=model.id,
        context_window=(model.window or model.most) if far else None,
        price_in=None if told else model.price_in,
        price_out=None if told else model.price_out,
    )


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "model"
