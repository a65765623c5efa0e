from __future__ import annotations

from pathlib import Path

import pytest

from sessions.memory.fact import By, Draft
from tests.sessions.memory.homes import store_of
from tests.tui.workbench import screen_text, workbench, write
from tests.waiting import until
from tui.dialogs.confirm import Confirm


def moved(tmp_path: Path) -> Path:
    """A home, and a project of it that has moved to where the workbench is opened."""
    old, here = tmp_path / "code" / "Atlas", tmp_path / "elsewhere" / "Atlas"
    old.mkdir(parents=True)
    store = store_of(tmp_path / "home")
    scope = store.scopes.of(old)
    store.save(Draft("uses-ci", "Builds run twice", "project", scope=scope), by=By("user"))
    here.parent.mkdir()
    old.rename(here)
    return here / "home"


@pytest.mark.parametrize("yes", [True, False])
async def test_a_project_that_moved_here_is_asked_about_once_in_words(tmp_path: Path, yes: bool) -> None:
    home = moved(tmp_path)
    (tmp_path / "home").rename(home)
    async with workbench(home, (80, 24)) as (app, pilot):
        facts = app.desk.home.facts
        await until(lambda: "Did Atlas move here? 1 fact of" in screen_text(app), "the line")
        assert facts.visible(home.parent) == []
        write(app, "/moved")
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, Confirm), "the question")
        await pilot.pause()
        assert "a folder that is no longer there" in screen_text(app)
        await pilot.press("y" if yes else "n")
        await until(lambda: "Did Atlas move here?" not in screen_text(app), "it is answered")
        await until(lambda: [f.name for f in facts.visible(home.parent)] == ["uses-ci"] * yes, "the facts")
    async with workbench(home) as (app, pilot):
        assert "Did Atlas move here?" not in screen_text(app)
        write(app, "/moved")
        await pilot.press("enter")
        await until(lambda: "no project seems to have moved here" in screen_text(app), "nothing to ask")


async def test_the_line_about_it_can_be_clicked(tmp_path: Path) -> None:
    home = moved(tmp_path)
    (tmp_path / "home").rename(home)
    async with workbench(home) as (app, pilot):
        await until(lambda: "Did Atlas move here?" in screen_text(app), "the line")
        rows = screen_text(app).split("\n")
        y = next(i for i, row in enumerate(rows) if "Did Atlas move here?" in row)
        await pilot.click(offset=(10, y))
        await until(lambda: isinstance(app.screen, Confirm), "the question")
