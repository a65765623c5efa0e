from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from textual.screen import ModalScreen

from tests.tui.workbench import Bench, say, screen_text, text_of, workbench
from tests.waiting import until
from tui.app import MemagentApp
from tui.chat.composer import Prompt
from tui.commands import ACTIONS, Keymap
from tui.dialogs.choice import Choice, ChoiceRow
from tui.dialogs.confirm import Confirm
from tui.dialogs.context import Inspector
from tui.dialogs.help import help_rows
from tui.dialogs.palette import Palette
from tui.dialogs.rename import AskText

SIZES = [(120, 40), (80, 24)]


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


async def click(app: MemagentApp, pilot: Bench, words: str) -> None:
    """Click once on what is written anywhere on the screen."""
    lines = screen_text(app).split("\n")
    y = next(y for y, line in enumerate(lines) if words in line)
    await pilot.click(offset=(cell_len(lines[y][: lines[y].index(words)]) + 1, y))
    await pilot.pause()


async def opened(app: MemagentApp, kind: type[ModalScreen[Any]]) -> None:
    await until(lambda: isinstance(app.screen, kind) and app.focused is not None, "the dialog is there")


@pytest.mark.parametrize("size", SIZES)
async def test_every_key_in_the_footer_of_a_dialog_can_be_clicked(tmp_path: Path, size: tuple[int, int]) -> None:
    async with workbench(tmp_path / "home", size) as (app, pilot):
        answers: list[object] = []
        for words, answer in (("y Do it", True), ("n Keep", False), ("esc Close", None)):
            app.push_screen(Confirm("Really?", ["…"], "Do it"), answers.append)
            await opened(app, Confirm)
            await click(app, pilot, words)
            await until(lambda answer=answer: answers[-1:] == [answer], words)
        app.push_screen(Choice("Which", [ChoiceRow("a", "One"), ChoiceRow("b", "Two")], "b"), answers.append)
        await opened(app, Choice)
        await click(app, pilot, "enter Use")
        await until(lambda: answers[-1] == "b", "the chosen row")
        app.push_screen(AskText("Title", "New name"), answers.append)
        await opened(app, AskText)
        await click(app, pilot, "enter Save")
        await until(lambda: answers[-1] == "New name", "the text")
        app.push_screen(Palette(app.keymap), answers.append)
        await opened(app, Palette)
        await pilot.press(*"theme light")
        await click(app, pilot, "enter Run")
        await until(lambda: answers[-1] == "theme-light", "the command")
        await pilot.press("ctrl+o")
        await opened(app, Inspector)
        await click(app, pilot, "enter Read, fold")
        await until(lambda: "▾ Tools" in screen_text(app), "its first part is open")


async def test_a_row_of_a_dialog_is_used_by_one_click(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        answers: list[object] = []
        app.push_screen(Choice("Which", [ChoiceRow("a", "First one"), ChoiceRow("b", "Second one")]), answers.append)
        await opened(app, Choice)
        await click(app, pilot, "Second one")
        await until(lambda: answers == ["b"], "the second")
        app.push_screen(Palette(app.keymap), answers.append)
        await opened(app, Palette)
        await click(app, pilot, "Commands")
        await pilot.press(*"theme")
        await click(app, pilot, "Theme: high contrast")
        await until(lambda: answers[-1] == "theme-contrast", "the command")


async def test_the_keys_of_the_list_of_commands_can_be_clicked(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await pilot.press(*"/contex")
        await until(lambda: "tab Complete" in text_of(app.footer), "the list")
        await click(app, pilot, "tab Complete")
        await until(lambda: app.body.chat.composer.text.strip() == "/context", "the word")
        app.body.chat.composer.load(Prompt(""))
        await pilot.press(*"/contex")
        await until(lambda: "enter Run" in text_of(app.footer), "the list")
        await click(app, pilot, "enter Run")
        await opened(app, Inspector)


def test_the_help_names_every_command_that_the_palette_has() -> None:
    for place in ("composer", "memory"):
        told = {row.key.rpartition(":")[2] for row in help_rows(place, Keymap())}
        assert {action.name for action in ACTIONS if action.palette} <= told
