"""What somebody tries who has read nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sessions.erase.told_home import home_at, propose, saved
from tests.tui.workbench import say, screen_text, text_of, workbench, write
from tests.waiting import until


async def test_who_says_something_while_reading_further_up_sees_it_and_its_answer(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home", size=(80, 24)) as (app, pilot):
        for n in range(4):
            await say(app, pilot, "help" if n % 2 else f"I like the number {n}")
        transcript = app.body.chat.transcript
        await pilot.press("pageup", "pageup")
        assert not transcript.at_end
        await say(app, pilot, "And now something new")
        assert transcript.at_end and "› And now something new" in text_of(transcript)
        await pilot.press("home")
        assert "I like the number 0" in text_of(transcript)
        await pilot.press("end")
        assert "› And now something new" in text_of(transcript)


async def test_the_start_lines_come_back_when_nothing_is_written_any_more_and_enter_takes_up_the_last_talk(
    tmp_path: Path,
) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "I live in Tokyo")
        first = app.desk.session
        await pilot.press("ctrl+n")
        await until(lambda: app.body.chat.start.state.recent, "what can be taken up")
        await pilot.press("a", "b")
        await until(lambda: not app.body.chat.start.display, "gone at the first key")
        await pilot.press("backspace", "backspace")
        await until(lambda: app.body.chat.start.display, "there again")
        await pilot.press("enter")
        await until(lambda: app.desk.session == first, "the last talk")
        await say(app, pilot, "What do you know about me?")
        assert not app.body.chat.start.display


@pytest.mark.parametrize("command", ["/context", "/model", "/import"])
async def test_after_a_command_an_empty_session_still_says_what_can_be_said(tmp_path: Path, command: str) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        for key in command:
            await pilot.press(key)
        await until(lambda: not app.body.chat.start.display, "gone at the first key")
        await pilot.press("enter")
        await until(lambda: app.screen.is_modal, "its dialog")
        await pilot.press("escape")
        await until(lambda: not app.screen.is_modal, "closed")
        await until(lambda: app.body.chat.start.display, "there again")
        assert "Try" in screen_text(app)


async def test_the_older_answer_is_reached_from_the_empty_composer_and_what_was_taken_back_is_typed_over(
    tmp_path: Path,
) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "I like tea")
        write(app, "/retry")
        await pilot.press("enter")
        await until(lambda: "< 2/2 >" in text_of(app.body.chat.transcript), "answered again")
        await until(lambda: not app.running, "over")
        await pilot.press("left")
        await until(lambda: "< 1/2 >" in text_of(app.body.chat.transcript), "the older answer")
        await pilot.press("right")
        await until(lambda: "< 2/2 >" in text_of(app.body.chat.transcript), "the newer one")
        write(app, "/rewind")
        await pilot.press("enter")
        await until(lambda: app.body.chat.composer.text == "I like tea", "what was said")
        await pilot.press("x")
        assert app.body.chat.composer.text == "x"


async def test_a_new_fact_is_begun_from_a_change_that_waits_and_a_form_says_why_it_does_not_save(
    tmp_path: Path,
) -> None:
    home = home_at(tmp_path / "home")
    propose(home, saved(home, "likes-tea", "Likes tea").fact.number, "Likes green tea")
    async with workbench(tmp_path / "home") as (app, pilot):
        await pilot.press("f4")
        await until(lambda: "Why it waits" in screen_text(app), "the change that waits")
        await pilot.press("n")
        await until(lambda: app.body.fact.creating and app.body.fact.summary.has_focus, "the form")
        await pilot.press(*"Plays")
        await until(lambda: app.body.fact.summary.text == "Plays", "what is typed")
        assert "Why it waits" not in screen_text(app) and "plays" in screen_text(app)
        app.body.fact.summary.set("word " * 40)
        await pilot.press("ctrl+s")
        await until(lambda: "not saved yet: " in screen_text(app), "why")
        assert "not saved yet: 199 of 120" in screen_text(app)


async def test_enter_alone_erases_nothing(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "I live in Tokyo")
        await pilot.press("f4")
        await until(lambda: app.place == "memory", "the list")
        await pilot.press("D")
        await until(lambda: "nothing brings it back" in screen_text(app), "the question")
        await pilot.press("enter")
        await until(lambda: "nothing brings it back" not in screen_text(app), "closed")
        assert app.header.state.facts == 1
