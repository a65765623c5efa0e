"""The server as other agents start it: the installed program, over stdin and stdout."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from subprocess import PIPE

import pytest

from sessions.clock import SystemClock
from sessions.home import Home
from sessions.memory.fact import By, Draft
from tests.program import PROGRAM, environment
from tests.sessions.lending.borrower import MODES, program, said


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home", env={}, clock=SystemClock())
    home.facts.save(Draft("lives-in-tokyo", "Lives in Tokyo", "preference"), by=By("user"))
    return home


@pytest.mark.parametrize("mode", MODES)
async def test_it_is_started_lists_answers_and_takes_a_fact(home: Home, tmp_path: Path, mode: str) -> None:
    folder = tmp_path / "atlas"
    async with program(home.paths.root, "--folder", str(folder), mode=mode) as client:
        assert len((await client.list_tools()).tools) == 3
        recalled = await said(client, "recall_memory", query="Tokyo")
        assert "Lives in Tokyo" in recalled and f"those of {folder}" in recalled
        assert "Waits for" in await said(client, "save_memory", name="go", summary="Plays go", kind="user")
    assert [p.fact.name for p in home.facts.proposals()] == ["go"]


HELLO = (
    b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
    b'"clientInfo":{"name":"x","version":"1"}}}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
)
RUBBISH = b'{oops\n\xff\xfe\n\n7\n{"jsonrpc":"2.0","id":1,"method":"tools/call","params":7}\n'
HALF = (
    b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"recall_memory","arguments":'
    b'{"query":"the \\ud83d Tokyo"}}}\n'
)


async def test_rubbish_is_answered_or_passed_over_and_a_client_that_goes_away_is_the_end(home: Home) -> None:
    env = environment(home.paths.root)
    with subprocess.Popen([PROGRAM, "mcp"], env=env, stdin=PIPE, stdout=PIPE, stderr=PIPE) as process:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        process.stdin.write(HELLO + RUBBISH + HALF)
        process.stdin.flush()
        answers = {a["id"]: a for a in (json.loads(process.stdout.readline()) for _ in range(3))}
        assert "serverInfo" in answers[0]["result"] and answers[1]["error"]["message"] == "This is no request"
        assert "Lives in Tokyo" in answers[2]["result"]["content"][0]["text"]
        process.stdout.close()
        process.stdin.write(HALF)
        process.stdin.close()
        assert (process.wait(20), process.stderr.read()) == (0, b"")
    assert [f.name for f in home.facts.snapshot().facts] == ["lives-in-tokyo"]


def test_without_stdin_it_is_said(home: Home) -> None:
    command = ["sh", "-c", 'exec "$0" mcp <&-', PROGRAM]
    done = subprocess.run(command, env=environment(home.paths.root), capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "stdin or stdout is closed" in done.stderr
