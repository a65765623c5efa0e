from pathlib import Path

import pytest

from sessions.memory.fact import BrokenFact, Proposal
from sessions.memory.view import Snapshot
from tests.tui.widgets.harness import FACTS, LIVES, NOW, STRANGE, Harness, fact, shown, text_of
from tui.memory.memory_list import MemoryList

BROKEN = BrokenFact(Path("/home/memory/user/atlas-ci.md"), 4, "line 4, not TOML")
WAITS = Proposal(fact(22, "python", "Uses Python 3.10"), "forget")


pytestmark = pytest.mark.usefixtures("utc")


def snapshot(facts=FACTS, broken=(BROKEN,), proposed=(WAITS,)):
    return Snapshot(tuple(facts), tuple(broken), tuple(proposed), 1)


def harness():
    listed = MemoryList()
    return listed, Harness(listed)


async def test_facts_stand_in_their_groups_with_mark_number_and_state():
    listed, app = harness()
    async with app.run_test(size=(50, 40)):
        listed.show(snapshot(), now=NOW)
        lines = [line.rstrip() for line in shown(listed.list)]
        text = "\n".join(lines)
        heads = ["To review", "Broken", "Waiting on", "About you", "About the agent", "People"]
        assert [text.index(head) for head in heads] == sorted(text.index(head) for head in heads)
        assert "How you like things done" not in text
        assert any(line.startswith(" ▏−  22 Uses Python 3.10") and line.endswith("forget") for line in lines)
        assert any(line.startswith("  ✗     atlas-ci.md") and line.endswith("line 4, not TOML") for line in lines)
        assert any(line.startswith("  !  15 Sarah waits") and line.endswith("overdue 2 d") for line in lines)
        assert any(line.startswith("  ◆   7 Lives in Tokyo") for line in lines)
        assert any(line.startswith("  ◇  11 Sarah Chen") for line in lines)
        assert any(line.startswith("  ○  18 Reads the news") and line.endswith("off") for line in lines)
        assert listed.title.fact == "4 active · 1 off · 1 broken"


async def test_without_proposals_and_broken_files_their_groups_are_not_there():
    listed, app = harness()
    async with app.run_test(size=(50, 40)):
        listed.show(snapshot(broken=(), proposed=()), now=NOW)
        text = text_of(listed.list)
        assert "To review" not in text
        assert "Broken" not in text
        assert listed.title.fact == "4 active · 1 off"


async def test_an_empty_memory_says_how_to_begin():
    listed, app = harness()
    async with app.run_test(size=(50, 40)):
        listed.show(snapshot((), (), ()), now=NOW)
        assert "n writes a fact" in text_of(listed.list)


async def test_always_sent_facts_come_first_and_those_switched_off_last():
    facts = [
        fact(1, "off", "Off", status="off", pinned=True),
        fact(2, "plain", "Plain", pinned=False),
        fact(3, "sent", "Sent", pinned=True),
    ]
    listed, app = harness()
    async with app.run_test(size=(50, 40)):
        listed.show(snapshot(facts, (), ()), now=NOW)
        assert [row.key for row in listed.list.rows if row.selectable] == ["fact:id-3", "fact:id-2", "fact:id-1"]


async def test_enter_opens_what_is_chosen_and_the_item_is_known():
    listed, app = harness()
    async with app.run_test(size=(50, 40)) as pilot:
        listed.show(snapshot(), now=NOW)
        listed.focus_list()
        assert listed.item is WAITS
        await pilot.press("down", "enter")
        assert [m.item for m in app.heard(MemoryList.Opened)] == [BROKEN]
        assert listed.fact is None
        assert listed.choose(7)
        assert listed.fact is LIVES
        assert listed.choose("sarah-chen")
        assert not listed.choose("nobody")


async def test_a_fact_stays_chosen_when_it_is_renamed_and_moves_to_another_group():
    listed, app = harness()
    async with app.run_test(size=(50, 40)):
        listed.show(snapshot(), now=NOW)
        listed.choose(7)
        moved = fact(7, "tokyo", "Tokyo is home", kind="reference")
        listed.show(snapshot([f for f in FACTS if f is not LIVES] + [moved]), now=NOW)
        assert listed.fact is moved


async def test_the_filter_looks_in_number_name_summary_and_body():
    listed, app = harness()
    async with app.run_test(size=(50, 40)) as pilot:
        listed.show(snapshot(), now=NOW)
        listed.focus_list()
        for query, found in (("german", 18), ("q3-staffing", 15), ("the user lives", 7), ("11 sarah", 11)):
            listed.set_filter(query)
            assert [row.fact.number for row in listed.list.rows if row.selectable] == [found]
        await pilot.press("escape")
        assert listed.filter_text == ""


async def test_choosing_a_fact_that_the_filter_hides_clears_the_filter():
    listed, app = harness()
    async with app.run_test(size=(50, 40)):
        listed.show(snapshot(), now=NOW)
        listed.set_filter("german")
        assert listed.choose(7)
        assert listed.filter_text == ""
        assert listed.fact is LIVES


@pytest.mark.parametrize("width", [26, 50, 81])
async def test_strange_texts_keep_every_line_as_wide_as_the_list(width):
    listed, app = harness()
    async with app.run_test(size=(width, 50)) as pilot:
        facts = [fact(i + 1, f"f{i}", text, locked=i % 2 == 0) for i, text in enumerate(STRANGE)]
        broken = [BrokenFact(Path(text.replace("/", "") or "x"), 1, text) for text in STRANGE]
        listed.show(snapshot(facts, broken, [Proposal(f, "new") for f in facts]), now=NOW)
        await pilot.pause()
        for query in ("", "w"):
            listed.set_filter(query)
            for y in range(listed.list.size.height):
                strip = listed.list.render_line(y)
                assert strip.cell_length == width
                assert "\x1b" not in strip.text
