"""What a program gets of the memory, and what it may have the person decide."""

from __future__ import annotations

from pathlib import Path

import pytest

from sessions.clock import FixedClock
from sessions.errors import FactError
from sessions.home import Home
from sessions.lending.room import Room
from sessions.memory.fact import By, Draft
from tests.sessions.memory.homes import NOW

PERSON = By("user")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home", env={}, clock=FixedClock(NOW))


def room(home: Home, client: str) -> Room:
    return Room(home, client=client, folders=(), all_folders=False)


async def test_what_a_program_saved_no_other_program_can_have_the_person_say_yes_to(home: Home) -> None:
    own, other = room(home, "claude-code"), room(home, "codex")
    result = await own.call("save_memory", {"name": "go", "summary": "Plays go on Tuesdays", "kind": "user"})
    (proposal,) = home.facts.proposals()
    assert own.waits(result) == proposal and other.waits(result) is None
    with pytest.raises(FactError, match=f"#{proposal.number} does not wait"):
        other.remember(proposal.number)
    assert home.facts.proposals() == [proposal] and home.facts.get("go") is None
    assert own.remember(proposal.number).startswith("Remembered by the user's word")
    with pytest.raises(FactError, match="does not wait"):
        own.remember(proposal.number)


def test_descriptions_stay_within_what_other_programs_read_however_much_is_remembered(home: Home) -> None:
    for n in range(150):
        home.facts.save(Draft(f"shelf-{n}", f"Shelf {n} of the store holds item {n * 7}", "project"), by=PERSON)
    tools = {tool.name: tool for tool in room(home, "codex").tools()}
    assert all(len(tool.description) <= 2_000 for tool in tools.values())
    said = tools["recall_memory"].description
    assert len(said) > 1_700, "as much as there is room for"
    assert "shelf-149" in said and said.rstrip().splitlines()[-1].startswith("and 1"), "what is left out is counted"
