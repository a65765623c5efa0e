"""Rest that comes when a test says so, and a session of the real hub that may then be looked through."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sessions.events import DistillFinished, DistillStarted
from sessions.hub import SessionHub
from sessions.memory.store import FactStore
from sessions.messages import Marker
from sessions.settings import MemorySettings, Settings
from sessions.store.log import read_log
from tests.sessions.agent.scripted import Scripted, calls, says
from tests.sessions.hub_home import Heard, ScriptedHome, hub_of, scripted_home
from tests.waiting import until

FERRY = "I take the ferry to work every day, and what a view."


class Rests:
    """Stands for the wait until a conversation rests."""

    def __init__(self) -> None:
        self._waiting: list[asyncio.Future[None]] = []

    async def __call__(self) -> None:
        end = asyncio.get_running_loop().create_future()
        self._waiting.append(end)
        try:
            await end
        finally:
            self._waiting.remove(end)

    @property
    def waiting(self) -> int:
        """How many conversations are quiet and do not rest yet."""
        return len(self._waiting)

    def over(self) -> None:
        """They rest now."""
        for end in self._waiting:
            if not end.done():
                end.set_result(None)


def claim(summary: str, quote: str, kind: str = "user", **more: Any) -> dict[str, Any]:
    """What a model finds, its name made of the summary."""
    return {"name": summary.lower().replace(" ", "-"), "summary": summary, "kind": kind, "quote": quote} | more


FOUND = claim("Takes the ferry to work", "I take the ferry to work")


def answers(*claims: dict[str, Any]) -> list[Any]:
    """The answer of a model that was asked what is worth remembering."""
    return says(json.dumps(list(claims)))


@dataclass
class Quiet:
    """A session that rests when the test says so."""

    home: ScriptedHome
    hub: SessionHub
    heard: Heard
    model: Scripted
    rests: Rests
    session: str
    turns: int = 0

    @property
    def facts(self) -> FactStore:
        return self.home.facts

    async def say(self, text: str = FERRY, *wanted: tuple[str, dict[str, Any]], **more: Any) -> None:
        """A turn in which the model makes these calls."""
        self.model.steps = [*([calls(call)] for call in wanted), says("Ok.")]
        self.turns += 1
        await self.hub.send(self.session, text, **more)
        await self.heard.over(self.session, self.turns)
        await until(lambda: self.rests.waiting, "it is quiet")

    async def rest(self, *claims: dict[str, Any]) -> DistillFinished:
        """The session rests, and the model finds these; what came of it."""
        self.model.steps = [answers(*claims)]
        before = len(self.finished())
        await until(lambda: self.rests.waiting, "it is quiet")
        self.rests.over()
        await until(lambda: len(self.finished()) > before, "it was looked through")
        return self.finished()[-1]

    async def rest_in_vain(self) -> None:
        """The session rests, and nobody is asked anything."""
        asked, begun = len(self.model.requests), len(self.started())
        await until(lambda: self.rests.waiting, "it is quiet")
        self.rests.over()
        await until(lambda: not self.hub.work.busy, "the rest is over")
        assert (len(self.model.requests), len(self.started())) == (asked, begun)

    def started(self) -> list[DistillStarted]:
        return self.heard.of(DistillStarted)

    def finished(self) -> list[DistillFinished]:
        return self.heard.of(DistillFinished)

    def waiting(self) -> list[str]:
        return [p.fact.summary for p in self.facts.proposals()]

    def active(self) -> list[str]:
        return [f.summary for f in self.facts.visible(self.home.paths.root)]

    def marks(self, session: str = "") -> list[dict[str, Any]]:
        """The `distilled` lines of the log."""
        return marks(self.home, session or self.session)

    def asked(self) -> str:
        """What the model was given when it was asked what is worth remembering."""
        requests = [r for r in self.model.requests if r.purpose == "distill"]
        return "\n".join(f"{r.system}\n{r.environment}\n{[m.content for m in r.messages]}" for r in requests)


def marks(home: Any, session: str) -> list[dict[str, Any]]:
    records = read_log(home.paths.session_log(session)).records
    return [r.data for r in records if isinstance(r, Marker) and r.kind == "distilled"]


@asynccontextmanager
async def quiet_in(folder: Path, distill: str = "review", *tools: Any, **options: Any) -> AsyncIterator[Quiet]:
    settings = Settings(memory=MemorySettings(distill=distill))  # type: ignore[arg-type]
    home, model = scripted_home(folder, settings=settings)
    home.more_tools.extend(tools)
    rests = Rests()
    async with hub_of(home, rest=rests, **options) as (hub, heard):
        state = await hub.new(home.paths.root)
        yield Quiet(home, hub, heard, model, rests, state.id)
