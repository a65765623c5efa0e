"""The sheet that asks before a call that can change something, in the workbench and without one."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from textual import events

from sessions.agent.approval import ApprovalRequest
from sessions.home import Home
from sessions.tools.base import Tool, ToolContext
from tests.servers.chat_server import ChatServer, Pause, calls, text
from tests.tui.served import home_for
from tests.tui.workbench import Bench, screen_text, workbench, write
from tests.waiting import until
from tui.app import MemagentApp
from tui.chat.approval import argument_lines, some_of

LONG = "Kyoto is the safer choice.\n" + "\n".join(f"- room {n}" for n in range(30))


def page(title: str) -> tuple[str, dict[str, Any]]:
    return "create_page", {"title": title, "body": LONG}


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as made:
        yield made


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Titles of the pages that were made by a tool that asks first."""
    titles: list[str] = []
    before = Home.tools

    async def run(arguments: dict[str, Any], context: ToolContext) -> str:
        titles.append(arguments["title"])
        return f"made {arguments['title']}"

    properties = {"title": {"type": "string"}, "body": {"type": "string"}}
    schema = {"type": "object", "properties": properties}
    tool = Tool("create_page", "Makes a page.", schema, run, True, "MCP server notes · can write")
    monkeypatch.setattr(Home, "tools", lambda *given, **more: [*before(*given, **more), tool])
    return titles


async def ask(app: MemagentApp, pilot: Bench, said: str = "Write it up") -> None:
    """Say something, wait until a call can be answered, and go to the question."""
    write(app, said)
    await pilot.press("enter")
    await until(lambda: app.body.chat.approval.listens, "the question")
    assert app.place == "composer" and "tab Answer" in screen_text(app)
    await pilot.press("tab")
    await until(lambda: app.place == "approval", "at the question")


async def at_question(app: MemagentApp, title: str) -> None:
    def there() -> bool:
        sheet = app.body.chat.approval
        return sheet.listens and sheet.request is not None and sheet.request.arguments["title"] == title

    await until(there, f"the question about {title}")


async def answered(app: MemagentApp) -> None:
    await until(lambda: not app.running and not app.body.chat.approval.display, "the end of the turn")


@pytest.mark.parametrize(("key", "ran"), [("o", True), ("enter", True), ("n", False), ("escape", False)])
async def test_one_key_answers(tmp_path: Path, server: ChatServer, made: list[str], key: str, ran: bool) -> None:
    server.script(calls(page("One")), text("That is that."))
    async with workbench(home_for(tmp_path, server)) as (app, pilot):
        await ask(app, pilot)
        shown = screen_text(app)
        assert "Allow create_page?" in shown and "MCP server notes · can write" in shown
        assert shown.count("waits for you") == 3 and made == []
        assert app.place == "approval" and "esc No" in shown
        await pilot.press(key)
        await answered(app)
        assert made == (["One"] if ran else []) and app.place == "composer"
        assert ("The user declined this call" in str(server.requests[-1])) is not ran


async def test_always_is_written_to_the_settings_and_asks_no_more(
    tmp_path: Path, server: ChatServer, made: list[str]
) -> None:
    home = home_for(tmp_path, server)
    server.script(calls(page("One"), page("Two")), text("Both."), calls(page("Three")), text("And the third."))
    async with workbench(home) as (app, pilot):
        await ask(app, pilot)
        assert "1 more question" in screen_text(app)
        await pilot.press("w")
        await answered(app)
        assert sorted(made) == ["One", "Two"]
    assert tomllib.loads((home / "config.toml").read_text())["approvals"]["always"] == ["create_page"]
    async with workbench(home) as (app, pilot):
        write(app, "Go on")
        await pilot.press("enter")
        await until(lambda: len(made) == 3 and not app.running, "it ran without a question")


async def test_for_the_session_holds_until_it_ends(tmp_path: Path, server: ChatServer, made: list[str]) -> None:
    server.script(*[step for n in range(3) for step in (calls(page(f"P{n}")), text("Done."))])
    async with workbench(home_for(tmp_path, server)) as (app, pilot):
        await ask(app, pilot)
        await pilot.press("s")
        await answered(app)
        write(app, "Again")
        await pilot.press("enter")
        await until(lambda: len(made) == 2 and not app.running, "unasked")
        await pilot.press("ctrl+n")
        await until(lambda: app.body.chat.start.display, "another session")
        await ask(app, pilot)
        assert len(made) == 2


async def test_questions_of_one_step_are_answered_one_after_the_other_without_going_back(
    tmp_path: Path, server: ChatServer, made: list[str]
) -> None:
    server.script(calls(page("One"), page("Two"), page("Three"), page("Four")), text("Done."))
    async with workbench(home_for(tmp_path, server)) as (app, pilot):
        await ask(app, pilot)
        places: list[str] = []
        app.watch(app.screen, "focused", lambda focused: places.append(app.place), init=False)
        for key, title in (("o", "One"), ("escape", "Two"), ("escape", "Three")):
            await at_question(app, title)
            # The second time esc is sent it is for the next question, which is not there yet or only just.
            for _ in range(2 if key == "escape" else 1):
                app.post_message(events.Key(key, key if key == "o" else None))
        await at_question(app, "Four")
        assert app.running and app.place == "approval" and places == []
        await pilot.press("escape")
        await until(lambda: not app.running, "the end of the turn")
        assert made == ["One"] and "Done." in screen_text(app) and app.place == "composer"


async def test_esc_stops_the_turn_again_a_moment_after_an_answer(
    tmp_path: Path, server: ChatServer, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hold, reply = Pause(), text("Done.")
    reply.steps = [hold, *reply.steps]
    server.script(calls(page("One")), reply)
    async with workbench(home_for(tmp_path, server)) as (app, pilot):
        await ask(app, pilot)
        await pilot.press("n")
        with monkeypatch.context() as moment:
            moment.setattr("tui.chat.approval._AHEAD_S", 3600.0)
            await until(lambda: hold.reached.is_set() and app.place == "composer", "the model goes on")
            await pilot.press("escape")
            await pilot.pause()
            assert app.running and app.desk is not None and app.desk.session in app.desk.turns.running
        await until(lambda: not app.body.chat.approval.just_answered, "the moment is over")
        await pilot.press("escape")
        await until(lambda: not app.running, "stopped")
        hold.release()
        assert "stopped" in screen_text(app)


async def test_what_is_being_written_is_never_an_answer(tmp_path: Path, server: ChatServer, made: list[str]) -> None:
    hold, reply = Pause(), calls(page("One"))
    reply.steps = [hold, *reply.steps]
    server.script(reply, text("Done."), text("Queued."))
    async with workbench(home_for(tmp_path, server)) as (app, pilot):
        write(app, "Write it up")
        await pilot.press("enter")
        await until(hold.reached.is_set, "the model is asked")
        write(app, "so ")
        hold.release()
        await until(lambda: app.body.chat.approval.listens, "the question")
        await pilot.press("o", "n")
        assert app.place == "composer" and app.body.chat.composer.text == "so on" and made == []
        await pilot.press("tab")
        await until(lambda: app.place == "approval", "at the question")
        await pilot.press("x")  # no key of the sheet
        await until(lambda: app.place == "composer", "back in the message")
        assert app.body.chat.composer.text == "so onx"
        await pilot.press("tab", "o")
        await until(lambda: made == ["One"], "the answer")


@pytest.mark.parametrize("word", ["wait", "so", "ok sure", "no, stop", "wonder"])
async def test_a_word_begun_as_the_question_comes_is_no_answer(
    tmp_path: Path, server: ChatServer, made: list[str], word: str
) -> None:
    server.script(calls(page("One")), text("Done."))
    async with workbench(home_for(tmp_path, server), (80, 24)) as (app, pilot):
        write(app, "Write it up")
        await pilot.press("enter")
        await until(lambda: app.body.chat.approval.listens, "the question")
        await pilot.press(*("space" if c == " " else "comma" if c == "," else c for c in word))
        assert app.body.chat.composer.text == word and made == [] and app.body.chat.approval.display


async def test_a_word_written_at_the_question_is_written_in_order(
    tmp_path: Path, server: ChatServer, made: list[str]
) -> None:
    server.script(calls(page("One")), text("Done."))
    async with workbench(home_for(tmp_path, server)) as (app, pilot):
        await ask(app, pilot)
        for key in "hello":
            app.post_message(events.Key(key, key))
        await until(lambda: app.body.chat.composer.text == "hello", "all of it")
        assert made == []


async def test_keys_typed_ahead_answer_nothing(
    tmp_path: Path, server: ChatServer, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.chat.approval._AHEAD_S", 3600.0)
    server.script(calls(page("One")), text("Done."))
    async with workbench(home_for(tmp_path, server)) as (app, pilot):
        write(app, "Write it up")
        await pilot.press("enter")
        sheet = app.body.chat.approval
        await until(lambda: sheet.display, "the question")
        await pilot.press("tab", "enter", "escape", "o")
        await until(lambda: app.body.chat.composer.text == "o", "it belongs to a message")
        assert made == [] and sheet.display and app.place == "composer"


async def test_all_is_read_before_it_is_answered(tmp_path: Path, server: ChatServer, made: list[str]) -> None:
    server.script(calls(page("One")), text("Done."))
    async with workbench(home_for(tmp_path, server), (80, 24)) as (app, pilot):
        await ask(app, pilot)
        assert "lines · → reads all" in screen_text(app) and "room 29" not in screen_text(app)
        await pilot.press("right")
        await until(lambda: app.screen.is_modal, "the arguments")
        await pilot.press("end")
        await until(lambda: "room 29" in screen_text(app), "the end of it")
        await pilot.press("escape")
        await until(lambda: not app.screen.is_modal, "closed")
        assert app.place == "approval" and made == []


async def test_the_mouse_answers(tmp_path: Path, server: ChatServer, made: list[str]) -> None:
    server.script(calls(page("One")), text("Done."))
    async with workbench(home_for(tmp_path, server)) as (app, pilot):
        await ask(app, pilot)
        rows = screen_text(app).splitlines()
        y = next(i for i, row in enumerate(rows) if "this call only" in row)
        await pilot.click(offset=(12, y))
        await answered(app)
        assert made == ["One"]


async def test_a_session_out_of_sight_says_so_and_is_answered_when_it_is_seen(
    tmp_path: Path, server: ChatServer, made: list[str]
) -> None:
    server.script(calls(page("One")), text("Done."))
    async with workbench(home_for(tmp_path, server)) as (app, pilot):
        await ask(app, pilot, "Write up the offsite")
        asking = app.desk.session if app.desk else ""
        await pilot.press("ctrl+n")
        await until(lambda: app.body.chat.start.display, "another session")
        assert not app.body.chat.approval.display
        await pilot.press("f3")
        await until(lambda: "waits for you" in screen_text(app), "its row in History")
        app.body.history.list.choose(asking)
        await pilot.press("enter")
        await until(lambda: app.body.chat.approval.listens, "the question again")
        app.body.chat.approval.focus()
        await pilot.press("o")
        await answered(app)
        assert made == ["One"]


async def test_stopping_the_turn_takes_the_question_away(tmp_path: Path, server: ChatServer, made: list[str]) -> None:
    server.script(calls(page("One")), text("Done."))
    async with workbench(home_for(tmp_path, server)) as (app, pilot):
        await ask(app, pilot)
        await pilot.press("ctrl+c")
        await answered(app)
        assert made == [] and app.place == "composer"


async def test_arguments_are_data(tmp_path: Path, server: ChatServer, made: list[str]) -> None:
    server.script(calls(("create_page", {"title": "[red]x[/]\x1b[2J\u202e", "body": ""})), text("Done."))
    async with workbench(home_for(tmp_path, server)) as (app, pilot):
        await ask(app, pilot)
        assert "[red]x[/]" in screen_text(app) and "\x1b" not in screen_text(app) and "\u202e" not in screen_text(app)


async def test_the_sheet_shows_as_much_as_fits_half_of_the_screen(
    tmp_path: Path, server: ChatServer, made: list[str]
) -> None:
    server.script(calls(page("One")), text("Done."))
    async with workbench(home_for(tmp_path, server), (80, 24)) as (app, pilot):
        await ask(app, pilot)
        for height, shown, hidden in ((24, "room 3", "room 4"), (18, "room 0", "room 1"), (24, "room 3", "room 4")):
            await pilot.resize_terminal(80, height)
            await until(lambda hidden=hidden: hidden not in screen_text(app), "no more than that")
            await until(lambda shown=shown: shown in screen_text(app), "as much as that")
            sheet = app.body.chat.approval
            await until(lambda height=height, sheet=sheet: sheet.size.height == height // 2, "half of the screen")
            assert "the model is told that you declined" in screen_text(app)


async def test_the_name_of_what_would_run_is_not_cut(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home", (80, 24)) as (app, pilot):
        assert app.desk is not None
        about = "MCP server a-rather-long-name · can write · can delete"
        app.body.chat.approval.show(ApprovalRequest(app.desk.session, 1, "c1", "files.write_file_as", {}, about), 2)
        await pilot.pause()
        await until(lambda: "Allow files.write_file_as?" in screen_text(app), "all of the name")
        assert "MCP server a-rather" in screen_text(app) and "… · 2 more questions" in screen_text(app)


def test_a_long_argument_hides_no_other() -> None:
    lines = argument_lines({"body": "\n".join(f"line {n}" for n in range(20)), "to": "tom", "cc": "eva"}, 40)
    assert some_of(lines, 4) == [("body", "line 0"), ("", "line 1"), ("to", "tom"), ("cc", "eva")]
    assert some_of(lines, 2) == [("body", "line 0"), ("to", "tom")] and some_of(lines, 30) == lines
