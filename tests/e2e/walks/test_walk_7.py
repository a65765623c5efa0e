from __future__ import annotations

import json
import subprocess
from pathlib import Path

import mcp_types as types
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.program import PROGRAM, environment
from tests.sessions.lending.borrower import MODES, said


@pytest.mark.parametrize("mode", MODES)
async def test_walk_7_one_command_and_the_first_turn_of_the_other_agent_uses_this_memory(
    tmp_path: Path, mode: str
) -> None:
    home, atlas = tmp_path / "home", tmp_path / "atlas"
    atlas.mkdir()
    ours = environment(home)
    fact = ["facts", "add", "Lives in Tokyo", "--kind", "preference", "--name", "lives-in-tokyo"]
    for words in (fact, ["connect", "claude-code", "--yes"]):
        subprocess.run([PROGRAM, *words], env=ours, cwd=tmp_path, check=True, capture_output=True)

    # From here on nothing of our environment counts: the other agent knows what the files say.
    theirs = {k: v for k, v in ours.items() if k != "MEMAGENT_HOME"} | {"PATH": "/usr/bin:/bin"}
    entry = json.loads((tmp_path / ".claude.json").read_bytes())["mcpServers"]["memagent"]
    assert Path(entry["command"]).is_absolute()
    server = StdioServerParameters(command=entry["command"], args=entry["args"], env=theirs, cwd=atlas)
    info = types.Implementation(name="claude-code", version="1")
    async with Client(stdio_client(server), mode=mode, client_info=info) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} >= {"recall_memory", "search_history"}
        assert "Lives in Tokyo" in await said(client, "recall_memory", query="Where does the user live?")

    settings = json.loads((tmp_path / ".claude/settings.json").read_bytes())
    (hook,) = settings["hooks"]["SessionStart"][0]["hooks"]
    told = json.dumps({"hook_event_name": "SessionStart", "source": "startup", "cwd": str(atlas)})
    done = subprocess.run(
        ["sh", "-c", hook["command"]], env=theirs, cwd=atlas, input=told, capture_output=True, text=True, check=True
    )
    assert "Lives in Tokyo" in done.stdout and done.stderr == ""

    assert "recall_memory" in (tmp_path / ".claude/CLAUDE.md").read_text()
    checked = subprocess.run([PROGRAM, "doctor"], env=ours, cwd=atlas, capture_output=True, text=True, check=False)
    assert "claude-code: registered" in checked.stdout and "last call" in checked.stdout
