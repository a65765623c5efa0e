from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, SupportsIndex

import pytest

from sessions import events as ev
from sessions.agent.trace import CallNode
from tests.tui.chat.stage import S, turn
from tests.tui.widgets.harness import Harness
from tests.waiting import until
from tui.chat.blocks import Block, Call, Learned
from tui.chat.document import Document
from tui.widgets import tree_rows
from tui.widgets.agent_tree import AgentTree
from tui.widgets.rows import Row

T: dict[str, Any] = {"session": S, "turn": 1}


class Looked(list[Block]):
    """Blocks that count how many of them were looked at, one by one."""

    count: int = 0  # type: ignore[assignment]

    def __getitem__(self, index: Any) -> Any:
        self.count += isinstance(index, SupportsIndex)
        return super().__getitem__(index)

    def __iter__(self) -> Iterator[Block]:
        for block in super().__iter__():
            self.count += 1
            yield block

    def __reversed__(self) -> Iterator[Block]:
        for block in super().__reversed__():
            self.count += 1
            yield block


def many_calls(count: int, order: str = "in order", *, facts: bool = False) -> list[ev.Event]:
    """A turn of one step with that many calls, which finish in some order."""
    ids = [f"c{n}" for n in range(count)]
    ends = random.Random(1).sample(ids, count) if order == "mixed" else ids
    out: list[ev.Event] = [*turn(1, "p", "")[:2]]
    out += [ev.ToolCallStarted(**T, call_id=id_, name="read_file", arguments={"path": id_}) for id_ in ids]
    out.append(ev.StepFinished(**T, step=1, stop="tool_calls", message="m"))
    for id_ in ends:
        out.append(ev.ToolCallFinished(**T, call_id=id_, name="read_file", content=id_, ok=True, ms=1))
        if facts:
            out.append(ev.FactWritten(**T, call_id=id_, names=(id_,), numbers=(1,), summaries=(id_,)))
    return [*out, ev.TurnFinished(**T, stop="stop", text="", ms=9)]


@pytest.mark.parametrize(("order", "facts"), [("in order", False), ("mixed", False), ("in order", True)])
def test_each_of_thousands_of_calls_in_a_turn_costs_the_same(order: str, facts: bool) -> None:
    looked = []
    for count in (1000, 4000):
        document = Document()
        document.blocks = blocks = Looked()
        document.load(many_calls(count, order, facts=facts))
        looked.append(blocks.count)
        calls = [block for block in document.blocks if isinstance(block, Call)]
        assert len(calls) == count and all(c.content == c.call_id and c.state == "done" for c in calls)
        if facts:
            pairs = zip(document.blocks[1:-1:2], document.blocks[2::2], strict=True)
            assert all(isinstance(b, Learned) and b.call_id == a.call_id for a, b in pairs)
    assert looked[1] < looked[0] * 6, looked


def test_a_call_is_the_newest_of_its_id_and_the_one_before_when_that_was_taken_back() -> None:
    document = Document()
    for number in (1, 2):
        head: dict[str, Any] = {"session": S, "turn": number}
        document.apply(ev.TurnStarted(**head, text="p", message=f"u{number}"))
        document.apply(ev.ToolCallStarted(**head, call_id="c", name="read_file", arguments={}))
        document.apply(ev.ToolCallFinished(**head, call_id="c", name="read_file", content=str(number), ok=True, ms=1))
    assert [b.content for b in document.blocks if isinstance(b, Call)] == ["1", "2"]
    assert (call := document.call("c")) and call.content == "2"
    document.apply(ev.Rewound(session=S, turn=2, message="u2"))
    assert (call := document.call("c")) and call.content == "1"
    document.apply(ev.Rewound(session=S, turn=1, message="u1"))
    assert document.call("c") is None


async def test_the_rows_of_calls_that_have_ended_are_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    real = tree_rows.Flattener._call

    def counted(self: tree_rows.Flattener, call: CallNode, depth: int) -> Iterator[Row]:
        made.append(call.id)
        return real(self, call, depth)

    monkeypatch.setattr(tree_rows.Flattener, "_call", counted)
    tree = AgentTree()
    async with Harness(tree).run_test(size=(44, 40)) as pilot:
        await pilot.pause()
        *events, last, _ = many_calls(500)
        tree.load(events)
        assert len(made) == 500
        made.clear()
        tree.apply(ev.FactWritten(**T, call_id="c7", names=("n",), numbers=(1,), summaries=("x",)))
        tree.apply(last)
        await until(lambda: "c499" in made, "drawn")
        assert made == ["c7", "c499"]
        assert any(row.key == "c:c7.f0" for row in tree.list.rows)
        tree.list.focus()
        await pilot.pause()
        tree.list.choose("c:c8")
        await pilot.press("right")
        assert any(row.key.startswith("c:c8.R") for row in tree.list.rows)
