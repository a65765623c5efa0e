"""Real MCP servers, started as the program starts them."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sessions.clock import SystemClock
from sessions.tools.base import Tool, ToolContext, ToolResult
from sessions.tools.mcp import McpServer
from sessions.tools.mcp_config import ServerConfig

SMALL = Path(__file__).parents[2] / "servers" / "mcp_server.py"
SDK = SMALL.with_name("mcp_sdk_server.py")


def small(*words: str, calls: Path | None = None) -> ServerConfig:
    """The server that needs no SDK and misbehaves as the words say."""
    env = {"CALLS": str(calls)} if calls is not None else {}
    return ServerConfig("notes", sys.executable, (str(SMALL), *words), env)


@asynccontextmanager
async def living(
    config: ServerConfig, folder: Path, *, sees: bool = False, legacy: bool = False, **environ: str
) -> AsyncIterator[McpServer]:
    """A server whose start has come to an end; `legacy` = by the handshake of the versions before 2026-07."""
    log = folder / f"{config.name}.log"
    made = McpServer(config, {**os.environ, **environ}, log, lambda _: None, sees=lambda _: sees)
    made._legacy = legacy
    made.start()
    await made.settled()
    try:
        yield made
    finally:
        await made.stop()


def tool(server: McpServer, name: str) -> Tool:
    return next(tool for tool in server.tools if tool.name == name)


async def call(server: McpServer, name: str, **arguments: Any) -> ToolResult:
    """What the tool answers; the server's name is left out."""
    where = ToolContext("s", 1, "call-1", "m1", Path.cwd(), SystemClock())
    result = await asyncio.wait_for(tool(server, f"{server.name}.{name}").run(arguments, where), 20)
    assert isinstance(result, ToolResult)
    return result


def noted(calls: Path) -> list[dict[str, Any]]:
    """What the small server wrote down."""
    return [json.loads(line) for line in calls.read_text().splitlines()] if calls.exists() else []


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
