from __future__ import annotations

import asyncio

from sessions import events as ev
from sessions.agent.trace import Trace
from tests.tui.chat.stage import S, Stage, drag, find, many, rows, turn
from tests.tui.widgets.harness import Harness
from tests.waiting import until
from tui.chat import filling
from tui.chat.document import Document
from tui.widgets.agent_tree import AgentTree
from tui.widgets.slices import AT_ONCE, in_slices

TURNS = 500


def long_session() -> list[ev.Event]:
    events = many(TURNS, lambda n: f"answer {n} with **words**\n\n- one\n- two")
    assert len(events) > AT_ONCE
    return events


def whole(events: list[ev.Event]) -> Document:
    document = Document()
    document.load(events)
    return document


async def test_of_a_long_session_the_end_is_there_at_once_and_the_rest_follows():
    events = long_session()
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        view = app.transcript
        view.load(events)
        assert view.at_end and len(view.document.blocks) < TURNS
        before = rows(view)
        assert f"answer {TURNS} with words" in "\n".join(before)
        await view.drawn()
        assert rows(view) == before and view.at_end
        assert view.document == whole(events)
        view.action_end(-1)
        assert "prompt 1" in rows(view)[0]


async def test_who_reads_marks_and_opens_meanwhile_is_not_disturbed(monkeypatch):
    gate = asyncio.Event()

    async def later(items, each):
        await gate.wait()
        await in_slices(items, each)

    monkeypatch.setattr(filling, "in_slices", later)
    events = [*long_session(), *turn(TURNS + 1, "last", "end")]
    events[-3:-3] = [ev.ReasoningDelta(session=S, turn=TURNS + 1, text="a thought\nof two lines")]
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        view = app.transcript
        view.load(events)
        x, y = find(view, "Thought")
        await pilot.click("#transcript", offset=(x, y))
        view.go_by(-8)
        x, y = find(view, f"answer {TURNS - 1}")
        view.apply(ev.Notice(session=S, level="info", text="more"))
        await pilot.mouse_down("#transcript", offset=(x, y))
        await drag(pilot, (x + 5, y))
        before, marked = rows(view), view.selected_text()
        assert marked == "answer" and len(view.document.blocks) < TURNS
        gate.set()
        await view.drawn()
        assert len(view.document.blocks) > TURNS
        await pilot.mouse_up("#transcript", offset=(x + 5, y))
        assert rows(view) == before and view.selected_text() == marked and not view.at_end
        view.action_end(1)
        assert "of two lines" in "\n".join(rows(view)) and "more" in "\n".join(rows(view))


async def test_what_happens_meanwhile_is_seen_before_and_after_the_rest_is_there():
    events = long_session()
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        view = app.transcript
        view.load(events)
        more = turn(TURNS + 1, "meanwhile", "and an answer")
        for event in more:
            view.apply(event)
        view._draw()
        assert view._filling is not None and "and an answer" in "\n".join(rows(view))
        await view.drawn()
        assert "and an answer" in "\n".join(rows(view)) and view.document == whole([*events, *more])


async def test_a_message_far_up_is_gone_to_when_it_is_there():
    events = long_session()
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        view = app.transcript
        view.load(events)
        assert view.go_to("m7")
        await view.drawn()
        assert "answer 7 with words" in "\n".join(rows(view)[:4])


async def test_another_session_takes_the_place_of_one_that_still_fills_up():
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        view = app.transcript
        view.load(long_session())
        other = turn(1, "other", "short")
        view.load(other)
        await view.drawn()
        assert view.document == whole(other)
        view.load(long_session())
        view.clear()
        await view.drawn()
        assert view.document.blocks == []


async def test_the_tree_of_a_long_session_fills_up_and_misses_nothing_of_what_happens_meanwhile():
    events, more = long_session(), turn(TURNS + 1, "meanwhile", "and an answer")
    tree = AgentTree()
    async with Harness(tree).run_test(size=(44, 30)) as pilot:
        await pilot.pause()
        tree.load(events)
        assert len(tree.trace.turns) < TURNS and tree.trace.turns[-1].number == TURNS
        for event in more:
            tree.apply(event)
        await until(lambda: tree.title.fact.startswith(f"{TURNS + 1} turns"), "all turns")
        assert tree.trace.turns == Trace([*events, *more]).turns
        assert len([row for row in tree.list.rows if row.key.count(".") == 0]) == TURNS + 1
