from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import date
from pathlib import Path

import pytest

from sessions import Home
from sessions.clock import FixedClock
from sessions.events import Event, FactsRecalled, FactWritten, ToolCallStarted, TurnFailed, TurnFinished
from sessions.hub import SessionHub
from sessions.memory.fact import By
from tests.servers.weather_server import WeatherServer
from tests.sessions.providers.guide_loop import NOW


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with WeatherServer() as weather:
        (tmp_path / "config.toml").write_text(
            f'[weather]\ngeocoding_url = "{weather.url}"\nforecast_url = "{weather.url}"\n', encoding="utf-8"
        )
        yield Home(tmp_path, clock=FixedClock(NOW), env={})


class Session:
    """A session of the real hub; `events` are those of the newest turn."""

    def __init__(self, hub: SessionHub, session: str) -> None:
        self.hub, self.id = hub, session
        self.events: list[Event] = []

    async def say(self, text: str) -> str:
        self.events = []
        async with self.hub.subscribe(self.id) as events:
            await self.hub.send(self.id, text)
            async for event in events:
                self.events.append(event)
                assert not isinstance(event, TurnFailed), event
                if isinstance(event, TurnFinished):
                    return event.text
        raise AssertionError("the turn did not end")

    def called(self) -> list[str]:
        return [e.name for e in self.events if isinstance(e, ToolCallStarted)]


@pytest.fixture
async def session(home: Home, tmp_path: Path) -> AsyncIterator[Session]:
    async with SessionHub(home) as hub:
        yield Session(hub, (await hub.new(tmp_path)).id)


def facts(home: Home) -> dict[str, str]:
    return {f.name: f.summary for f in home.facts.visible(None)}


async def test_tokyo_then_osaka_within_one_session_and_in_the_next(home: Home, session: Session, tmp_path: Path):
    assert await session.say("I live in Tokyo, and I prefer Celsius.") == "Noted: you live in Tokyo and prefer Celsius."
    assert facts(home) == {"lives-in-tokyo": "Lives in Tokyo", "prefers-celsius": "Prefers Celsius"}
    answer = await session.say("What's the weather?")
    assert answer == (
        "Here is the weather information for Tokyo, Japan:\n\n🌡️ 19°C\n💨 wind 11 km/h\n☁️ cloud coverage 40%"
    )
    assert session.called() == ["recall_memory", "get_weather"]
    assert any("lives-in-tokyo" in e.names for e in session.events if isinstance(e, FactsRecalled))
    assert "for Osaka, Japan:" in await session.say("I moved to Osaka, what's the weather?")
    assert session.called() == ["save_memory", "get_weather"]
    assert set(facts(home)) == {"lives-in-osaka", "prefers-celsius"}
    assert "for Osaka, Japan:" in await session.say("What's the weather?")
    later = Session(session.hub, (await session.hub.new(tmp_path)).id)
    assert "for Osaka, Japan:" in await later.say("what is the weather like")
    assert await later.say("Where do I live?") == "You live in Osaka."


async def test_a_person_a_thread_and_what_needs_me(home: Home, session: Session):
    answer = await session.say("Sarah Chen is my engineering manager, she owns the Q3 roadmap.")
    assert answer == "Noted: Sarah Chen is your engineering manager and owns the Q3 roadmap."
    said = "I'm waiting on Sarah about the Q3 staffing decision — she needs my answer by Friday."
    assert (await session.say(said)).endswith("due Friday 4 December.")
    [written] = [e for e in session.events if isinstance(e, FactWritten)]
    thread = home.facts.get(written.names[0])
    assert thread and (thread.kind, thread.due, thread.source.quote) == ("open-thread", date(2026, 12, 4), said)
    assert "Q3 staffing decision, due Friday 4 December" in await session.say("What am I waiting on?")
    assert "Nothing needs you now" in await session.say("What needs me today?")
    assert "engineering manager" in await session.say("What do you know about Sarah?")
    await session.say("Sarah prefers email.")
    assert "prefers email" in await session.say("who is Sarah?")
    assert (await session.say("Sarah answered.")).startswith("Closed: ")
    assert set(facts(home)) == {"sarah-chen"}


async def test_a_fact_forgotten_is_known_no_more_and_said_again_comes_back(home: Home, session: Session):
    await session.say("I live in Tokyo")
    number = home.facts.get("lives-in-tokyo").number
    assert await session.say("forget that I live in Tokyo") == "Forgotten: Lives in Tokyo. /undo brings it back."
    assert facts(home) == {}
    assert (await session.say("where do I live?")).startswith("I don't know that yet")
    assert await session.say("I live in Tokyo") == "Noted: you live in Tokyo."
    assert home.facts.get("lives-in-tokyo").number == number
    assert await session.say("I live in Tokyo") == "Already noted: you live in Tokyo."


async def test_the_newest_words_win_over_a_fact_that_is_off_or_holds_the_name(home: Home, session: Session):
    def switch_off(name: str) -> None:
        home.facts.edit(name, by=By("user"), status="off")
        session.hub.facts_changed()

    await session.say("I live in Lyon")
    switch_off("lives-in-lyon")
    assert await session.say("I live in Rome") == "Noted: you live in Rome."
    assert await session.say("I live in Lyon") == "Noted: you live in Lyon."
    assert facts(home) == {"lives-in-lyon": "Lives in Lyon"}
    home.facts.edit("lives-in-lyon", by=By("user"), summary="Lives in Lyons")
    switch_off("lives-in-lyon")
    assert await session.say("I live in Kyoto") == "Noted: you live in Kyoto."
    assert await session.say("I live in Lyon") == "Noted: you live in Lyon."
    assert session.called() == ["save_memory"]
    assert facts(home) == {"lives-in-lyon-2": "Lives in Lyon"}
    assert await session.say("Where do I live?") == "You live in Lyon."


async def test_what_was_always_sent_and_is_forgotten_meanwhile_is_not_used(
    home: Home, session: Session, tmp_path: Path
):
    await session.say("I live in Tokyo")
    later = Session(session.hub, (await session.hub.new(tmp_path)).id)
    await later.say("hello")
    await session.say("forget that I live in Tokyo")
    assert (await later.say("What's the weather?")).startswith("Where?")


async def test_a_line_corrected_by_hand_counts_from_the_next_question_on(home: Home, session: Session):
    await session.say("I live in Tokyo")
    home.facts.edit("lives-in-tokyo", by=By("user"), summary="Lives in Kyoto")
    session.hub.facts_changed()
    assert "for Kyoto, Japan:" in await session.say("What's the weather?")


async def test_past_sessions_are_found_by_topic_and_by_date(home: Home, session: Session, tmp_path: Path):
    home.clock.at = NOW.replace(month=3, day=12)
    early = Session(session.hub, (await session.hub.new(tmp_path)).id)
    await early.say("Remember that the roadmap slips to June.")
    home.clock.at = NOW
    await session.hub.run(home.index.catch_up)
    answer = await session.say("What did I say about the roadmap last March?")
    assert answer.startswith("- 2026-03-12, ") and "the roadmap slips to June" in answer
    assert await session.say("What did I say about the roadmap last May?") == (
        "I find nothing about the roadmap in May 2026 in past sessions."
    )
    assert "the roadmap slips to June" in await session.say("What did we talk about in March?")


async def test_what_was_said_is_found_here_and_elsewhere_and_not_what_the_guide_said_about_it(
    home: Home, session: Session, tmp_path: Path
):
    said = "The pump in the cellar leaks on Mondays."
    await session.say(said)
    answer = await session.say("what did I say about the pump?")
    assert answer == f"- earlier in this session, you:\n  > {said}"
    assert said in await session.say("tell me about the pump") and said in await session.say("do I own a pump?")
    await session.say("Remember that I like jazz.")
    home.facts.undo(by=By("user"))
    session.hub.facts_changed()
    later = Session(session.hub, (await session.hub.new(tmp_path)).id)
    for asked in (
        "what did I say about the pump?",
        "what do you know about the pump?",
        "what did I say about the pump?",
    ):
        answer = await later.say(asked)
        assert answer.count(said) == 2 and answer.count("\n") <= 3 and "nothing" not in answer, answer
    answer = await later.say("do I like jazz?")
    assert answer.startswith("I know no fact about that. This was said:") and "Remember that I like jazz" in answer
    assert "save_memory" not in answer and "Noted" not in answer


@pytest.mark.parametrize("mode", ["off", "read-only"])
async def test_modes_of_memory_are_said_plainly(home: Home, tmp_path: Path, mode):
    async with SessionHub(home, memory=mode) as hub:
        session = Session(hub, (await hub.new(tmp_path)).id)
        word = "Memory is off" if mode == "off" else "Memory is set to use, don't save"
        assert (await session.say("I live in Tokyo, and I prefer Celsius.")).startswith(word)
        assert facts(home) == {}
