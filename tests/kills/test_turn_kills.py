from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sessions.agent.agent import Agent
from sessions.agent.logs import NewLog
from sessions.agent.replay import replay
from sessions.clock import FixedClock
from sessions.events import TurnFailed, TurnFinished, TurnStarted
from sessions.home import Home
from sessions.messages import AssistantMessage, Marker, Record, ToolMessage, UserMessage
from sessions.store.log import LogWriter, read_log
from tests.kills.harness import deaths
from tests.sessions.agent.scripted import SESSION, Scripted, calls, echo, run, says

TURN = """
import asyncio, sys
from pathlib import Path
from tests.kills.test_turn_kills import one_turn
asyncio.run(one_turn(Path(sys.argv[1])))
"""
SAVE = {"name": "lives-in-tokyo", "summary": "Lives in Tokyo", "kind": "preference", "quote": "I live in Tokyo"}


def home_in(folder: Path) -> Home:
    return Home(folder, env={}, clock=FixedClock(datetime(2026, 11, 29, 17, 14, tzinfo=UTC)))


def agent_in(home: Home, model: Scripted, log: Any, records: list[Record]) -> Agent:
    sources = home.sources(home.paths.root, lambda: "on")
    return Agent(model, log, records, sources, [echo()], home.settings, home.clock, SESSION, home.paths.root)


async def one_turn(folder: Path) -> None:
    """A first message that saves a fact and calls another tool beside it."""
    home = home_in(folder)
    model = Scripted(
        [*says("I note "), *says("it. "), calls(("save_memory", SAVE), ("echo", {"text": "x"}))], says("Ok.")
    )
    first = Marker("m0", "2026-11-29T17:14:00.000Z", "session", {"cwd": str(folder)})
    log = NewLog(home.paths, SESSION, first)
    await run(agent_in(home, model, log, []), "I live in Tokyo")
    log.close()


def shape(record: Record) -> str:
    return f"marker {record.kind}" if isinstance(record, Marker) else type(record).__name__


BEGINNING = ["marker session", "UserMessage", "AssistantMessage"]
REST = {"marker fact", "ToolMessage", "AssistantMessage", "marker turn_end"}


@pytest.mark.timeout(400)
def test_a_kill_at_any_operation_of_a_turn_leaves_a_session_that_goes_on_and_a_fact_of_the_models(
    tmp_path: Path,
) -> None:
    lengths: set[int] = set()
    for n in deaths(TURN, lambda n: (str(tmp_path / str(n)),)):
        home = home_in(tmp_path / str(n))
        assert home.facts.reconcile() == []
        for fact in home.facts.snapshot().facts:
            assert {e.by.origin for e in home.facts.history(fact.name)} | {fact.source.origin} == {"model"}, n
        path = home.paths.session_log(SESSION)
        if not path.exists():
            continue
        read = read_log(path)
        assert [p.why for p in read.problems] in ([], ["the last line is unfinished"])
        kinds = [shape(r) for r in read.records]
        assert kinds[:3] == BEGINNING[: len(kinds)] and set(kinds[3:]) <= REST
        lengths.add(len(kinds))
        goes_on(home, read.records, len(kinds))
    # The fact and the log are written by two threads, so a run may pass over one length.
    assert len(lengths) >= 7 and {1, 2, 3, 8} <= lengths <= set(range(1, 9))


def goes_on(home: Home, before: list[Record], lines: int) -> None:
    """The next message is answered, with all that was said before in its request, and the log replays whole."""
    model = Scripted(says("Still here."))
    log = LogWriter.open(home.paths, SESSION, wait_s=0)
    events = asyncio.run(run(agent_in(home, model, log, before), "and now?"))
    log.close()
    assert isinstance(events[-1], TurnFinished) and events[-1].text == "Still here."
    sent = {m.id for m in model.requests[0].messages}
    assert {r.id for r in before if isinstance(r, UserMessage | AssistantMessage | ToolMessage)} <= sent
    records = read_log(home.paths.session_log(SESSION)).records
    assert len(records) == lines + 3
    told = list(replay(records, SESSION))
    ends = [e for e in told if isinstance(e, TurnFinished | TurnFailed)]
    assert len(ends) == len([e for e in told if isinstance(e, TurnStarted)])
