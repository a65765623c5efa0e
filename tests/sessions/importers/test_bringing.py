from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sessions.clock import FixedClock, parse_iso
from sessions.errors import UsageError
from sessions.importers.bringing import bring, named, what
from tests.sessions.importers.claude_files import Chain
from tests.sessions.importers.codex_files import Tape
from tests.sessions.importers.export_files import Chat, tea, written, zipped
from tests.sessions.memory.homes import store_of

CLOCK = FixedClock(parse_iso("2026-11-30T10:00:00Z"))  # type: ignore[arg-type]


def memdir(folder: Path) -> Path:
    folder.mkdir()
    with closing(sqlite3.connect(folder / "memory.db")) as db, db:
        db.execute("CREATE TABLE items (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT)")
        db.execute("INSERT INTO items (session_id, role, content) VALUES ('s', 'user', 'Where is the mill?')")
    (folder / "memories.md").write_text("- Lives in Tokyo\n")
    return folder


def test_a_file_or_folder_is_known_by_what_it_holds(tmp_path: Path) -> None:
    chat, chain, tape = Chat(), Chain(), Tape()
    chat.add("1", "human", "Hello")
    chain.user("u1", "Hello")
    tape.user("Hello")
    folder = memdir(tmp_path / "memdir")
    (tmp_path / "m" / "messages.jsonl").parent.mkdir()
    (tmp_path / "m" / "messages.jsonl").write_text('{"role": "user", "content": "Hello"}\n')
    (tmp_path / "j").mkdir()
    (tmp_path / "j" / "memory.json").write_text('{"preferences": {"a": "b"}}')
    wrapped = tmp_path / "w.json"
    wrapped.write_text(json.dumps({"conversations": [tea().raw]}))
    for path, kind in (
        (written(tmp_path / "g", tea().raw), "chatgpt"),
        (tmp_path / "g", "chatgpt"),
        (wrapped, "chatgpt"),
        (written(tmp_path / "a", chat.raw, name="conversations-000.json"), "claude-ai"),
        (zipped(tmp_path / "export.zip", conversations__json=[chat.raw]), "claude-ai"),
        (folder, "memdir"),
        (folder / "memory.db", "memdir"),
        (folder / "memories.md", "memdir"),
        (tmp_path / "m", "messages-jsonl"),
        (tmp_path / "m" / "messages.jsonl", "messages-jsonl"),
        (tmp_path / "j", "memory-json"),
        (tmp_path / "j" / "memory.json", "memory-json"),
        (chain.write(tmp_path / "claude"), "claude-code"),
        (tape.write(tmp_path / "codex"), "codex"),
    ):
        assert what(path) == kind, path
    for name, data in (("x.txt", b"hello"), ("x.jsonl", b'{"a": 1}\n'), ("x.json", b"[1, 2]")):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(UsageError, match=r"is nothing that can be taken over.*Name an export"):
            what(tmp_path / name)
    with pytest.raises(UsageError, match="There is no file"):
        what(tmp_path / "gone")
    for name in ("y.json", "y.jsonl", "memories.md"):
        (tmp_path / name).write_bytes(b"")
        with pytest.raises(UsageError, match="cannot be taken over: the file is empty"):
            what(tmp_path / name)


def test_its_sessions_come_and_its_facts_wait(tmp_path: Path) -> None:
    store = store_of(tmp_path / "home")
    done = bring(store.paths, store, CLOCK, memdir(tmp_path / "memdir"))
    assert (done.name, done.tally.statuses, done.proposed.statuses) == ("memdir", {"new": 1}, {"waits": 1})
    again = bring(store.paths, store, CLOCK, tmp_path / "memdir")
    assert (again.tally.statuses, again.proposed.statuses) == ({"same": 1}, {"same": 1})
    chain = Chain()
    chain.user("u1", "Hello")
    one = bring(store.paths, store, CLOCK, chain.write(tmp_path / "claude"), progress=lambda _: None)
    assert (one.name, one.tally.statuses) == ("Claude Code", {"new": 1})
    stopped = bring(store.paths, store, CLOCK, written(tmp_path, tea().raw), stop=lambda: True)
    assert stopped.tally.stopped and not stopped.tally.statuses


@pytest.mark.parametrize(
    "text", ["my export.zip", "'{}/my export.zip'", '"{}/my export.zip"', r"{}/my\ export.zip", " {}/my export.zip "]
)
def test_a_path_may_be_typed_pasted_or_dropped(tmp_path: Path, text: str) -> None:
    path = tmp_path / "my export.zip"
    path.write_bytes(b"")
    assert named(text.replace("{}", str(tmp_path)), tmp_path) == path
    assert named("gone it's", tmp_path) == tmp_path / "gone it's"
