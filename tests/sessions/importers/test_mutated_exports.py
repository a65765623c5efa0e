"""Whatever becomes of the files that a person names: reading ends, never raises but a sentence, and gives sessions that
are well-formed."""

from __future__ import annotations

import copy
import json
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.clock import FixedClock, parse_iso
from sessions.errors import MemagentError
from sessions.importers.base import Report
from sessions.importers.exports import export, take_export
from sessions.importers.taking import Taking
from tests.sessions.importers.export_files import Chat, Tree
from tests.sessions.importers.test_mutated import CHANGES, changed, places, well_formed
from tests.sessions.store.records import home

CLOCK = FixedClock(parse_iso("2026-11-30T10:00:00Z"))  # type: ignore[arg-type]


def chatgpt() -> list[Any]:
    """Two conversations with all that an export can hold."""
    first = Tree()
    first.add("1", "system", "You are ChatGPT")
    first.add("2", "user", content={"content_type": "user_editable_context", "user_profile": "x"})
    image = {"content_type": "image_asset_pointer", "asset_pointer": "x", "size_bytes": 5}
    files = {"attachments": [{"name": "a.pdf", "mime_type": "application/pdf", "size": 5}]}
    first.add("3", "user", image, {"content_type": "audio_transcription", "text": "Aloud"}, metadata=files)
    first.add("4", "assistant", content={"content_type": "thoughts", "thoughts": [{"summary": "S", "content": "C"}]})
    first.add("5", "assistant", content={"content_type": "code", "text": "plot()"}, recipient="python")
    first.add("6", "tool", content={"content_type": "execution_output", "text": "done"})
    first.add("7", "assistant", "Done")
    first.add("8", "user", "Again", under="4")
    second = Tree("67a1c3e0-1111-4222-8333-000000000002", None)
    second.add("9", "user", "Hello")
    second.add("10", "assistant", "Hi", "there")
    return [first.raw, second.raw]


def claude_ai() -> list[Any]:
    """Two conversations with all that an export can hold."""
    first = Chat()
    attached = {"file_name": "a.txt", "file_type": "txt", "file_size": 3, "extracted_content": "abc"}
    first.add("1", "human", "Hello", attachments=[attached], files=[{"file_name": "b.png"}], parent_message_uuid="root")
    first.add(
        "2", "assistant", {"type": "thinking", "thinking": "Hm"}, "Let me see",
        {"type": "tool_use", "id": "t1", "name": "look", "input": {"x": 1}},
        {"type": "tool_result", "tool_use_id": "t1", "name": "look", "content": [{"type": "text", "text": "seen"}]},
        {"type": "tool_use", "id": None, "name": "web", "input": {}},
        {"type": "tool_result", "tool_use_id": None, "name": "web", "content": [{"title": "T", "url": "U"}]},
        "Done", parent_message_uuid="00000000-0000-4000-8000-000000000001",
    )  # fmt: skip
    first.add("3", "assistant", "Other", parent_message_uuid="00000000-0000-4000-8000-000000000001")
    second = Chat("5f0e9b7a-1111-4222-8333-000000000002", "")
    second.add("4", "human", "Hello")
    second.add("5", "assistant", "Hi")
    return [first.raw, second.raw]


def role_content() -> list[Any]:
    """A conversation with all that such a file can hold."""
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"x": 1}'}}
    use = {"type": "tool_use", "id": "c1", "name": "look", "input": {"x": 1}}
    return [
        {"role": "system", "content": "You are a bot"},
        {"role": "user", "content": "## Previous Conversation Summary\nBefore", "created_at": 1_772_438_400},
        {"role": "user", "content": "Hello", "id": "m1"},
        {"role": "assistant", "content": None, "tool_calls": [call, call | {"id": "c2"}]},
        {"role": "tool", "content": "two", "tool_call_id": "c2"},
        {"role": "tool", "content": "one", "tool_call_id": "c1"},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm"}, {"text": "And"}, use]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "three"}]},
        {"type": "function_call", "call_id": "c3", "name": "write", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c3", "output": "four"},
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Bye", "reasoning_content": "Hm"},
    ]  # fmt: skip


def as_array(folder: Path, values: list[Any]) -> Path:
    path = folder / "conversations.json"
    path.write_text(json.dumps(values, indent=1))
    return path


def as_lines(folder: Path, values: list[Any]) -> Path:
    path = folder / "messages.jsonl"
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def as_base(folder: Path, values: list[Any]) -> Path:
    path = folder / "memory.db"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE sessions (id INTEGER PRIMARY KEY, title TEXT)")
        db.execute("CREATE TABLE items (id INTEGER PRIMARY KEY, session_id INTEGER, item TEXT)")
        rows = [(n % 2, json.dumps(value)) for n, value in enumerate(values)]
        db.executemany("INSERT INTO items (session_id, item) VALUES (?, ?)", rows)
    return path


ODD: list[Any] = [None, 7, ["x", {"type": 3}], {}, "\ud83d"]
Made = tuple[Callable[[], list[Any]], Callable[[Path, list[Any]], Path]]
FORMATS: dict[str, Made] = {
    "chatgpt": (chatgpt, as_array),
    "claude-ai": (claude_ai, as_array),
    "messages-jsonl": (role_content, as_lines),
    "memdir": (role_content, as_base),
}


def read(kind: str, path: Path) -> int:
    """Go through all of it, twice over; how many conversations there are. What is said is one sentence."""
    report = Report()
    count = 0
    try:
        for talk in export(kind).talks(path, report, lambda _: None):
            first, again = (list(talk.read(talk.source).records) for _ in range(2))
            well_formed(first)
            assert first == again
            count += 1
    except MemagentError as e:
        assert path.name in str(e)
    return count


@pytest.mark.parametrize("kind", FORMATS)
def test_no_value_of_a_wrong_type_raises_or_spoils_the_session(kind: str, tmp_path: Path) -> None:
    make, write = FORMATS[kind]
    values = make()
    for n, way in enumerate(places(values)):
        for value in (ODD[n % len(ODD)], ODD[(n + 2) % len(ODD)]):
            other = copy.deepcopy(values)
            inner: Any = other
            for key in way[:-1]:
                inner = inner[key]
            inner[way[-1]] = value
            read(kind, write(tmp_path, other))


@pytest.mark.parametrize("kind", FORMATS)
@given(CHANGES)
def test_mutated_files_always_give_well_formed_sessions(kind: str, changes: list[tuple[Any, ...]]) -> None:
    make, write = FORMATS[kind]
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder), make())
        lines = path.read_bytes().split(b"\n")
        for change in changes:
            lines = changed(lines, change)
        path.write_bytes(b"\n".join(lines))
        read(kind, path)


@given(st.lists(st.tuples(st.integers(0, 1 << 16), st.binary(max_size=5)), min_size=1, max_size=4))
def test_a_zip_with_other_bytes_in_it_raises_only_a_sentence(changes: list[tuple[int, bytes]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "export.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
            out.writestr("conversations.json", json.dumps(chatgpt()))
        data = bytearray(path.read_bytes())
        for at, put in changes:
            data[at % len(data) : at % len(data) + len(put)] = put
        path.write_bytes(data)
        try:
            read("chatgpt", path)
        except OSError as e:
            assert "export.zip" in str(e)


@given(CHANGES)
def test_a_mutated_memory_json_gives_facts_or_a_sentence(changes: list[tuple[Any, ...]]) -> None:
    raw = {"preferences": {"a": "Tea", "b": None, "c": [1, "x"]}, "contacts": {"Sarah": "Manager"}, "odd": "x"}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.json"
        lines = json.dumps(raw, indent=1).encode().split(b"\n")
        for change in changes:
            lines = changed(lines, change)
        path.write_bytes(b"\n".join(lines))
        try:
            found = list(export("memory-json").remembered(path, Report()))
        except MemagentError as e:
            assert "memory.json" in str(e)
        else:
            assert all(one.summary and one.key and "\n" not in one.summary for one in found)


@pytest.mark.parametrize("kind", FORMATS)
@given(CHANGES)
def test_a_mutated_file_that_is_taken_over_twice_writes_nothing_the_second_time(
    kind: str, changes: list[tuple[Any, ...]]
) -> None:
    make, write = FORMATS[kind]
    with tempfile.TemporaryDirectory() as folder:
        paths = home(Path(folder) / "home")
        path = write(Path(folder), make())
        take(paths, kind, path)
        lines = path.read_bytes().split(b"\n")
        for change in changes:
            lines = changed(lines, change)
        path.write_bytes(b"\n".join(lines))
        take(paths, kind, path)
        before = {p: p.read_bytes() for p in paths.root.rglob("*") if p.is_file()}
        take(paths, kind, path)
        assert {p: p.read_bytes() for p in paths.root.rglob("*") if p.is_file()} == before


def take(paths: Any, kind: str, path: Path) -> None:
    try:
        assert not take_export(Taking(paths, CLOCK), export(kind), path).failed
    except MemagentError as e:
        assert path.name in str(e)
