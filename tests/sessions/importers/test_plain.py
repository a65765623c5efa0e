from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sessions.errors import MemagentError
from sessions.importers import export_files
from sessions.importers.base import Report
from sessions.importers.bringing import what
from sessions.importers.claude_code import READER
from sessions.importers.codex import READER as CODEX
from sessions.importers.memories import memories, of_folder
from sessions.importers.plain import open_plain
from tests.sessions.importers.claude_files import Chain, call, read, shape

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes in folders"),
    pytest.mark.timeout(20),
]


def bound(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)
    try:
        # The address of a socket has few characters.
        socket.socket(socket.AF_UNIX).bind(path.name)
    finally:
        os.chdir(here)


def to_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


MADE: list[Callable[[Path], None]] = [os.mkfifo, bound, to_device]


@pytest.mark.parametrize("make", MADE)
def test_only_plain_files_and_links_to_them_are_opened(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "x.jsonl")
    with pytest.raises(OSError, match="no plain file"):
        open_plain(tmp_path / "x.jsonl")
    with pytest.raises(OSError, match="no plain file"):
        open_plain(tmp_path)
    (tmp_path / "y").write_text("yes")
    (tmp_path / "link").symlink_to(tmp_path / "y")
    with open_plain(tmp_path / "link") as file:
        assert file.read() == b"yes"


@pytest.mark.parametrize("make", MADE)
def test_what_never_ends_beside_a_session_holds_nobody_and_is_named(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    said = "<persisted-output>\nSaved to: /elsewhere/tool-results/toolu_1.txt\n\nPreview:\nrow 0\n"
    chain = Chain()
    chain.user("u1")
    chain.answer("a1", call("t1", "Task", prompt="Count"), call("c1"))
    chain.result("r1", ("t1", "Three"))
    chain.result("r2", ("c1", said))
    path = chain.write(tmp_path)
    beside = path.with_suffix("")
    for folder in ("subagents", "tool-results"):
        (beside / folder).mkdir(parents=True)
    inner = Chain(isSidechain=True, agentId="z")
    inner.user("zu", "Count")
    (beside / "subagents/agent-z.jsonl").write_text("".join(line + "\n" for line in inner.lines))
    for name in ("subagents/agent-f.jsonl", "subagents/agent-z.meta.json", "tool-results/toolu_1.txt"):
        make(beside / name)
    records, reading = read(path)
    told = shape(records)
    assert told[-1].startswith("result r2 of c1: <persisted-output>") and "  user zu: Count (t1)" in told
    found = sorted(reading.report.bad)
    assert found[:2] == [(name, 0, "no plain file") for name in ("agent-f.jsonl", "agent-z.meta.json")]
    assert found[2][0] == "toolu_1.txt" and len(found) == 3


@pytest.mark.parametrize("which", ["session", "tool-results", "toolu_1.txt"])
def test_a_link_out_of_the_folder_of_a_session_is_not_followed(tmp_path: Path, which: str) -> None:
    out = tmp_path / "elsewhere" / "tool-results"
    out.mkdir(parents=True)
    (out / "toolu_1.txt").write_text("secret")
    chain = Chain()
    chain.user("u1")
    chain.answer("a1", call("c1"))
    chain.result("r1", ("c1", "<persisted-output>\nSaved to: /x/tool-results/toolu_1.txt\n\nPreview:\nrow 0\n"))
    path = chain.write(tmp_path)
    place, target = path.with_suffix(""), out.parent
    if which != "session":
        place.mkdir()
        place, target = place / "tool-results", out
    if which == "toolu_1.txt":
        place.mkdir()
        place, target = place / which, out / which
    place.symlink_to(target)
    records, reading = read(path)
    assert "secret" not in shape(records)[-1]
    assert reading.report.bad == [("toolu_1.txt", 0, "a link out of the session's folder")]


@pytest.mark.parametrize("make", MADE)
def test_what_never_ends_in_a_memory_folder_is_named(tmp_path: Path, make: Callable[[Path], None]) -> None:
    folder = tmp_path / "projects" / "-atlas" / "memory"
    folder.mkdir(parents=True)
    make(folder / "f.md")
    (folder / "tea.md").write_text("Likes tea")
    for found in (lambda report: memories(READER, [tmp_path], report), lambda report: of_folder(folder, report=report)):
        report = Report()
        assert [one.summary for one in found(report)] == ["Likes tea"]
        assert report.bad == [("f.md", 0, "no plain file")]


@pytest.mark.parametrize("name", ["x", "x.jsonl", "x.zip", "memories.md", "rollout-x.jsonl"])
def test_what_never_ends_cannot_be_brought(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    for look in (what, export_files.parts):
        with pytest.raises(OSError, match="no plain file"):
            look(tmp_path / name)
    assert CODEX.at(tmp_path / name) is None and READER.at(tmp_path / name) is None
    with pytest.raises(MemagentError, match=r"There is no conversations\.json"):
        export_files.parts(tmp_path)
