from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.events import MouseScrollDown

from tests.tui.workbench import Bench, say, screen_text, text_of, workbench
from tests.waiting import until
from tui.app import MemagentApp

SIZES = [(80, 24), (120, 40), (60, 16)]


async def click(app: MemagentApp, pilot: Bench, words: str) -> None:
    """Click once on what is written anywhere on the screen."""
    await until(lambda: words in screen_text(app), words)
    lines = screen_text(app).split("\n")
    y = next(y for y, line in enumerate(lines) if words in line)
    await pilot.click(offset=(cell_len(lines[y][: lines[y].index(words)]) + 1, y))
    await pilot.pause()


async def command(app: MemagentApp, pilot: Bench, title: str) -> None:
    await click(app, pilot, "Commands")
    await until(lambda: app.screen.is_modal, "the commands")
    await pilot.pause()
    choices = app.screen.query_one("#choices")
    for _ in range(20):
        if title in text_of(choices):
            break
        await pilot._post_mouse_events([MouseScrollDown], choices, offset=(5, 1))
    await click(app, pilot, title)
    await until(lambda: "Type a command" not in screen_text(app), "chosen")


@pytest.mark.parametrize("size", SIZES)
async def test_what_the_footer_has_no_room_for_is_done_with_the_mouse_all_the_same(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with workbench(tmp_path / "home", size) as (app, pilot):
        await say(app, pilot, "I live in Tokyo, and I prefer Celsius.")
        await click(app, pilot, "History")
        history = app.body.history
        await until(lambda: history.session is not None, "the session")
        await pilot.press("ctrl+p", *"other agent")
        await until(lambda: app.screen.is_modal and "Follow other agents" in screen_text(app), "the commands")
        assert "in a copy, with a session of another agent" not in screen_text(app), "this one is our own"
        await pilot.press("escape")
        await command(app, pilot, "Rename the session")
        await until(lambda: app.focused is not None and app.focused.id == "ask-text", "the dialog")
        await pilot.press(*"Moving")
        await click(app, pilot, "enter Save")
        await until(lambda: history.session and history.session.title == "Moving", "the new title")
        await command(app, pilot, "Pin or unpin the session")
        await until(lambda: history.session and history.session.pinned, "pinned")
        await command(app, pilot, "Open the detail")
        await until(lambda: app.place == "session", "an action of the list's own")
        await click(app, pilot, "Memory")
        await until(lambda: app.body.has("memory") and app.body.memory.fact is not None, "the facts")
        await command(app, pilot, "Lock the fact")
        await until(lambda: app.body.memory.fact and app.body.memory.fact.locked, "locked")


async def test_what_cannot_be_done_now_is_not_offered(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await pilot.press("ctrl+p", *"keep the")
        await until(lambda: app.screen.is_modal and "No such command" in screen_text(app), "nothing private")
        await pilot.press("escape", "ctrl+p", *"again, with")
        await until(lambda: app.screen.is_modal and "No such command" in screen_text(app), "nothing was said")
        await pilot.press("escape")
        await say(app, pilot, "hello")
        await pilot.press("ctrl+p", *"again, with")
        await until(lambda: "Answer again, with memory as it is now" in screen_text(app), "something was said")
        await pilot.press("escape", *"/private", "enter")
        await until(lambda: app.header.state.memory == "private", "private")
        await pilot.press("ctrl+p", *"keep the")
        await until(lambda: "Keep the private session after all" in screen_text(app), "now it can")
