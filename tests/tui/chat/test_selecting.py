from __future__ import annotations

from textual.events import MouseMove

from sessions import events as ev
from tests.tui.chat.stage import S, Stage, drag, find, many, rows, turn
from tests.waiting import until
from tui.chat.messages import LinkOpened


async def test_a_drag_copies_the_source_without_wrap_breaks_and_gutters():
    answer = "This is **one long** paragraph that wraps over several lines of this narrow pane.\n\n- item `code`"
    app = Stage(turn(1, "p", answer))
    async with app.run_test(size=(40, 20)) as pilot:
        await pilot.pause()
        view = app.transcript
        (x1, y1), (x2, y2) = find(view, "This is"), find(view, "code")
        await pilot.mouse_down("#transcript", offset=(x1, y1))
        await drag(pilot, (x2 + 3, y2))
        await pilot.mouse_up("#transcript", offset=(x2 + 3, y2))
        assert view.selected_text() == answer
        await pilot.mouse_down("#transcript", offset=(x1 + 5, y1))
        await drag(pilot, find(view, "wraps"))
        assert view.selected_text() == "is **one long** paragraph that w"


async def test_a_selection_stays_on_its_words_while_text_streams_in_and_the_pane_is_resized():
    app = Stage(turn(1, "first prompt", "alpha beta gamma delta " * 6))
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.pause()
        view = app.transcript
        x, y = find(view, "beta")
        await pilot.mouse_down("#transcript", offset=(x, y))
        await drag(pilot, (x + 9, y))
        await pilot.mouse_up("#transcript", offset=(x + 9, y))
        for event in turn(2, "second", "more\n\n" * 40):
            view.apply(event)
        await view.drawn()
        await pilot.resize_terminal(34, 14)
        await pilot.pause()
        assert view.selected_text() == "beta gamma"


async def test_a_drag_past_the_edge_scrolls_over_text_not_drawn_yet():
    app = Stage(many(30, lambda n: f"answer {n} ends"))
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.pause()
        view = app.transcript
        x, y = find(view, "answer 30 ends")
        await pilot.mouse_down("#transcript", offset=(x + 13, y))
        view.post_message(mouse_move(view, x, -4))
        await until(lambda: view.scroll_y == 0, "the top is reached")
        await pilot.mouse_up("#transcript", offset=(4, 0))
        text = view.selected_text() or ""
        assert text.startswith("prompt 1\n\nanswer 1 ends\n\nprompt 2\n\n")
        assert text.endswith("prompt 30\n\nanswer 30 ends")


def mouse_move(view, x, y):
    return MouseMove(view, x, y, 0, 0, 1, False, False, False, x, y)


async def test_a_button_let_go_where_nobody_saw_it_ends_the_drag():
    app = Stage(turn(1, "p", "alpha beta gamma delta"))
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.pause()
        view = app.transcript
        x, y = find(view, "alpha")
        await pilot.mouse_down("#transcript", offset=(x, y))
        await drag(pilot, (x + 9, y))
        await pilot.hover("#transcript", offset=(x + 20, y))
        await pilot.hover("#transcript", offset=(x + 21, y))
        assert view.selected_text() == "alpha beta"
        assert app.mouse_captured is None


async def test_code_is_copied_as_written():
    code = "def f():\n\n    return 'a very long line that does not fit into the narrow pane of this test'\n"
    app = Stage(turn(1, "p", f"Look:\n\n```python\n{code}```\n\nend"))
    async with app.run_test(size=(44, 24)) as pilot:
        await pilot.pause()
        view = app.transcript
        await pilot.mouse_down("#transcript", offset=find(view, "def"))
        await drag(pilot, (43, find(view, "test'")[1]))
        assert view.selected_text() == code.rstrip("\n")


async def test_double_click_takes_the_word_and_triple_click_the_line():
    app = Stage(turn(1, "p", "one two three four five six seven eight nine ten eleven"))
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        view = app.transcript
        place = find(view, "three")
        await pilot.click("#transcript", offset=place, times=2)
        assert view.selected_text() == "three"
        await pilot.click("#transcript", offset=place, times=3)
        assert view.selected_text() == "one two three four five six seven eight nine ten eleven"
        view.clear_selection()
        assert not view.has_selection


async def test_a_click_opens_links_thoughts_and_calls():
    head = {"session": S, "turn": 1}
    events = turn(1, "p", "see [this](https://x.y)")
    extra = [
        ev.ReasoningDelta(**head, text="first thought\nsecond thought"),
        ev.ToolCallStarted(**head, call_id="c", name="tool", arguments={"q": "value"}),
        ev.ToolCallFinished(**head, call_id="c", name="tool", content="the result", ok=True, ms=1),
    ]
    app = Stage([*events[:2], *extra, *events[2:]])
    async with app.run_test(size=(60, 24)) as pilot:
        await pilot.pause()
        view = app.transcript
        await pilot.click("#transcript", offset=find(view, "this"))
        await until(lambda: app.said, "a link is opened")
        assert isinstance(app.said[0], LinkOpened)
        assert app.said[0].href == "https://x.y"
        await pilot.click("#transcript", offset=find(view, "Thought"))
        assert any(row == "    second thought" for row in rows(view))
        await pilot.click("#transcript", offset=find(view, "tool"))
        assert "      the result" in rows(view)
        await pilot.click("#transcript", offset=find(view, "Thought"))
        assert "    second thought" not in rows(view)
