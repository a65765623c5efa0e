from __future__ import annotations

from pathlib import Path

import pytest

from sessions.memory.fact import By, Draft
from sessions.messages import UserMessage
from sessions.store.log import read_log
from tests.tui.chat.stage import find
from tests.tui.workbench import Bench, say, screen_text, text_of, workbench, write
from tests.waiting import until
from tui.app import MemagentApp

SIZES = [(120, 40), (80, 24)]


def transcript(app: MemagentApp) -> str:
    return text_of(app.body.chat.transcript)


def prompts(app: MemagentApp, session: str = "") -> list[str]:
    log = app.paths.session_log(session or app.desk.session)
    return [r.content for r in read_log(log).records if isinstance(r, UserMessage)]


async def answered(app: MemagentApp, pilot: Bench, turns: int) -> None:
    """So many turns of this session were begun, and none runs."""
    await until(lambda: len(prompts(app)) == turns and not app.running, f"{turns} turns")
    await app.body.chat.transcript.drawn()
    await pilot.pause()


async def two_facts(app: MemagentApp, pilot: Bench) -> None:
    await say(app, pilot, "I live in Tokyo.")
    await say(app, pilot, "Sarah Chen is my engineering manager.")
    await say(app, pilot, "where do I live?")


@pytest.mark.parametrize("size", SIZES)
async def test_the_footer_shows_exactly_the_keys_of_the_foot_while_it_has_the_focus(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with workbench(tmp_path / "home", size=size) as (app, pilot):
        await say(app, pilot, "I live in Tokyo.")
        before = screen_text(app).splitlines()[-1]
        await pilot.press("up")
        await until(lambda: app.place == "foot", "the foot")
        await pilot.pause()
        last = " ".join(screen_text(app).splitlines()[-1].split())
        assert last == "enter Edit ←→ Choose u Undo space Off r Answer again esc Back F1 Help"
        await pilot.press("escape")
        await until(lambda: app.place == "composer", "the composer")
        await pilot.pause()
        assert screen_text(app).splitlines()[-1] == before


@pytest.mark.parametrize("size", SIZES)
async def test_a_wrong_fact_is_corrected_where_it_spoiled_the_answer_and_asked_again(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with workbench(tmp_path / "home", size=size) as (app, pilot):
        await say(app, pilot, "I live in Tokyo.")
        await say(app, pilot, "where do I live?")
        await pilot.press("up", "enter")
        await until(lambda: app.place == "form" and app.body.fact.fact is not None, "the form")
        await pilot.pause()
        await pilot.press(*"Lives in Kyoto", "ctrl+s")
        await until(lambda: app.place == "foot", "back at the foot")
        await pilot.press("r")
        await answered(app, pilot, 3)
        assert app.place == "composer"
        shown = transcript(app)
        assert "< 2/2 >" in shown and "Kyoto" in shown.split("where do I live?")[1]
        assert prompts(app) == ["I live in Tokyo.", "where do I live?", "where do I live?"]
        app.body.chat.transcript.focus()
        await pilot.press("left")
        await until(lambda: app.place == "older", "an older answer")
        await pilot.pause()
        assert " ".join(screen_text(app).splitlines()[-1].split()) == "←→ Other answer esc Newest F1 Help"
        assert "not sent  < 1/2 >" in transcript(app) and "Tokyo" in transcript(app).split("where do I live?")[1]
        await pilot.press("right", "escape")
        assert len(app.body.agent.trace.turns) == 2 and app.body.agent.trace.turns[-1].number == 3
        live = transcript(app)
        session = app.desk.session
    async with workbench(tmp_path / "home", size=size, resume=session) as (app, pilot):
        await app.body.chat.transcript.drawn()
        assert transcript(app).rstrip() == live.rstrip(), "opened again it looks the same"


async def test_esc_in_the_form_goes_back_to_the_answer_it_came_from(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "I live in Tokyo.")
        await pilot.press("up", "enter")
        await until(lambda: app.place == "form", "the form")
        await pilot.pause()
        await pilot.press("escape")
        await until(lambda: app.place == "foot", "back at the foot")


async def test_space_switches_off_the_chosen_fact_and_u_takes_back_the_save(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "I live in Tokyo, and I prefer Celsius.")
        await pilot.press("up", "right", "space")
        facts = app.desk.home.facts
        both = {"lives-in-tokyo": "active", "prefers-celsius": "off"}
        await until(lambda: {f.name: f.status for f in facts.snapshot().facts} == both, "the second is off")
        assert app.place == "foot"
        await pilot.press("left", "u")
        await until(lambda: [f.name for f in facts.snapshot().facts] == ["prefers-celsius"], "the first is taken back")


async def test_the_always_sent_facts_are_listed_from_the_foot(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        facts, by = app.desk.home.facts, By(origin="user")
        facts.save(Draft("tea", "Likes tea", "preference"), by=by)
        facts.save(Draft("sarah", "Sarah is the manager", "contact"), by=by)
        await say(app, pilot, "I prefer Celsius.")
        assert "always sent" in transcript(app)
        await pilot.press("up", "right", "enter")
        await until(lambda: app.wanted.view == "memory" and app.body.memory.filter_text, "Memory")
        await until(lambda: app.body.memory.list.rows, "the list")
        await pilot.pause()
        shown = text_of(app.body.memory.list)
        assert "Likes tea" in shown and "Sarah" not in shown


async def test_a_click_on_a_save_line_opens_the_fact_and_enter_on_its_source_the_message(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "I live in Tokyo.")
        first = app.desk.session
        view = app.body.chat.transcript
        x, y = find(view, "Remembered: Lives in Tokyo")
        await pilot.click(view, offset=(x + 3, y))
        await until(lambda: app.place == "form" and app.body.fact.fact is not None, "the form")
        assert app.body.fact.fact.name == "lives-in-tokyo"
        await pilot.press("f2")
        for i in range(12):
            await say(app, pilot, f"help {i}")
        await pilot.press("ctrl+n")
        await until(lambda: app.desk.session != first, "a new session")
        await say(app, pilot, "where do I live?")
        await pilot.press("up", "enter")
        await until(lambda: app.place == "form" and app.body.fact.fact is not None, "the form")
        app.body.fact.below.focus()
        await pilot.press("enter")
        await until(lambda: app.desk.session == first and app.wanted.view == "chat", "the session it comes from")
        await until(lambda: "› I live in Tokyo." in transcript(app), "at the exact message")
        assert app.focused is view


async def test_the_last_message_is_edited_in_the_composer_and_sent_in_its_place(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "help one")
        await say(app, pilot, "help two")
        write(app, "/edit")
        await pilot.press("enter")
        await until(lambda: app.body.chat.composer.text == "help two", "the message in the composer")
        assert "editing your last message" in screen_text(app)
        await pilot.press("escape")
        assert app.body.chat.composer.text == "" and not app.desk.editing
        write(app, "/edit")
        await pilot.press("enter")
        await until(lambda: app.body.chat.composer.text == "help two", "the message in the composer")
        write(app, " and three")
        await pilot.press("enter")
        await answered(app, pilot, 3)
        assert prompts(app) == ["help one", "help two", "help two and three"]
        assert "help two and three" in transcript(app) and "< 2/2 >" in transcript(app)
        assert [turn.text for turn in app.body.agent.trace.turns] == ["help one", "help two and three"]


async def test_the_last_turn_is_taken_back_and_its_text_returns_to_the_composer(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "help one")
        await say(app, pilot, "help two")
        write(app, "/rewind")
        await pilot.press("enter")
        await until(lambda: app.body.chat.composer.text == "help two", "the message in the composer")
        await app.body.chat.transcript.drawn()
        assert "Taken back: help two" in transcript(app) and "< 2/2 >" in transcript(app)
        await pilot.press("enter")
        await answered(app, pilot, 3)
        assert "Taken back" not in transcript(app) and "< 2/2 >" in transcript(app)


async def test_answering_again_by_its_command_and_what_cannot_be_done_is_said(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        write(app, "/retry")
        await pilot.press("enter")
        await until(lambda: "Nothing was said yet" in screen_text(app), "why not")
        await say(app, pilot, "help")
        write(app, "/retry")
        await pilot.press("enter")
        await answered(app, pilot, 2)
        assert prompts(app) == ["help", "help"]


@pytest.mark.parametrize("how", ["slash", "history"])
async def test_a_session_goes_on_in_a_copy(tmp_path: Path, how: str) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "help one")
        first = app.desk.session
        if how == "slash":
            write(app, "/fork")
            await pilot.press("enter")
        else:
            await pilot.press("f3")
            await until(lambda: app.body.history.session is not None, "the list")
            await pilot.press("f")
        await until(lambda: app.desk.session != first and app.wanted.view == "chat", "the copy")
        await pilot.pause()
        assert "› help one" in transcript(app)
        await say(app, pilot, "help two")
        assert prompts(app) == ["help one", "help two"] and prompts(app, first) == ["help one"]


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_a_fact_just_saved_is_undone_with_the_mouse_alone(tmp_path: Path, size) -> None:
    async with workbench(tmp_path / "home", size) as (app, pilot):
        await say(app, pilot, "I live in Tokyo.")
        await until(lambda: app.header.state.facts == 1, "one fact")
        lines = screen_text(app).split("\n")
        y = next(y for y, line in enumerate(lines) if "saved #1" in line)
        await pilot.click(offset=(lines[y].index("saved #1") + 1, y))
        await until(lambda: "u Undo" in text_of(app.footer), "the keys of the facts under the answer")
        lines = screen_text(app).split("\n")
        await pilot.click(offset=(lines[-1].index("u Undo") + 1, len(lines) - 1))
        await until(lambda: app.header.state.facts == 0, "the fact is taken back")
