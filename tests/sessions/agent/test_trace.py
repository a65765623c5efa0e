from __future__ import annotations

from typing import Any

from sessions.agent.trace import Trace
from sessions.events import (
    ApprovalDecided,
    ApprovalRequested,
    CompactionFinished,
    CompactionStarted,
    DistillFinished,
    DistillStarted,
    FactDeleted,
    FactProposed,
    FactsRecalled,
    FactWritten,
    Notice,
    Retrying,
    SessionChanged,
    StepFinished,
    StepStarted,
    TextDelta,
    ToolCallDelta,
    ToolCallFinished,
    ToolCallStarted,
    TurnFailed,
    TurnFinished,
    TurnStarted,
)
from sessions.messages import Usage

HEAD: dict[str, Any] = {"session": "s", "turn": 1}


def begun() -> Trace:
    return Trace([TurnStarted(**HEAD, text="hi", at="x"), StepStarted(**HEAD, step=1, profile="p", model="m")])


def test_a_turn_grows_into_steps_calls_and_facts() -> None:
    trace = begun()
    for event in (
        ToolCallStarted(**HEAD, call_id="c1", name="recall", arguments={"query": "location"}),
        ToolCallStarted(**HEAD, call_id="c2", name="sub", arguments={"a": 1, "b": "x"}),
        ToolCallStarted(**HEAD, call_id="c3", name="inner", arguments="{oops", parent="c2"),
        ToolCallDelta(**HEAD, call_id="c2", text="half"),
        FactsRecalled(**HEAD, names=("lives-in-tokyo",), numbers=(7,), call_id="c1"),
        ToolCallFinished(**HEAD, call_id="c1", name="recall", content="7", ok=True, ms=2),
    ):
        assert trace.apply(event) is trace.turns[0]
    recall, sub = trace.turns[0].steps[0].calls
    assert (recall.state, recall.ms, recall.arguments) == ("done", 2, {"query": "location"})
    assert (recall.facts[0].op, recall.facts[0].name, recall.facts[0].number) == ("recalled", "lives-in-tokyo", 7)
    assert (sub.state, sub.progress, sub.arguments) == ("running", "half", {"a": 1, "b": "x"})
    assert sub.children[0].arguments == "{oops"
    trace.apply(ToolCallFinished(**HEAD, call_id="c2", name="sub", content="no", ok=False, ms=5))
    trace.apply(StepFinished(**HEAD, step=1, stop="tool_calls", usage=Usage(412, 35), ms=800))
    trace.apply(TurnFinished(**HEAD, stop="stop", text="x", usage=Usage(412, 35), ms=2100, always_sent=8))
    turn = trace.turns[0]
    assert (sub.state, sub.progress, turn.steps[0].state, turn.state) == ("failed", "", "done", "done")
    assert (turn.ms, turn.always_sent, trace.usage) == (2100, 8, Usage(412, 35))
    assert sub.children[0].state == "running", "only the end of the sub-agent ends its calls"


def test_deltas_of_text_change_nothing_and_cost_no_redraw() -> None:
    trace = begun()
    before = trace.revision
    assert trace.apply(TextDelta(**HEAD, text="x")) is None
    assert trace.apply(SessionChanged(session="s", what={})) is None
    assert trace.revision == before


def test_a_stopped_and_a_failed_turn_leave_nothing_running() -> None:
    for end, state in (
        (TurnFinished(**HEAD, stop="cancelled", text=""), "stopped"),
        (TurnFailed(**HEAD, error="it broke", advice="start it"), "failed"),
    ):
        trace = begun()
        trace.apply(ToolCallStarted(**HEAD, call_id="c", name="t", arguments={}))
        trace.apply(end)
        turn = trace.turns[0]
        assert {turn.state, turn.steps[0].state, turn.steps[0].calls[0].state} == {state}
    assert (turn.error, turn.advice) == ("it broke", "start it")


def test_waits_warnings_compaction_and_learning_become_notes() -> None:
    trace = begun()
    trace.apply(Retrying(**HEAD, reason="429", wait_s=2.0, attempt=1))
    assert [(n.text, n.state) for n in trace.turns[0].notes] == [("429, again in 2 s", "running")]
    trace.apply(StepStarted(**HEAD, step=2, profile="p", model="m"))
    trace.apply(Notice(**HEAD, level="warning", text="careful"))
    trace.apply(Notice(**HEAD, level="info", text="by the way"))
    trace.apply(CompactionStarted(session="s", tokens_before=9))
    trace.apply(CompactionFinished(session="s", tokens_before=9, tokens_after=2, content="short"))
    trace.apply(DistillStarted(**HEAD))
    assert trace.turns[0].learning == "running"
    trace.apply(DistillFinished(**HEAD, facts=("a",)))
    assert [(n.kind, n.state) for n in trace.turns[0].notes] == [("notice", "done")]
    assert [(n.kind, n.state) for n in trace.notes] == [("compaction", "done")]
    assert (trace.turns[0].learning, trace.turns[0].learned[0].name) == ("done", "a")


def test_a_wait_for_the_provider_is_told_once_and_only_until_anything_comes() -> None:
    trace = begun()
    for attempt in (1, 2):
        trace.apply(Retrying(**HEAD, reason="busy", wait_s=1.0, attempt=attempt))
    trace.apply(SessionChanged(session="s", what={"title": "x"}))
    assert [n.text for n in trace.turns[0].notes] == ["busy, again in 1 s"]
    revision = trace.revision
    assert trace.apply(TextDelta(**HEAD, text="a")) is trace.turns[0]
    assert (trace.turns[0].notes, trace.revision) == ([], revision + 1)
    assert trace.apply(TextDelta(**HEAD, text="b")) is None


def test_an_approval_waits_until_it_is_decided() -> None:
    trace = begun()
    trace.apply(ToolCallStarted(**HEAD, call_id="c", name="t", arguments={}))
    trace.apply(ApprovalRequested(**HEAD, call_id="c", name="t", arguments={}))
    assert trace.turns[0].steps[0].calls[0].state == "waiting"
    trace.apply(ApprovalDecided(**HEAD, call_id="c", decision="once", by="user"))
    assert trace.turns[0].steps[0].calls[0].state == "running"


def test_facts_without_a_call_belong_to_the_turn() -> None:
    trace = begun()
    for kind in (FactWritten, FactDeleted, FactProposed):
        trace.apply(kind(**HEAD, names=("a",), numbers=()))
    assert [f.op for f in trace.turns[0].facts] == ["created", "deleted", "proposed"]
    assert trace.apply(FactDeleted(session="s", names=("a",), numbers=(1,))) is None


def test_events_of_a_turn_that_was_not_told_are_ignored() -> None:
    trace = Trace()
    assert trace.apply(StepStarted(**HEAD, step=1, profile="", model="")) is None
    assert trace.apply(ToolCallStarted(**HEAD, call_id="c", name="t", arguments={})) is None
    assert trace.apply(ToolCallFinished(**HEAD, call_id="c", name="t", content="", ok=True, ms=1)) is None
    assert trace.apply(TurnFinished(**HEAD, stop="stop", text="")) is None
    assert trace.turns == []
