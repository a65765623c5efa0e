from __future__ import annotations

import re

import pytest
from textual.events import MouseScrollDown, MouseScrollUp
from textual.scrollbar import ScrollTo

from sessions import events as ev
from tests.tui.chat.stage import S, Stage, find, many, rows, turn
from tests.waiting import until
from tui.chat.messages import FootAction, Left

CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
EVIL = "[bold]x[/] [link=http://e.vil]y[/link] \x1b[31mred \x1b]52;c;ZXZpbA==\x07 \u202eabc\u202c \x9b1m"


def shown(app: Stage) -> str:
    return "\n".join(rows(app.transcript))


def facts(number: int, **end: object) -> list[ev.Event]:
    events = turn(number, f"prompt {number}", "Noted.", always_sent=8, **end)
    head = {"session": S, "turn": number}
    recalled = ev.FactsRecalled(**head, names=("lives-in-tokyo", "sarah"), numbers=(7, 9))
    saved = ev.FactWritten(**head, names=("likes-tea",), numbers=(13,), summaries=("Likes tea",))
    return [*events[:2], recalled, saved, *events[2:]]


async def test_rows_stand_on_the_grid_of_the_pane():
    head = {"session": S, "turn": 1}
    call = ev.ToolCallStarted(**head, call_id="c", name="get_weather", arguments={"location": "Tokyo"})
    done = ev.ToolCallFinished(**head, call_id="c", name="get_weather", content="x", ok=True, ms=310)
    events = turn(1, "What's the weather?", "Sunny.", ms=2100)
    async with Stage([*events[:2], call, done, *events[2:]]).run_test(size=(60, 20)) as pilot:
        await pilot.pause()
        drawn = rows(pilot.app.transcript)
        assert drawn[0].startswith("  › What's the weather?")
        assert len(drawn[0].rstrip()) == 58
        assert drawn[2] == "  ✓ get_weather  Tokyo".ljust(51) + " 310 ms".rjust(7)
        assert drawn[4] == "    Sunny."
        assert drawn[6] == "2.1 s".rjust(58)


async def test_a_long_prompt_wraps_and_a_wide_pane_keeps_text_at_96():
    async with Stage(turn(1, "word " * 60, "text " * 60)).run_test(size=(160, 20)) as pilot:
        await pilot.pause()
        assert max(len(row) for row in rows(pilot.app.transcript) if "text" in row) <= 100
        assert sum("word" in row for row in rows(pilot.app.transcript)) >= 3


async def test_a_session_opens_at_its_end():
    async with Stage(many(300)).run_test(size=(60, 20)) as pilot:
        await pilot.pause()
        assert pilot.app.transcript.at_end
        assert "0.9 s" in shown(pilot.app)
        assert any(row.startswith("    word") for row in rows(pilot.app.transcript))


async def test_streaming_follows_the_end_but_never_moves_a_reader():
    app = Stage(many(40))
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.pause()
        view = app.transcript
        view.focus()
        await pilot.press("pageup", "pageup", "pageup")
        before = rows(view)
        for event in turn(41, "newest", "streamed **text**\n\n" * 50)[:3]:
            view.apply(event)
        await view.drawn()
        assert rows(view) == before
        await pilot.press("end")
        assert "streamed text" in shown(app)
        view.apply(ev.TextDelta(session=S, turn=41, text="the very last words"))
        await view.drawn()
        assert "the very last words" in shown(app)


async def test_scrolling_up_over_text_never_seen_moves_row_by_row():
    app = Stage(
        many(30, lambda n: f"# head {n}\n\n" + "\n\n".join(f"line {n}.{k} " + "x " * (k * 13 % 70) for k in range(9)))
    )
    async with app.run_test(size=(50, 16)) as pilot:
        await pilot.pause()
        view = app.transcript
        last = rows(view)
        for _ in range(120):
            view.go_by(-1)
            now = rows(view)
            assert now[1:] == last[:-1]
            last = now


async def test_the_wheel_moves_three_rows_and_the_scrollbar_to_where_it_is_dragged():
    app = Stage(many(40))
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.pause()
        view = app.transcript
        end = view.scroll_y
        await pilot._post_mouse_events([MouseScrollUp], "#transcript", offset=(5, 5))
        assert view.scroll_y == end - 3
        await pilot._post_mouse_events([MouseScrollDown], "#transcript", offset=(5, 5))
        assert view.at_end
        view.post_message(ScrollTo(y=0))
        await until(lambda: view.scroll_y == 0, "the top is shown")
        assert "prompt 1" in rows(view)[0]


async def test_paging_up_skips_nothing():
    app = Stage(many(25, lambda n: "\n\n".join(f"mark-{n}-{k} " + "x " * (k * 17 % 90) for k in range(6))))
    async with app.run_test(size=(50, 16)) as pilot:
        await pilot.pause()
        view = app.transcript
        view.focus()
        seen = set(re.findall(r"mark-\d+-\d+", shown(app)))
        while view.scroll_y > 0:
            await pilot.press("pageup")
            seen |= set(re.findall(r"mark-\d+-\d+", shown(app)))
        assert len(seen) == 25 * 6


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (60, 16), (100, 60)])
@pytest.mark.parametrize("count", [2, 3, 5, 9])
async def test_home_goes_to_the_very_first_row_however_much_was_drawn(size: tuple[int, int], count: int):
    app = Stage(many(count, lambda n: "words " * 30 * n + "\n\n" + "considerably longer words " * 40))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        app.transcript.focus()
        await pilot.press("home")
        assert app.transcript.scroll_y == 0
        assert "prompt 1" in rows(app.transcript)[0]


async def test_a_resize_keeps_what_is_being_read_in_place():
    app = Stage(many(60))
    async with app.run_test(size=(80, 20)) as pilot:
        await pilot.pause()
        view = app.transcript
        view.go_by(-150)
        top = re.findall(r"(?:prompt|answer) \d+", shown(app))[0]
        await pilot.resize_terminal(50, 20)
        await pilot.pause()
        assert top in shown(app)
        assert all(len(row) <= 50 for row in rows(view))


async def test_a_line_that_comes_in_above_moves_nothing_that_is_read():
    head = {"session": S, "turn": 1}
    app = Stage()
    async with app.run_test(size=(60, 12)) as pilot:
        view = app.transcript
        view.apply(ev.TurnStarted(**head, text="p"))
        view.apply(ev.ToolCallStarted(**head, call_id="c", name="save_memory", arguments={}))
        view.apply(ev.TextDelta(**head, text="\n\n".join(f"line {n}" for n in range(40))))
        await view.drawn()
        await pilot.pause()
        view.go_by(-20)
        before = rows(view)
        view.apply(ev.FactWritten(**head, names=("a",), numbers=(1,), summaries=("A",), call_id="c"))
        await view.drawn()
        assert rows(view) == before
        view.go(0)
        assert rows(view)[3] == "  ◆ Remembered: A · #1"


async def test_unsafe_text_shows_as_marks_wherever_it_comes_from():
    head = {"session": S, "turn": 1}
    app = Stage()
    async with app.run_test(size=(100, 40)) as pilot:
        view = app.transcript
        events = turn(1, EVIL, f"{EVIL}\n\n`{EVIL}`\n\n```py\n{EVIL}\n```\n\n| {EVIL} | b |\n|---|---|\n| {EVIL} | c |")
        view.load(
            [
                *events[:2],
                ev.ReasoningDelta(**head, text=EVIL),
                ev.ToolCallStarted(**head, call_id="c", name=EVIL, arguments={"a": EVIL, "b": [EVIL]}),
                ev.ToolCallFinished(**head, call_id="c", name=EVIL, content=EVIL, ok=False, ms=1),
                ev.FactWritten(**head, names=(EVIL,), numbers=(1,), summaries=(EVIL,)),
                *events[2:],
                ev.TurnStarted(session=S, turn=2, text="x", name=EVIL),
                ev.Notice(session=S, level="error", text=EVIL),
                ev.TurnFailed(session=S, turn=2, error=EVIL, advice=EVIL, ms=1),
            ]
        )
        view.tool_detail = "full"
        view.go(0)
        await pilot.pause()
        for _ in range(2):
            for y in range(view.size.height):
                for segment in view.render_line(y):
                    assert not CONTROL.search(segment.text)
                    assert segment.style is None or not segment.style.link
            assert "[bold]x[/]" in shown(app)
            assert "␛[31m" in shown(app)
            view.go(10_000)


async def test_full_detail_shows_arguments_and_results_of_all_calls():
    head = {"session": S, "turn": 1}
    call = ev.ToolCallStarted(**head, call_id="c", name="tool", arguments={"q": "value"})
    done = ev.ToolCallFinished(**head, call_id="c", name="tool", content="the result", ok=True, ms=1)
    events = turn(1, "p", "done")
    app = Stage([*events[:2], call, done, *events[2:]])
    async with app.run_test(size=(60, 24)) as pilot:
        await pilot.pause()
        assert "the result" not in shown(app)
        app.transcript.tool_detail = "full"
        assert "q: value" in shown(app)
        assert "the result" in shown(app)


async def test_the_foot_takes_the_keys_and_says_what_is_wanted():
    app = Stage(facts(1))
    async with app.run_test(size=(90, 20)) as pilot:
        await pilot.pause()
        view = app.transcript
        assert "recalled lives-in-tokyo · sarah · saved #13 · + 8 always sent" in shown(app)
        assert view.focus_foot()
        await pilot.press("enter", "right", "space", "u", "end", "right", "right", "enter", "r", "escape")
        await until(lambda: any(isinstance(m, Left) for m in app.said), "esc leaves")
        actions = [(m.action, m.names, m.numbers) for m in app.said if isinstance(m, FootAction)]
        assert (
            actions
            == [
                ("edit", ("lives-in-tokyo",), (7,)),
                ("off", ("sarah",), (9,)),
                ("undo", ("likes-tea",), (13,)),
                ("list", (), ()),
                ("retry", ("lives-in-tokyo", "sarah", "likes-tea"), (7, 9, 13)),
            ]
            or actions[-1][0] == "retry"
        )


async def test_without_facts_there_is_no_foot_to_focus():
    app = Stage(turn(1, "p", "a"))
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.pause()
        assert not app.transcript.focus_foot()


async def test_what_became_of_facts_is_a_line():
    app = Stage(facts(1))
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.pause()
        assert "◆ Remembered: Likes tea · #13" in shown(app)


async def test_a_running_call_turns_and_nothing_ticks_when_it_is_done():
    app = Stage()
    head = {"session": S, "turn": 1}
    async with app.run_test(size=(60, 20)) as pilot:
        view = app.transcript
        view.apply(ev.TurnStarted(**head, text="p"))
        view.apply(ev.ToolCallStarted(**head, call_id="c", name="slow_tool", arguments={}))
        await view.drawn()
        first = rows(view)[find(view, "slow_tool")[1]][2]
        await until(lambda: rows(view)[find(view, "slow_tool")[1]][2] != first, "the spinner turns")
        view.apply(ev.ToolCallFinished(**head, call_id="c", name="slow_tool", content="", ok=True, ms=5))
        await view.drawn()
        assert rows(view)[find(view, "slow_tool")[1]][2] == "✓"
        await pilot.pause()
        assert not view._beat.runs
        assert view._frame is None


async def test_without_animations_what_runs_has_a_still_mark():
    app = Stage()
    head = {"session": S, "turn": 1}
    async with app.run_test(size=(60, 20)):
        view = app.transcript
        view.animations = False
        view.apply(ev.TurnStarted(**head, text="p"))
        view.apply(ev.ToolCallStarted(**head, call_id="c", name="slow_tool", arguments={}))
        await view.drawn()
        assert "● slow_tool" in shown(app)


async def test_above_a_compaction_prompts_lose_their_band():
    divider = ev.CompactionFinished(session=S, tokens_before=26400, tokens_after=6100, content="what was said")
    app = Stage([*turn(1, "old prompt", "a"), divider, *turn(2, "new prompt", "b")])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        view = app.transcript
        assert "earlier, in short · 2 messages · 26.4k → 6.1k tok · enter" in shown(app)
        backs = {}
        for words in ("old prompt", "new prompt"):
            strip = view.render_line(find(view, words)[1])
            backs[words] = next(s.style.bgcolor.name for s in strip if words in s.text)
        assert backs == {"old prompt": "#15171c", "new prompt": "#22262e"}
        await pilot.click("#transcript", offset=find(view, "earlier"))
        assert "what was said" in shown(app)
        view.focus()
        for opened in (False, True):
            await pilot.press("enter")
            assert ("what was said" in shown(app)) is opened


@pytest.mark.parametrize("theme", ["light", "contrast"])
async def test_another_theme_draws_everything_again(theme):
    app = Stage(turn(1, "p", "a"))
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.pause()
        before = app.transcript.render_line(0)
        app.theme = theme
        await pilot.pause()
        assert app.transcript.render_line(0) != before


async def test_clear_shows_nothing_and_takes_new_events():
    app = Stage(many(5))
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.pause()
        app.transcript.clear()
        assert not shown(app).strip()
        for event in turn(1, "again", "here"):
            app.transcript.apply(event)
        await app.transcript.drawn()
        assert "here" in shown(app)


async def test_live_and_replay_draw_the_same_rows():
    events = facts(1)
    live, replayed = Stage(), Stage(events)
    async with live.run_test(size=(60, 20)) as pilot:
        for event in events:
            if isinstance(event, ev.TextDelta):
                for char in event.text:
                    live.transcript.apply(ev.TextDelta(session=S, turn=1, text=char))
                    await live.transcript.drawn()
            else:
                live.transcript.apply(event)
        await live.transcript.drawn()
        await pilot.pause()
        drawn = rows(live.transcript)
    async with replayed.run_test(size=(60, 20)) as pilot:
        await pilot.pause()
        assert rows(replayed.transcript) == drawn
