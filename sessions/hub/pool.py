"""Connections to models, kept and used again: each serves one turn at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from sessions.errors import MemagentError, ProviderError
from sessions.home import Home
from sessions.hub.spending import Spending
from sessions.providers.base import Piece, Provider, Request

_WINDOW = 128_000
_CLOSE_S = 1.0


class Unavailable:
    """Stands for a model that cannot be asked: a turn with it fails and says why."""

    def __init__(self, profile: str, model: str, error: MemagentError) -> None:
        self.profile = profile
        self.model = model
        self.place = ""
        self.context_window = _WINDOW
        self._error = error

    async def stream(self, request: Request) -> AsyncIterator[Piece]:
        raise ProviderError(self._error.message, self._error.advice) from self._error
        yield  # a generator, as the protocol wants

    async def close(self) -> None:
        pass


class Pool:
    """Hands out a free provider of a profile, or a new one."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self.spending = Spending(home)
        self._free: dict[tuple[str, str], list[Provider]] = {}
        self._all: list[Provider] = []

    async def take(self, profile: str, model: str) -> Provider:
        """A provider that nobody uses. Never raises: what is wrong comes with the first request."""
        free = self._free.get((profile, model))
        if free:
            return free.pop()
        try:
            made = await asyncio.to_thread(self._home.provider, profile or None, model or None)
        except MemagentError as e:
            return Unavailable(profile, model, e)
        except Exception as e:
            self._home.report(e)
            return Unavailable(profile, model, MemagentError(f"The profile {profile} cannot be used: {e}"))
        made = self.spending.metered(made)
        self._all.append(made)
        return made

    def give_back(self, profile: str, model: str, provider: Provider) -> None:
        if not isinstance(provider, Unavailable):
            self._free.setdefault((profile, model), []).append(provider)

    async def close(self) -> None:
        providers, self._all = self._all, []
        self._free.clear()
        if providers:
            await asyncio.wait([asyncio.ensure_future(self._close(p)) for p in providers], timeout=_CLOSE_S)

    async def _close(self, provider: Provider) -> None:
        try:
            await provider.close()
        except Exception as e:
            self._home.report(e)
