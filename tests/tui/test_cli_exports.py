from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sessions.importers import exports
from tests.sessions.importers.export_files import GPT, Chat, Tree, tea, uuid, written, zipped
from tui.__main__ import main

Out = pytest.CaptureFixture[str]


def run(tmp_path: Path, *arguments: str) -> int:
    return main(["--home", str(tmp_path / "home"), "import", *arguments])


def listed(tmp_path: Path, capsys: Out, *what: str) -> list[dict[str, object]]:
    capsys.readouterr()
    assert main(["--home", str(tmp_path / "home"), *what, "--json"]) == 0
    found: list[dict[str, object]] = json.loads(capsys.readouterr().out)
    return found


def test_a_dry_run_shows_what_would_come_then_it_comes_once(tmp_path: Path, capsys: Out) -> None:
    path = zipped(tmp_path / "export.zip", conversations__json=[tea().raw])
    assert run(tmp_path, "chatgpt", str(path), "--dry-run") == 0
    shown = capsys.readouterr()
    assert "Tea in Tokyo" in shown.out and "1 session would be taken over, 0 are here already" in shown.err
    assert run(tmp_path, "chatgpt", str(path), "--dry-run", "--json") == 0
    (one,) = json.loads(capsys.readouterr().out)
    assert (one["uuid"], one["title"], one["new"]) == (GPT, "Tea in Tokyo", True)
    assert not list((tmp_path / "home/sessions").glob("*.jsonl"))
    assert run(tmp_path, "chatgpt", str(path)) == 0
    assert capsys.readouterr().out == "1 new session; 2 messages came\n"
    assert run(tmp_path, "chatgpt", str(path), "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["sessions"], told["messages"]) == ({"same": 1}, 0)
    (session,) = listed(tmp_path, capsys, "sessions", "list")
    assert (
        session["source"] == {"kind": "chatgpt", "path": str(path), "uuid": GPT} and session["title"] == "Tea in Tokyo"
    )
    assert main(["--home", str(tmp_path / "home"), "sessions", "search", "sencha", "from:chatgpt"]) == 0
    assert "Sencha, mostly." in capsys.readouterr().out


def test_damage_is_named_with_its_line_and_what_is_nothing_at_all_fails(tmp_path: Path, capsys: Out) -> None:
    chat = Chat()
    chat.add("1", "human", "Hello")
    path = written(tmp_path, chat.raw, indent=1)
    path.write_text(path.read_text()[:-2] + ",\n{torn")
    assert run(tmp_path, "claude-ai", str(path)) == 0
    shown = capsys.readouterr()
    assert shown.out == "1 new session; 1 message came\n" and "conversations.json, line" in shown.err
    path.write_text("hello\n")
    assert run(tmp_path, "claude-ai", str(path)) == 1
    assert "conversations.json, line 1: Expecting value" in capsys.readouterr().err
    assert run(tmp_path, "chatgpt") == 2
    assert "Which file of ChatGPT" in capsys.readouterr().err
    assert run(tmp_path, "chatgpt", str(tmp_path / "gone.zip")) == 2
    assert "There is no file" in capsys.readouterr().err
    assert run(tmp_path, "claude-ai", str(written(tmp_path, tea().raw)), "--dry-run") == 2
    assert f"Use: memagent-tui import chatgpt {path}" in capsys.readouterr().err
    assert run(tmp_path, "chatgpt", str(path), "--only", "memory") == 2
    assert "There are no memories in" in capsys.readouterr().err


def test_facts_only_wait_for_review_and_keys_without_one_are_named(tmp_path: Path, capsys: Out) -> None:
    path = tmp_path / "memory.json"
    path.write_text(json.dumps({"preferences": {"home": "Lives in Tokyo", "none": None}, "odd": 3}))
    assert run(tmp_path, "memory-json", str(path), "--dry-run") == 0
    shown = capsys.readouterr()
    assert "Lives in Tokyo" in shown.out and "1 fact would wait for your review" in shown.err
    assert "session" not in shown.err
    assert run(tmp_path, "memory-json", str(path)) == 0
    shown = capsys.readouterr()
    assert shown.out == "1 fact waits for your review\n"
    assert "memory.json: preferences.none: null" in shown.err and "memory.json: odd: no keys" in shown.err
    assert (
        not listed(tmp_path, capsys, "facts", "list")
        and len(listed(tmp_path, capsys, "facts", "list", "--proposed")) == 1
    )
    assert run(tmp_path, "memory-json", str(path), "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["facts"] == {"same": 1} and len(told["bad"]) == 2
    path.write_text('{"preferences": {\n"a" "b"}}')
    assert run(tmp_path, "memory-json", str(path)) == 1
    assert "memory.json, line 2: Expecting ':' delimiter" in capsys.readouterr().err


def test_only_one_of_both_comes_from_memdir(tmp_path: Path, capsys: Out) -> None:
    with closing(sqlite3.connect(tmp_path / "memory.db")) as db, db:
        db.execute("CREATE TABLE items (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT)")
        db.execute("INSERT INTO items (session_id, role, content) VALUES ('s', 'user', 'Where is the mill?')")
    (tmp_path / "memories.md").write_text("- Lives in Tokyo\n")
    assert run(tmp_path, "memdir", str(tmp_path), "--only", "memory") == 0
    assert capsys.readouterr().out == "1 fact waits for your review\n"
    assert run(tmp_path, "memdir", str(tmp_path), "--only", "sessions") == 0
    assert capsys.readouterr().out == "1 new session; 1 message came\n"
    assert run(tmp_path, "memdir", str(tmp_path)) == 0
    assert (
        capsys.readouterr().out
        == "0 new sessions, 1 as before; 0 messages came\n0 facts wait for your review, 1 as before\n"
    )


def test_a_messages_jsonl_names_its_bad_lines(tmp_path: Path, capsys: Out) -> None:
    path = tmp_path / "messages.jsonl"
    path.write_text('{"role": "user", "content": "Hello"}\n{torn\n{"role": "assistant", "content": "Hi"}\n')
    assert run(tmp_path, "messages-jsonl", str(path)) == 0
    shown = capsys.readouterr()
    assert shown.out == "1 new session; 2 messages came\n" and "messages.jsonl, line 2: no JSON object" in shown.err


def test_words_of_an_export_reach_the_terminal_as_words(tmp_path: Path, capsys: Out) -> None:
    tree = Tree(uuid("x"), "\x1b]0;owned\x07[red]")
    tree.add("1", "user", "\x1b[31m")
    assert run(tmp_path, "chatgpt", str(written(tmp_path, tree.raw)), "--dry-run") == 0
    assert "\x1b" not in capsys.readouterr().out


def test_ctrl_c_ends_it_with_a_word_and_the_same_command_goes_on(
    tmp_path: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    raws = []
    for n in range(5):
        tree = Tree(uuid(f"c{n}"), f"T{n}")
        tree.add(f"m{n}", "user", f"Words {n}")
        raws.append(tree.raw)
    path, real = str(written(tmp_path, *raws)), exports._take

    def interrupted(*arguments: Any) -> None:
        if arguments[1].title == "T3":
            raise KeyboardInterrupt
        real(*arguments)

    monkeypatch.setattr(exports, "_take", interrupted)
    assert run(tmp_path, "chatgpt", path) == 130
    assert "the same command goes on from there" in capsys.readouterr().err
    monkeypatch.setattr(exports, "_take", real)
    assert run(tmp_path, "chatgpt", path) == 0
    assert capsys.readouterr().out == "2 new sessions, 3 as before; 2 messages came\n"


def test_what_a_kind_of_file_does_not_hold_is_said(tmp_path: Path, capsys: Out) -> None:
    (tmp_path / "memory.json").write_text("{}")
    (tmp_path / "messages.jsonl").write_text('{"role": "user", "content": "Hello"}\n')
    assert run(tmp_path, "memory-json", str(tmp_path), "--only", "sessions") == 2
    assert "There are no sessions in a memory.json" in capsys.readouterr().err
    assert run(tmp_path, "messages-jsonl", str(tmp_path), "--only", "memory") == 2
    assert "There are no memories in" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("chatgpt", "conversations.json"),
        ("claude-ai", "conversations.json"),
        ("messages-jsonl", "messages.jsonl"),
        ("memory-json", "memory.json"),
        ("memdir", "memory.db"),
        ("memdir", "memories.md"),
    ],
)
def test_that_a_file_is_empty_is_said(tmp_path: Path, capsys: Out, kind: str, name: str) -> None:
    (tmp_path / name).write_bytes(b"")
    assert run(tmp_path, kind, str(tmp_path / name)) == 1
    assert f"{name}: the file is empty" in capsys.readouterr().err


def test_of_what_is_no_conversation_each_is_named_and_what_stands_behind_them_is_told(
    tmp_path: Path, capsys: Out
) -> None:
    path = tmp_path / "conversations.json"
    path.write_text('[null, 7, {"a": [1, {"b": 2}]}, "str", [1], {}]')
    for dry in ([], ["--dry-run"]):
        assert run(tmp_path, "chatgpt", str(path), *dry) == 1
        told = capsys.readouterr().err
        assert [f"conversation {n}: it is none" in told for n in range(1, 8)] == [True] * 6 + [False]
        assert "in all" not in told and "fact" not in told
    path.write_text(json.dumps([tea().raw]) + " and more")
    assert run(tmp_path, "chatgpt", str(path), "--dry-run") == 0
    told = capsys.readouterr().err
    assert "something stands after the array: it is not read" in told and "fact" not in told
    path.write_text(json.dumps({"conversations": [tea().raw], "more": 7}))
    assert run(tmp_path, "chatgpt", str(path)) == 0 and "array" not in capsys.readouterr().err


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
@pytest.mark.parametrize(
    ("kind", "name", "data"),
    [
        ("chatgpt", "export.zip", b"PK\x03\x04 and no more"),
        ("chatgpt", "conversations.json", b"hello"),
        ("memdir", "memory.db", b"SQLite format 3\0 and no more"),
        ("memory-json", "memory.json", b"{"),
    ],
)
def test_a_damaged_file_of_which_nothing_can_be_read_is_a_failure_and_no_wrong_call(
    tmp_path: Path, capsys: Out, kind: str, name: str, data: bytes, dry: list[str]
) -> None:
    (tmp_path / name).write_bytes(data)
    assert run(tmp_path, kind, str(tmp_path / name), *dry) == 1
    assert name in capsys.readouterr().err
    assert run(tmp_path, kind, str(tmp_path / "none"), *dry) == 2
