"""Servers of the official SDK: over stdin and stdout, and over HTTP."""

from __future__ import annotations

import asyncio
import gzip
import sys
import threading
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from sessions.tools.mcp_config import ServerConfig
from sessions.tools.mcp_schema import mended
from tests.servers.chat_server import ChatServer
from tests.servers.mcp_sdk_server import over_http
from tests.sessions.tools.mcp_life import SDK, call, living, tool
from tests.waiting import until


async def test_over_stdio(tmp_path: Path) -> None:
    async with living(ServerConfig("sdk", sys.executable, (str(SDK),)), tmp_path) as server:
        assert server.state == "running", server.why
        assert not tool(server, "sdk.add").asks and tool(server, "sdk.create").asks
        assert (await call(server, "add", a=2, b=3)).content == "5"
        wrong = await call(server, "add", a="two", b=3)
        assert not wrong.ok and "a" in wrong.content


async def test_over_http(tmp_path: Path) -> None:
    with over_http() as (url, heard):
        config = ServerConfig("wiki", url=url, headers={"Authorization": "Bearer ${WIKI_TOKEN}"})
        async with living(config, tmp_path, WIKI_TOKEN="t-1") as server:
            assert (server.state, server.config.place) == ("running", "this machine"), server.why
            assert (await call(server, "create", title="One")).content == "made One"
            assert {one.get("authorization") for one in heard} == {"Bearer t-1"}
            before, waiting = len(heard), asyncio.ensure_future(call(server, "hang"))
            await until(lambda: len(heard) > before, "it hangs")
            waiting.cancel()
            assert (await call(server, "add", a=1, b=1)).content == "2"


@pytest.mark.parametrize("sees", [False, True])
async def test_what_a_server_asks_the_person_and_the_model_is_declined_at_once(tmp_path: Path, sees: bool) -> None:
    config = ServerConfig("sdk", sys.executable, (str(SDK),))
    async with living(config, tmp_path, sees=sees, legacy=True) as server:
        assert (await call(server, "ask", what="person")).content == "decline"
        refused = await call(server, "ask", what="model")
        assert not refused.ok and "The user lets no server use the model" in refused.content
        # The folder of the session whose call it is at work on, where the agent may read it itself.
        assert (await call(server, "ask", what="roots")).content == (Path.cwd().as_uri() if sees else "none")
    async with living(config, tmp_path, sees=sees) as server:
        for what in ("person", "model", "roots"):
            assert not (await call(server, "ask", what=what)).ok, "that version of the protocol has no such questions"


async def test_an_address_that_wants_a_key_says_what_to_do(tmp_path: Path) -> None:
    with over_http(wants="Bearer t-1") as (url, _):
        async with living(ServerConfig("wiki", url=url), tmp_path) as server:
            assert server.state == "failed" and "401" in server.why
            assert server.why.endswith('headers = { Authorization = "Bearer ${TOKEN}" } under [mcp.servers.wiki]')
        for key, state in (("t-2", "failed"), ("t-1", "running")):
            config = ServerConfig("wiki", url=url, headers={"Authorization": f"Bearer {key}"})
            async with living(config, tmp_path) as server:
                assert server.state == state and ("does not take the key" in server.why) == (state == "failed")


async def test_an_address_that_refuses_a_call_and_does_not_let_us_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sessions.tools.mcp._CLOSE_S", (0.2, 0.2))
    with over_http(refuses="create", keeps_waiting=True) as (url, heard):
        async with living(ServerConfig("wiki", url=url), tmp_path) as server:
            assert (await call(server, "add", a=1, b=1)).content == "2"
            refused = await call(server, "create", title="x")
            assert (refused.ok, refused.content) == (
                False,
                "The MCP server wiki says: 127.0.0.1 answered 500 Internal Server Error",
            )
            assert (await call(server, "add", a=1, b=1)).content == "2" and server.state == "running"
            began = time.monotonic()
        assert time.monotonic() - began < 5 and heard


@pytest.mark.parametrize(
    ("floods", "why"),
    [
        (b"\n", "25,000 lines"),
        (b"data: " + b"[" * 50, "50,000 values"),
        (b'data: {"jsonrpc":"2.0","method":"notifications/x"}\n\n', "messages within 5 s"),
    ],
)
async def test_a_flood_from_an_address_ends_the_connection(tmp_path: Path, floods: bytes, why: str) -> None:
    with over_http(floods=("create", floods)) as (url, _):
        async with living(ServerConfig("web", url=url), tmp_path) as server:
            result = await call(server, "create", title="One")
            assert not result.ok and why in result.content
            await until(lambda: server.state == "failed" and why in server.why, "it is not heard any longer")


async def test_an_address_that_goes_away_and_one_that_refuses(tmp_path: Path) -> None:
    with over_http() as (url, _):
        gone = living(ServerConfig("wiki", url=url), tmp_path)
        server = await gone.__aenter__()
        assert server.state == "running", server.why
    result = await call(server, "create", title="Two")
    assert not result.ok and "wiki" in result.content
    await until(lambda: server.state == "failed" and "cannot be reached" in server.why, "it is known to be gone")
    await gone.__aexit__(None, None, None)
    with ChatServer() as other:
        async with living(ServerConfig("wiki", url=other.url), tmp_path) as server:
            assert server.state == "failed" and str(int(HTTPStatus.NOT_FOUND)) in server.why


async def test_a_packed_answer_and_a_key_in_what_went_wrong_harm_nobody(
    tmp_path: Path,
) -> None:
    class Packs(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Encoding", "gzip")
            self.end_headers()
            self.wfile.write(gzip.compress(b" " * (64 << 20)))

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Packs) as listening:
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        async with living(ServerConfig("wiki", url=f"http://127.0.0.1:{listening.server_port}"), tmp_path) as server:
            assert server.state == "failed" and "packed its answer" in server.why
        listening.shutdown()
    async with living(ServerConfig("wiki", url="${WIKI_KEY}"), tmp_path, WIKI_KEY="sk-CANARY-123456") as server:
        assert "CANARY" not in server.why and "is no address" in server.why


def test_the_schema_of_a_tool_is_measured_before_anything_is_done_with_it() -> None:
    long = {f"p{n}": {"type": "string", "pattern": "(a|b)*c" * 30} for n in range(20)}
    made, wrong = mended({"type": "object", "properties": long})
    assert wrong == "" and all("pattern" not in one for one in made["properties"].values())
    for huge in ({"pattern": "(a|b)*" * 20_000}, {"enum": list(range(50_000))}):
        made, wrong = mended({"type": "object", "properties": {"x": huge}})
        assert made == {"type": "object", "properties": {}} and "too large" in wrong
