from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from sessions.memory.fact import By, Draft
from tests.sessions.memory.homes import store_of
from tests.tui.workbench import screen_text, workbench
from tests.waiting import until

PERSON = By("user")


@pytest.mark.parametrize("typed", [False, True])
async def test_where_there_is_room_for_the_form_alone_an_undo_shows_what_stands_then(
    tmp_path: Path, typed: bool
) -> None:
    async with workbench(tmp_path / "home", (80, 24)) as (app, pilot):
        facts = app.desk.home.facts
        facts.save(Draft("lives-in-tokyo", "Lives in Tokyo", "preference"), by=PERSON)
        facts.save(Draft("lives-in-osaka", "Lives in Osaka", "preference", replaces=1), by=PERSON)
        await pilot.press("f4")
        await until(lambda: "Lives in Osaka" in screen_text(app), "the list")
        await pilot.press("enter")
        await until(lambda: app.body.shows("fact") and "Versions" in screen_text(app), "the form")
        if typed:
            await pilot.press(*" now")
        app.body.fact.below.focus()
        await until(lambda: "r Restore" in screen_text(app), "the keys of a version")
        assert "esc Back" in screen_text(app).splitlines()[-1]
        await pilot.press("u")
        await until(lambda: [f.summary for f in facts.visible(None)] == ["Lives in Tokyo"], "undone")
        if typed:
            await until(lambda: "deleted elsewhere" in screen_text(app), "what was typed stays")
            assert app.body.fact.summary.text.endswith("now")
        else:
            await until(lambda: "Lives in Tokyo" in screen_text(app).splitlines()[1], "what stands now")
            assert "Lives in Osaka" not in app.body.fact.summary.text


async def test_the_start_lines_follow_the_facts_that_another_program_changes(tmp_path: Path) -> None:
    store = store_of(tmp_path / "home")
    store.save(Draft("lives-in-tokyo", "Lives in Tokyo", "preference"), by=PERSON)
    async with workbench(tmp_path / "home") as (app, _):
        await until(lambda: "I remember 1 fact and" in screen_text(app), "the start lines")
        for n in range(9):
            store.save(Draft(f"shelf-{n}", f"Shelf {n * 7} holds item {n}", "project"), by=PERSON)
        store.save(Draft("due", "Waits for the tickets", "open-thread", due=date(2026, 11, 30)), by=PERSON)
        await until(lambda: "I remember 11 facts and" in screen_text(app), "all of them")
        assert "Waits for the tickets" in screen_text(app)
