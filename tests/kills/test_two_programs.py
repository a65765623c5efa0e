from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sessions.clock import FixedClock
from sessions.memory.fact import parse_fact
from sessions.memory.store import FactStore
from sessions.messages import Marker, UserMessage
from sessions.paths import HomePaths
from sessions.store.catalog import Catalog
from sessions.store.index import Index
from sessions.store.log import read_log
from tests.kills.harness import THOROUGH
from tests.program import environment
from tests.sessions.memory.homes import NOW

MANY = 200 if THOROUGH else 40
ROOT = str(Path(__file__).resolve().parents[2])
SAYS = "remember that the {0} shelf number {1} holds {1} maps"

ASKS = f"""
import contextlib, io, json, sys
from tui.__main__ import main

session = []
print("ready", flush=True)
sys.stdin.readline()
for n in range({MANY}):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["ask", "--json", {SAYS!r}.format("red", n), *session])
    assert code == 0, (n, code, out.getvalue(), err.getvalue())
    session = ["--session", json.loads(out.getvalue().splitlines()[0])["session"]]
print(session[1], flush=True)
"""
WORKBENCH = f"""
import asyncio, sys
from pathlib import Path
from sessions.events import TurnFailed, TurnFinished
from sessions.home import Home
from sessions.hub import SessionHub

async def talk():
    async with SessionHub(Home()) as hub:
        state = await hub.new(Path.cwd())
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        async with hub.subscribe(state.id) as events:
            for n in range({MANY}):
                await hub.send(state.id, {SAYS!r}.format("blue", n))
                async for event in events:
                    assert not isinstance(event, TurnFailed), event
                    if isinstance(event, TurnFinished):
                        break
        print(state.id, flush=True)

asyncio.run(talk())
"""


def two_write(home: Path) -> tuple[HomePaths, dict[str, str]]:
    """Let two programs write into a home at once; gives the session of each, by the colour that it spoke of."""
    programs = {
        colour: subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(home) | {"PYTHONPATH": ROOT},
        )
        for colour, code in (("red", ASKS), ("blue", WORKBENCH))
    }
    for program in programs.values():
        assert program.stdout.readline() == "ready\n", program.communicate()
    for program in programs.values():
        program.stdin.write("\n")
        program.stdin.flush()
    sessions = {}
    for colour, program in programs.items():
        out, err = program.communicate(timeout=500)
        assert (program.returncode, err) == (0, ""), err
        sessions[colour] = out.strip()
    return HomePaths(home, home / "config.toml"), sessions


def every_message_is_in_its_log_in_order(paths: HomePaths, sessions: dict[str, str]) -> None:
    assert {p.name for p in paths.sessions.glob("*.jsonl")} == {f"{s}.jsonl" for s in sessions.values()}
    for colour, session in sessions.items():
        read = read_log(paths.session_log(session))
        assert read.problems == []
        said = [r.content for r in read.records if isinstance(r, UserMessage)]
        assert said == [SAYS.format(colour, n) for n in range(MANY)]
        ends = [r.data["stop"] for r in read.records if isinstance(r, Marker) and r.kind == "turn_end"]
        assert ends == ["stop"] * MANY


def every_fact_is_there_with_a_number_of_its_own(paths: HomePaths, sessions: dict[str, str]) -> None:
    store = FactStore(paths, FixedClock(NOW))
    assert store.reconcile() == [], "no write looks like a person's"
    snapshot = store.snapshot()
    assert snapshot.broken == ()
    shelves = sorted(
        m.groups() for f in snapshot.facts if (m := re.search(r"(red|blue) shelf number (\d+)", f.summary))
    )
    assert shelves == sorted((colour, str(n)) for colour in sessions for n in range(MANY))
    assert len(snapshot.facts) == 2 * MANY
    assert sorted(f.number for f in snapshot.facts) == list(range(1, 2 * MANY + 1)), "no number twice, none lost"
    assert len({f.id for f in snapshot.facts}) == 2 * MANY
    told = [
        (r.data["name"], r.data["number"])
        for session in sessions.values()
        for r in read_log(paths.session_log(session)).records
        if isinstance(r, Marker) and r.kind == "fact"
    ]
    assert sorted(told) == sorted((f.name, f.number) for f in snapshot.facts)


def no_file_is_torn(paths: HomePaths) -> None:
    for file in paths.user_facts.iterdir():
        assert parse_fact(file.read_text(encoding="utf-8"), file).status == "active"
    (journal,) = paths.journal.glob("*.jsonl")
    entries = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
    assert [e["action"] for e in entries] == ["created"] * 2 * MANY
    assert len({e["op"] for e in entries}) == 2 * MANY
    listed = paths.memory_md.read_text(encoding="utf-8")
    assert all(f"shelf number {n} holds" in listed for n in range(MANY))
    assert list(paths.root.rglob("*.tmp")) == []


def the_list_and_the_search_know_both_sessions(paths: HomePaths, sessions: dict[str, str]) -> None:
    catalog, index = Catalog(paths, FixedClock(NOW)), Index(paths, FixedClock(NOW))
    assert {m.id: m.turns for m in catalog.list()} == dict.fromkeys(sessions.values(), MANY)
    index.catch_up()
    for colour, session in sessions.items():
        assert session in {hit.session for hit in index.search(f"{colour} shelf {MANY - 1}")}
    index.close()


@pytest.mark.timeout(600)
def test_two_programs_that_write_many_facts_and_messages_each_into_one_home_lose_and_tear_nothing(
    tmp_path: Path,
) -> None:
    paths, sessions = two_write(tmp_path / "home")
    every_message_is_in_its_log_in_order(paths, sessions)
    every_fact_is_there_with_a_number_of_its_own(paths, sessions)
    no_file_is_torn(paths)
    the_list_and_the_search_know_both_sessions(paths, sessions)
