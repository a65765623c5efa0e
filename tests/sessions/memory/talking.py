"""A session of the real hub whose model calls the memory tools as a test wrote down."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sessions.events import FactProposed, FactWritten, ToolCallFinished
from sessions.hub import SessionHub
from sessions.memory.fact import By, Draft
from sessions.memory.store import FactStore
from sessions.paths import make_home
from tests.sessions.agent.scripted import Scripted, calls, says
from tests.sessions.hub_home import Heard, ScriptedHome, hub_of, scripted_home

PERSON = By("user")


@dataclass
class Talk:
    """One session; `told` are the results of the newest turn's calls, in their order."""

    home: ScriptedHome
    hub: SessionHub
    heard: Heard
    model: Scripted
    session: str
    turns: int = 0
    told: list[str] = field(default_factory=list)

    @property
    def facts(self) -> FactStore:
        return self.home.facts

    async def say(self, text: str, *wanted: tuple[str, dict[str, Any]], typed: Any = None) -> list[str]:
        """A turn in which the model makes these calls, one a step."""
        self.model.steps = [*([calls(call)] for call in wanted), says("Ok.")]
        before = len(self.heard.of(ToolCallFinished))
        await self.hub.send(self.session, text, typed=typed)
        self.turns += 1
        await self.heard.over(self.session, self.turns)
        self.told = [e.content for e in self.heard.of(ToolCallFinished)[before:]]
        return self.told

    def active(self) -> list[str]:
        return [f.summary for f in self.facts.visible(self.home.paths.root)]

    def waiting(self) -> list[str]:
        return [p.fact.summary for p in self.facts.proposals()]

    def proposed(self) -> list[FactProposed]:
        return self.heard.of(FactProposed)

    def written(self) -> list[FactWritten]:
        return self.heard.of(FactWritten)

    def sent(self) -> str:
        """All that the model was given, but for what it wrote and got in this conversation."""
        return "\n".join(
            json.dumps([r.system, r.environment, [[t.name, t.description] for t in r.tools]], ensure_ascii=False)
            for r in self.model.requests
        )

    async def later(self) -> None:
        """Go on in a new session, so that block and contents are made anew."""
        self.session = (await self.hub.new(self.home.paths.root)).id
        self.turns = 0

    async def anew(self) -> None:
        """Go on in a new session of a home in which nothing was ever remembered."""
        paths = self.home.paths
        with self.facts.locked():
            shutil.rmtree(paths.memory)
            for file in (paths.local / "memory-number.json", *paths.root.glob("*.md")):
                file.unlink(missing_ok=True)
        make_home(paths)
        self.home.facts = FactStore(paths, self.home.clock)
        self.heard.events.clear()
        self.model.requests.clear()
        await self.later()


@asynccontextmanager
async def talk_in(folder: Path, *tools: Any, **more: Any) -> AsyncIterator[Talk]:
    home, model = scripted_home(folder, **more)
    home.more_tools.extend(tools)
    async with hub_of(home) as (hub, heard):
        state = await hub.new(home.paths.root)
        yield Talk(home, hub, heard, model, state.id)


def known(store: FactStore, name: str, summary: str, kind: str = "preference", **more: Any) -> int:
    """A fact that the person wrote by hand."""
    return store.save(Draft(name, summary, kind, **more), by=PERSON).fact.number


def save(summary: str, quote: str | None = None, kind: str = "preference", **more: Any) -> tuple[str, dict[str, Any]]:
    """A call of save_memory, its name made of the summary unless told."""
    given = {"name": summary[:60], "summary": summary, "kind": kind} | more
    return "save_memory", given | ({"quote": quote} if quote is not None else {})


def forget(fact: int | str, quote: str | None = None) -> tuple[str, dict[str, Any]]:
    return "delete_memory", {"fact": fact} | ({"quote": quote} if quote is not None else {})
