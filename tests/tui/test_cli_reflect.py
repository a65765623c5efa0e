from __future__ import annotations

import json
import subprocess
from datetime import date
from pathlib import Path

import pytest

from tests.program import PROGRAM, environment
from tests.sessions.memory.homes import PERSON, draft, store_of, summaries


@pytest.fixture
def home(tmp_path: Path) -> Path:
    store = store_of(tmp_path / "home")
    store.save(draft("tea", "Likes green tea"), by=PERSON)
    store.save(draft("green-tea", "Likes green tea a lot", body="From Uji, every spring."), by=PERSON)
    store.save(draft("q3", "Waiting on Sarah about Q3", "open-thread", due=date(2026, 11, 20)), by=PERSON)
    return tmp_path / "home"


def call(home: Path, *args: str, code: int = 0) -> tuple[str, str]:
    done = subprocess.run(
        [PROGRAM, *args],
        env=environment(home, MEMAGENT_CLOCK="2026-11-29T17:20:00Z"),
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == code, (args, done.stdout, done.stderr)
    return done.stdout, done.stderr


def test_the_guide_looks_through_the_facts_and_only_proposes(home: Path) -> None:
    out, said = call(home, "facts", "reflect")
    assert [line.split()[:2] for line in out.splitlines()] == [["-", "4"], ["=", "5"]]
    assert "it was due on 2026-11-20" in out and "Makes one fact of #1 tea, #2 green-tea" in out
    assert "3 facts looked through on this machine: 2 to review" in said and "saved when you accept" in said
    assert "facts accept N" in said
    assert len(summaries(store_of(home))) == 3
    call(home, "facts", "accept", "5")
    call(home, "facts", "accept", "4")
    store = store_of(home)
    assert summaries(store) == ["Likes green tea a lot"] and store.get(1).body == "From Uji, every spring."
    assert call(home, "facts", "reflect")[1].startswith("1 fact looked through on this machine: nothing to change")


def test_defragment_merges_and_prints_one_json_value(home: Path) -> None:
    out, _ = call(home, "facts", "defragment", "--json")
    (item,) = json.loads(out)
    assert (item["proposes"], item["targets"], item["group"]) == ("merge", [1, 2], "From tidying the facts")
    assert item["tokens"] > 0 and item["why"]


def test_a_home_without_facts_has_nothing_to_look_through(tmp_path: Path) -> None:
    assert call(tmp_path / "home", "facts", "reflect") == ("", "there are no facts to look through\n")


def test_an_open_thread_is_closed_by_number_and_opened_again_by_undo(home: Path) -> None:
    out, said = call(home, "facts", "close", "3", "--yes")
    assert (out, said) == ("3 q3 — Waiting on Sarah about Q3\n", "closed\n")
    assert [f.name for f in store_of(home).snapshot().facts] == ["tea", "green-tea"]
    call(home, "facts", "undo", "--yes")
    assert [f.name for f in store_of(home).snapshot().facts] == ["tea", "green-tea", "q3"]
    assert "no open thread" in call(home, "facts", "close", "tea", "--yes", code=2)[1]
    assert "asks first" in call(home, "facts", "close", "q3", code=2)[1]


def test_an_unknown_worker_is_said(home: Path) -> None:
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text('[memory]\nworker = "nobody"\n')
    assert "There is no profile 'nobody'" in call(home, "facts", "reflect", code=2)[1]
