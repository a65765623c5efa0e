"""The server as other agents start it: the installed program, over stdin and stdout."""

from __future__ import annotations

import asyncio
from asyncio.subprocess import PIPE
from pathlib import Path

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


async def started(home: Home) -> asyncio.subprocess.Process:
    env = environment(home.paths.root)
    return await asyncio.create_subprocess_exec(PROGRAM, "mcp", env=env, stdin=PIPE, stdout=PIPE, stderr=PIPE)


@pytest.mark.parametrize("mode", MODES)
async def test_it_is_started_lists_answers_and_takes_a_fact(home: Home, tmp_path: Path, mode: str) -> None:
    async with program(home.paths.root, "--folder", str(tmp_path), mode=mode) as client:
        assert len((await client.list_tools()).tools) == 3
        recalled = await said(client, "recall_memory", query="Tokyo")
        assert "Lives in Tokyo" in recalled and f"those of {tmp_path}" in recalled
        assert "Waits for" in await said(client, "save_memory", name="go", summary="Plays go", kind="user")
    assert [p.fact.name for p in home.facts.proposals()] == ["go"]


async def test_a_client_that_dies_or_sends_rubbish_leaves_the_home_as_it_was(home: Home) -> None:
    process = await started(home)
    assert process.stdin is not None
    process.stdin.write(b"{oops\n\xff\xfe\n" + b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":7}\n')
    await process.stdin.drain()
    process.stdin.close()
    await asyncio.wait_for(process.wait(), 20)
    assert [f.name for f in home.facts.snapshot().facts if f.scope == "user"] == ["lives-in-tokyo"]
