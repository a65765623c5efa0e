from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.workbench import finished, say, screen_text, text_of, workbench, write
from tests.waiting import until


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_after_an_edit_chat_tree_history_and_a_copy_count_the_same_turns(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with workbench(tmp_path / "home", size) as (app, pilot):
        await say(app, pilot, "I live in Tokyo.")
        await say(app, pilot, "What is the wether?")
        await pilot.press(*"/edit", "enter")
        await until(lambda: "wether" in app.body.chat.composer.text, "the message")
        write(app, " I mean: what am I waiting on?")
        await pilot.press("enter")
        await until(lambda: len(app.body.agent.trace.taken_back) == 1 and not app.running, "the other answer")
        await until(lambda: finished(app) == 2, "its end")
        tree = [getattr(row, "number", "") for row in app.body.agent.list.rows if getattr(row, "depth", 1) == 0]
        assert tree == ["1", "2"] and app.body.agent.title.fact.startswith("2 turns")
        await pilot.press("f3")
        await until(lambda: "2 turns" in text_of(app.body.history.list), "the row in History")
        assert "3 turns" not in screen_text(app)
        await pilot.press("f")
        await until(lambda: "fork at turn 2" in app.body.chat.title.title_text, "the copy")
