from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from sessions.home import Home
from sessions.hub import SessionHub
from sessions.hub.outside import Outside
from sessions.memory.fact import By, Draft
from tests.sessions.memory.homes import by_hand
from tests.waiting import until

MODEL = By("model")
TEA = '+++\nsummary = "Likes green tea"\nkind = "preference"\n+++\n'


def home_with_a_fact(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home", env={})
    home.facts.save(Draft("lives-in-tokyo", "Lives in Tokyo", "preference"), by=MODEL)
    return home


@asynccontextmanager
async def watched(home: Home) -> AsyncIterator[list[Outside]]:
    """What is told, as it comes; the watch is on when this is entered."""
    told: list[Outside] = []
    async with SessionHub(home) as hub:
        watching = hub.outside()

        async def listen() -> None:
            async for one in watching:
                told.append(one)

        task = asyncio.create_task(listen())

        def awake() -> bool:
            (home.paths.sessions / "awake.jsonl").write_text(str(time.monotonic()))
            return any("awake" in one.sessions for one in told)

        try:
            await until(awake, "the watch is on", 10)
            yield told
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            await watching.aclose()


def facts(told: list[Outside]) -> list[tuple[str, str]]:
    return [(change.op, change.fact.summary) for one in told for change in one.facts]


async def test_what_was_done_while_nobody_watched_comes_first(tmp_path: Path) -> None:
    home = home_with_a_fact(tmp_path)
    file = home.paths.user_facts / "lives-in-tokyo.md"
    file.write_text(file.read_text().replace("Lives in Tokyo", "Lives in Kyoto"))
    async with watched(home) as told:
        assert facts(told) == [("updated", "Lives in Kyoto")]


async def test_an_edit_is_taken_in_within_a_second_and_a_broken_file_is_told_without_a_change(tmp_path: Path) -> None:
    home = home_with_a_fact(tmp_path)
    file = home.paths.user_facts / "lives-in-tokyo.md"
    async with watched(home) as told:
        file.write_text(file.read_text().replace("Lives in Tokyo", "Lives in Kyoto"))
        await until(lambda: facts(told) == [("updated", "Lives in Kyoto")], "the edit", 1)
        told.clear()
        file.write_text("+++\nname = broken\n+++\n")
        await until(lambda: any(one.memory for one in told), "the broken file", 1)
        assert facts(told) == [] and len(home.facts.snapshot().broken) == 1


async def test_a_file_made_by_hand_is_completed_once_it_rests_though_nothing_changes_any_more(tmp_path: Path) -> None:
    home = home_with_a_fact(tmp_path)
    async with watched(home) as told:
        file = by_hand(home.paths.user_facts / "tea.md", TEA)
        await until(lambda: any(one.memory for one in told), "it is seen", 1)
        assert facts(told) == [] and file.read_text() == TEA
        await until(lambda: facts(told) == [("created", "Likes green tea")], "it is completed", 4)
        assert "number = 2" in file.read_text()


async def test_a_deleted_file_is_journaled_though_nothing_else_changes(tmp_path: Path) -> None:
    home = home_with_a_fact(tmp_path)
    async with watched(home) as told:
        (home.paths.user_facts / "lives-in-tokyo.md").unlink()
        await until(lambda: facts(told) == [("forgotten", "Lives in Tokyo")], "the deletion", 2)
        assert home.facts.snapshot().facts == ()


async def test_a_session_that_grows_all_the_time_does_not_keep_a_file_from_being_completed(tmp_path: Path) -> None:
    home = home_with_a_fact(tmp_path)
    async with watched(home) as told:
        by_hand(home.paths.user_facts / "tea.md", TEA)

        def completed() -> bool:
            (home.paths.sessions / "grows.jsonl").write_text(str(time.monotonic()))
            return facts(told) == [("created", "Likes green tea")]

        await until(completed, "it is completed", 6)


async def test_a_failure_is_told_once_and_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sessions.hub.outside._AGAIN_S", 0.1)
    home = home_with_a_fact(tmp_path)
    file, journal = home.paths.user_facts / "lives-in-tokyo.md", next(home.paths.journal.iterdir())
    async with watched(home) as told:
        kept = journal.read_bytes()
        journal.unlink()
        journal.mkdir()
        file.write_text(file.read_text().replace("Lives in Tokyo", "Lives in Kyoto"))
        await until(lambda: [one.problem for one in told if one.problem], "the failure is told", 2)
        journal.rmdir()
        journal.write_bytes(kept)
        await until(lambda: ("updated", "Lives in Kyoto") in facts(told), "it is tried again", 5)
        (problem,) = [one.problem for one in told if one.problem]
        assert "could not be" in problem
