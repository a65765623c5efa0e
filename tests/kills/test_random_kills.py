from __future__ import annotations

import json
import random
import re
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sessions.agent.repair import NO_RESULT
from sessions.clock import FixedClock
from sessions.memory.store import FactStore
from sessions.messages import AssistantMessage, Marker, ToolMessage, UserMessage
from sessions.paths import HomePaths
from sessions.store.catalog import Catalog
from sessions.store.index import Index
from sessions.store.log import LogRead, read_log
from tests.kills.harness import THOROUGH
from tests.kills.in_pty import InPty
from tests.servers.chat_server import ChatServer, Pause, Reply, calls, text
from tests.sessions.memory.homes import NOW
from tests.waiting import wait_until

KILLS = 20 if THOROUGH else 6
HOMES = 2
WORDS = " ".join(f"word{n}" for n in range(400))
TURNS = 1.5
"""Kills come within this many times the length of a turn; in every other round the answer waits for them in its middle,
so that some come in a turn on any machine."""


class Teller(ChatServer):
    """Saves what the person said, calls another tool beside it, then talks; what it says follows from the request."""

    def __init__(self) -> None:
        super().__init__()
        self._http.handle_error = lambda *_: None  # a killed client's connection is no error of the server's
        self.holds = False
        """Answers stop in their middle until the client is gone."""

    def next_reply(self, body: dict[str, Any]) -> Reply:
        super().next_reply(body)
        messages = body["messages"]
        if messages[-1]["role"] == "tool":
            answer = text(WORDS)
            steps = list(answer.steps)
            return Reply([*steps[:200], Pause(), *steps[200:]]) if self.holds else answer
        number = re.findall(r"friend (\d+) lives", messages[-1]["content"])[-1]
        fact = {"name": f"friend-{number}", "summary": f"Friend {number} lives in Oslo", "kind": "contact"}
        save = fact | {"quote": f"friend {number} lives in Oslo"}
        return calls(("save_memory", save), ("recall_memory", {"query": "Oslo"}), said=WORDS)

    def sent(self) -> list[dict[str, Any]]:
        """Every message of every request."""
        return [m for body in list(self.requests) for m in body["messages"]]


def one_home(home: Path, kills: int, seed: int) -> int:
    """Kill the program again and again in one session; gives how many kills came before the turn's end."""
    chance = random.Random(seed)
    paths = HomePaths(home, home / "config.toml")
    session, early, turn_s = "", 0, 0.0
    with Teller() as server:
        home.mkdir()
        profile = f'[agent]\nprofile = "p"\n[profiles.p]\ntype = "openai"\nbase_url = "{server.url}"\nmodel = "m"\n'
        paths.config.write_text(profile)
        for round_ in range(1, kills + 1):
            before = paths.session_log(session).read_bytes() if session else b""
            asked = len(server.requests)
            server.holds = round_ % 2 == 0
            with closing(Killed(InPty("--resume" if session else "--new", *[session] * bool(session), home=home))) as p:
                say(p.program, server, f"My friend {round_} lives in Oslo.", asked)
                if turn_s:
                    wait_for(chance.uniform(0, TURNS * turn_s))
                else:
                    turn_s = measured(paths)
            assert server.problems == []
            logs = sorted(paths.sessions.glob("*.jsonl"))
            assert len(logs) == 1, "every start took up the same session"
            session = logs[0].name.removesuffix(".jsonl")
            read = read_log(logs[0])
            assert logs[0].read_bytes().startswith(before), "what stood there stays"
            early += check_log(read, server, round_)
        check_facts(paths, kills)
        check_derived(paths, session, kills)
    return early


class Killed:
    """Kills the program at the end, whatever happened."""

    def __init__(self, program: InPty) -> None:
        self.program = program

    def close(self) -> None:
        self.program.kill()


def say(program: InPty, server: Teller, words: str, asked: int) -> None:
    """Write and send a message; it is on its way when the server was asked."""
    wait_until(lambda: program.shows("Ask anything"), "the program shows itself", 60)
    program.type(words)
    wait_until(lambda: program.shows("Oslo."), "the words are in the composer", 60)
    program.type("\r")
    wait_until(lambda: len(server.requests) > asked, "the server is asked", 60)


def measured(paths: HomePaths) -> float:
    """Seconds from now until the first turn is over: as long as a turn takes on this machine."""
    start = time.monotonic()
    wait_until(lambda: any(b"turn_end" in p.read_bytes() for p in paths.sessions.glob("*.jsonl")), "a turn's end", 60)
    return time.monotonic() - start


def wait_for(moment_s: float) -> None:
    end = time.monotonic() + moment_s
    wait_until(lambda: time.monotonic() >= end, "the moment has come")


def check_log(read: LogRead, server: Teller, rounds: int) -> bool:
    """All that any request told was in the log before it; nothing else is wrong than lines that a kill cut off."""
    assert len(read.problems) <= rounds, "a kill tears one line at most"
    said = [r.content for r in read.records if isinstance(r, UserMessage)]
    assert said == [f"My friend {n} lives in Oslo." for n in range(1, rounds + 1)], "no message is lost or twice"
    assert len({r.id for r in read.records}) == len(read.records)
    answers = {r.content for r in read.records if isinstance(r, AssistantMessage)}
    calls_ = [c.arguments for r in read.records if isinstance(r, AssistantMessage) for c in r.tool_calls]
    results = {r.content for r in read.records if isinstance(r, ToolMessage)}
    for message in server.sent():
        match message["role"]:
            case "assistant":
                assert not message.get("content") or message["content"] in answers
                for call in message.get("tool_calls", []):
                    assert json.loads(call["function"]["arguments"]) in calls_
            case "tool":
                assert message["content"] in results | {NO_RESULT}
    last = read.records[-1]
    return not (isinstance(last, Marker) and last.kind == "turn_end")


def check_facts(paths: HomePaths, rounds: int) -> None:
    """What the model saved is whole and stays the model's."""
    store = FactStore(paths, FixedClock(NOW))
    assert store.reconcile() == [], "no write of the model's looks like a person's"
    snapshot = store.snapshot()
    assert snapshot.broken == ()
    numbers = [f.number for f in snapshot.facts]
    assert len(set(numbers)) == len(numbers)
    assert {f.name for f in snapshot.facts} <= {f"friend-{n}" for n in range(1, rounds + 1)}
    for fact in snapshot.facts:
        assert {e.by.origin for e in store.history(fact.number)} | {fact.source.origin} == {"model"}
    told = {
        r.data["name"]
        for log in paths.sessions.glob("*.jsonl")
        for r in read_log(log).records
        if isinstance(r, Marker) and r.kind == "fact"
    }
    assert told <= {f.name for f in snapshot.facts}, "a fact that the log names is there"


def check_derived(paths: HomePaths, session: str, rounds: int) -> None:
    """The list and the index come out of the log as if nothing had happened."""
    catalog, index = Catalog(paths, FixedClock(NOW)), Index(paths, FixedClock(NOW))
    (meta,) = catalog.list()
    assert (meta.id, meta.turns) == (session, rounds)
    index.catch_up()
    assert {hit.session for hit in index.search(f"friend {rounds} lives in Oslo")} == {session}
    index.close()


@pytest.mark.timeout(600)
def test_kills_at_random_moments_lose_nothing_and_the_session_goes_on(tmp_path: Path) -> None:
    with ThreadPoolExecutor(HOMES) as pool:
        each = [KILLS // HOMES] * HOMES
        homes = [tmp_path / str(n) / "home" for n in range(HOMES)]
        for home in homes:
            home.parent.mkdir()
        early = list(pool.map(one_home, homes, each, range(HOMES)))
    assert 0 < sum(early) < KILLS, "some kills come in a turn and some after it"
