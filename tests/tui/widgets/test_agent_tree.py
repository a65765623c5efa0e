import json

import pytest

from sessions import events as ev
from tests.tui.widgets.harness import STRANGE, Harness, S, shown, text_of, turn
from tests.waiting import until
from tui.widgets.agent_tree import AgentTree

WEATHER = turn(
    2,
    "What's the weather?",
    ("recall_memory", {"query": "location"}, "1 fact", True),
    ("get_weather", {"location": "Hakonne"}, "no place named “Hakonne”", False),
    answer="Here it is.",
    recalled=((7, "lives-in-tokyo"),),
)
TALK = turn(1, "I live in Tokyo.", answer="Noted.") + WEATHER


async def opened(events=TALK, size=(44, 40)):
    tree = AgentTree()
    app = Harness(tree)
    return tree, app, app.run_test(size=size)


async def test_an_empty_tree_says_what_will_appear():
    tree, _, run = await opened()
    async with run as pilot:
        await pilot.pause()
        text = text_of(tree.list)
        assert "What the agent does appears here:" in text
        assert "✓ tools, with arguments and time" in text
        assert tree.title.fact == "no turns yet"


async def test_the_newest_turn_is_open_and_older_ones_are_folded():
    tree, _, run = await opened()
    async with run:
        tree.load(TALK)
        lines = [line.rstrip() for line in shown(tree.list)]
        assert lines[0] == "  ▸ 1 I live in Tokyo.               2.9 s"
        assert lines[1] == "  ▾ 2 What's the weather?            2.9 s"
        assert lines[2] == "    ▾ step 1       9.4k in, 35 out   0.8 s"
        assert "    │ ✓ recall_memory location" in lines[3]
        assert lines[3].endswith("310 ms")
        assert lines[4] == "    │ │ ◆ 7 lives-in-tokyo"
        assert "    │ ✗ get_weather Hakonne" in lines[5]
        assert lines[6].strip("│ ") == "no place named “Hakonne”"
        assert "    ▸ step 2" in lines[7]
        assert tree.title.fact == "2 turns · 38.6k tok"


async def test_space_folds_and_unfolds_and_left_goes_to_what_a_row_belongs_to():
    tree, _, run = await opened()
    async with run as pilot:
        tree.load(TALK)
        tree.list.focus()
        await pilot.pause()
        assert tree.row.key == "t2"
        await pilot.press("space")
        assert "step 1" not in text_of(tree.list)
        await pilot.press("right", "down", "down")
        assert tree.row.name == "recall_memory"
        await pilot.press("left")
        assert tree.row.name == "step 1"
        await pilot.press("left")
        assert "recall_memory" not in text_of(tree.list)


async def test_enter_on_a_call_shows_arguments_and_result_in_full_and_y_copies_the_result():
    content = json.dumps({"rows": list(range(40))})
    tree, app, run = await opened()
    async with run as pilot:
        tree.load(turn(1, "List", ("list_rows", {"table": "a", "deep": {"b": 1}}, content, True), answer="Done"))
        tree.list.focus()
        await pilot.pause()
        await pilot.press("down", "down", "enter")
        text = text_of(tree.list)
        assert "table: a" in text and '"b": 1' in text
        assert '"rows": [' in text
        assert "… 30 more lines · y copies all" in text
        await pilot.press("y")
        assert app.heard(AgentTree.Copy)[-1].text == content
        await pilot.press("down", "enter")
        assert '"rows": [' not in text_of(tree.list)
        assert tree.row.name == "list_rows"


@pytest.mark.parametrize("key", ["enter", "space", "right"])
async def test_more_lines_of_a_result_come_in_steps_to_its_end(key):
    content = "\n".join([*(f"line {n}" for n in range(1, 500)), "x" * 9000 + " the end"])
    tree, _, run = await opened()
    async with run as pilot:
        tree.load(turn(1, "List", ("list_rows", {}, content, True), answer="Done"))
        tree.list.focus()
        await pilot.pause()
        await pilot.press("down", "down", "enter")
        for _ in range(4):
            more = next((row for row in tree.list.rows if "more line" in getattr(row, "name", "")), None)
            if more is None:
                break
            tree.list.choose(more.key)
            before = len(tree.list.rows)
            await pilot.press(key)
            assert len(tree.list.rows) > before and tree.row.key == more.key
            assert "more line" not in tree.row.name
        names = [getattr(row, "name", "") for row in tree.list.rows]
        assert all(any(name == f"line {n}" for name in names) for n in range(1, 500))
        assert any("the end" in name for name in names)


async def test_what_was_put_in_short_is_read_from_its_row():
    tree, _, run = await opened()
    short = ev.CompactionFinished(session=S, turn=2, tokens_before=900, tokens_after=90, content="They spoke of tea.")
    later = ev.CompactionFinished(session=S, tokens_before=900, tokens_after=90, content="They spoke of milk.")
    async with run as pilot:
        tree.load([later, *WEATHER[:-1], short, WEATHER[-1]])
        tree.list.focus()
        await pilot.pause()
        for words in ("They spoke of milk.", "They spoke of tea."):
            rows = [row.key for row in tree.list.rows if row.name == "earlier, in short"]
            tree.list.choose(rows[0] if "milk" in words else rows[1])
            await pilot.pause()
            assert not tree.idle and words not in text_of(tree.list)
            await pilot.press("enter")
            assert words in text_of(tree.list)
        await pilot.press("space")
        assert "tea" not in text_of(tree.list) and "milk" in text_of(tree.list)


async def test_enter_on_a_fact_asks_to_show_it():
    tree, app, run = await opened()
    async with run as pilot:
        tree.load(TALK)
        tree.list.focus()
        await pilot.pause()
        await pilot.press("down", "down", "down", "enter")
        asked = app.heard(AgentTree.FactOpened)
        assert [(m.name, m.number) for m in asked] == [("lives-in-tokyo", 7)]


async def test_many_events_at_once_are_drawn_together_and_end_as_a_replay_would():
    tree, other = AgentTree(), AgentTree()
    app = Harness(tree, other)
    async with app.run_test(size=(44, 60)) as pilot:
        await until(lambda: tree._width == 44, "laid out")
        await pilot.pause()
        drawn = []
        set_rows = tree.list.set_rows
        tree.list.set_rows = lambda rows, **kw: (drawn.append(len(rows)), set_rows(rows, **kw))
        for event in TALK:
            tree.apply(event)
        assert not drawn
        await until(lambda: drawn, "drawn")
        await pilot.pause()
        assert len(drawn) == 1
        other.load(TALK)
        assert text_of(tree.list) == text_of(other.list)


async def test_what_runs_turns_and_shows_its_progress_and_nothing_turns_when_all_is_done():
    tree, _, run = await opened()
    async with run:
        for event in turn(1, "When?", ("search_history", {"query": "offsite"}, "", True), ends=False):
            tree.apply(event)
        tree.apply(ev.ToolCallDelta(session=S, turn=1, call_id="call-1.0", text="2,310 of 9,841 messages"))
        await until(lambda: "2,310 of 9,841 messages" in text_of(tree.list), "progress")
        marks = set()
        await until(lambda: (marks.add(shown(tree.list)[2][6]), len(marks) > 2)[1], "a spinner that turns")
        tree.apply(ev.TurnFinished(session=S, turn=1, stop="cancelled", text="", ms=1100))
        await until(lambda: "stopped" in shown(tree.list)[0], "stopped")
        assert not any(row.live for row in tree.list.rows)
        assert not tree.list._beat.runs


async def test_the_cursor_stays_on_its_row_while_the_agent_goes_on():
    tree, _, run = await opened()
    async with run as pilot:
        tree.load(TALK)
        tree.list.focus()
        await pilot.pause()
        await pilot.press("down", "down")
        key = tree.row.key
        for event in turn(3, "And now?", answer="Later."):
            tree.apply(event)
        await until(lambda: "And now?" in text_of(tree.list), "the new turn")
        assert tree.row.key == key
        assert "recall_memory" in text_of(tree.list)


async def test_a_failed_turn_says_why_and_what_to_do():
    tree, _, run = await opened()
    async with run:
        tree.load(
            [
                *turn(1, "Hello", ends=False),
                ev.TurnFailed(
                    session=S, turn=1, error="Nothing answers at http://127.0.0.1:1", advice="Start it", ms=40
                ),
            ]
        )
        text = text_of(tree.list)
        assert "failed  40 ms" in text
        assert "Nothing answers at" in text
        assert "Start it" in text


async def test_a_call_that_waits_for_the_person_says_so():
    tree, _, run = await opened()
    async with run:
        events = turn(1, "Write it up", ("notes.create_page", {"title": "Offsite"}, "", True), ends=False)
        tree.load([*events, ev.ApprovalRequested(session=S, turn=1, call_id="call-1.0", name="notes", arguments={})])
        lines = shown(tree.list)
        assert "? notes.create_page" in lines[2]
        assert lines[2].rstrip().endswith("waits for you")
        assert "Offsite" in lines[3]


@pytest.mark.parametrize("width", [24, 44, 90])
async def test_strange_texts_keep_every_line_as_wide_as_the_tree(width):
    tree, _, run = await opened(size=(width, 60))
    async with run as pilot:
        calls = [(f"tool_{i}", {"a": text, "b": text}, text, i % 2 == 0) for i, text in enumerate(STRANGE)]
        tree.load(turn(1, "".join(STRANGE), *calls, answer="x"))
        tree.list.focus()
        await pilot.pause()
        await pilot.press("down", "down", "enter")
        for y in range(tree.list.size.height):
            strip = tree.list.render_line(y)
            assert strip.cell_length == width
            assert "\x1b" not in strip.text


async def test_what_a_sub_agent_did_is_folded_to_a_count_until_its_call_is_opened():
    head = {"session": "s", "turn": 1}
    events = [
        ev.TurnStarted(**head, text="Look for x."),
        ev.StepStarted(**head, step=1, profile="p", model="m"),
        ev.ToolCallStarted(**head, call_id="out", name="Task", arguments={"prompt": "find x"}),
        *(ev.ToolCallStarted(**head, call_id=f"in{n}", name="grep", arguments={}, parent="out") for n in range(3)),
        *(ev.ToolCallFinished(**head, call_id=f"in{n}", name="grep", content="x", ok=True, ms=1) for n in range(3)),
        ev.ToolCallFinished(**head, call_id="out", name="Task", content="It is there.", ok=True, ms=9),
        ev.TurnFinished(**head, stop="stop", text="", usage=None, ms=10),
    ]
    tree, _, run = await opened()
    async with run as pilot:
        tree.load(events)
        text = text_of(tree.list)
        assert "3 calls" in text and "grep" not in text
        tree.list.focus()
        await pilot.pause()
        tree.list.choose("c:out")
        await pilot.press("space")
        text = text_of(tree.list)
        assert text.count("grep") == 3 and "3 calls" not in text
        assert text.index("find x") < text.index("grep") < text.rindex("grep") < text.index("It is there.")
