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
from sessions.providers.discovery import Looked, found_keys, look
from sessions.providers.known import place_of
from sessions.providers.listing import Model, models_of
from sessions.providers.service import Service
from sessions.settings import GUIDE, Profile

LISTING_S = 15.0
TEST_S = 60.0
"""A model may have to be loaded first."""
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
        """The models of a service; `key` in place of the profile's own. Raises ProviderError."""
        return await asyncio.to_thread(lambda: models_of(_service(profile, key), LISTING_S))

    async def test(self, profile: Profile, key: str | None = None) -> Tested:
        """Send one small request with a tool. Never raises."""
        from sessions.providers.base import Finished, Request, TextPiece, ToolSpec
        from sessions.providers.chat import ChatProvider

        try:
            service = await asyncio.to_thread(_service, profile, key)
        except MemagentError as e:
            return Tested(error=str(e))
        provider = ChatProvider(
            replace(profile, timeout_s=min(profile.timeout_s, TEST_S)), service.key, clock=self._home.clock
        )
        word = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
        tool = ToolSpec("ready", "Says that you are ready.", word)
        message = UserMessage("test", iso(self._home.clock.now()), 1, _TEST)
        request = Request("You answer in few words.", (message,), (tool,))
        called = said = False
        try:
            await provider.warm()
            began = time.monotonic()
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
            listed = await asyncio.to_thread(models_of, service, LISTING_S)
            return next((m.window or m.most for m in listed if m.id == model), None)
        return None

    def profile_for(self, name: str, base_url: str, model: Model | None = None) -> Profile:
        """The profile that leads to an address, with its other settings, or a new one under a free name."""
        known = self._home.settings.profiles
        address = base_url.rstrip("/")
        wanted = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "model"
        same = [p for p in known.values() if p.base_url.rstrip("/") == address and p.type == "openai"]
        if same:
            made = next((p for p in same if p.name == wanted), same[0])
        else:
            taken = {*known, GUIDE}
            free = next(
                n for i in range(1, len(taken) + 2) if (n := wanted if i == 1 else f"{wanted}-{i}") not in taken
            )
            made = Profile(free, base_url=address)
        return with_model(made, model) if model is not None else made

    def keep(self, profile: Profile, key: str | None = None) -> None:
        """Write the profile into the settings and use it from now on; `key` goes into the keyring. Not for the event
        loop. Raises ProviderError when the keyring takes no key, StoreError when the settings cannot be written.
        """
        from sessions.settings_file import save_profile, set_value

        if key is not None:
            from sessions.providers import keys

            keys.keep(profile.name, key)
        if profile.type == "guide":
            set_value(self._home.paths.config, "agent.profile", GUIDE)
        else:
            save_profile(self._home.paths.config, profile, default=True)
        self._home.reload_settings()

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


def _service(profile: Profile, key: str | None) -> Service:
    if key is not None:
        return Service(profile, key)
    from sessions.providers.keys import with_key

    return with_key(profile)
