"""Connections to models, kept and used again: each serves one turn at a time.

What is handed out is always of the settings, the environment and the keyring as they are now. A connection that was
made of something else is closed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace

from sessions.errors import MemagentError, ProviderError
from sessions.home import Home
from sessions.hub.spending import Spending
from sessions.providers.base import Piece, Provider, Request
from sessions.settings import Profile

_WINDOW = 128_000
_CLOSE_S = 1.0


class Unavailable:
    """Stands for a model that cannot be asked: a turn with it fails and says why. `place` is where it would be."""

    def __init__(self, profile: str, model: str, error: MemagentError, place: str = "") -> None:
        self.profile = profile
        self.model = model
        self.place = place
        self.context_window = _WINDOW
        self._error = error

    async def stream(self, request: Request) -> AsyncIterator[Piece]:
        raise ProviderError(self._error.message, self._error.advice) from self._error
        yield  # a generator, as the protocol wants

    async def close(self) -> None:
        pass


@dataclass(slots=True)
class _Made:
    """A provider, and what it was made of."""

    profile: Profile
    key: str | None
    provider: Provider
    free: bool = False


class Pool:
    """Hands out a free provider of a profile, or a new one. `warn` tells the person that settings cannot be read."""

    def __init__(self, home: Home, warn: Callable[[str], None] = lambda _: None) -> None:
        self._home = home
        self._warn = warn
        self.spending = Spending(home)
        self._made: list[_Made] = []
        self._closing: set[asyncio.Task[None]] = set()

    async def renew(self) -> None:
        """Have the settings as their file is now."""
        if problem := await asyncio.to_thread(self._home.renew_settings):
            self._warn(problem)

    async def chosen(self, profile: str | None, model: str | None) -> Profile:
        """The profile as the settings have it now. Raises UsageError when there is none of that name."""
        await self.renew()
        return self._home.profile(profile or None, model or None)

    async def take(self, profile: str, model: str) -> Provider:
        """A provider that nobody uses; no `model` = that of the profile. Never raises: what is wrong comes with the
        first request."""
        place = ""
        try:
            chosen = await self.chosen(profile, model)
            place = _place(chosen)
            key = await asyncio.to_thread(self._key, chosen)
            if (kept := self._kept(chosen, key)) is not None:
                return kept
            made = await asyncio.to_thread(self._home.provider, chosen.name, chosen.model or None)
        except MemagentError as e:
            return Unavailable(profile, model, e, place)
        except Exception as e:
            self._home.report(e)
            return Unavailable(profile, model, MemagentError(f"The profile {profile} cannot be used: {e}"), place)
        # Should the settings have changed in this very moment, it is what it was made of that counts.
        profiled, keyed = getattr(made, "made_of", (chosen, key))
        made = self.spending.metered(made)
        self._made.append(_Made(profiled, keyed, made))
        return made

    def give_back(self, provider: Provider) -> None:
        for made in self._made:
            made.free = made.free or made.provider is provider

    async def close(self) -> None:
        made, self._made = self._made, []
        closing = {*self._closing, *(asyncio.ensure_future(self._close(one.provider)) for one in made)}
        if closing:
            await asyncio.wait(closing, timeout=_CLOSE_S)

    def _key(self, profile: Profile) -> str | None:
        """The key of a profile now. A keyring that was locked meanwhile takes none away that was read from it. Raises
        ProviderError."""
        if profile.type != "openai":
            return None
        from sessions.providers.keys import key_of

        try:
            return key_of(profile)
        except ProviderError:
            for made in self._made:
                if made.profile == profile and made.key is not None:
                    return made.key
            raise

    def _kept(self, chosen: Profile, key: str | None) -> Provider | None:
        """A free one that was made of this. What the profile had before is let go."""
        found = None
        for made in [one for one in self._made if one.free and one.profile.name == chosen.name]:
            if (replace(made.profile, model=chosen.model), made.key) != (chosen, key):
                self._made.remove(made)
                closing = asyncio.get_running_loop().create_task(self._close(made.provider))
                self._closing.add(closing)
                closing.add_done_callback(self._closing.discard)
            elif made.profile.model == chosen.model:
                found = made
        if found is None:
            return None
        found.free = False
        return found.provider

    async def _close(self, provider: Provider) -> None:
        try:
            await provider.close()
        except Exception as e:
            self._home.report(e)


def _place(profile: Profile) -> str:
    """Where a profile leads; empty for the guide, which is not asked for it."""
    if profile.type != "openai":
        return ""
    from sessions.providers.service import Service

    return Service(profile, None).place
