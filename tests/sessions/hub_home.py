"""A home in a folder of the test whose models are scripted, and a hub over it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from sessions.clock import FixedClock
from sessions.events import Event, TurnFailed, TurnFinished
from sessions.home import Home
from sessions.hub import SessionHub
from sessions.providers.base import Provider
from sessions.tools.base import Tool
from tests.sessions.agent.scripted import NOW, Scripted
from tests.waiting import until


class ScriptedHome(Home):
    """`models` gives the provider of a (profile, model); every other part is the real one."""

    def __init__(self, folder: Path, models: Callable[[str, str], Provider] | Provider, **more: Any) -> None:
        more.setdefault("clock", FixedClock(NOW))
        super().__init__(folder, env={}, **more)
        self.models = models
        self.more_tools: list[Tool] = []

    def provider(self, profile: str | None = None, model: str | None = None) -> Provider:
        chosen = self.profile(profile, model)
        made = self.models(chosen.name, chosen.model) if callable(self.models) else self.models
        return made

    def tools(self, session: str, **more: Any) -> list[Tool]:
        return [*super().tools(session, **more), *self.more_tools]

    def at(self, now: datetime) -> None:
        assert isinstance(self.clock, FixedClock)
        self.clock.at = now


class Heard:
    """Events of a hub, kept as they come."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def of(self, kind: type, session: str | None = None) -> list[Any]:
        return [e for e in self.events if isinstance(e, kind) and (session is None or e.session == session)]

    async def over(self, session: str, turns: int = 1) -> Any:
        """The last of so many ended turns."""

        def ended() -> list[Any]:
            return [e for e in self.events if isinstance(e, TurnFinished | TurnFailed) and e.session == session]

        await until(lambda: len(ended()) >= turns, f"{turns} turns of {session} are over")
        return ended()[turns - 1]


@asynccontextmanager
async def hub_of(home: Home, **options: Any) -> AsyncIterator[tuple[SessionHub, Heard]]:
    heard = Heard()
    async with SessionHub(home, **options) as hub:
        subscription = hub.subscribe()

        async def listen() -> None:
            async for event in subscription:
                heard.events.append(event)

        task = asyncio.create_task(listen())
        yield hub, heard
    await task


def scripted_home(tmp_path: Path, *steps: Any, **more: Any) -> tuple[ScriptedHome, Scripted]:
    model = Scripted(*steps, profile="guide")
    return ScriptedHome(tmp_path / "home", model, **more), model
