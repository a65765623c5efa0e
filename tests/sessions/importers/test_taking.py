from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from sessions.clock import FixedClock, parse_iso
from sessions.erase import erase, of_message, of_session, survey
from sessions.home import Home
from sessions.importers.base import Source
from sessions.importers.claude_code import READER
from sessions.importers.passing import due, take_all
from sessions.importers.taking import Taken, Taking
from sessions.messages import AssistantMessage, Marker, Record, ToolMessage, UserMessage
from sessions.paths import HomePaths
from sessions.store.line import main_line
from sessions.store.log import read_log
from sessions.store.meta import derive
from sessions.store.trash import delete, restore
from tests.sessions.importers.claude_files import SESSION, Chain, call, put
from tests.sessions.store.records import home

CLOCK = FixedClock(parse_iso("2026-11-30T10:00:00Z"))  # type: ignore[arg-type]


@pytest.fixture
def paths(tmp_path: Path) -> HomePaths:
    return home(tmp_path / "home")


def source_of(path: Path) -> Source:
    found = READER.at(path)
    assert found is not None
    return found


def take(paths: HomePaths, path: Path) -> Taken:
    return Taking(paths, CLOCK).take(READER, source_of(path))


def records(paths: HomePaths, session: str) -> Sequence[Record]:
    return read_log(paths.session_log(session)).records


def said(paths: HomePaths, session: str) -> list[str]:
    """What the session says now, without what was taken back."""
    out = []
    for record in main_line(records(paths, session)):
        if isinstance(record, UserMessage | AssistantMessage | ToolMessage):
            out.append(f"{record.content} {[c.name for c in getattr(record, 'tool_calls', ())] or ''}".strip())
    return out


def talk() -> Chain:
    chain = Chain()
    chain.user("u1", "Where is the parser?")
    chain.answer("a1", call("t1", "Grep", for_="parser"), id="m1")
    chain.result("r1", ("t1", "src/parser.py"))
    chain.answer("a2", "In src.", id="m2", stop="end_turn")
    return chain


def test_a_session_comes_whole_and_a_second_time_writes_nothing(paths: HomePaths, tmp_path: Path) -> None:
    chain = talk()
    chain.about("summary", summary="Finding the parser", leafUuid="a2")
    path = chain.write(tmp_path / "claude")
    taken = take(paths, path)
    assert (taken.status, taken.messages) == ("new", 4) and taken.session.startswith("20260302-080001-")
    assert said(paths, taken.session) == ["Where is the parser?", "['Grep']", "src/parser.py", "In src."]
    meta = derive(taken.session, records(paths, taken.session))
    assert (meta.title, meta.cwd, meta.turns) == ("Finding the parser", "/home/ada/atlas", 1)
    assert meta.source == {"kind": "claude-code", "path": str(path), "uuid": SESSION}
    assert all(r.typed == () for r in records(paths, taken.session) if isinstance(r, UserMessage)), "nothing was typed"
    before = {p: p.read_bytes() for p in paths.root.rglob("*") if p.is_file()}
    assert take(paths, path).status == "same"
    assert {p: p.read_bytes() for p in paths.root.rglob("*") if p.is_file()} == before


def test_of_a_source_that_grew_only_the_new_lines_come_and_a_late_result_finds_its_call(
    paths: HomePaths, tmp_path: Path
) -> None:
    chain = talk()
    session = take(paths, chain.write(tmp_path / "claude")).session
    before = paths.session_log(session).read_bytes()
    chain.user("u2", "And the lexer?")
    chain.answer("a3", call("t2", "Grep", for_="lexer"), id="m3")
    taken = take(paths, chain.write(tmp_path / "claude"))
    assert (taken.status, taken.session, taken.messages) == ("grown", session, 2)
    chain.result("r2", ("t2", "src/lexer.py"))
    chain.answer("a4", "In src, too.", id="m4", stop="end_turn")
    taken = take(paths, chain.write(tmp_path / "claude"))
    assert (taken.status, taken.messages) == ("grown", 2)
    assert said(paths, session)[4:] == ["And the lexer?", "['Grep']", "src/lexer.py", "In src, too."]
    assert len({r.id for r in records(paths, session)}) == len(records(paths, session)), "an id stands in a log once"
    assert paths.session_log(session).read_bytes().startswith(before), "what stood there stands"


def test_a_question_that_was_edited_there_is_taken_back_here_and_stays_readable(
    paths: HomePaths, tmp_path: Path
) -> None:
    chain = talk()
    session = take(paths, chain.write(tmp_path / "claude")).session
    chain.user("u9", "Where is the lexer?", under=None)
    chain.answer("a9", "In lex.", id="m9", stop="end_turn")
    assert take(paths, chain.write(tmp_path / "claude")).status == "grown"
    assert said(paths, session) == ["Where is the lexer?", "In lex."]
    texts = [r.content for r in records(paths, session) if isinstance(r, UserMessage)]
    assert texts == ["Where is the parser?", "Where is the lexer?"], "nothing is lost"
    assert take(paths, chain.write(tmp_path / "claude")).status == "same"


@pytest.mark.parametrize(
    ("old", "new", "grows"),
    [
        ("Where is the parser?", "Where is the lexer??", False),
        ("Where is the parser?", "Where is the lexer, by the way?", False),
        ("Where is the parser?", "Where is the lexer, by the way?", True),
        ("In src.", "In lib.", False),
        ("In src.", "In a lib.", True),
        ("In src.", "In lib.", True),
        ("Where is the parser?", "Where is the lexer??", True),
        ("src/parser.py", "lib/parser.py", False),
        ("Grep", "Find", False),
        ('"parser"', '"lexer!"', False),
    ],
)
def test_a_source_that_was_written_anew_under_the_same_uuids_is_told_as_it_says_now(
    paths: HomePaths, tmp_path: Path, old: str, new: str, grows: bool
) -> None:
    chain = talk()
    path = chain.write(tmp_path / "claude")
    session = take(paths, path).session
    before = records(paths, session)
    if grows:
        chain.user("u2", "And the mill?")
        chain.write(tmp_path / "claude")
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    os.utime(path, ns=(1, path.stat().st_mtime_ns + 1_000_000_000))
    assert take(paths, path).status == "grown"
    now = str(main_line(records(paths, session)))
    assert new.strip('"') in now and ("And the mill?" in now) == grows
    assert list(records(paths, session))[: len(before)] == list(before), "nothing is lost"
    os.utime(path, ns=(1, path.stat().st_mtime_ns + 1_000_000_000))
    assert take(paths, path).status == "same", "what says the same is no news, whatever its time"


def test_a_large_or_odd_text_that_is_read_again_is_no_news(paths: HomePaths, tmp_path: Path) -> None:
    chain = Chain()
    chain.user("u1", "Half a pair \ud83d of one.")
    chain.answer("a1", call("t1", "Cat", at=float("inf"), of="\udc00"), id="m1")
    chain.result("r1", ("t1", "long " * 20_000 + "\ud800"))
    chain.answer("a2", "Read \udfff.", id="m2", stop="end_turn")
    path = chain.write(tmp_path / "claude")
    session = take(paths, path).session
    (kept,) = paths.session_files(session).iterdir()
    os.utime(path, ns=(1, path.stat().st_mtime_ns + 1_000_000_000))
    assert take(paths, path).status == "same"
    path.write_text(path.read_text().replace("long long", "LONG LONG"))
    assert take(paths, path).status == "grown"
    assert kept.read_text().startswith("long") and len(list(paths.session_files(session).iterdir())) == 2


def test_lines_that_two_files_share_count_once(paths: HomePaths, tmp_path: Path) -> None:
    chain = talk()
    first = take(paths, chain.write(tmp_path / "claude")).session
    other = "9c9b7a52-0000-4000-8000-000000000002"
    chain.user("u2", "And the lexer?")
    chain.answer("a3", "In lex.", id="m3", stop="end_turn")
    second = take(paths, chain.write(tmp_path / "claude", f"{other}.jsonl")).session
    assert first != second and said(paths, second)[0] == "Where is the parser?", "each can be read whole"
    assert derive(first, records(paths, first)).messages == 4
    assert derive(second, records(paths, second)).messages == 2, "what is repeated is not counted again"


def test_a_source_that_is_gone_leaves_ours_and_one_that_was_deleted_here_stays_so(
    paths: HomePaths, tmp_path: Path
) -> None:
    chain = talk()
    path = chain.write(tmp_path / "claude")
    session = take(paths, path).session
    path.unlink()
    assert said(paths, session)[-1] == "In src."
    delete(paths, session)
    chain.user("u2", "And the lexer?")
    assert take(paths, chain.write(tmp_path / "claude")).status == "deleted"
    assert not paths.session_log(session).exists()
    restore(paths, session)
    assert take(paths, chain.write(tmp_path / "claude")).status == "grown"
    assert said(paths, session)[-1] == "And the lexer?"


def test_without_the_ledger_nothing_comes_twice(paths: HomePaths, tmp_path: Path) -> None:
    chain = talk()
    path = chain.write(tmp_path / "claude")
    session = take(paths, path).session
    log = paths.session_log(session).read_bytes()
    shutil.rmtree(paths.imports)
    assert take(paths, path).session == session
    assert paths.session_log(session).read_bytes() == log


def test_one_that_cannot_be_read_keeps_no_other_back_and_what_is_no_talk_leaves_nothing(
    paths: HomePaths, tmp_path: Path
) -> None:
    good = talk().write(tmp_path / "claude")
    empty = Chain()
    empty.about("summary", summary="Nothing", leafUuid="x")
    nothing = put(tmp_path / "claude", "".join(f"{line}\n" for line in empty.lines).encode(), "0e0e0e0e.jsonl")
    gone = source_of(put(tmp_path / "claude", good.read_bytes(), "deadbeef.jsonl"))
    gone.path.unlink()
    taking = Taking(paths, CLOCK)
    sources = [(READER, gone), (READER, source_of(nothing)), (READER, source_of(good))]
    tally = take_all(taking, sources)
    assert (tally.statuses["new"], tally.statuses["empty"], len(tally.failed)) == (1, 1, 1)
    assert [p.stem for p in paths.sessions.glob("*.jsonl")] == tally.sessions
    assert due(taking, sources[1:]) == [], "neither is looked at again"


def test_one_that_is_too_much_keeps_no_other_back(
    paths: HomePaths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = talk().write(tmp_path / "claude")
    large = source_of(put(tmp_path / "claude", good.read_bytes(), "deadbeef.jsonl"))
    real = Taking.take

    def full(self: Taking, reader: Any, source: Source, *rest: Any) -> Any:
        if source is large:
            raise MemoryError
        return real(self, reader, source, *rest)

    monkeypatch.setattr(Taking, "take", full)
    tally = take_all(Taking(paths, CLOCK), [(READER, large), (READER, source_of(good))])
    assert tally.statuses == {"new": 1} and tally.failed == [(str(large.path), "it needs more memory than there is")]


def _killed_while_taking(root: str, claude: str, at: int) -> None:
    paths = HomePaths(Path(root), Path(root) / "config.toml")
    told = 0

    def progress(_: int) -> None:
        nonlocal told
        told += 1
        if told == at:
            os.kill(os.getpid(), signal.SIGKILL)

    for name in sorted(Path(claude).rglob("*.jsonl")):
        source = READER.at(name)
        if source is not None:
            take_all(Taking(paths, CLOCK), [(READER, source)], progress=lambda step: progress(step.bytes_done))


def test_killed_in_the_middle_and_taken_up_again_it_is_complete_and_nothing_is_there_twice(
    paths: HomePaths, tmp_path: Path
) -> None:
    for n in range(4):
        chain = Chain(sessionId=f"s{n}")
        for turn in range(60):
            chain.user(f"u{n}-{turn}", f"Question {n} {turn}")
            chain.answer(f"a{n}-{turn}", f"Answer {n} {turn} " + "x" * 500, id=f"m{n}-{turn}", stop="end_turn")
        chain.write(tmp_path / "claude", f"0000000{n}-0000-4000-8000-000000000000.jsonl")
    context = multiprocessing.get_context("spawn")
    for at in (1, 3, 5, 8):
        process = context.Process(target=_killed_while_taking, args=(str(paths.root), str(tmp_path / "claude"), at))
        process.start()
        process.join(60)
    _killed_while_taking(str(paths.root), str(tmp_path / "claude"), -1)
    logs = sorted(p.stem for p in paths.sessions.glob("*.jsonl"))
    assert len(logs) == 4
    for session in logs:
        assert len(said(paths, session)) == 120 == len(set(said(paths, session)))
    assert not [p for p in paths.sessions.iterdir() if p.name.startswith(".")], "no half of a file stays"


def test_what_the_source_says_of_itself_is_kept_with_what_could_not_be_read(paths: HomePaths, tmp_path: Path) -> None:
    chain = talk()
    chain.lines.insert(2, '{"type":"assistant","uuid":"broken…')
    session = take(paths, chain.write(tmp_path / "claude")).session
    (report,) = [r.data["report"] for r in records(paths, session) if isinstance(r, Marker) and r.kind == "imported"]
    assert report["bad_lines"] == 1 and report["bad"][0]["line"] == 3


def test_a_recap_of_the_source_takes_nothing_back_when_all_is_read_again(paths: HomePaths, tmp_path: Path) -> None:
    chain = talk()
    chain.system("w1", "away_summary", content="They looked for the parser.")
    chain.user("u2", "And the lexer?")
    chain.answer("a3", "In", id="m3")
    session = take(paths, chain.write(tmp_path / "claude")).session
    chain.answer("a4", "lex.", call("t9", "Grep", for_="lexer"), id="m3")
    chain.result("r9", ("t9", "src/lex.py"))
    chain.answer("a5", "There.", id="m5", stop="end_turn")
    take(paths, chain.write(tmp_path / "claude"))
    users = [r.id for r in records(paths, session) if isinstance(r, UserMessage)]
    assert users == ["u1", "u2"], "no question is there twice"
    assert said(paths, session)[-1] == "There."


def test_what_is_erased_here_leaves_no_word_names_the_source_and_does_not_come_again(
    paths: HomePaths, tmp_path: Path
) -> None:
    canary = "zugzwang-7731"
    chain = talk()
    chain.user("u2", f"The canary is {canary}.")
    chain.answer("a3", "Noted", id="m3")
    chain.about("summary", summary=f"About {canary}", leafUuid="a3")
    path = chain.write(tmp_path / "claude")
    session = take(paths, path).session
    home_ = Home(paths, env={}, clock=CLOCK)
    home_.index.catch_up()
    result = erase(home_, survey(home_, of_session(home_, session)))
    assert not [p for p in paths.root.rglob("*") if p.is_file() and canary.encode() in p.read_bytes()]
    assert any(str(path) in line for line in result.out_of_reach)
    chain.user("u3", "Again?")
    assert take(paths, chain.write(tmp_path / "claude")).status == "deleted"


def test_a_message_that_was_erased_here_stays_erased_when_all_is_read_again(paths: HomePaths, tmp_path: Path) -> None:
    chain = talk()
    chain.answer("a3", "More", id="m9")
    chain.user("u2", "The canary is zugzwang-7731.")
    session = take(paths, chain.write(tmp_path / "claude")).session
    home_ = Home(paths, env={}, clock=CLOCK)
    erase(home_, survey(home_, of_message(home_, session, "u2")))
    chain.lines[-2] = chain.lines[-2].replace("More", "More, and other words")
    chain.lines.append(chain.lines[-1].replace("u2", "u9").replace("The canary is zugzwang-7731.", "Then"))
    chain.about("last-prompt", leafUuid="u2")
    take(paths, chain.write(tmp_path / "claude"))
    assert b"zugzwang" not in paths.session_log(session).read_bytes()


def test_a_kill_between_log_and_ledger_doubles_nothing_of_what_grew(paths: HomePaths, tmp_path: Path) -> None:
    chain = talk()
    session = take(paths, chain.write(tmp_path / "claude")).session
    (ledger,) = paths.imports.glob("*.jsonl")
    before = ledger.read_bytes()
    chain.user("u2", "And the lexer?")
    chain.answer("a3", "In lex.", id="m3", stop="end_turn")
    path = chain.write(tmp_path / "claude")
    take(paths, path)
    ledger.write_bytes(before)
    take(paths, path)
    assert said(paths, session) == [
        "Where is the parser?",
        "['Grep']",
        "src/parser.py",
        "In src.",
        "And the lexer?",
        "In lex.",
    ]
    assert len({r.id for r in records(paths, session)}) == len(records(paths, session))


def test_halves_of_meta_files_that_a_kill_left_are_taken_away_and_those_under_way_are_not(
    paths: HomePaths, tmp_path: Path
) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    paths.sessions.mkdir(parents=True, exist_ok=True)
    names = {
        f".s1.meta.json.{ended.pid}-0a1b2c3d.tmp": (10, sys.platform == "win32"),
        f".s2.meta.json.{ended.pid}-0a1b2c3d.tmp": (0, True),
        f".s3.meta.json.{os.getpid()}-0a1b2c3d.tmp": (10, True),
        f".s4.meta.json.{os.getpid()}-0a1b2c3d.tmp": (7_200, False),
        f".s5.jsonl.{ended.pid}-0a1b2c3d.tmp": (7_200, True),
        ".s6.meta.json.x.tmp": (7_200, True),
        "s7.meta.json": (7_200, True),
    }
    for name, (age, _) in names.items():
        path = paths.sessions / name
        path.write_text("{")
        os.utime(path, (time.time() - age,) * 2)
    take_all(Taking(paths, CLOCK), [])
    assert {p.name for p in paths.sessions.iterdir() if p.is_file()} == {n for n, (_, stays) in names.items() if stays}
