from __future__ import annotations

from pathlib import Path

from textual import events

from sessions.memory.fact import Draft
from tests.sessions.memory.homes import MODEL, store_of
from tests.tui.workbench import finished, make_app, workbench
from tests.waiting import until
from tui.app import MemagentApp


async def test_what_is_typed_right_after_the_slash_is_searched_and_is_no_command(tmp_path: Path) -> None:
    store = store_of(tmp_path / "home")
    for name, summary in (("lives-in-tokyo", "Lives in Tokyo"), ("drinks-tea", "Drinks green tea")):
        store.save(Draft(name, summary, "preference"), by=MODEL)
    async with workbench(tmp_path / "home") as (app, pilot):
        await pilot.press("f4")
        await until(lambda: len(app.body.memory.list.rows) > 2 and app.focused is app.body.memory.list, "the list")
        for key in "/drinks":
            app.post_message(events.Key("slash" if key == "/" else key, key))
        await until(lambda: app.body.memory.filter_text == "drinks", "all letters are in the box")
        await pilot.pause()
        assert [f.name for f in store.snapshot().facts] == ["lives-in-tokyo", "drinks-tea"]
        await pilot.press("escape")
        await until(lambda: app.focused is app.body.memory.list, "the list again")
        await pilot.press("d")
        await until(lambda: [f.name for f in store.snapshot().facts] == ["drinks-tea"], "a command again")


async def test_what_is_typed_right_after_going_to_history_is_searched_there(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        for key in ("f3", "slash", *"pond"):
            app.post_message(events.Key(key, "/" if key == "slash" else key))
        await until(lambda: app.body.has("history") and app.body.history.filter_text == "pond", "all of it, in order")
        assert app.body.chat.composer.text == ""
        await pilot.press("f2", *"so")
        await until(lambda: app.body.chat.composer.text == "so", "and back")


def typed(app: MemagentApp, *parts: str) -> None:
    """Keys that all wait at once: a part is a key's name in brackets, or letters."""
    for part in parts:
        for key in [part[1:-1]] if part.startswith("[") else part:
            named = {" ": "space", "/": "slash"}.get(key, key)
            app.post_message(events.Key(named, key if len(key) == 1 else None))


async def test_what_is_typed_right_after_a_command_stays(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, _):
        composer = app.body.chat.composer
        typed(app, "/memory off", "[enter]", "hello there")
        await until(lambda: app.header.state.memory == "off", "the command is done")
        assert composer.text == "hello there"
        composer.clear()
        typed(app, "/cont", "[enter]", "hello")
        await until(lambda: len(app.screen_stack) > 1, "a command that was only begun is chosen")
        assert composer.text == "hello"
        await until(lambda: app.screen.query("#choices"), "it is there")
        app.pop_screen()
        composer.clear()
        typed(app, "/remem", "[tab]", "tea")
        await until(lambda: composer.text.endswith("tea"), "a word is completed")
        assert composer.text.startswith("/") and composer.text.endswith(" tea")


async def test_a_command_that_there_is_none_of_comes_back_before_what_was_typed_since(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, _):
        typed(app, "/nosuch thing", "[enter]", " more")
        await until(lambda: app.body.chat.composer.text == "/nosuch thing more", "nothing is lost")


async def test_what_is_sent_before_the_home_is_open_is_done_when_it_is(tmp_path: Path) -> None:
    app = make_app(tmp_path / "home")
    async with app.run_test(size=(120, 40)):
        typed(app, "/memory off", "[enter]", "hello", "[enter]", "and more")
        await until(lambda: app.header.state.memory == "off", "the command")
        await until(lambda: finished(app) == 1, "the message")
        assert app.body.chat.composer.text == "and more"
        assert app.desk is not None
        await app.desk.hub.close()
