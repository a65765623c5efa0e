from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.program import PROGRAM, environment

CLIENTS = ["claude-code", "codex", "cursor"]


def connect(tmp_path: Path, *arguments: str, code: int = 0, cwd: Path | None = None) -> tuple[str, str]:
    """(stdout, stderr) of the installed program; the user's folder is `tmp_path`."""
    done = subprocess.run(
        [PROGRAM, "connect", *arguments],
        env=environment(tmp_path / "home"),
        cwd=cwd or tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done
    return done.stdout, done.stderr


def files(root: Path) -> dict[str, bytes | None]:
    found = [p for p in root.rglob("*") if not p.is_relative_to(root / "home")]
    return {str(p.relative_to(root)): p.read_bytes() if p.is_file() else None for p in found}


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("where", ["--user", "--folder"])
def test_printed_written_once_and_taken_back(tmp_path: Path, client: str, where: str) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude.json").write_text('{\n  "theirs": 1\n}')
    (tmp_path / "atlas").mkdir()
    before = files(tmp_path)
    call = (client, where)
    shown, _ = connect(tmp_path, *call, "--print", cwd=tmp_path / "atlas")
    assert "+++ " in shown and PROGRAM in shown and files(tmp_path) == before and not (tmp_path / "home").exists()
    listed = json.loads(connect(tmp_path, *call, "--print", "--json", cwd=tmp_path / "atlas")[0])
    assert "\n".join(line for change in listed for line in change["diff"]) == shown.rstrip("\n")
    written, said = connect(tmp_path, *call, "--yes", cwd=tmp_path / "atlas")
    assert written == shown and "Restart it" in said and f"connect {client}" in said and "--undo takes it back" in said
    changed = {Path(name) for name, data in files(tmp_path).items() if before.get(name, b"") != data and data}
    assert {tmp_path / name for name in changed} == {Path(change["file"]) for change in listed}
    assert "connected already" in connect(tmp_path, *call, "--yes", cwd=tmp_path / "atlas")[1]
    connect(tmp_path, *call, "--undo", "--yes", cwd=tmp_path / "atlas")
    assert files(tmp_path) == before
    assert "nothing to take back" in connect(tmp_path, *call, "--undo", "--yes", cwd=tmp_path / "atlas")[1]


def test_it_asks_first_and_a_script_must_say_yes(tmp_path: Path) -> None:
    _, said = connect(tmp_path, "codex", code=2)
    assert "--yes" in said and files(tmp_path) == {}
    for answer, code in (("n", 1), ("y", 0)):
        ours, theirs = pty.openpty()
        with subprocess.Popen(
            [PROGRAM, "connect", "codex"],
            env=environment(tmp_path / "home"),
            cwd=tmp_path,
            stdin=theirs,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as program:
            os.close(theirs)
            os.write(ours, f"{answer}\n".encode())
            _, said = program.communicate(timeout=60)
        os.close(ours)
        assert program.returncode == code and "Write these 2 files? [y/N]" in said
        assert (tmp_path / ".codex/config.toml").exists() == (answer == "y")


def test_what_was_changed_by_hand_is_named_and_goes_only_with_yes(tmp_path: Path) -> None:
    connect(tmp_path, "claude-code", "--yes")
    notes = tmp_path / ".claude/CLAUDE.md"
    notes.write_text(notes.read_text().replace("The user", "Ada"))
    shown, said = connect(tmp_path, "claude-code", "--undo", "--print")
    assert f"{notes}, line 1: the note on when to use it is there already, changed by hand" in said
    assert "--undo --yes" in said
    assert str(notes) not in shown and str(tmp_path / ".claude.json") in shown
    assert f"{notes}, line 1: " in connect(tmp_path, "claude-code", "--yes")[1], "and connecting leaves it alone"
    connect(tmp_path, "claude-code", "--undo", "--yes")
    assert not notes.exists()


def test_a_file_that_cannot_be_edited_is_named_in_one_line(tmp_path: Path) -> None:
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor/mcp.json").write_text('{\n  "mcpServers": {,}\n}')
    _, said = connect(tmp_path, "cursor", "--yes", code=1)
    assert said.count("\n") == 1 and "mcp.json, line 2" in said and "column 18" in said and "Traceback" not in said


def test_an_unknown_agent_or_two_places_are_a_wrong_call(tmp_path: Path) -> None:
    assert "claude-code" in connect(tmp_path, "emacs", code=2)[1]
    connect(tmp_path, "codex", "--user", "--folder", code=2)
