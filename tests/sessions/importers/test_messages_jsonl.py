from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from sessions.clock import FixedClock, parse_iso
from sessions.errors import UsageError
from sessions.importers.exports import take_export
from sessions.importers.messages_jsonl import READER
from sessions.importers.taking import Taking
from sessions.messages import AssistantMessage, Marker, ToolMessage, UserMessage
from sessions.store.line import main_line
from sessions.store.log import read_log
from tests.sessions.importers.export_files import records, talks
from tests.sessions.store.records import home

CLOCK = FixedClock(parse_iso("2026-11-30T10:00:00Z"))  # type: ignore[arg-type]
SUMMARY = "## Previous Conversation Summary\n\nAda lives in Tokyo."


def put(folder: Path, *raws: Any, name: str = "messages.jsonl") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join((raw if isinstance(raw, bytes) else json.dumps(raw).encode()) + b"\n" for raw in raws))
    os.utime(path, (1_772_438_400, 1_772_438_400))
    return path


def message(role: str, content: Any = None, **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content} | more


def shape(path: Path) -> tuple[list[str], Any]:
    """Who says what, one line each; markers by their kind."""
    (talk,), _ = talks(READER, path)
    out = []
    for record in records(talk):
        match record:
            case UserMessage() | ToolMessage():
                out.append(f"{type(record).__name__[:4]} {record.content}")
            case AssistantMessage():
                out.append(f"Assi {record.content}".rstrip() + "".join(f" +{c.name}" for c in record.tool_calls))
            case Marker():
                out.append(f"{record.kind} {record.data.get('content', record.data.get('stop'))}")
    return out, talk.report


def test_a_file_is_a_conversation_whose_first_message_may_be_a_summary(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        message("system", "You are a bot"),
        message("user", SUMMARY),
        message("assistant", "I see."),
        message("user", "Where do I live?"),
        message("assistant", "In Tokyo."),
    )
    lines, report = shape(path)
    assert lines == [
        "compaction Ada lives in Tokyo.", "Assi I see.", "User Where do I live?", "Assi In Tokyo.", "turn_end stop",
    ]  # fmt: skip
    assert report.skipped == {"system": 1}
    later = put(tmp_path, message("user", "Hello"), message("user", SUMMARY), name="later.jsonl")
    assert shape(later)[0] == ["User Hello", "turn_end cancelled", f"User {SUMMARY}"], "only the first is one"


def test_damaged_lines_are_named_and_all_others_come(tmp_path: Path) -> None:
    whole = json.dumps(message("assistant", "Two")).encode()
    path = put(
        tmp_path,
        message("user", "One\u2028still one"),
        b'{"role": "user", "content": "torn' + whole,
        b"\0\0\0\0",
        json.dumps(message("user", "Three")).encode() + json.dumps(message("assistant", "Four")).encode(),
        message("user", 7),
        message("user", ["a", {"type": "text", "text": "b"}, {"type": "image_url"}, None]),
        message("assistant", "half \ud83d"),
        {"role": 3, "content": "x"},
        [1],
        b'{"role": "user", "content": "the last is torn',
    )
    lines, report = shape(path)
    assert [line for line in lines if "turn_end" not in line] == [
        "User One\u2028still one", "Assi Two", "User Three", "Assi Four", "User a\nb\n[image]", "Assi half \ufffd",
    ]  # fmt: skip
    assert [line for _, line, _ in report.bad][:3] == [2, 3, 4] and {name for name, *_ in report.bad} == {path.name}


@pytest.mark.parametrize(
    ("last", "bad"),
    [
        (b'{"role": "assistant", "content": "Tw', [("messages.jsonl", 2, "the file ends in the middle of it")]),
        (b'{"role": "assistant", "content": "Two"}', []),
        (b" \r", []),
        (b"", []),
    ],
)
def test_a_last_line_that_is_torn_is_named_and_a_whole_one_needs_no_line_feed(
    tmp_path: Path, last: bytes, bad: list[Any]
) -> None:
    path = put(tmp_path, message("user", "One"))
    path.write_bytes(path.read_bytes() + last)
    lines, report = shape(path)
    assert report.bad == bad and [line for line in lines if "turn_end" not in line] == (
        ["User One", "Assi Two"] if last.endswith(b"}") else ["User One"]
    )


def test_calls_find_their_results_in_either_way_of_writing_them(tmp_path: Path) -> None:
    def call(id_: str, arguments: Any) -> dict[str, Any]:
        return {"id": id_, "type": "function", "function": {"name": "look", "arguments": arguments}}

    path = put(
        tmp_path,
        message("user", "Go"),
        message("assistant", None, tool_calls=[call("a", '{"x": 1}'), call("b", "{torn"), call("c", 7)]),
        message("tool", "second", tool_call_id="b"),
        message("tool", "first", tool_call_id="a"),
        message("tool", "again", tool_call_id="a"),
        message("tool", "nobody's", tool_call_id="z"),
        message("assistant", [{"text": "And"}, {"type": "tool_use", "id": "a", "name": "read", "input": {}}]),
        message("user", [{"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "third"}]}]),
        {"type": "function_call", "call_id": "d", "name": "write", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "d", "output": "fourth"},
        message("assistant", "Done"),
    )  # fmt: skip
    lines, report = shape(path)
    assert lines == [
        "User Go", "Assi +look +look +look", "Tool first", "Tool second", "Tool No result of this call was recorded.",
        "Assi And +read +write", "Tool third", "Tool fourth", "Assi Done", "turn_end stop",
    ]  # fmt: skip
    assert (report.duplicate_results, report.orphan_results, report.missing_results) == (1, 1, 1)


def test_what_is_added_or_put_in_short_grows_the_same_session_and_twice_writes_nothing(tmp_path: Path) -> None:
    paths = home(tmp_path / "home")
    taking = Taking(paths, CLOCK)
    said = [message(r, f"{r} {n}") for n in range(3) for r in ("user", "assistant")]
    path = put(tmp_path, *said[:4])
    (session,) = take_export(taking, READER, path).sessions
    before = {p: p.read_bytes() for p in paths.root.rglob("*") if p.is_file()}
    os.utime(path)
    assert take_export(taking, READER, path).statuses == {"same": 1}
    assert {p: p.read_bytes() for p in paths.root.rglob("*") if p.is_file()} == before

    def now() -> list[str]:
        found = main_line(read_log(paths.session_log(session)).records)
        return [r.content for r in found if isinstance(r, UserMessage | AssistantMessage)]

    put(tmp_path, *said)
    assert take_export(taking, READER, path).sessions == [session] and now() == [m["content"] for m in said]
    put(tmp_path, message("user", SUMMARY), *said[4:])
    assert take_export(taking, READER, path).sessions == [session] and now() == ["user 2", "assistant 2"]
    texts = [r.content for r in read_log(paths.session_log(session)).records if isinstance(r, UserMessage)]
    assert texts[:3] == ["user 0", "user 1", "user 2"], "what was put in short stays readable"


def test_the_same_words_of_two_files_count_in_both(tmp_path: Path) -> None:
    ids = {records(talks(READER, put(tmp_path / name, message("user", "Hi")))[0][0])[0].id for name in ("a", "b")}
    assert len(ids) == 2


def test_what_is_none_is_said_with_its_line(tmp_path: Path) -> None:
    for bad, said in (
        (put(tmp_path, {"a": 1}, name="a.jsonl"), r"a.jsonl, line 1: no message"),
        (tmp_path / "gone.jsonl", "There is no file"),
        (tmp_path, r"There is no messages.jsonl in"),
    ):
        with pytest.raises(UsageError, match=said):
            talks(READER, bad)
    found, report = talks(READER, put(tmp_path))
    assert not found and report.bad == [("messages.jsonl", 0, "the file is empty")]
    (tmp_path / "d" / "messages.jsonl").mkdir(parents=True)
    with pytest.raises((UsageError, OSError)):
        talks(READER, tmp_path / "d" / "messages.jsonl")


def test_what_is_written_while_it_is_read_comes_once(tmp_path: Path) -> None:
    paths = home(tmp_path / "home")
    taking = Taking(paths, CLOCK)
    path = put(tmp_path, message("user", "One"), message("assistant", "Two"))
    (talk,), _ = talks(READER, path)
    put(tmp_path, message("user", "One"), message("assistant", "Two"), message("user", "Three"))
    session = taking.take(talk, talk.source).session
    assert take_export(taking, READER, path).statuses == {"same": 1}
    found = read_log(paths.session_log(session)).records
    assert [r.content for r in found if isinstance(r, UserMessage)] == ["One", "Three"]


def test_a_line_of_many_million_characters_is_one_message(tmp_path: Path) -> None:
    assert [len(line) for line in shape(put(tmp_path, message("user", "x" * 12_800_000)))[0]] == [12_800_005]
