from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from sessions.clock import FixedClock
from sessions.home import Home
from sessions.hub import SessionHub
from tests.sessions.agent.scripted import NOW
from tests.sessions.hub_home import hub_of
from tests.sessions.memory.exchange import KEPT, REFUSED, Exchange
from tests.sessions.memory.exchanges import EXCHANGES
from tests.sessions.memory.talking import Talk, known, save, talk_in


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def lasting(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Talk]:
    """One hub for all exchanges; nothing is learned of an earlier one while it rests."""
    async with talk_in(tmp_path_factory.mktemp("exchanges"), overrides={"memory.distill": "off"}) as talk:
        yield talk


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("exchange", EXCHANGES.values(), ids=EXCHANGES.keys())
async def test_what_a_model_wants_to_remember_is_kept_waits_or_is_refused_with_the_reason(
    lasting: Talk, exchange: Exchange
) -> None:
    talk = lasting
    await talk.anew()
    assert (talk.facts.snapshot().facts, talk.waiting()) == ((), [])
    for name in exchange.files:
        (talk.home.paths.root / name).write_text("x")
    for fact in exchange.known:
        known(talk.facts, *fact)
    before = talk.active()
    told = (await talk.say(exchange.said, *exchange.calls, typed=exchange.typed))[-1]
    name, given = exchange.calls[-1]
    wanted = given.get("summary", "")
    if exchange.comes == KEPT:
        assert talk.waiting() == [], told
        if name == "delete_memory":
            assert told.startswith("Forgotten") and talk.active() == []
            return
        assert (exchange.why or wanted) in talk.active() and told.startswith(("Saved", "Updated", "Already known"))
        assert "forward" not in " ".join(f.name for f in talk.facts.snapshot().facts)
        assert len(talk.active()) == len(exchange.known or exchange.calls) or "distinct" in given
        return
    assert exchange.why in told, told
    assert wanted not in talk.active() and set(before) <= set(talk.active())
    if exchange.comes == REFUSED:
        assert told.startswith(("Not saved: ", "Not forgotten: ")) and talk.waiting() == []
    else:
        (proposal,) = talk.facts.proposals()
        assert told.startswith(f"Waits for the user's review as #{proposal.number}: {proposal.why}")
        assert [e.numbers for e in talk.proposed()] == [(proposal.number,)]
        assert talk.facts.counts().to_review == 1


def test_there_are_many_exchanges() -> None:
    assert len(EXCHANGES) >= 60


async def test_what_was_typed_is_active_after_a_restart_and_what_was_pasted_or_piped_is_not(tmp_path: Path) -> None:
    said = "I moved to Osaka, what's the weather?"
    call = EXCHANGES["moved and asks"].calls[0]
    for typed, there in ((None, True), (((0, 0),), False), ((), False)):
        folder = tmp_path / str(typed)
        async with talk_in(folder) as talk:
            await talk.say(said, call, typed=typed)
            session = talk.session
        async with talk_in(folder) as again, SessionHub(again.home) as hub:
            state = await hub.open(session)
            assert any(said in str(event) for event in state.events)
            await again.say("And now?")
            assert ("Lives in Osaka" in again.sent()) is there
            assert (again.active() == ["Lives in Osaka"]) is there


async def test_the_guide_keeps_what_was_typed_and_asks_about_what_was_pasted(tmp_path: Path) -> None:
    said = "I moved to Osaka, and I prefer Celsius."
    for typed, there in ((None, ["Lives in Osaka", "Prefers Celsius"]), ((), [])):
        home = Home(tmp_path / str(typed), clock=FixedClock(NOW), env={})
        async with hub_of(home) as (hub, heard):
            session = (await hub.new(tmp_path)).id
            await hub.send(session, said, typed=typed)
            answer = (await heard.over(session)).text
            assert sorted(f.summary for f in home.facts.visible(None)) == there
            assert answer.startswith("Noted: " if there else "To review before I keep it: ")
            assert home.facts.counts().to_review == (0 if there else 2)


async def test_what_was_said_with_memory_off_is_not_even_proposed_later(tmp_path: Path) -> None:
    async with talk_in(tmp_path) as talk:
        await talk.hub.set_memory(talk.session, "off")
        await talk.say("I live in Tokyo")
        await talk.hub.set_memory(talk.session, "on")
        told = await talk.say("Hello again", save("Lives in Tokyo", "I live in Tokyo"))
        assert told == ["Not saved: it was said while memory was off, and nothing is kept of that"]
        assert (talk.active(), talk.waiting()) == ([], [])
