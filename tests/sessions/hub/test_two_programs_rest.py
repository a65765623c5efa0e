from __future__ import annotations

import asyncio
from pathlib import Path

from sessions.providers.base import TextPiece
from tests.sessions.agent.scripted import Scripted, says
from tests.sessions.hub_home import ScriptedHome, hub_of
from tests.sessions.resting import FERRY, FOUND, Rests, answers, marks
from tests.waiting import until


def home_in(folder: Path, *steps: list[object]) -> tuple[ScriptedHome, Scripted]:
    model = Scripted(*steps, profile="guide")
    return ScriptedHome(folder, model), model


async def talk(folder: Path) -> str:
    home, _ = home_in(folder, says("Ok."))
    async with hub_of(home) as (hub, heard):
        state = await hub.new(folder)
        await hub.send(state.id, FERRY)
        await heard.over(state.id)
    return state.id


async def test_of_two_programs_that_rest_at_once_only_one_looks_a_session_through(tmp_path: Path) -> None:
    session = await talk(tmp_path)
    hold, rests = asyncio.Event(), (Rests(), Rests())
    (first, one), (second, two) = home_in(tmp_path, [hold, *answers(FOUND)]), home_in(tmp_path, answers(FOUND))
    async with hub_of(first, rest=rests[0]) as (a, _), hub_of(second, rest=rests[1]) as (b, _):
        await a.new(tmp_path)
        mine = await b.new(tmp_path)
        await until(lambda: rests[0].waiting and rests[1].waiting, "both are quiet")
        rests[0].over()
        await until(lambda: one.streaming, "the first looks it through")
        rests[1].over()
        await until(lambda: not b.work.busy, "the second has nothing to do")
        assert two.requests == [] and marks(first, session) == []
        hold.set()
        await until(lambda: not a.work.busy, "the first is done")
        assert len(marks(first, session)) == 1
        two.steps = [says("Ok.")]
        await b.send(mine.id, "What is a ferry?")
        await until(lambda: rests[1].waiting, "the second is quiet again")
        rests[1].over()
        await until(lambda: not b.work.busy, "the second has nothing to do")
        assert [r.purpose for r in two.requests] == ["chat"]
    assert [p.fact.summary for p in first.facts.proposals()] == ["Takes the ferry to work"]


async def test_whoever_has_a_session_open_looks_it_through_and_nobody_else(tmp_path: Path) -> None:
    session = await talk(tmp_path)
    rests = (Rests(), Rests())
    (first, _), (second, _) = home_in(tmp_path, answers(FOUND)), home_in(tmp_path, answers(FOUND))
    async with hub_of(first, rest=rests[0]) as (a, _), hub_of(second, rest=rests[1]) as (b, _):
        await a.open(session)
        await b.new(tmp_path)
        await until(lambda: rests[1].waiting, "it is quiet")
        rests[1].over()
        await until(lambda: not b.work.busy, "the other program is done")
        assert marks(second, session) == [] and second.facts.proposals() == []
        rests[0].over()
        await until(lambda: marks(first, session), "who has it open looked it through")
    assert [p.fact.summary for p in first.facts.proposals()] == ["Takes the ferry to work"]


async def test_a_session_that_is_opened_while_it_is_looked_through_can_be_written_at_once(tmp_path: Path) -> None:
    session = await talk(tmp_path)
    hold, rests = asyncio.Event(), (Rests(), Rests())
    (first, one), (second, two) = home_in(tmp_path, [TextPiece("["), hold]), home_in(tmp_path, says("Hello."))
    async with hub_of(first, rest=rests[0]) as (a, _), hub_of(second, rest=rests[1]) as (b, heard):
        await a.new(tmp_path)
        await until(lambda: rests[0].waiting, "it is quiet")
        rests[0].over()
        await until(lambda: one.streaming, "it is looked through")
        state = await b.open(session)
        assert state.writable
        await b.send(session, "Hello")
        assert (await heard.over(session)).text == "Hello."
        hold.set()
        await until(lambda: not a.work.busy, "the other gave up")
        assert marks(first, session) == []
        # The one that has it now learns of it at its own rest.
        two.steps = [answers(FOUND)]
        await until(lambda: rests[1].waiting, "it is quiet")
        rests[1].over()
        await until(lambda: marks(first, session), "it was looked through")
    assert len(first.facts.proposals()) == 1
