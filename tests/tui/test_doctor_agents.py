from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.program import PROGRAM, environment


@pytest.fixture
def desk(tmp_path: Path):
    """Calls the installed program in `atlas`; the user's folder is the one above."""
    (tmp_path / "atlas").mkdir()
    # Whatever is installed on the machine of the tests is not on this one.
    ours = environment(tmp_path / "home", PATH="/nonexistent")

    def call(*words: str, **more: str) -> str:
        done = subprocess.run(
            [PROGRAM, *words], env=ours | more, cwd=tmp_path / "atlas", capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done
        return done.stdout

    return call


def agents(call) -> list[dict[str, str]]:
    found = json.loads(call("doctor", "--json"))
    return [finding for finding in found if finding["what"] in {"claude-code", "codex", "cursor", "agents"}]


def test_only_agents_that_are_on_this_machine_are_named(desk, tmp_path: Path) -> None:
    assert agents(desk) == []
    (tmp_path / ".codex").mkdir()
    (finding,) = agents(desk)
    assert finding["what"] == "codex" and finding["state"] == "ok" and "not connected; no call yet" in finding["says"]
    assert finding["do"].startswith("memagent-tui connect codex")


def test_what_is_registered_and_well_is_said_in_one_line(desk, tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    desk("connect", "claude-code", "--yes")
    desk("connect", "claude-code", "--folder", "--yes")
    desk("connect", "cursor", "--yes")
    calls = tmp_path / "home/local/clients.json"
    calls.write_text(json.dumps({"Cursor-vscode": {"at": "2026-11-28T10:00:00.000Z", "folder": "/code/atlas"}}))
    claude, cursor = agents(desk)
    files = f"{tmp_path}/.claude.json and {tmp_path}/atlas/.mcp.json"
    assert (claude["state"], claude["says"]) == ("ok", f"registered in {files}; no call yet")
    assert cursor["says"] == f"registered in {tmp_path}/.cursor/mcp.json; last call 2026-11-28 10:00 in /code/atlas"


def test_what_is_wrong_is_said_with_what_to_do(desk, tmp_path: Path) -> None:
    old = tmp_path / "old/memagent-tui"
    old.parent.mkdir()
    old.symlink_to(PROGRAM)
    (tmp_path / ".claude").mkdir()
    desk("connect", "claude-code", "--yes")
    desk("connect", "codex", "--yes")
    for name in (".claude.json", ".claude/settings.json", ".codex/config.toml"):
        path = tmp_path / name
        path.write_text(path.read_text().replace(PROGRAM, str(old)))
    assert {finding["state"] for finding in agents(desk)} == {"ok"}

    old.unlink()
    (tmp_path / ".claude/CLAUDE.md").unlink()
    config = tmp_path / ".codex/config.toml"
    config.write_text(config.read_text().replace("args", "enabled = false\nargs"))
    says = {
        (f["what"], f["says"].replace(str(tmp_path), "~"), f["do"]) for f in agents(desk) if f["state"] == "warning"
    }
    again = "memagent-tui connect claude-code"
    assert says == {
        ("claude-code", "~/.claude.json: ~/old/memagent-tui is not there any more", again),
        ("claude-code", "~/.claude/settings.json: ~/old/memagent-tui is not there any more", again),
        ("claude-code", "~/.claude/CLAUDE.md: the note on when to use it is missing", again),
        ("codex", "~/.codex/config.toml: ~/old/memagent-tui is not there any more", "memagent-tui connect codex"),
        ("codex", "~/.codex/config.toml: the server is switched off", "Take out enabled = false"),
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("#!/bin/sh\nexit 1\n", "does not answer to --version"),
        ("no program", "cannot be started: "),
    ],
)
def test_a_program_that_does_not_answer_is_named(desk, tmp_path: Path, text: str, says: str) -> None:
    program = tmp_path / "memagent-tui"
    program.write_text(text)
    program.chmod(0o755)
    (tmp_path / ".cursor").mkdir()
    entry = {"mcpServers": {"memagent": {"command": str(program), "args": ["mcp", "--home", str(tmp_path / "home")]}}}
    (tmp_path / ".cursor/mcp.json").write_text(json.dumps(entry))
    found = agents(desk)
    assert found[0]["state"] == "warning" and says in found[0]["says"], found[0]


def test_another_home_another_program_and_a_broken_file_are_named(desk, tmp_path: Path) -> None:
    for name in (".claude", ".codex", ".cursor"):
        (tmp_path / name).mkdir()
    desk("connect", "claude-code", "--yes", "--home", str(tmp_path / "other"))
    (tmp_path / ".codex/config.toml").write_text('[mcp_servers.memagent]\ncommand = "npx"\n')
    (tmp_path / ".cursor/mcp.json").write_text("{")
    says = " ".join(f["says"] for f in agents(desk) if f["state"] == "warning")
    assert says.count(f"it lends another home, {tmp_path}/other") == 2
    assert "the entry memagent starts something else" in says
    assert "mcp.json, line 1" in says
