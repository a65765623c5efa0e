from __future__ import annotations

from pathlib import Path

from tests.tui.workbench import say, text_of, workbench
from tests.waiting import until
from tui.commands import ACTIONS, Keymap
from tui.dialogs.choice import Choice
from tui.dialogs.confirm import Confirm
from tui.dialogs.help import help_rows


async def test_keys_that_come_after_the_one_that_closes_a_dialog_do_nothing(tmp_path: Path):
    async with workbench(tmp_path / "home") as (app, pilot):
        answers: list[object] = []
        app.push_screen(Confirm("Really?", ["…"], "Yes"), answers.append)
        await until(lambda: isinstance(app.screen, Confirm) and app.focused is not None, "the dialog is there")
        dialog = app.screen
        for _ in range(3):
            dialog.dismiss(True)
        await until(lambda: not isinstance(app.screen, Confirm), "it is closed")
        await pilot.press("ctrl+g")
        await until(lambda: isinstance(app.screen, Choice), "the next dialog is there")
        dialog.dismiss(False)
        await pilot.pause()
        assert answers == [True] and isinstance(app.screen, Choice)


async def test_after_a_dialog_the_footer_has_the_keys_of_the_place_that_it_was_opened_in(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "hello")
        await pilot.press("f3")
        await until(lambda: "Rename" in text_of(app.footer), "the keys of History")
        await pilot.press("e")
        await until(lambda: app.focused is not None and app.focused.id == "ask-text", "the dialog is there")
        await pilot.press("x", "enter")
        await until(lambda: "x" in text_of(app.body.history.list), "renamed")
        assert app.place == "history" and "Rename" in text_of(app.footer)


def test_the_help_names_every_command_that_the_palette_has() -> None:
    for place in ("composer", "memory"):
        told = {row.key.rpartition(":")[2] for row in help_rows(place, Keymap())}
        assert {action.name for action in ACTIONS if action.palette} <= told
