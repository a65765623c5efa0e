from __future__ import annotations

import json
from pathlib import Path

import pytest

from sessions.errors import StoreError
from sessions.messages import Marker, ToolMessage, UserMessage
from sessions.paths import HomePaths, make_home
from sessions.store.fork import fork
from sessions.store.log import LogWriter, read_log
from sessions.store.sidefiles import full_content

SOURCE, NEW = "20261129-171408-7f3a9c", "20261130-080000-aaaaaa"
AT = "2026-11-29T17:14:08.123Z"
FIRST = Marker("m0", AT, "session", {"cwd": "/there", "profile": "guide"})


@pytest.fixture
def paths(tmp_path: Path) -> HomePaths:
    paths = HomePaths(tmp_path, tmp_path / "config.toml")
    make_home(paths)
    with_lines = LogWriter.create(paths, SOURCE, FIRST)
    with_lines.append(UserMessage("u1", AT, 1, "hello", extra={"later": 1}))
    with_lines.append(ToolMessage("t1", AT, 1, "call-1", "read", "x" * 100_000))
    with_lines.append(Marker("m1", AT, "meta", {"title": "Greetings"}))
    with_lines.close()
    return paths


def test_a_fork_has_the_lines_with_their_ids_marked_as_copied_and_names_its_source(paths: HomePaths):
    path = fork(paths, SOURCE, NEW, Marker("n0", AT, "session", {"cwd": "/here"}))
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert lines[0] | {"forked_from": SOURCE, "cwd": "/here", "kind": "session"} == lines[0]
    assert [line["id"] for line in lines[1:]] == ["u1", "t1", "m1"]
    assert all(line["copied"] is True for line in lines[1:]) and lines[1]["later"] == 1
    assert path.stat().st_mode & 0o777 == 0o600


def test_large_results_come_along(paths: HomePaths):
    fork(paths, SOURCE, NEW, FIRST)
    paths.session_log(SOURCE).unlink()
    [tool] = [r for r in read_log(paths.session_log(NEW)).records if isinstance(r, ToolMessage)]
    assert full_content(paths, NEW, tool) == "x" * 100_000


def test_a_session_that_does_not_exist_or_is_newer_is_not_forked_and_nothing_is_left(paths: HomePaths):
    with pytest.raises(StoreError):
        fork(paths, "20200101-000000-abcdef", NEW, FIRST)
    newer = {"v": 9, "id": "x", "role": "marker", "at": AT, "kind": "session"}
    paths.session_log(SOURCE).write_text(json.dumps(newer) + "\n")
    with pytest.raises(StoreError, match="newer"):
        fork(paths, SOURCE, NEW, FIRST)
    assert not paths.session_log(NEW).exists()


def test_an_existing_session_is_never_replaced(paths: HomePaths):
    before = paths.session_log(SOURCE).read_bytes()
    with pytest.raises(StoreError, match="exists"):
        fork(paths, SOURCE, SOURCE, FIRST)
    assert paths.session_log(SOURCE).read_bytes() == before
