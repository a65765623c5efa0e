from __future__ import annotations

from pathlib import Path

from textual import events

from sessions.memory.fact import Draft
from tests.sessions.memory.homes import MODEL, store_of
from tests.tui.workbench import workbench
from tests.waiting import until


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
