"""A session that was resumed there stands in two files with the same messages; the newest comes first."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sessions.clock import FixedClock, parse_iso
from sessions.home import Home
from sessions.hub.start import start_info
from sessions.importers.claude_code import READER
from sessions.importers.passing import due, take_all
from sessions.importers.taking import Taking
from sessions.paths import HomePaths
from tests.sessions.importers.claude_files import Chain
from tests.sessions.store.records import home as home_at
from tui.__main__ import main

CLOCK = FixedClock(parse_iso("2026-11-30T10:00:00Z"))  # type: ignore[arg-type]
FIRST, SECOND = (f"5b1d0c3e-7a51-4a53-9d4e-1f2e3d4c5b6{n}" for n in range(2))


def talk(folder: Path, *, goes_on: bool, title: str, session: str, age_s: int) -> Path:
    chain = Chain(cwd="/home/ada/atlas")
    chain.user("u1", "How many herons are there?")
    chain.answer("a1", "Nine.", id="m1", stop="end_turn")
    chain.about("summary", summary=f"The zebrafish {title}", leafUuid="a1")
    if goes_on:
        chain.user(f"u-{title}", f"And what of the {title}?")
        chain.answer(f"a-{title}", "Four.", id=f"m-{title}", stop="end_turn")
    path = chain.write(folder, f"{session}.jsonl")
    os.utime(path, (1_700_000_000 - age_s, 1_700_000_000 - age_s))
    return path


def taken(paths: HomePaths, folder: Path) -> None:
    taking = Taking(paths, CLOCK)
    sources = ((READER, source) for source in READER.find([folder]))
    take_all(taking, sorted(due(taking, sources), key=lambda pair: -pair[1].mtime_ns))


@pytest.fixture
def paths(tmp_path: Path) -> HomePaths:
    paths = home_at(tmp_path / "home")
    talk(tmp_path / "claude", goes_on=False, title="before", session=FIRST, age_s=1000)
    talk(tmp_path / "claude", goes_on=True, title="after", session=SECOND, age_s=0)
    taken(paths, tmp_path / "claude")
    return paths


def titles(paths: HomePaths, query: str) -> list[str]:
    home = Home(paths, env={}, clock=CLOCK)
    home.index.freshen()
    return [hit.title for hit in home.index.search(query)]


def test_the_one_that_says_nothing_of_its_own_is_neither_listed_nor_found(
    paths: HomePaths, capsys: pytest.CaptureFixture[str]
) -> None:
    assert titles(paths, "zebrafish") == ["The zebrafish after"]
    assert titles(paths, "herons") == ["The zebrafish after"]
    assert main(["--home", str(paths.root), "sessions", "list"]) == 0
    out = capsys.readouterr().out
    assert "The zebrafish after" in out and "before" not in out and "0 turns" not in out
    assert main(["--home", str(paths.root), "ask", "Hello"]) == 0
    info = start_info(Home(paths, env={}, clock=CLOCK), Path("/home/ada/atlas"))
    assert [m.title for m in info.more] == ["The zebrafish after"]


def test_once_something_is_said_in_it_it_is_both(
    paths: HomePaths, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert titles(paths, "zebrafish") == ["The zebrafish after"], "the index knows both files"
    talk(tmp_path / "claude", goes_on=True, title="before", session=FIRST, age_s=-1000)
    taken(paths, tmp_path / "claude")
    assert sorted(titles(paths, "zebrafish")) == ["The zebrafish after", "The zebrafish before"]
    assert main(["--home", str(paths.root), "sessions", "list"]) == 0
    assert "The zebrafish before" in capsys.readouterr().out
