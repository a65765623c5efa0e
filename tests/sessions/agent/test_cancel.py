from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest

from sessions.agent.turn import STOPPED
from sessions.events import Event, TextDelta, ToolCallFinished, TurnStarted
from sessions.messages import AssistantMessage, Marker, ToolMessage, UserMessage
from sessions.providers.base import TextPiece
from tests.sessions.agent.scripted import KeptLog, Scripted, agent, calls, echo, end, of, run, says, tool
from tests.waiting import until

# Far below any of the waits that a stop must not sit out, and far above what a busy machine adds.
SOON_S = 0.5


@pytest.mark.parametrize("way", ["cancel", "close", "task"])
async def test_a_stopped_answer_keeps_what_came_and_the_next_request_is_valid(way: str) -> None:
    log, model = KeptLog(), Scripted([TextPiece("Part of"), asyncio.Event()], says("Whole."))
    made = agent(model, log=log)
    events: list[Event] = []

    async def consume() -> None:
        turn = made.turn("go")
        try:
            async for event in turn:
                events.append(event)
        finally:
            await turn.aclose()

    task = asyncio.create_task(consume())
    await until(lambda: of(TextDelta, events), "the first words")
    start = time.monotonic()
    if way == "cancel":
        made.cancel()
        await task
        assert end(events).stop == "cancelled" and end(events).text == "Part of"
    else:
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert time.monotonic() - start < SOON_S
    partial, marker = (r for r, _ in log.lines[-2:])
    assert isinstance(partial, AssistantMessage) and (partial.content, partial.stop) == ("Part of", "cancelled")
    assert isinstance(marker, Marker) and marker.data["stop"] == "cancelled" and log.lines[-1][1]
    assert model.streaming == 0
    assert end(await run(made, "again")).text == "Whole."


async def test_a_provider_and_a_thread_that_hang_do_not_hold_up_the_stop() -> None:
    free = threading.Event()

    class Deaf(Scripted):
        async def stream(self, request: Any) -> Any:
            yield TextPiece("x")
            while not free.is_set():
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    if free.is_set():
                        raise

    made = agent(Deaf())
    turn = made.turn("go")
    events: list[Event] = []

    async def consume() -> None:
        async for event in turn:
            events.append(event)

    task = asyncio.create_task(consume())
    await until(lambda: of(TextDelta, events), "a word")
    start = time.monotonic()
    made.cancel()
    await task
    assert time.monotonic() - start < SOON_S and end(events).stop == "cancelled"

    blocked = threading.Event()

    def block() -> str:
        blocked.set()
        free.wait(20)
        return "late"

    async def threaded(arguments: dict[str, Any], context: Any) -> str:
        return await asyncio.to_thread(block)

    log = KeptLog()
    made = agent(
        Scripted([calls(("block", {}), ("echo", {"text": "x"}))]), log=log, tools=[tool("block", threaded), echo()]
    )
    events.clear()
    turn = made.turn("go")
    task = asyncio.create_task(consume())
    await until(lambda: blocked.is_set() and of(ToolCallFinished, events), "the tool in its thread")
    start = time.monotonic()
    made.cancel()
    await task
    assert time.monotonic() - start < SOON_S
    free.set()
    results = of(ToolMessage, (r for r, _ in log.lines))
    assert [(r.name, r.ok, r.content) for r in results] == [("block", False, STOPPED), ("echo", True, "echo x")]


async def test_a_turn_stopped_before_it_ran_is_still_in_the_log() -> None:
    log = KeptLog()
    made = agent(Scripted(says("never")), log=log)
    turn = made.turn("go")
    waiting = asyncio.ensure_future(anext(turn))
    asyncio.get_running_loop().call_soon(made.cancel)
    events = [await waiting, *[event async for event in turn]]
    assert isinstance(events[0], TurnStarted) and end(events).stop == "cancelled"
    assert isinstance(log.lines[0][0], UserMessage)
