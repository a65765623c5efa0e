from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from sessions import Home
from sessions.hub import SessionHub
from sessions.providers.guide_script import statements
from tests.sessions.providers.guide_loop import NOW
from tests.sessions.providers.test_guide_in_a_session import Session, facts, home

__all__ = ["home"]
SAID = {
    "I'm vegetarian and allergic to peanuts": ["Is vegetarian", "Is allergic to peanuts"],
    "I'm allergic to peanuts and vegetarian": ["Is allergic to peanuts", "Is vegetarian"],
    "I am allergic to nuts, shellfish and pollen": ["Is allergic to nuts, shellfish and pollen"],
    "I am a nurse, 34 years old": ["Works as nurse", "Is 34 years old"],
    "I'm 34 and live in Bonn.": ["Is 34 years old", "Lives in Bonn"],
    "I'm a vegetarian nurse from Lyon, France": ["Is vegetarian", "Works as nurse", "Is from Lyon, France"],
    "I'm German, vegan and diabetic": ["Is German", "Is vegan", "Is diabetic"],
    "I'm a software engineer at Acme and a father of two": [
        "Works as software engineer at Acme",
        "Is a father of two",
    ],
    "I'm married with two kids": ["Is married", "Has two kids"],
    "I'm vegetarian, left-handed and I work at Acme": ["Is vegetarian", "Is left-handed", "Works at Acme"],
    "I am Ken, a nurse from Bonn": ["Name is Ken", "Works as nurse", "Is from Bonn"],
    "I turned 35 yesterday": ["Is 35 years old"],
    "We have two kids": ["Has two kids"],
    "I have a wife and two sons": ["Has a wife and two sons"],
    "My wife is a doctor, and we have two kids.": ["The user's wife is a doctor", "Has two kids"],
    "My older brother lives in Lisbon": ["The user's older brother lives in Lisbon"],
    "My kids are 5 and 7": ["The user's kids are 5 and 7"],
    "My mother has a peanut allergy": ["The user's mother has a peanut allergy"],
    "I'm happy and 34": ["Is 34 years old"],
    "I'm a nurse and tired": ["Works as nurse"],
    "I'm a mother": ["Is a mother"],
    "I'm a smoker": ["Is a smoker"],
}
NOT_KEPT = (
    "I'm tired and hungry", "I'm late and sorry", "I'm going home and tired", "I'm 5 minutes late", "I'm 100% sure",
    "I am 10 years behind", "I'm in Rome and cold", "I'm at home and sick", "My wife is late", "My wife is tired",
    "my son is here", "my parents are away", "my husband has to go", "My wife is at work and my son is ill",
    "If I'm vegetarian and allergic to peanuts, what then?", "Am I vegetarian and 34 years old?",
    "I'm not a nurse, I said", "I'm 500 and counting", "> I'm vegetarian and allergic to peanuts",
)  # fmt: skip


@pytest.mark.parametrize(("said", "kept"), SAID.items(), ids=SAID)
def test_each_thing_said_of_one_in_a_row_is_a_fact_of_its_own(said: str, kept: list[str]) -> None:
    assert [s.summary for s in statements(said, date(2026, 11, 29))] == kept


@pytest.mark.parametrize("said", NOT_KEPT)
def test_moods_whereabouts_and_suppositions_are_not_kept(said: str) -> None:
    assert statements(said, date(2026, 11, 29)) == []


async def test_they_are_kept_at_once_asked_about_and_kept_up_to_date(home: Home, tmp_path: Path) -> None:
    assert home.clock.now() == NOW
    async with SessionHub(home) as hub:
        session = Session(hub, (await hub.new(tmp_path)).id)
        for said in SAID:
            answer = await session.say(said)
            assert "review" not in answer and "Not saved" not in answer, (said, answer)
        assert home.facts.proposals() == []
        assert await session.say("How old am I?") == "You are 34 years old."
        assert "Has two kids" in await session.say("how many kids do I have?")
        assert "peanuts" in await session.say("do I have any allergies?")
        assert "is a doctor" in await session.say("what does my wife do?")
        known = await session.say("What do you know about me?")
        for line in ("The user", "your wife"):
            assert line not in known
        assert "- Your wife is a doctor · #" in known and "Is 34 years old" in known
        await session.say("My wife lives in Rome")
        assert "Your wife is a doctor. Your wife lives in Rome" in await session.say("what about my wife?")
        await session.say("I'm 35 years old")
        assert [s for s in facts(home).values() if "years old" in s] == ["Is 35 years old"]
        assert "Your wife" not in await session.say("What are my preferences?")


async def test_what_is_too_much_for_a_turn_is_named_and_kept_when_said_once_more(home: Home, tmp_path: Path) -> None:
    async with SessionHub(home) as hub:
        session = Session(hub, (await hub.new(tmp_path)).id)
        assert await session.say("I'm German, vegan and diabetic") == (
            "Noted: you are German and are vegan.\n\n"
            "Not kept: you are diabetic. Two facts a turn are kept; say it once more."
        )
        assert await session.say("I'm diabetic, I said") == "Noted: you are diabetic."
        assert (await session.say("Do I have a boat?")).startswith("I don't know that yet")


async def test_what_is_to_be_remembered_of_no_project_is_kept_about_the_person(home: Home, tmp_path: Path) -> None:
    async with SessionHub(home) as hub:
        session = Session(hub, (await hub.new(tmp_path)).id)
        await session.say("Remember that the garage code is on the blue card.")
        await session.say("Remember that the deploy runs on Tuesdays.")
        kinds = {f.summary: f.kind for f in home.facts.visible(None)}
        assert kinds == {"The garage code is on the blue card": "user", "The deploy runs on Tuesdays": "reference"}
