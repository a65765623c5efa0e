"""Servers from PyPI and npm, where they are installed: `pip install mcp-server-time`, `npm install -g
@modelcontextprotocol/server-filesystem @modelcontextprotocol/server-memory`."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessions.agent.approval import DECLINED, Decision
from sessions.events import ToolCallFinished
from tests.servers.chat_server import ChatServer, calls, text
from tests.sessions.hub.test_servers import configure, serving
from tests.waiting import until

NAMES = ("mcp-server-time", "mcp-server-filesystem", "mcp-server-memory")
pytestmark = pytest.mark.skipif(not all(map(shutil.which, NAMES)), reason="needs servers of PyPI and npm")


@pytest.fixture
def model() -> Iterator[ChatServer]:
    with ChatServer() as made:
        yield made


async def test_listed_called_approved_denied_stopped_and_killed(tmp_path: Path, model: ChatServer) -> None:
    allowed = tmp_path / "allowed"
    allowed.mkdir()
    (tmp_path / "secret").write_text("do not read")
    (allowed / "note.txt").write_text("Kyoto is the safer choice")
    home = configure(
        tmp_path,
        model,
        '[mcp.servers.time]\ncommand = "mcp-server-time"\n',
        f'[mcp.servers.files]\ncommand = "mcp-server-filesystem"\nargs = ["{allowed}"]\n',
        '[mcp.servers.graph]\ncommand = "mcp-server-memory"\n'
        f'env = {{ MEMORY_FILE_PATH = "{tmp_path / "graph.jsonl"}" }}\n',
    )
    convert = {"source_timezone": "Asia/Tokyo", "time": "09:00", "target_timezone": "UTC"}
    written = allowed / "new.txt"
    entity = {"name": "Sarah", "entityType": "person", "observations": ["owns the roadmap"]}
    model.script(
        calls(
            ("time__convert_time", convert),
            ("files__read_text_file", {"path": str(allowed / "note.txt")}),
            ("files__read_text_file", {"path": str(tmp_path / "secret")}),
        ),
        text("Read."),
        calls(("files__write_file", {"path": str(written), "content": "yes"})),
        calls(("graph__create_entities", {"entities": [entity]})),
        text("Written."),
        calls(("files__write_file", {"path": str(written), "content": "no"})),
        text("Not written."),
    )
    async with serving(home) as (hub, heard):
        session = (await hub.new(tmp_path)).id
        await hub.servers.offered(True)
        assert {server.name: server.why for server in hub.servers.health()} == {"time": "", "files": "", "graph": ""}
        assert all(len(server.tools) > 1 and not server.remarks for server in hub.servers.health())

        async def answered(turn: int, *decisions: Decision) -> list[str]:
            """What the calls of a turn come to, when the person answers so."""
            await hub.send(session, "Go on")
            for decision in decisions:
                await until(lambda: hub.approvals.waiting(session), "the question")
                [request] = hub.approvals.waiting(session)
                assert request.about.startswith("MCP server ") and "can write" in request.about
                hub.approvals.answer(session, request.call_id, decision)
                await until(lambda one=request: one not in hub.approvals.waiting(session), "answered")
            await heard.over(session, turn)
            return [event.content for event in heard.of(ToolCallFinished) if event.turn == turn]

        read = " ".join(await answered(1))
        assert "00:00" in read and "Kyoto" in read and "denied" in read and "do not read" not in read
        await answered(2, "once", "once")
        assert written.read_text() == "yes" and "Sarah" in (tmp_path / "graph.jsonl").read_text()
        assert await answered(3, "no") == [DECLINED]

        model.script(calls(("files__write_file", {"path": str(written), "content": "late"})))
        await hub.send(session, "Stop in between")
        await until(lambda: hub.approvals.waiting(session), "the question")
        hub.cancel(session)
        assert (await heard.over(session, 4)).stop == "cancelled" and written.read_text() == "yes"

        found = subprocess.run(["pgrep", "-f", f"server-filesystem {allowed}"], capture_output=True, text=True)
        for pid in found.stdout.split():
            os.kill(int(pid), signal.SIGKILL)
        await until(lambda: hub.servers.health()[1].why == "it was killed by signal 9", "it is seen")
        model.script(calls(("files__read_text_file", {"path": str(allowed / "note.txt")})), text("Read."))
        assert "Kyoto" in (await answered(5))[0], "with the next turn it is there again"
        assert model.problems == []
