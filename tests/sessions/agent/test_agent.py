from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from sessions.agent.logs import MemoryLog
from sessions.agent.turn import REPEATED
from sessions.errors import ProviderError, StoreError
from sessions.events import (
    FactDeleted,
    FactsRecalled,
    FactWritten,
    Notice,
    Retrying,
    StepFinished,
    ToolCallDelta,
    ToolCallFinished,
    ToolCallStarted,
    TurnFailed,
)
from sessions.messages import AssistantMessage, Marker, Record, ToolMessage, Usage, UserMessage
from sessions.providers.base import Finished, ReasoningPiece, TextPiece, Waiting
from sessions.settings import AgentSettings, Settings
from sessions.tools.base import ContextBlock, Tool, ToolResult
from tests.sessions.agent.scripted import SESSION, KeptLog, Scripted, agent, calls, echo, end, of, run, says, tool


def facts(kind: Any, *fact: tuple[str, int], **more: Any) -> Any:
    names, numbers = tuple(n for n, _ in fact), tuple(n for _, n in fact)
    return kind(session="", names=names, numbers=numbers, summaries=tuple(n.title() for n in names), **more)


async def test_a_plain_answer_is_told_and_logged_and_the_turn_ends_on_the_disk() -> None:
    log = KeptLog()
    model = Scripted([TextPiece("Hel"), TextPiece("lo"), Finished("stop", usage=Usage(10, 2))])
    events = await run(agent(model, log=log), "Hi", typed=[(0, 2)])
    assert [type(e).__name__ for e in events] == [
        *("TurnStarted", "StepStarted", "TextDelta", "TextDelta", "StepFinished", "TurnFinished")
    ]
    assert end(events).text == "Hello" and end(events).usage == Usage(10, 2)
    user, answer, last = (record for record, _ in log.lines)
    assert isinstance(user, UserMessage) and user.typed == ((0, 2),) and user.turn == 1
    assert isinstance(answer, AssistantMessage) and answer.content == "Hello" and answer.profile == "test"
    assert isinstance(last, Marker) and last.kind == "turn_end" and last.data["stop"] == "stop"
    assert [sync for _, sync in log.lines] == [False, False, True]
    assert events[0].message == user.id  # type: ignore[union-attr]


async def test_calls_run_at_once_events_come_as_they_come_and_results_are_logged_in_call_order() -> None:
    first, log = asyncio.Event(), KeptLog()

    async def slow(arguments: dict[str, Any], context: Any) -> str:
        context.progress("half")
        await first.wait()
        return "slow done"

    def quick(arguments: dict[str, Any], context: Any) -> str:
        first.set()
        return "quick done"

    model = Scripted([calls(("slow", {}), ("quick", {}))], says("Both."))
    events = await run(agent(model, log=log, tools=[tool("slow", slow), tool("quick", quick)]), "go")
    assert [e.name for e in of(ToolCallFinished, events)] == ["quick", "slow"]
    assert [e.text for e in of(ToolCallDelta, events)] == ["half"]
    assert [r.name for r in of(ToolMessage, (r for r, _ in log.lines))] == ["slow", "quick"]
    kinds = [type(r).__name__ for r, _ in log.lines]
    assert kinds == ["UserMessage", "AssistantMessage", "ToolMessage", "ToolMessage", "AssistantMessage", "Marker"]
    sent = model.requests[1].messages
    assert [type(m).__name__ for m in sent] == ["UserMessage", "AssistantMessage", "ToolMessage", "ToolMessage"]


async def test_every_trouble_with_a_tool_becomes_text_for_the_model() -> None:
    def broken(arguments: dict[str, Any], context: Any) -> str:
        raise ValueError("no such city" + "!" * 100_000)

    async def forever(arguments: dict[str, Any], context: Any) -> str:
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                if done.is_set():
                    raise

    done = asyncio.Event()
    settings = Settings(agent=AgentSettings(tool_timeout_s=0.05))
    tools = [tool("broken", broken), tool("forever", forever), echo()]
    asked = calls(("broken", {}), ("forever", {}), ("nothing", {}), ("echo", "{oops"), ("echo", {"text": ["x"]}))
    events = await run(agent(Scripted([asked], says("ok")), tools=tools, settings=settings), "go")
    done.set()
    said = {e.call_id: e for e in of(ToolCallFinished, events)}
    texts = [said[c.call_id].content for c in of(ToolCallStarted, events)]
    assert not any(e.ok for e in said.values())
    assert "no such city" in texts[0] and len(texts[0]) < 2_100
    assert "did not answer within 0.05 s" in texts[1]
    assert "broken, forever, echo" in texts[2]
    assert "{oops" in texts[3]
    assert "text must be of type string" in texts[4]
    assert end(events).stop == "stop"


async def test_the_same_call_three_times_in_a_row_stops_the_turn() -> None:
    ran: list[int] = []
    again = [calls(("poll", {"a": 1, "b": 2}))]
    turned = [calls(("poll", {"b": 2, "a": 1}))]
    model = Scripted(again, turned, again, says("never"))
    made = agent(model, tools=[tool("poll", lambda *_: ran.append(1) or "no")])
    events = await run(made, "go")
    assert end(events).stop == "repeat" and len(ran) == 2
    assert of(ToolCallFinished, events)[-1].content == REPEATED
    assert "poll" in of(Notice, events)[0].text
    model.steps.insert(0, says("fine"))
    assert end(await run(made, "and now?")).text == "fine"


async def test_five_equal_calls_in_one_message_are_no_repetition() -> None:
    model = Scripted([calls(*[("echo", {"text": "x"})] * 5)], says("ok"))
    events = await run(agent(model, tools=[echo()]), "go")
    assert end(events).stop == "stop" and len(of(ToolCallFinished, events)) == 5
    assert len({e.call_id for e in of(ToolCallStarted, events)}) == 5


async def test_the_step_limit_is_said_plainly() -> None:
    settings = Settings(agent=AgentSettings(max_steps=2))
    model = Scripted(*[[calls(("echo", {"text": str(i)}))] for i in range(5)])
    events = await run(agent(model, tools=[echo()], settings=settings), "go")
    assert end(events).stop == "max_steps" and len(model.requests) == 2
    assert "after 2 steps" in of(Notice, events)[0].text


CUT_BY_MODEL, GO_ON = "The answer was cut: the model's limit was reached", 'Send "go on" for the rest'


async def test_an_answer_cut_at_the_limit_ends_with_length() -> None:
    events = await run(agent(Scripted([TextPiece("half a"), Finished("length")])), "go")
    assert end(events).stop == "length"
    assert [n.text for n in of(Notice, events)] == [f"{CUT_BY_MODEL}. {GO_ON}"]
    events = await run(agent(Scripted([TextPiece("half a"), Finished("length", cut="Too much came")])), "go")
    assert [n.text for n in of(Notice, events)] == [f"Too much came. {GO_ON}"]


async def test_a_provider_error_keeps_the_part_that_came_and_says_what_to_do() -> None:
    log = KeptLog()
    model = Scripted(
        [Waiting("busy", 1.0, 1), TextPiece("Half"), ProviderError("http://x broke off", "Start it")], says("ok")
    )
    made = agent(model, log=log)
    events = await run(made, "go")
    last = events[-1]
    assert isinstance(last, TurnFailed) and (last.error, last.advice) == ("http://x broke off", "Start it")
    assert of(Retrying, events)[0].reason == "busy"
    partial, marker = (r for r, _ in log.lines[-2:])
    assert isinstance(partial, AssistantMessage) and (partial.content, partial.stop) == ("Half", "error")
    assert isinstance(marker, Marker) and marker.data["error"] == "http://x broke off"
    assert end(await run(made, "again")).text == "ok"


async def test_a_stream_that_ends_without_a_finish_and_one_that_says_nothing_are_told() -> None:
    class Cut(Scripted):
        async def stream(self, request: Any) -> Any:
            yield TextPiece("Half")

    assert isinstance((await run(agent(Cut()), "go"))[-1], TurnFailed)
    events = await run(agent(Scripted([Finished("stop")])), "go")
    assert end(events).stop == "stop" and "empty answer" in of(Notice, events)[0].text


async def test_an_unexpected_error_fails_the_turn_and_is_reported() -> None:
    reports: list[Exception] = []
    events = await run(agent(Scripted([KeyError("choices")]), report=reports.append), "go")
    assert isinstance(events[-1], TurnFailed) and "choices" in events[-1].error
    assert isinstance(reports[0], KeyError)


async def test_a_log_that_cannot_be_written_fails_the_turn_instead_of_hanging() -> None:
    class Full(MemoryLog):
        def append(self, record: Record, *, sync: bool = False) -> Record:
            raise StoreError("The session's log cannot be written", "Free some space")

    events = await run(agent(Scripted(says("x")), log=Full(), report=lambda e: None), "go")
    assert isinstance(events[-1], TurnFailed) and events[-1].advice == "Free some space"


async def test_what_tools_do_to_facts_is_told_and_logged_under_the_call() -> None:
    def save(arguments: dict[str, Any], context: Any) -> ToolResult:
        gone = facts(FactDeleted, ("c", 3))
        return ToolResult("saved", events=(facts(FactWritten, ("a", 1), ("b", 2), op="updated"), gone))

    def recall(arguments: dict[str, Any], context: Any) -> ToolResult:
        return ToolResult("1 a", events=(facts(FactsRecalled, ("a", 1), ("b", 2)),))

    log = KeptLog()
    model = Scripted([calls(("save", {}))], [calls(("recall", {}))], says("ok"))
    events = await run(agent(model, log=log, tools=[tool("save", save), tool("recall", recall)]), "go")
    written = of(FactWritten, events)
    assert [(e.names, e.op, e.session, e.turn) for e in written] == [
        (("a",), "updated", SESSION, 1),
        (("b",), "updated", SESSION, 1),
    ]
    markers = [r for r, _ in log.lines if isinstance(r, Marker) and r.kind == "fact"]
    assert [m.data["op"] for m in markers] == ["updated", "updated", "deleted"]
    call = of(ToolCallStarted, events)[0].call_id
    assert markers[0].data == {"op": "updated", "name": "a", "number": 1, "summary": "A", "call_id": call, "turn": 1}
    shown = of(ToolMessage, (r for r, _ in log.lines))[1]
    assert (shown.facts, shown.fact_numbers) == (("a", "b"), (1, 2))


async def test_the_log_reaches_the_disk_before_a_tool_with_side_effects() -> None:
    log = KeptLog()
    seen: list[bool] = []
    risky = tool("risky", lambda *_: seen.append(log.lines[-1][1]) or "ok", side_effects=True)
    await run(agent(Scripted([calls(("risky", {}))], says("done")), log=log, tools=[risky]), "go")
    assert seen == [True]


class Facts:
    """A source of one always-sent fact and a recall tool."""

    def __init__(self) -> None:
        self.news = ""

    def fit(self, chars: int, short: bool) -> None:
        pass

    def block(self) -> ContextBlock:
        return ContextBlock("FACTS: 1 lives-in-tokyo", 1)

    def tools(self) -> list[Tool]:
        return [echo("recall_memory")]

    def changed(self) -> str:
        return self.news


async def test_the_prefix_stays_byte_for_byte_while_the_environment_goes_to_the_newest_turn() -> None:
    source = Facts()
    model = Scripted(*[[calls(("recall_memory", {"text": str(i)}))] if i % 2 else says(f"a{i}") for i in range(1, 21)])
    made = agent(model, sources=[source])
    for i in range(10):
        source.news = "Changed since: 2 x" if i >= 5 else ""
        await run(made, f"question {i}")
    for before, after in zip(model.requests, model.requests[1:], strict=False):
        assert (before.system, before.tools) == (after.system, after.tools)
        assert after.messages[: len(before.messages)] == before.messages
    assert model.requests[0].environment.startswith("Today: 2026-11-29 (Sunday), ")
    assert "Changed since" in model.requests[-1].environment
    assert "FACTS: 1 lives-in-tokyo" in model.requests[0].system


async def test_memory_off_hides_its_tools_its_earlier_calls_and_marks_what_is_said() -> None:
    mode: list[Any] = ["on"]
    log = KeptLog()
    model = Scripted([calls(("recall_memory", {"text": "tokyo"}))], says("You live there."), says("No idea."))
    made = agent(model, log=log, sources=[Facts()], mode=lambda: mode[0])
    await run(made, "where?")
    mode[0] = "off"
    await run(made, "and now?")
    assert [t.name for t in model.requests[1].tools] == ["recall_memory"]
    off = model.requests[2]
    assert off.tools == ()
    call, result = off.messages[1], off.messages[2]
    assert isinstance(call, AssistantMessage) and call.tool_calls[0].arguments == {}
    assert "tokyo" not in result.content
    assert [r.memory for r, _ in log.lines if isinstance(r, UserMessage)] == [None, "off"]


async def test_too_long_for_the_model_goes_again_with_what_was_earlier_in_short() -> None:
    model = Scripted(*[says("word " * 200) for _ in range(5)])
    made = agent(model)
    for i in range(5):
        await run(made, f"question {i}")
    refuse = ProviderError("too long", too_long=True)
    model.steps = [[refuse], says("Five questions."), says("Fits.")]
    events = await run(made, "and now?")
    assert end(events).text == "Fits." and of(Retrying, events)
    assert [r.purpose for r in model.requests[-3:]] == ["chat", "compact", "chat"]
    assert model.requests[-1].summary == "Five questions."
    assert len(model.requests[-1].messages) < len(model.requests[-3].messages)
    assert model.requests[-1].messages[-1].content == "and now?"
    assert len(of(StepFinished, events)) == 1
    model.steps = [[refuse]] * 20
    failed = (await run(made, "still?"))[-1]
    assert isinstance(failed, TurnFailed) and "longer than the model's window" in failed.error
    assert 3 <= 20 - len(model.steps) <= 12, "never an endless try"


async def test_settings_switch_tools_off_and_replace_the_system_prompt() -> None:
    settings = replace(
        Settings(agent=AgentSettings(system_prompt="Be a pirate.")), tools=replace(Settings().tools, off=("echo",))
    )
    model = Scripted(says("Arr."))
    await run(agent(model, tools=[echo(), echo("other")], settings=settings), "go")
    assert model.requests[0].system == "Be a pirate."
    assert [t.name for t in model.requests[0].tools] == ["other"]


async def test_reasoning_is_told_kept_and_timed() -> None:
    log = KeptLog()
    await run(agent(Scripted([ReasoningPiece("hm"), TextPiece("Yes.")]), log=log), "go")
    answer = of(AssistantMessage, (r for r, _ in log.lines))[0]
    assert answer.reasoning == "hm" and answer.reasoning_ms is not None and answer.first_token_ms is not None
