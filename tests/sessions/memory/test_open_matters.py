from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path

import pytest
import pytest_asyncio

from sessions.memory.threads import NO_THREAD, NOT_OPEN, STILL_OPEN
from sessions.memory.ways import FOR_OTHERS, NOT_A_WAY
from tests.sessions.memory.beside import NOT_SAID, SAID
from tests.sessions.memory.deciding import Unwritten, saved
from tests.sessions.memory.homes import store_of
from tests.sessions.memory.manners import A_WAY, NO_WAY
from tests.sessions.memory.open_matters import NOT_OPEN as NONE
from tests.sessions.memory.open_matters import OPEN
from tests.sessions.memory.talking import Talk, known, save, talk_in

THREAD = "open-thread"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Unwritten:
    real = store_of(tmp_path_factory.mktemp("open"))
    return Unwritten(real.paths, real.clock)


@pytest_asyncio.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    async with talk_in(tmp_path, overrides={"memory.distill": "off"}) as talk:
        yield talk


def named(row: tuple[str, ...]) -> str:
    return " | ".join(row[:3])


def quotes_of(said: str) -> list[str]:
    """All of it, and each part of it that may be quoted alone."""
    parts = [p.strip() for mark in (". ", ", ", "? ") for p in said.split(mark)]
    return [said, *(p for p in parts if p != said)]


@pytest.mark.parametrize("row", OPEN, ids=named)
def test_what_is_waited_for_owed_or_to_be_done_is_kept_at_once(store: Unwritten, row: tuple[str, str]) -> None:
    assert saved(store, *row, THREAD) == [row[1]]


@pytest.mark.parametrize("row", NONE, ids=named)
def test_what_is_no_open_matter_of_the_person_waits(store: Unwritten, row: tuple[str, str]) -> None:
    assert [q for q in quotes_of(row[0]) if saved(store, *row, THREAD, q)] == []


@pytest.mark.parametrize("row", A_WAY, ids=named)
def test_an_order_a_wish_or_a_rule_is_kept_as_a_way_of_working(store: Unwritten, row: tuple[str, str]) -> None:
    assert saved(store, *row, "feedback") == [row[1]]


@pytest.mark.parametrize("row", NO_WAY, ids=named)
def test_what_is_no_order_to_the_agent_is_not_kept_as_one(store: Unwritten, row: tuple[str, str]) -> None:
    assert saved(store, *row, "feedback") == []


@pytest.mark.parametrize("row", SAID, ids=named)
def test_details_that_were_typed_are_kept_with_the_line(store: Unwritten, row: tuple[str, str, str, str, str]) -> None:
    said, claim, body, kind, quote = row
    assert saved(store, said, claim, kind, quote, body=body) == [claim]


@pytest.mark.parametrize("kind", ["user", "preference", "contact", "project", "feedback", THREAD])
@pytest.mark.parametrize("row", NOT_SAID, ids=named)
def test_details_that_say_another_thing_than_was_typed_wait(
    store: Unwritten, row: tuple[str, str, str], kind: str
) -> None:
    said, claim, body = row
    assert [q for q in quotes_of(said) if saved(store, said, claim, kind, q, body=body)] == []


@pytest.mark.parametrize(
    ("said", "due", "kept"),
    [
        *(
            (f"I must pay the rent by {day}", due, due == "2027-03-15")
            for day in ("15 March 2027", "March 15", "Monday, 15 March 2027", "2027-03-15", "15/03/2027", "15.3.2027")
            for due in ("2027-03-15", "2027-03-22", "2027-03-08", "2027-03-16", "2027-03-01")
        ),
        ("I must pay the rent by 3/4/2027", "2027-03-04", True),
        ("I must pay the rent by 3/4/2027", "2027-04-03", True),
        ("I must pay the rent by 3/4/2027", "2027-03-11", False),
        ("I must pay the rent by Friday", "2026-12-04", True),
        ("I must pay the rent next Friday", "2026-12-11", True),
        ("I must pay the rent next Friday", "2026-12-25", False),
        ("I must pay the rent in two weeks", "2026-12-13", True),
        ("I must pay the rent by Friday, Ann was born on 15 March 1990", "2026-12-04", True),
        ("I must pay the rent", "2026-12-04", False),
    ],
)
def test_a_day_that_was_named_is_that_day(store: Unwritten, said: str, due: str, kept: bool) -> None:
    wanted = saved(store, said, "Pay the rent", THREAD, due=date.fromisoformat(due))
    assert wanted == (["Pay the rent"] if kept else [])


async def test_the_reason_says_what_is_missing(talk: Talk) -> None:
    (told,) = await talk.say("I live in Tokyo", save("Lives in Tokyo", "I live in Tokyo", THREAD))
    assert NOT_OPEN in told
    (told,) = await talk.say("I own a boat", save("Owns a boat", "I own a boat", "feedback"))
    assert NOT_A_WAY in told
    said = "Eve wants you to send her the invoices"
    (told,) = await talk.say(said, save("Send Eve the invoices", said, "feedback"))
    assert FOR_OTHERS in told
    assert talk.active() == []


async def test_an_open_matter_takes_the_place_of_no_other_fact(talk: Talk) -> None:
    number = known(talk.facts, "rent", "Rent is 900 euros", "user")
    said = "I must pay the rent of 950 euros by Friday"
    (told,) = await talk.say(said, save("Pay the rent of 950 euros", said, THREAD, replaces=number))
    assert NO_THREAD.format(number) in told and talk.active() == ["Rent is 900 euros"]
    (told,) = await talk.say(said, save("Pay the rent of 950 euros", said, THREAD, name="rent"))
    assert told.startswith("Saved") and sorted(talk.active()) == ["Pay the rent of 950 euros", "Rent is 900 euros"]


async def test_another_fact_takes_the_place_of_an_open_matter_only_when_that_is_settled(talk: Talk) -> None:
    number = known(talk.facts, "visa", "Waiting for the visa", THREAD)
    said = "I have a visa for India"
    (told,) = await talk.say(said, save("Has a visa for India", said, "user", replaces=number))
    assert STILL_OPEN.format(number) in told and talk.active() == ["Waiting for the visa"]
    (told,) = await talk.say(said, save("Has a visa for India", said, "user", name="visa"))
    assert told.startswith("Saved") and sorted(talk.active()) == ["Has a visa for India", "Waiting for the visa"]


async def test_a_home_told_in_other_words_stays_one_fact_or_is_asked_about(talk: Talk) -> None:
    tellings = {
        "I live in Tokyo": "Lives in Tokyo",
        "I reside in Tokyo": "Resides in Tokyo",
        "I've settled in Tokyo": "Has settled in Tokyo",
        "I dwell in Tokyo": "Dwells in Tokyo",
        "I call Tokyo home": "Calls Tokyo home",
        "My residence is Tokyo": "Residence is Tokyo",
        "I inhabit Tokyo": "Inhabits Tokyo",
        "I make my home in Tokyo": "Makes their home in Tokyo",
        "Tokyo is where I live": "Tokyo is where the user lives",
        "I'm a Tokyo resident": "Is a Tokyo resident",
        "The city I live in is Tokyo": "The city the user lives in is Tokyo",
        "My flat is in Tokyo": "Flat is in Tokyo",
        "I stay in Tokyo": "Stays in Tokyo",
    }
    for said, claim in tellings.items():
        await talk.say(f"{said}, you know", save(claim, said, "user"))
        assert talk.active() == ["Lives in Tokyo"], talk.told
    assert "close to #1" in talk.told[0]
    said = "I moved and settled in Osaka"
    await talk.say(said, save("Has settled in Osaka", said, "user", replaces=1))
    assert talk.active() == ["Has settled in Osaka"]
