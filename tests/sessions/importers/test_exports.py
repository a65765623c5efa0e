from __future__ import annotations

import json
import multiprocessing
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from sessions.clock import FixedClock, parse_iso
from sessions.importers.exports import Way, export, fresh, take_export
from sessions.importers.passing import Tally
from sessions.importers.registry import EXPORTS, name_of
from sessions.importers.taking import Taking
from sessions.messages import AssistantMessage, Marker, UserMessage
from sessions.paths import HomePaths
from sessions.store.line import main_line
from sessions.store.log import read_log, source_of
from sessions.store.meta import derive
from sessions.store.trash import delete
from tests.sessions.importers.export_files import GPT, Chat, Tree, tea, uuid, written, zipped
from tests.sessions.store.records import home

CLOCK = FixedClock(parse_iso("2026-11-30T10:00:00Z"))  # type: ignore[arg-type]


@pytest.fixture
def paths(tmp_path: Path) -> HomePaths:
    return home(tmp_path / "home")


def take(paths: HomePaths, path: Path, kind: str = "chatgpt", **more: Any) -> Tally:
    return take_export(Taking(paths, CLOCK), export(kind), path, **more)


def said(paths: HomePaths, session: str) -> list[str]:
    """What the session says now."""
    found = main_line(read_log(paths.session_log(session)).records)
    return [r.content for r in found if isinstance(r, UserMessage | AssistantMessage)]


def files(paths: HomePaths) -> dict[Path, bytes]:
    return {p: p.read_bytes() for p in paths.root.rglob("*") if p.is_file()}


def many(count: int) -> list[Any]:
    out = []
    for n in range(count):
        tree = Tree(uuid(f"c{n}"), f"T{n}")
        for i in range(10):
            tree.add(f"{n}-{i}", "user" if i % 2 == 0 else "assistant", f"Words {n} {i} " + "x" * 300)
        out.append(tree.raw)
    return out


def test_a_conversation_becomes_a_session_that_names_its_source_and_is_only_read(
    paths: HomePaths, tmp_path: Path
) -> None:
    path = zipped(tmp_path / "export.zip", conversations__json=[tea().raw])
    tally = take(paths, path)
    assert (tally.statuses, tally.messages, tally.bad_lines) == ({"new": 1}, 2, 0)
    (session,) = tally.sessions
    assert session.startswith("20260302-080000-")
    assert source_of(paths.session_log(session)) == {"kind": "chatgpt", "path": str(path), "uuid": GPT}
    meta = derive(session, read_log(paths.session_log(session)).records)
    assert (meta.title, meta.turns, meta.model, meta.profile) == ("Tea in Tokyo", 1, "gpt-5", "chatgpt")
    assert {name_of(kind) for kind in EXPORTS} == {"ChatGPT", "Claude.ai", "memory.json", "messages.jsonl", "memdir"}


def test_twice_writes_nothing_also_when_the_same_comes_in_another_file(paths: HomePaths, tmp_path: Path) -> None:
    take(paths, written(tmp_path, *many(3)))
    before = files(paths)
    assert take(paths, tmp_path / "conversations.json").statuses == {"same": 3}
    assert take(paths, zipped(tmp_path / "later.zip", conversations__json=many(3))).statuses == {"same": 3}
    assert files(paths) == before


def test_of_a_later_export_only_what_is_new_comes(paths: HomePaths, tmp_path: Path) -> None:
    tree = tea()
    (session,) = take(paths, written(tmp_path, tree.raw)).sessions
    log = paths.session_log(session).read_bytes()
    tree.add("3", "user", "And in Kyoto?")
    tree.add("4", "assistant", "Matcha.")
    other = Tree(uuid("other"), "Rain")
    other.add("9", "user", "Rain?")
    tally = take(paths, zipped(tmp_path / "later.zip", conversations__json=[other.raw, tree.raw]))
    assert tally.statuses == {"new": 1, "grown": 1} and tally.messages == 3
    assert paths.session_log(session).read_bytes().startswith(log) and said(paths, session)[2:] == [
        "And in Kyoto?",
        "Matcha.",
    ]
    tree.add("5", "assistant", "Hojicha.", under="3")
    tree.raw["title"] = "Tea"
    assert take(paths, written(tmp_path, tree.raw)).statuses == {"grown": 1}
    assert said(paths, session)[2:] == ["And in Kyoto?", "Hojicha."], "what was asked again there"
    records = read_log(paths.session_log(session)).records
    assert derive(session, records).title == "Tea" and len({r.id for r in records}) == len(records)


def test_what_was_deleted_here_stays_so_and_an_export_that_is_thrown_away_takes_nothing_with_it(
    paths: HomePaths, tmp_path: Path
) -> None:
    tree = tea()
    path = written(tmp_path, tree.raw)
    (session,) = take(paths, path).sessions
    path.unlink()
    assert Taking(paths, CLOCK).let_go() == [] and paths.session_log(session).exists()
    delete(paths, session)
    tree.add("3", "user", "And in Kyoto?")
    assert take(paths, written(tmp_path, tree.raw)).statuses == {"deleted": 1}
    assert not paths.session_log(session).exists()


def test_one_that_says_nothing_leaves_nothing_and_damage_is_told(paths: HomePaths, tmp_path: Path) -> None:
    text = json.dumps([Tree(uuid("none")).raw, tea().raw])[:-1] + ', {"title": "torn'
    (tmp_path / "conversations.json").write_text(text)
    tally = take(paths, tmp_path / "conversations.json")
    assert tally.statuses == {"empty": 1, "new": 1} and tally.bad_lines == 1
    assert (
        tally.bad[0][:2] == ("conversations.json", 1)
        and "conversation 3: the file ends in the middle" in tally.bad[0][2]
    )
    assert take(paths, tmp_path / "conversations.json").statuses == {"same": 2}


def test_a_branch_in_a_new_chat_counts_its_words_once(paths: HomePaths, tmp_path: Path) -> None:
    first, second = tea(), tea()
    second.raw |= {"id": uuid("second"), "conversation_id": uuid("second")}
    second.add("3", "user", "And in Kyoto?")
    a, b = take(paths, written(tmp_path, first.raw, second.raw)).sessions
    assert said(paths, b)[0] == said(paths, a)[0]
    assert [derive(s, read_log(paths.session_log(s)).records).messages for s in (a, b)] == [2, 1]


def test_a_preview_shows_what_would_come_and_writes_nothing(paths: HomePaths, tmp_path: Path) -> None:
    raws = many(3)
    take(paths, written(tmp_path, raws[0]))
    before = files(paths)
    talks, others, _ = fresh(Taking(paths, CLOCK), export("chatgpt"), written(tmp_path, *raws))
    assert ([t.title for t in talks], others) == (["T1", "T2"], {"same": 1}) and files(paths) == before


def test_what_stops_it_in_between_leaves_whole_sessions_and_the_rest_comes_later(
    paths: HomePaths, tmp_path: Path
) -> None:
    path = written(tmp_path, *many(30))
    told: list[Way] = []
    tally = take(paths, path, progress=told.append, stop=lambda: len(told) > 12)
    assert tally.stopped and 0 < tally.statuses["new"] < 30
    assert take(paths, path, progress=told.append).statuses == {
        "same": tally.statuses["new"],
        "new": 30 - tally.statuses["new"],
    }
    assert told[-1].bytes_done == told[-1].bytes_total == path.stat().st_size
    assert [w.bytes_done for w in told[13:]] == sorted(w.bytes_done for w in told[13:])


def _killed(root: str, path: str, at: int) -> None:
    count = 0

    def progress(_: Way) -> None:
        nonlocal count
        count += 1
        if count == at:
            os.kill(os.getpid(), signal.SIGKILL)

    take(HomePaths(Path(root), Path(root) / "config.toml"), Path(path), progress=progress)


def _killed_before_the_ledger(root: str, path: str) -> None:
    taking = Taking(HomePaths(Path(root), Path(root) / "config.toml"), CLOCK)
    taking.ledger.append = lambda *_: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[method-assign]
    take_export(taking, export("chatgpt"), Path(path))


def test_killed_in_the_middle_and_again_it_is_complete_and_nothing_is_there_twice(
    paths: HomePaths, tmp_path: Path
) -> None:
    raws = many(20)
    del raws[7]["create_time"]
    path = zipped(tmp_path / "export.zip", conversations__json=raws)
    context = multiprocessing.get_context("spawn")
    for at in (1, 4, 9):
        process = context.Process(target=_killed, args=(str(paths.root), str(path), at))
        process.start()
        process.join(60)
        assert process.exitcode == -signal.SIGKILL
        process = context.Process(target=_killed_before_the_ledger, args=(str(paths.root), str(path)))
        process.start()
        process.join(60)
        assert process.exitcode == -signal.SIGKILL
    _killed(str(paths.root), str(path), -1)
    logs = sorted(p.stem for p in paths.sessions.glob("*.jsonl"))
    assert len(logs) == 20
    for session in logs:
        assert len(said(paths, session)) == 10 == len(set(said(paths, session)))
    assert not [p for p in paths.sessions.iterdir() if p.name.startswith(".")]
    before = files(paths)
    assert take(paths, path).statuses == {"same": 20} and files(paths) == before


def test_what_cannot_be_written_keeps_no_other_back(
    paths: HomePaths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sessions.importers import taking

    real = taking.write_log

    def full(paths: HomePaths, session: str, records: Any) -> None:
        kept = list(records)
        if any(isinstance(r, UserMessage) and "Words 1 0" in r.content for r in kept):
            raise OSError(28, "No space left on device")
        real(paths, session, kept)

    monkeypatch.setattr(taking, "write_log", full)
    tally = take(paths, written(tmp_path, *many(3)))
    assert tally.statuses == {"new": 2} and "No space left on device" in tally.failed[0][1]
    assert tally.failed[0][0].endswith("conversations.json: T1")
    monkeypatch.setattr(taking, "write_log", real)
    assert take(paths, tmp_path / "conversations.json").statuses == {"same": 2, "new": 1}


@pytest.mark.parametrize(
    ("error", "why"),
    [(MemoryError, "it needs more memory than there is"), (RecursionError, "it is nested too deeply")],
)
def test_a_conversation_that_is_too_much_keeps_no_other_back(
    paths: HomePaths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception], why: str
) -> None:
    real = Taking.take

    def full(self: Taking, reader: Any, source: Any, *rest: Any) -> Any:
        if reader.title == "T1":
            raise error
        return real(self, reader, source, *rest)

    monkeypatch.setattr(Taking, "take", full)
    tally = take(paths, written(tmp_path, *many(3)))
    assert tally.statuses == {"new": 2} and tally.failed == [(f"{tmp_path / 'conversations.json'}: T1", why)]


def test_arguments_that_are_nested_too_deeply_are_left_out_of_their_call(paths: HomePaths, tmp_path: Path) -> None:
    chat = Chat()
    chat.add("1", "human", "Look")
    chat.add("2", "assistant", {"type": "tool_use", "name": "look", "input": {"x": "@", "y": "half \ud83d"}})
    path = written(tmp_path, chat.raw)
    path.write_text(path.read_text().replace('"@"', "[" * 300 + "]" * 300))
    (session,) = take(paths, path, "claude-ai").sessions
    calls = [c for r in read_log(paths.session_log(session)).records for c in getattr(r, "tool_calls", ())]
    assert [(c.arguments, c.arguments_text) for c in calls] == [(None, "(Left out: nested too deeply.)")]


def test_calls_of_tools_and_what_was_left_out_stand_in_the_log(paths: HomePaths, tmp_path: Path) -> None:
    chat = Chat()
    chat.add("1", "human", "Look")
    chat.add("2", "assistant", {"type": "tool_use", "name": "look", "input": {"x": "\ud83d"}}, {"type": "token_budget"})
    (session,) = take(paths, written(tmp_path, chat.raw), "claude-ai").sessions
    records = read_log(paths.session_log(session)).records
    (report,) = [r.data["report"] for r in records if isinstance(r, Marker) and r.kind == "imported"]
    assert report == {"skipped": {"token_budget": 1}, "missing_results": 1}
