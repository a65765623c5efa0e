"""Connecting beside other programs, in files that are long, broken, or changed meanwhile."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError
from unittest.mock import patch

import pytest

from sessions.errors import StoreError
from sessions.lending.connect import carry_out, connecting, sweep
from sessions.lending.made import Record
from sessions.paths import make_home
from tests.sessions.lending.desk import CLIENTS, Desk


@pytest.mark.parametrize(
    "command",
    [
        "echo 'later: memagent-tui context' >> notes.txt",
        "/x/memagent-tui context | tee log",
        "/x/memagent-tui context --home /y --json",
        "cd /z && memagent-tui context",
        "MEMAGENT_HOME=/y memagent-tui context",
    ],
)
def test_a_hook_that_does_more_than_ours_is_the_persons(desk: Desk, command: str) -> None:
    text = json.dumps({"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": command}]}]}})
    path = desk.write("ada/.claude/settings.json", text)
    assert "the hook is there already" in desk.connect("claude-code").kept[0]
    desk.undo("claude-code", edited=True)
    assert path.read_text() == text


def test_two_that_connect_at_once_lose_no_record_of_what_was_made(desk: Desk) -> None:
    make_home(desk.paths)
    before = desk.files()
    (desk.root / "ada/.claude.json").write_text('{\n  "a": 1\n}')
    plans = {client: connecting(desk.places(client, False), Record(desk.paths)) for client in CLIENTS}
    read, both = Record._read, Barrier(len(CLIENTS))

    def slowly(record: Record) -> dict[str, object]:
        known = read(record)
        with suppress(BrokenBarrierError):
            both.wait(0.3)  # all have read, if they can, before one writes
        return known

    with patch.object(Record, "_read", slowly), ThreadPoolExecutor(len(CLIENTS)) as pool:
        runs = [pool.submit(carry_out, plan, Record(desk.paths), private=True) for plan in plans.values()]
        for run in runs:
            run.result()
    for client in CLIENTS:
        desk.undo(client)
    (desk.root / "ada/.claude.json").unlink()
    assert desk.files() == before


def test_what_a_kill_left_beside_a_file_is_swept_away(desk: Desk) -> None:
    desk.write("ada/.claude.json", "{}")
    gone = subprocess.Popen(["true"])
    gone.wait()
    ours = desk.write(f"ada/..claude.json.{gone.pid}-0123abcd.tmp", "half")
    others = [f"ada/..claude.json.{os.getpid()}-0123abcd.tmp", "ada/.claude.json.tmp", "ada/..claude.json.x-1.tmp"]
    kept = [desk.write(name, "theirs") for name in others]
    sweep(desk.places("claude-code", False), Record(desk.paths))
    assert not ours.exists() and all(path.exists() for path in kept)


def test_a_long_file_takes_no_more_steps_than_it_must(desk: Desk) -> None:
    talk = [{"display": "word " * 10, "pasted": {}} for _ in range(20)]
    folders = {f"/home/x/{i}": {"history": talk, "n": i, "b": True} for i in range(400)}
    text = json.dumps({"projects": folders}, indent=2)
    desk.write("ada/.claude.json", text)
    steps = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal steps
        steps += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        connecting(desk.places("claude-code", False), Record(desk.paths))
    finally:
        sys.setprofile(None)
    assert steps < len(text) / 20, "read by its signs it takes a step for each"


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        (".claude.json", b'{\n  "a": 1\n  "b": 2\n}', r"there must be a comma or }, column 3 \(.*json, line 3\)"),
        (".claude.json", b"[]", r"an object belongs here, column 1"),
        (".claude.json", b'{"mcpServers": []}', r"an object belongs here, column 16"),
        (".claude/settings.json", b'{"hooks": {"SessionStart": {}}}', r"an array belongs here"),
        (".claude.json", b'{"a":' * 5_000 + b"1" + b"}" * 5_000, r"it is nested too deep"),
        (".claude/settings.json", b'{"\xff": 1}', r"no UTF-8 text .*line 1"),
        (".claude/CLAUDE.md", b"hi\n<!-- memagent-tui:begin -->\nyou\n", r"does not end.*line 2"),
    ],
)
def test_a_file_that_cannot_be_edited_is_named_and_nothing_is_written(desk: Desk, name, text, says) -> None:
    desk.write(f"ada/{name}", text)
    before = desk.files()
    with pytest.raises(StoreError, match=says):
        desk.connect("claude-code")
    assert desk.files() == before


def test_broken_toml_is_named_with_its_line(desk: Desk) -> None:
    desk.write("ada/.codex/config.toml", "a = 1\nb = \n")
    with pytest.raises(StoreError, match=r"column \d+ \(.*config\.toml, line 2\)"):
        desk.connect("codex")
    desk.write("ada/.codex/config.toml", "a = " + "[" * 5_000 + "]" * 5_000)
    with pytest.raises(StoreError, match=r"nested too deep \(.*config\.toml"):
        desk.connect("codex")


def test_a_file_that_another_program_changes_meanwhile_is_not_written_over(desk: Desk) -> None:
    path = desk.write("ada/.claude.json", "{}")
    record = Record(desk.paths)
    plan = connecting(desk.places("claude-code", False), record)
    path.write_text('{"a": 1}')
    with pytest.raises(StoreError, match="Another program has just changed it"):
        carry_out(plan, record, private=True)
    assert path.read_text() == '{"a": 1}' and not (desk.root / "ada/.claude").exists()
