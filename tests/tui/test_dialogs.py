from __future__ import annotations

from pathlib import Path

from tests.tui.workbench import workbench
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


def test_the_help_names_every_command_that_the_palette_has() -> None:
    for place in ("composer", "memory"):
        told = {row.key.rpartition(":")[2] for row in help_rows(place, Keymap())}
        assert {action.name for action in ACTIONS if action.palette} <= told
