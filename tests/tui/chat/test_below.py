from __future__ import annotations

from pathlib import Path

import pytest

from tests.servers.chat_server import DONE, ChatServer, Pause, Reply, event, text
from tests.tui.served import home_for
from tests.tui.workbench import say, screen_text, text_of, workbench, write
from tests.waiting import until

NEW = "new below"


@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=str)
async def test_who_reads_further_up_while_an_answer_comes_is_told_and_a_key_or_a_click_goes_there(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    with ChatServer() as server:
        first, second, third = Pause(), Pause(), Pause()
        more = [event({"content": f"\n\nparagraph {n}"}) for n in range(30)]
        last = [event({"content": "\n\nThe end."}), event(finish="stop"), DONE]
        server.script(
            text("lorem ipsum\n\n" * 40),
            Reply([event({"content": "It begins."}), first, *more, second, *more, third, *last]),
        )
        async with workbench(home_for(tmp_path, server), size) as (app, pilot):
            view, below = app.body.chat.transcript, app.body.chat.below
            await say(app, pilot, "Say something long")
            await pilot.press("pageup")
            await pilot.pause()
            assert not below.display, "nothing came"
            write(app, "And on")
            await pilot.press("enter")
            await until(lambda: "It begins." in text_of(view), "who says something is at the end")
            assert not below.display
            await pilot.press("pageup")
            seen = text_of(view).split("\n")
            first.release()
            await until(lambda: below.display, "told")
            await pilot.pause()
            rows = text_of(view).split("\n")
            assert rows == seen[: len(rows)] and NEW in screen_text(app), "the rows that are read stay"
            assert "end shows it" in text_of(below)
            await pilot.press("x")
            await pilot.pause()
            assert "end" not in text_of(below), "in a text it is the cursor's key"
            await pilot.press("backspace", "end")
            await until(lambda: not below.display and "paragraph 29" in text_of(view), "the key goes there")
            await pilot.press("pageup")
            second.release()
            await until(lambda: below.display, "told again")
            await pilot.pause()
            await pilot.click(below)
            await until(lambda: not below.display and view.at_end, "so does a click")
            await pilot.press("pageup")
            third.release()
            await until(lambda: below.display, "and again")
            await app.desk.new()
            await pilot.pause()
            assert not below.display and NEW not in screen_text(app), "another session has nothing new"
