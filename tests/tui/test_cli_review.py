from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.program import PROGRAM, environment
from tests.sessions.memory.homes import store_of, summaries
from tests.sessions.memory.waiting_home import waiting_home


@pytest.fixture
def home(tmp_path: Path) -> Path:
    waiting_home(tmp_path / "home")
    return tmp_path / "home"


def call(home: Path, *args: str, code: int = 0) -> tuple[str, str]:
    done = subprocess.run(
        [PROGRAM, *args], env=environment(home), capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL
    )
    assert done.returncode == code, (args, done.stdout, done.stderr)
    return done.stdout, done.stderr


def waiting(home: Path) -> list[int]:
    return [p.number for p in store_of(home).proposals()]


def test_what_waits_is_listed_with_what_it_does_and_decided_on_by_number(home):
    out, said = call(home, "review")
    assert [line.split()[:2] for line in out.splitlines()] == [
        ["+", "6"], ["~", "7"], ["~", "8"], ["-", "9"], ["=", "10"], ["+", "11"], ["+", "12"],
    ]  # fmt: skip
    assert "facts accept N" in said and "Changes #1 lives-in-tokyo" in out
    assert call(home, "facts", "list", "--proposed")[0] == out
    assert "7 more wait for review" in call(home, "facts", "list")[1]
    out, said = call(home, "facts", "accept", "7")
    assert out == "1 lives-in-tokyo — Lives in Osaka\n" and said == "accepted: updated\n"
    assert call(home, "facts", "reject", "#6", "--json")[0].startswith("{")
    assert waiting(home) == [8, 9, 10, 11, 12] and "Lives in Osaka" in summaries(store_of(home))
    assert "Nothing waits as 6" in call(home, "facts", "accept", "6", code=2)[1]


def test_json_has_the_fact_as_it_would_be_and_what_it_is_about(home):
    every = json.loads(call(home, "review", "--json")[0])
    assert [(one["number"], one["proposes"], one["targets"]) for one in every[:5]] == [
        (6, "new", []), (7, "update", [1]), (8, "supersede", [2]), (9, "forget", [3]), (10, "merge", [4, 5]),
    ]  # fmt: skip
    assert every[1]["summary"] == "Lives in Osaka" and every[1]["why"] and every[5]["group"] == "From Codex"
    assert json.loads(call(home, "facts", "list", "--proposed", "--json")[0]) == every


def test_in_a_terminal_one_key_decides_on_each_and_u_goes_back(home):
    keys = ["x", "u", "a", "a", "s", "e", "q"]
    ours, theirs = pty.openpty()
    program = subprocess.Popen([PROGRAM, "review"], stdin=theirs, stdout=theirs, stderr=theirs, env=environment(home))
    os.close(theirs)
    seen, asked = "", 0
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:
            break
        if not piece:
            break
        seen += piece.decode()
        while seen.count("q quit >") > asked and keys:
            asked += 1
            os.write(ours, keys.pop(0).encode())
            if keys == ["q"]:
                os.write(ours, b"\n")
    os.close(ours)
    assert program.wait(30) == 0, seen
    assert "- Lives in Tokyo" in seen and "+ Lives in Osaka" in seen and "why it waits: no quote" in seen
    assert "holds in: every folder" in seen
    assert "4 still wait" in seen
    assert waiting(home) == [8, 10, 11, 12]
    assert {"Plays chess on Fridays", "Lives in Osaka"} <= set(summaries(store_of(home)))
    assert "Uses Python 3.10" not in summaries(store_of(home))
