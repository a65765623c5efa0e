from __future__ import annotations

from pathlib import Path

import pytest

from tests.sessions.memory.homes import PERSON, store_of
from tests.tui.workbench import say, screen_text, text_of, workbench
from tests.waiting import until

TOLD = "Remember that my codeword is xylocarp-quokka."
ASKED = "What do you know about my codeword?"


async def below(app, pilot):
    """The fact's detail, with the focus below the form."""
    await pilot.press("f4")
    await until(lambda: app.body.has("memory") and app.body.memory.fact is not None, "the facts")
    await pilot.press("enter")
    await until(lambda: app.place == "form" and app.body.fact.fact is not None, "the form")
    app.body.fact.below.focus()
    await until(lambda: app.place == "background", "below the form")
    await pilot.pause()
    return app.body.fact.below


def shown(app):
    return "\n".join(app.body.fact.below.lines_of_text)


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_a_fact_shows_where_it_was_used_and_enter_goes_there(tmp_path: Path, size) -> None:
    async with workbench(tmp_path / "home", size) as (app, pilot):
        await say(app, pilot, TOLD)
        await say(app, pilot, ASKED)
        session = app.desk.session
        await until(lambda: app.desk.home.index.uses(1, "").turns == 1, "the index has it")
        await pilot.press("ctrl+n")
        await until(lambda: app.desk.session != session, "another session")
        view = await below(app, pilot)
        await until(lambda: "1 turn in 1 session" in shown(app), "its use")
        await pilot.press("down")
        await pilot.press("enter")
        await until(lambda: app.desk.session == session and app.wanted.view == "chat", "the session in which it was")
        await until(lambda: ASKED in text_of(app.body.chat.transcript), "the turn")
        assert view.version is None


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_a_version_shows_what_it_changed_and_is_brought_back_and_that_is_undone(tmp_path: Path, size) -> None:
    store = store_of(tmp_path / "home")
    from sessions.memory.fact import Draft

    store.save(Draft("home-town", "Lives in Tokyo", "preference", "Near Nakano.\nOn the hill."), by=PERSON)
    store.edit(1, by=PERSON, summary="Lives in Osaka", body="Near Umeda.\nOn the hill.", pinned=False)
    async with workbench(tmp_path / "home", size) as (app, pilot):
        view = await below(app, pilot)
        await until(lambda: "Versions" in shown(app), "the versions")
        while view.version is None or view.version.number != 2:
            await pilot.press("down")
        await pilot.press("enter")
        text = " ".join(shown(app).split())
        assert "- in one line Lives in Tokyo + Lives in Osaka" in text
        assert "- always send yes + no" in text
        assert "- body Near Nakano. + Near Umeda. On the hill." in text
        assert "Near Umeda." in screen_text(app), "it is scrolled into sight"
        await pilot.press("enter")
        assert "Near Nakano" not in shown(app)
        await pilot.press("down")
        assert view.version.number == 1
        await pilot.press("r")
        await until(lambda: store_of(tmp_path / "home").get(1).summary == "Lives in Tokyo", "version 1 is back")
        await until(lambda: app.body.fact.summary.text == "Lives in Tokyo", "and in the form")
        assert store_of(tmp_path / "home").get(1).pinned
        assert len(store_of(tmp_path / "home").history(1)) == 3
        await pilot.press("u")
        await until(lambda: store_of(tmp_path / "home").get(1).summary == "Lives in Osaka", "that is undone")


async def test_versions_and_source_are_chosen_and_opened_with_the_mouse(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, TOLD)
        session = app.desk.session
        await pilot.press("ctrl+n")
        await until(lambda: app.desk.session != session, "another session")
        view = await below(app, pilot)
        await until(lambda: "created" in shown(app), "the versions")
        lines = view.lines_of_text
        at = next(i for i, line in enumerate(lines) if "created" in line)
        await pilot.click(view, offset=(10, at - view.scroll_offset.y), times=2)
        assert "+ in one line  Their codeword is xylocarp-quokka" in shown(app)
        source = next(i for i, line in enumerate(lines) if "You said it" in line)
        await pilot.click(view, offset=(10, source - view.scroll_offset.y), times=2)
        await until(lambda: app.desk.session == session, "the message it comes from")
