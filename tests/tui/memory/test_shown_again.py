from __future__ import annotations

from pathlib import Path

import pytest

from sessions.memory.fact import By, Draft
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
