"""A client of the official SDK that starts the installed program as its server, as other agents do."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.program import PROGRAM, environment

MODES = ["legacy", "auto"]
"""The handshake of the versions before 2026-07, and the newest one that both sides speak."""


@asynccontextmanager
async def borrower(
    home: Path,
    *arguments: str,
    name: str = "claude-code",
    mode: str = "auto",
    folder: Path | None = None,
    remember: Callable[[str], bool | None] | None = None,
) -> AsyncIterator[Client]:
    """`folder` is the root that the client tells; `remember` answers for the person when it is asked, None = closes."""

    async def roots(_: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=f"file://{folder}")])  # type: ignore[arg-type]

    async def elicit(_: Any, params: Any) -> types.ElicitResult:
        assert remember is not None
        answer = remember(params.message)
        if answer is None:
            return types.ElicitResult(action="cancel")
        return types.ElicitResult(action="accept", content={"remember": answer})

    server = StdioServerParameters(command=PROGRAM, args=["mcp", *arguments], env=environment(home), cwd=home.parent)
    async with Client(
        stdio_client(server),
        mode=mode,
        client_info=types.Implementation(name=name, version="1"),
        list_roots_callback=roots if folder is not None else None,
        elicitation_callback=elicit if remember is not None else None,
    ) as client:
        yield client


async def said(client: Client, tool: str, **arguments: Any) -> str:
    """The text of a call's result."""
    result = await client.call_tool(tool, arguments)
    return "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))
