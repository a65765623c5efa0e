"""An MCP server written with the official SDK, over stdin and stdout or over HTTP in a thread of the test."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import SamplingMessage, TextContent, ToolAnnotations
from pydantic import BaseModel

READS = ToolAnnotations(read_only_hint=True)


def made() -> MCPServer:
    server = MCPServer("sdk")

    @server.tool(annotations=READS)
    async def add(a: int, b: int, ctx: Context) -> int:
        """Adds two numbers."""
        await ctx.report_progress(1, 2)
        return a + b

    @server.tool()
    def create(title: str) -> str:
        """Makes a page."""
        return f"made {title}"

    @server.tool(annotations=READS)
    async def hang() -> str:
        await asyncio.sleep(60)
        return "late"

    @server.tool(annotations=READS)
    async def ask(what: str, ctx: Context) -> str:
        """Asks something back."""
        if what == "person":
            answer = await ctx.elicit("Which?", Which)
            return answer.action
        if what == "model":
            said = SamplingMessage(role="user", content=TextContent(type="text", text="hi"))
            await ctx.session.create_message(messages=[said], max_tokens=9)
            return "it answered"
        return " ".join(str(root.uri) for root in (await ctx.session.list_roots()).roots) or "none"

    return server


class Which(BaseModel):
    which: str


async def _left(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


@contextmanager
def over_http(
    *, refuses: str = "", keeps_waiting: bool = False, floods: tuple[str, bytes] = ("", b""), wants: str = ""
) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """(its address, the headers of each request). `refuses`: calls of this tool with 500; `keeps_waiting`: it does not
    answer who takes its leave; `floods`: calls of this tool are answered by a stream of this without end; `wants`: this
    in the header Authorization, else it refuses with 401."""
    app: Any = made().streamable_http_app()
    heard: list[dict[str, str]] = []

    async def listening(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            headers = {name.decode(): value.decode() for name, value in scope["headers"]}
            heard.append(headers | {"method": scope["method"]})
            if keeps_waiting and scope["method"] == "DELETE":
                await asyncio.sleep(60)
            if wants and headers.get("authorization") != wants:
                await send({"type": "http.response.start", "status": 401, "headers": []})
                await send({"type": "http.response.body", "body": b""})
                return
            if refuses and headers.get("mcp-name") == refuses:
                await send({"type": "http.response.start", "status": 500, "headers": []})
                await send({"type": "http.response.body", "body": b""})
                return
            if floods[0] and headers.get("mcp-name") == floods[0]:
                kind = [(b"content-type", b"text/event-stream")]
                await send({"type": "http.response.start", "status": 200, "headers": kind})
                gone = asyncio.ensure_future(_left(receive))
                while not gone.done():
                    await send({"type": "http.response.body", "body": floods[1] * 1_000, "more_body": True})
                    await asyncio.sleep(0)
                return
        await app(scope, receive, send)

    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        config = uvicorn.Config(listening, log_level="critical", timeout_graceful_shutdown=0)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([sock],), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{sock.getsockname()[1]}/mcp", heard
        finally:
            server.should_exit = True
            thread.join(10)


if __name__ == "__main__":
    made().run()
