from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from sessions.clock import FixedClock
from sessions.events import DistillFinished
from sessions.home import Home
from sessions.hub import SessionHub
from sessions.settings import AgentSettings, MemorySettings, Profile, Settings
from tests.servers.chat_server import ChatServer, text
from tests.sessions.agent.scripted import NOW
from tests.sessions.hub_home import Heard, hub_of
from tests.sessions.resting import Rests, claim
from tests.waiting import until

CANARY = "I keep parakeets in the attic, and I like to hear them sing."
FOUND = claim("Keeps parakeets in the attic", "I keep parakeets in the attic")
PLAIN = "I play chess on Fridays."


@dataclass
class Two:
    """A model on this machine, one that is elsewhere by its address, and a workbench that rests when it is told to."""

    local: ChatServer
    remote: ChatServer
    home: Home
    rests: Rests

    @asynccontextmanager
    async def day(self, profile: str) -> AsyncIterator[tuple[SessionHub, Heard]]:
        async with hub_of(self.home, profile=profile, rest=self.rests) as (hub, heard):
            yield hub, heard

    def wire(self) -> str:
        """All that went to the other machine."""
        return json.dumps(self.remote.requests)

    async def say(self, hub: SessionHub, heard: Heard, session: str, words: str, turn: int = 1) -> None:
        await hub.send(session, words)
        await heard.over(session, turn)
        await until(lambda: self.rests.waiting, "it is quiet")

    async def rest(self, hub: SessionHub) -> None:
        self.rests.over()
        await until(lambda: not hub.work.busy, "all is done")


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Two]:
    with ChatServer() as local, ChatServer() as remote:
        # The short form of the address is a host name to us: only what is plainly this machine counts as it.
        elsewhere = remote.url.replace("127.0.0.1", "127.1")
        profiles = {
            "local": Profile("local", base_url=local.url, model="small"),
            "remote": Profile("remote", base_url=elsewhere, model="big"),
        }
        settings = Settings(agent=AgentSettings(profile="remote"), profiles=profiles)
        home = Home(tmp_path / "home", settings=settings, clock=FixedClock(NOW), env={})
        yield Two(local, remote, home, Rests())
        home.close()


def with_memory(two: Two, **memory: str) -> None:
    from dataclasses import replace

    two.home.settings = replace(two.home.settings, memory=MemorySettings(**memory))  # type: ignore[arg-type]


async def test_the_place_of_a_profile_tells_whether_it_is_this_machine(two: Two) -> None:
    assert two.home.provider("local").place == "this machine"
    assert two.home.provider("remote").place == "127.1"
    assert two.home.provider("guide").place == "this machine"


async def test_a_canary_told_to_a_local_model_is_on_no_wire_after_a_day_of_background_work_under_a_remote_one(
    two: Two,
) -> None:
    async with two.day("local") as (hub, heard):
        told = await hub.new(two.home.paths.root)
        two.local.script(text("Nice."))
        await two.say(hub, heard, told.id, CANARY)
    assert isinstance(two.home.clock, FixedClock)
    two.home.clock.at = NOW + timedelta(hours=20)
    with_memory(two, distill="auto")
    async with two.day("remote") as (hub, heard):
        # A session of its own, what was left elsewhere, and one that is taken up under the other model.
        mine = await hub.new(two.home.paths.root)
        two.remote.script(text("Good."), text("[]"))
        two.local.script(text(json.dumps([FOUND])))
        await two.say(hub, heard, mine.id, PLAIN)
        await two.rest(hub)
        assert [f.summary for f in two.home.facts.visible(None)] == ["Keeps parakeets in the attic"]
        for task in ("reflect", "defragment"):
            two.remote.script(text("[]"))
            await hub.work.reflect(task, two.home.paths.root, "remote")  # type: ignore[arg-type]
    assert "parakeet" not in two.wire() and "attic" not in two.wire()
    assert "chess" in two.wire(), "what was told to it is its own"
    assert "parakeet" in json.dumps(two.local.requests[1:]), "the model that was told looked it through"
    assert two.remote.problems == two.local.problems == []


async def test_a_session_that_changed_its_model_is_read_by_each_for_what_was_told_to_it(two: Two) -> None:
    async with two.day("local") as (hub, heard):
        state = await hub.new(two.home.paths.root)
        two.local.script(text("Nice."))
        await two.say(hub, heard, state.id, CANARY)
        await hub.set_profile(state.id, "remote")
        await hub.clear(state.id)
        two.remote.script(text("Good."))
        await two.say(hub, heard, state.id, PLAIN, 2)
        two.local.script(text(json.dumps([FOUND])))
        two.remote.script(text(json.dumps([claim("Plays chess on Fridays", "I play chess on Fridays")])))
        await two.rest(hub)
        assert [e.turn for e in heard.of(DistillFinished)] == [1, 2]
    assert "parakeet" not in two.wire()
    assert [p.fact.summary for p in two.home.facts.proposals()] == [
        "Keeps parakeets in the attic",
        "Plays chess on Fridays",
    ]


async def test_the_worker_of_the_settings_does_the_work(two: Two) -> None:
    with_memory(two, worker="local")
    async with two.day("remote") as (hub, heard):
        state = await hub.new(two.home.paths.root)
        two.remote.script(text("Good."))
        two.local.script(text("[]"))
        await two.say(hub, heard, state.id, PLAIN)
        await two.rest(hub)
    assert len(two.remote.requests) == 1 and len(two.local.requests) == 1


async def test_a_model_that_is_no_longer_there_is_stood_for_by_the_rules_on_this_machine(two: Two) -> None:
    from dataclasses import replace

    async with two.day("local") as (hub, heard):
        state = await hub.new(two.home.paths.root)
        two.local.script(text("Nice."))
        await two.say(hub, heard, state.id, "My favourite colour is green.")
        two.home.settings = replace(two.home.settings, profiles={"remote": two.home.settings.profiles["remote"]})
        await two.rest(hub)
    assert two.remote.requests == [] and len(two.local.requests) == 1
    assert ["green" in p.fact.summary for p in two.home.facts.proposals()] == [True]


async def test_facts_that_were_told_to_another_model_are_counted_and_not_shown(two: Two) -> None:
    async with two.day("local") as (hub, heard):
        state = await hub.new(two.home.paths.root)
        with_memory(two, distill="auto")
        two.local.script(text("Nice."), text(json.dumps([FOUND])))
        await two.say(hub, heard, state.id, CANARY)
        await two.rest(hub)
        two.remote.script(text("[]"))
        found = await hub.work.reflect("reflect", two.home.paths.root, "remote")
        assert (found.facts, found.withheld, found.place) == (0, 1, "127.1")
        assert two.remote.requests == []
        two.local.script(text("[]"))
        found = await hub.work.reflect("reflect", two.home.paths.root, "local")
        assert (found.facts, found.withheld, found.place) == (1, 0, "this machine")


async def test_a_profile_that_leads_elsewhere_now_is_another_model(two: Two) -> None:
    from dataclasses import replace

    async with two.day("local") as (hub, heard):
        state = await hub.new(two.home.paths.root)
        two.local.script(text("Nice."))
        await two.say(hub, heard, state.id, "I keep parakeets in the attic, and my favourite colour is green.")
    profiles = dict(two.home.settings.profiles)
    profiles["local"] = replace(profiles["local"], base_url=profiles["remote"].base_url)
    two.home.settings = replace(two.home.settings, profiles=profiles)
    async with two.day("local") as (hub, heard):
        two.remote.script(text("Good."), text("[]"), text("[]"))
        await two.say(hub, heard, (await hub.new(two.home.paths.root)).id, PLAIN)
        await two.rest(hub)
        await hub.work.reflect("reflect", two.home.paths.root, "local")
    assert "parakeet" not in two.wire() and "chess" in two.wire()
    assert any("green" in p.fact.summary for p in two.home.facts.proposals()), "the rules on this machine did it"
