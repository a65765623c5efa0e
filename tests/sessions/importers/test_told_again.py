"""Of a session that is followed line by line, what was told again counts once, and what is gone there does not."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from sessions.clock import FixedClock, parse_iso
from sessions.home import Home
from sessions.importers.claude_code import READER
from sessions.importers.taking import Taking
from sessions.messages import AssistantMessage, Marker, ToolMessage
from sessions.paths import HomePaths
from sessions.store import taken_back
from sessions.store.hits import Hit
from sessions.store.log import LogWriter, read_log
from tests.sessions.importers import codex_files
from tests.sessions.importers.claude_files import Chain, call
from tests.sessions.importers.test_claude_agents import agent_file
from tests.sessions.store.records import answer, first, user
from tests.sessions.store.records import home as home_at

CLOCK = FixedClock(parse_iso("2026-11-30T10:00:00Z"))  # type: ignore[arg-type]
C1, C2 = "toolu_0000000000000000000001", "toolu_0000000000000000000002"


@pytest.fixture
def paths(tmp_path: Path) -> HomePaths:
    return home_at(tmp_path / "home")


@pytest.fixture
def home(paths: HomePaths) -> Home:
    return Home(paths, env={}, clock=CLOCK)


def taken(paths: HomePaths, chain: Chain, folder: Path) -> str:
    """The session, brought to what the file says with these lines."""
    source = READER.at(chain.write(folder / "claude"))
    assert source is not None
    return Taking(paths, CLOCK).take(READER, source).session


def found(home: Home, words: str) -> list[Hit]:
    home.index.catch_up()
    return [hit for hit in home.index.search(words, limit=50) if hit.role in {"user", "assistant", "tool"}]


def held(home: Home) -> list[Any]:
    """All that the index has of the words, but for the numbers of sessions and the time of a title."""
    (path,) = home.paths.local.glob("index-*.sqlite")
    tables = {
        "rows WHERE message != ''": "message, turn, role, at, text",
        "terms": "term, docs",
        "postings": "grp & 3, term, tf, docs",
        "groups WHERE id & 3 != 2": "id & 3, docs, length, first, last",
        "shapes": "id & 3, docs",
        "unmeant": "id & 1048575",
    }
    with sqlite3.connect(path) as db:
        return [sorted(db.execute(f"SELECT {columns} FROM {table}")) for table, columns in tables.items()]


def made_anew_it_is_the_same(home: Home) -> None:
    grown = held(home)
    home.index.close()
    for path in home.paths.local.glob("index-*"):
        path.unlink()
    home.index.catch_up()
    assert held(home) == grown


def an_answer_with_two_calls() -> Chain:
    chain = Chain()
    chain.user("u1", "Please fix the walrus")
    chain.answer("a1", "Let me inspect the gannet first", id="m1", usage={"input_tokens": 7, "output_tokens": 3})
    chain.answer("a2", call(C1), id="m1")
    chain.answer("a3", call(C2), id="m1")
    chain.result("r1", (C1, "herons"), under="a2")
    chain.result("r2", (C2, "storks"), under="a3")
    chain.answer("a4", "The puffin is mended", id="m2", stop="end_turn")
    return chain


def line_by_line(paths: HomePaths, home: Home, whole: Chain, folder: Path) -> str:
    growing, session = Chain(), ""
    for line in whole.lines:
        growing.lines.append(line)
        session = taken(paths, growing, folder)
        home.index.catch_up()
    return session


def test_an_answer_that_grows_by_lines_is_found_and_counted_once(paths: HomePaths, home: Home, tmp_path: Path) -> None:
    session = line_by_line(paths, home, an_answer_with_two_calls(), tmp_path)
    for word in ("walrus", "gannet", "herons", "storks", "puffin"):
        assert len(found(home, word)) == 1, word
    (hit,) = found(home, "gannet")
    assert hit.message == "a1~3", "the one that counts"
    meta = home.catalog.get(session)
    assert meta is not None
    assert (meta.messages, meta.turns, meta.tokens) == (5, 1, {"input": 7, "output": 3})
    made_anew_it_is_the_same(home)


def test_a_sub_agent_that_speaks_in_the_background_does_not_have_the_rest_told_again(
    paths: HomePaths, home: Home, tmp_path: Path
) -> None:
    chain, inner = Chain(), Chain(isSidechain=True, agentId="one")
    chain.user("u1", "Run it in the background")
    chain.answer("a1", call(C1, "Task", prompt="Count"), id="m1")
    chain.result("r1", (C1, "started"))
    inner.user("s0", "Count")
    path = chain.write(tmp_path / "claude")
    session, turns = "", 12
    for n in range(turns):
        chain.user(f"q{n}", f"And the walrus{n}?")
        chain.answer(f"b{n}", f"The puffin{n} sleeps", id=f"n{n}", stop=None)
        inner.answer(f"s{n}a", f"Looking {n}", call(f"toolu_1000000000000000000{n:03}"), id=f"i{n}")
        agent_file(path, "one", inner, toolUseId=C1)
        taken(paths, chain, tmp_path)
        inner.result(f"s{n}r", (f"toolu_1000000000000000000{n:03}", f"heron{n}"))
        agent_file(path, "one", inner, toolUseId=C1)
        session = taken(paths, chain, tmp_path)
        assert [len(found(home, f"{word}{n}")) for word in ("walrus", "puffin", "heron")] == [1, 1, 1]
    log = read_log(paths.session_log(session)).records
    assert sum(isinstance(r, AssistantMessage) and r.parent is None for r in log) == turns + 2, "the first one twice"
    chain.user("q", "Have a look")
    chain.answer("b", "Let me look", id="m", stop=None)
    taken(paths, chain, tmp_path)
    chain.answer("c", call(C2), id="m")
    taken(paths, chain, tmp_path)
    back = [r.data["to"] for r in read_log(paths.session_log(session)).records if getattr(r, "kind", "") == "rewound"]
    assert back[-1] == "q", "no more is told again than what is said otherwise"
    assert [len(found(home, f"{word}0")) for word in ("walrus", "puffin", "heron")] == [1, 1, 1]
    made_anew_it_is_the_same(home)


def test_results_that_come_in_another_order_than_their_calls_are_told_once(
    paths: HomePaths, home: Home, tmp_path: Path
) -> None:
    tape = codex_files.Tape()
    tape.user("Look at the walrus")
    tape.call("call_1")
    tape.call("call_2")
    tape.output("call_2", "storks")
    path = tmp_path / codex_files.NAME
    path.write_bytes(tape.data())
    source = codex_files.READER.at(path)
    assert source is not None
    session = Taking(paths, CLOCK).take(codex_files.READER, source).session
    tape.output("call_1", "herons")
    path.write_bytes(tape.data())
    source = codex_files.READER.at(path)
    assert source is not None
    assert Taking(paths, CLOCK).take(codex_files.READER, source).status == "grown"
    log = read_log(paths.session_log(session)).records
    assert [r.content for r in log if isinstance(r, ToolMessage)] == ["storks", "herons"]
    assert [len(found(home, word)) for word in ("walrus", "storks", "herons")] == [1, 1, 1]


def test_what_was_cut_away_there_is_not_found_and_once_when_it_is_back(
    paths: HomePaths, home: Home, tmp_path: Path
) -> None:
    chain = an_answer_with_two_calls()
    chain.user("u2", "And the otter?")
    chain.answer("a5", "The otter sleeps", id="m3", stop="end_turn")
    lines = chain.lines
    for _ in range(3):
        chain.lines = lines
        session = taken(paths, chain, tmp_path)
        assert [len(found(home, word)) for word in ("gannet", "puffin", "otter")] == [1, 1, 2]
        chain.lines = lines[:-2]
        taken(paths, chain, tmp_path)
        assert [len(found(home, word)) for word in ("gannet", "puffin", "otter")] == [1, 1, 0]
        meta = home.catalog.get(session)
        assert meta is not None and (meta.messages, meta.turns) == (5, 1)
    made_anew_it_is_the_same(home)


def test_what_an_earlier_version_kept_of_it_is_put_right_once(
    paths: HomePaths, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(taken_back.TakenBack, "more", lambda self, records: False)
        line_by_line(paths, home, an_answer_with_two_calls(), tmp_path)
        assert len(found(home, "gannet")) == 3
    (path,) = paths.local.glob("index-*.sqlite")
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 0")
    assert len(found(home, "gannet")) == 1
    made_anew_it_is_the_same(home)


def test_an_index_of_an_earlier_version_that_goes_back_is_made_anew(
    paths: HomePaths, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain = an_answer_with_two_calls()
    with monkeypatch.context() as earlier:
        earlier.setattr(taken_back.TakenBack, "more", lambda self, records: False)
        line_by_line(paths, home, chain, tmp_path)
    chain.lines.pop()
    taken(paths, chain, tmp_path)
    assert [len(found(home, word)) for word in ("gannet", "storks", "puffin")] == [1, 1, 0]


def test_in_a_session_of_our_own_what_was_taken_back_stays_found(paths: HomePaths, home: Home) -> None:
    log = LogWriter.create(paths, "20261129-171408-00000a", first())
    back = Marker("back", "2026-11-29T17:14:08.000Z", "rewound", {"to": None})
    for record in (user("u1", "Please fix the walrus"), answer("a1", "It is mended"), back, user("u2", "The seal")):
        log.append(record)
    log.close()
    assert [hit.message for hit in found(home, "walrus")] == ["u1"]
    meta = home.catalog.get("20261129-171408-00000a")
    assert meta is not None and (meta.messages, meta.turns) == (3, 1)
