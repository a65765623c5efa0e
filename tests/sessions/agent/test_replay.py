from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest

from sessions.agent.logs import NewLog
from sessions.agent.replay import replay
from sessions.agent.trace import Trace
from sessions.errors import ProviderError
from sessions.events import (
    CompactionFinished,
    Event,
    FactDeleted,
    FactsRecalled,
    FactWritten,
    Notice,
    ReasoningDelta,
    Retrying,
    Rewound,
    SessionChanged,
    TextDelta,
    ToolCallDelta,
    TurnFinished,
    TurnStarted,
)
from sessions.messages import (
    AssistantMessage,
    Marker,
    Record,
    ToolCall,
    ToolMessage,
    Unknown,
    Usage,
    UserMessage,
)
from sessions.paths import HomePaths, make_home
from sessions.providers.base import Finished, ReasoningPiece, TextPiece, Waiting
from sessions.settings import AgentSettings, Settings
from sessions.store.log import read_log
from sessions.tools.base import ToolResult
from tests.sessions.agent.scripted import SESSION, Scripted, agent, calls, says, tool
from tests.waiting import until

AT = "2026-11-29T17:14:08.123Z"


def fact(kind: Any, *facts: tuple[str, int], **more: Any) -> Any:
    names, numbers = tuple(n for n, _ in facts), tuple(n for _, n in facts)
    return kind(session="", names=names, numbers=numbers, summaries=tuple(n.title() for n in names), **more)


def remember(arguments: dict[str, Any], _: Any) -> ToolResult:
    events = (fact(FactWritten, ("a", 1), ("b", 2)), fact(FactDeleted, ("c", 3)), fact(FactsRecalled, ("d", 4)))
    return ToolResult("done\n\x1b[31mred \ud800", events=events)


async def slow(arguments: dict[str, Any], context: Any) -> str:
    context.progress("half way")
    await asyncio.sleep(0)
    return "slow"


def broken(arguments: dict[str, Any], _: Any) -> str:
    raise RuntimeError("broken [bold]x[/]")


TOOLS = [tool("remember", remember), tool("slow", slow), tool("broken", broken)]
SCRIPTS: dict[str, list[list[Any]]] = {
    "plain": [[TextPiece("He"), TextPiece("llo \ud83d"), Finished("stop", usage=Usage(5, 2, 1))]],
    "reasoning": [[ReasoningPiece("h"), ReasoningPiece("m"), TextPiece("Yes.")]],
    "chained": [[calls(("remember", {}))], [TextPiece("so"), calls(("slow", {}))], says("Done.")],
    "five at once": [[calls(*[("slow", {"n": i}) for i in range(3)], ("broken", {}), ("remember", {}))], says("ok")],
    "unknown and not json": [[calls(("nothing", {}), ("slow", "{oops"))], says("ok")],
    "failed": [[TextPiece("half"), ProviderError("it broke", "start it")]],
    "failed at once": [[ProviderError("refused", "start it")]],
    "failed after tools": [[calls(("slow", {}))], [ProviderError("it broke")]],
    "retried": [[Waiting("429", 0.1, 1), TextPiece("ok")]],
    "repeat": [[calls(("slow", {}))]] * 3,
    "max steps": [[calls(("slow", {"n": i}))] for i in range(5)],
    "length": [[TextPiece("cut"), Finished("length")]],
    "empty": [[Finished("stop")]],
    "cancelled in the answer": [[TextPiece("par"), "hang"]],
    "cancelled before a word": [["hang"]],
    "cancelled in a tool": [[calls(("remember", {}), ("hang", {}), ("slow", {}))]],
}


def shape(events: Iterable[Event]) -> list[Event]:
    """What must agree: without live-only events, with pieces joined, and each step's calls told one after the other."""
    out: list[Event] = []
    for event in events:
        last = out[-1] if out else None
        if isinstance(event, Retrying | ToolCallDelta):
            continue
        if isinstance(event, TextDelta | ReasoningDelta) and type(last) is type(event):
            out[-1] = replace(last, text=last.text + event.text)  # type: ignore[union-attr]
            continue
        out.append(event)
    ids = [getattr(event, "call_id", None) for event in out]
    order = {call: i for i, call in enumerate(dict.fromkeys(ids))}
    grouped: list[Event] = []
    pending: list[Event] = []
    for event in [*out, None]:
        if event is not None and getattr(event, "call_id", None):
            pending.append(event)
            continue
        pending.sort(key=lambda e: (type(e).__name__ != "ToolCallStarted", order[e.call_id], type(e).__name__))  # type: ignore[union-attr]
        grouped += pending
        pending = []
        if event is not None:
            grouped.append(event)
    return grouped


@pytest.mark.parametrize("name", SCRIPTS)
async def test_a_log_replays_as_the_events_of_its_turns(name: str, tmp_path: Path) -> None:
    paths = HomePaths(tmp_path, tmp_path / "config.toml")
    make_home(paths)
    hung = asyncio.Event()
    never = asyncio.Event()

    async def hang(*_: Any) -> str:
        hung.set()
        await never.wait()
        return ""

    steps = [[p for item in step for p in ((hung.set, never) if item == "hang" else (item,))] for step in SCRIPTS[name]]
    log = NewLog(paths, SESSION, Marker("m0", AT, "session", {"cwd": "/"}))
    settings = Settings(agent=AgentSettings(max_steps=4))
    made = agent(Scripted(*steps, says("After.")), log=log, tools=[*TOOLS, tool("hang", hang)], settings=settings)
    live: list[Event] = []

    async def consume(text: str) -> None:
        live.extend([event async for event in made.turn(text)])

    task = asyncio.create_task(consume("go"))
    await until(lambda: task.done() or hung.is_set(), "it ends or hangs")
    made.cancel()
    await task
    if not name.startswith(("repeat", "max")):
        await consume("and after")
    log.close()
    records = read_log(paths.session_log(SESSION)).records
    assert shape(replay(records, SESSION)) == shape(live)
    assert Trace(replay(records, SESSION)).turns[0].steps == Trace(live).turns[0].steps
    assert made.records == records[1:]


def test_a_turn_without_an_end_counts_as_stopped_unless_it_still_runs() -> None:
    records = [UserMessage("u", AT, 1, "hi")]
    assert isinstance(list(replay(records, SESSION))[-1], TurnFinished)
    assert [type(e) for e in replay(records, SESSION, running=True)] == [TurnStarted]
    two = list(replay([*records, UserMessage("u2", AT, 2, "again")], SESSION))
    assert [type(e).__name__ for e in two] == ["TurnStarted", "TurnFinished", "TurnStarted", "TurnFinished"]


def test_what_was_taken_back_is_told_as_taken_back_and_markers_are_told() -> None:
    records: list[Record] = [
        UserMessage("u1", AT, 1, "one"),
        Marker("e1", AT, "turn_end", {"turn": 1, "stop": "stop"}),
        UserMessage("u2", AT, 2, "two"),
        Marker("e2", AT, "turn_end", {"turn": 2, "stop": "stop"}),
        Marker("m", AT, "meta", {"title": "New"}),
        Marker("r", AT, "rewound", {"to": "e1"}),
        Marker("c", AT, "compaction", {"content": "short", "tokens_before": 9, "tokens_after": 2}),
        Marker("x", AT, "cleared"),
        Unknown({"v": 9}, "version 9"),
        Unknown({"v": 9}, "version 9"),
    ]
    events = list(replay(records, SESSION, skipped=2))
    assert [e.text for e in events if isinstance(e, TurnStarted)] == ["one", "two"]
    assert [e for e in events if isinstance(e, Rewound)] == [Rewound(session=SESSION, turn=2, message="u2", to="e1")]
    assert [turn.text for turn in Trace(events).turns] == ["one"]
    assert [e.what for e in events if isinstance(e, SessionChanged)] == [{"title": "New"}, {"cleared": True}]
    compaction = next(e for e in events if isinstance(e, CompactionFinished))
    assert (compaction.content, compaction.tokens_before, compaction.tokens_after) == ("short", 9, 2)
    notices = [e.text for e in events if isinstance(e, Notice)]
    assert "2 lines" in notices[0] and "newer version" in notices[1] and len(notices) == 2


def test_a_log_with_odd_values_replays_without_raising() -> None:
    odd = [
        Marker("1", AT, "turn_end", {"turn": "x", "usage": 3, "ms": None, "stop": None}),
        Marker("2", AT, "fact", {"op": 3, "name": None}),
        Marker("3", AT, "compaction", {"content": None, "tokens_before": "x"}),
        Marker("4", AT, "distilled", {"facts": "x"}),
        Marker("5", AT, "rewound", {"to": 5}),
        Marker("6", AT, "approval", {}),
        Marker("7", AT, "turn_end", {"turn": inf, "usage": {"input": inf, "output": "²"}, "ms": -inf, "stop": "stop"}),
        Marker("8", AT, "distilled", {"turn": nan, "facts": [], "numbers": [inf]}),
    ]
    assert len(list(replay(odd, SESSION))) == 6


def test_what_a_sub_agent_did_is_told_inside_the_call_that_it_belongs_to():
    inner = AssistantMessage("s1", AT, 1, "looking", tool_calls=(ToolCall("in-1", "grep", {"for": "x"}),), parent="out")
    records: list[Record] = [
        UserMessage("u1", AT, 1, "Look for x."),
        AssistantMessage("a1", AT, 1, "", tool_calls=(ToolCall("out", "Task", {"prompt": "find x"}),)),
        UserMessage("s0", AT, 1, "find x", parent="out"),
        inner,
        ToolMessage("s2", AT, 1, "in-1", "grep", "3 places", parent="out"),
        ToolMessage("t1", AT, 1, "out", "Task", "It is in 3 places."),
        AssistantMessage("a2", AT, 1, "In 3 places."),
        Marker("e1", AT, "turn_end", {"turn": 1, "stop": "stop", "ms": 5}),
    ]
    trace = Trace()
    for event in replay(records, SESSION):
        trace.apply(event)
    (turn,) = trace.turns
    assert len(turn.steps) == 2, "the sub-agent's steps are not steps of the turn"
    (call,) = turn.steps[0].calls
    assert call.content == "It is in 3 places." and [c.content for c in call.children] == ["3 places"]
    assert turn.state == "done"


def test_the_result_of_a_sub_agent_whose_call_stands_further_up_is_not_told_as_one_of_the_conversation() -> None:
    late = ToolMessage("s2", AT, 1, "in-1", "grep", "3 places", parent="out")
    records: list[Record] = [
        UserMessage("u2", AT, 2, "two"),
        late,
        Marker("e2", AT, "turn_end", {"turn": 2, "stop": "stop"}),
    ]
    assert [type(e).__name__ for e in replay(records, SESSION)] == ["TurnStarted", "TurnFinished"]
