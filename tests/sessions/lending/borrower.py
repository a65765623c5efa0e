"""A client of the official SDK: beside its server in this process, or of the installed program, as agents start it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.memory import create_client_server_memory_streams

from sessions.home import Home
from sessions.lending.server import server_of
from tests.program import PROGRAM, environment

MODES = ["legacy", "auto"]
"""The handshake of the versions before 2026-07, and the newest one that both sides speak."""
Person = Callable[[str], bool | None]
"""Answers for the person when it is asked, None = closes."""


@asynccontextmanager
async def borrower(
    home: Path,
    *,
    given: Path | None = None,
    all_folders: bool = False,
    name: str = "claude-code",
    mode: str = "auto",
    folder: Path | list[Path] | None = None,
    remember: Person | None = None,
) -> AsyncIterator[Client]:
    """A client of a server in this process, by their messages. `given`: --folder; `folder`: the root that is told, in
    a list those that may change.

    What the server looks up of the user is that of this process: tests set HOME.
    """
    lent = Home(home, env={})
    try:
        streams = _beside(lent, given, all_folders)
        async with _client(streams, name=name, mode=mode, folder=folder, remember=remember) as client:
            yield client
    finally:
        lent.close()


@asynccontextmanager
async def program(
    home: Path, *arguments: str, name: str = "claude-code", mode: str = "auto", folder: Path | None = None
) -> AsyncIterator[Client]:
    """A client that starts the installed program."""
    server = StdioServerParameters(command=PROGRAM, args=["mcp", *arguments], env=environment(home), cwd=home.parent)
    async with _client(stdio_client(server), name=name, mode=mode, folder=folder) as client:
        yield client


async def said(client: Client, tool: str, **arguments: Any) -> str:
    """The text of a call's result."""
    result = await client.call_tool(tool, arguments)
    return "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))


def _client(
    streams: AbstractAsyncContextManager[Any],
    *,
    name: str,
    mode: str,
    folder: Path | list[Path] | None,
    remember: Person | None = None,
) -> Client:
    async def roots(_: Any) -> types.ListRootsResult:
        now = folder if isinstance(folder, list) else [folder]
        return types.ListRootsResult(roots=[types.Root(uri=f"file://{one}") for one in now])  # type: ignore[arg-type]

    async def elicit(_: Any, params: Any) -> types.ElicitResult:
        assert remember is not None
        answer = remember(params.message)
        if answer is None:
            return types.ElicitResult(action="cancel")
        return types.ElicitResult(action="accept", content={"remember": answer})

    return Client(
        streams,
        mode=mode,
        client_info=types.Implementation(name=name, version="1"),
        list_roots_callback=roots if folder is not None else None,
        elicitation_callback=elicit if remember is not None else None,
    )


@asynccontextmanager
async def _beside(home: Home, given: Path | None, all_folders: bool) -> AsyncIterator[Any]:
    """The client's streams of a server that runs until the client has closed them."""
    server = server_of(home, folder=given, all_folders=all_folders, version="1")
    async with create_client_server_memory_streams() as (ours, theirs), anyio.create_task_group() as tasks:
        tasks.start_soon(server.run, *theirs, server.create_initialization_options())
        try:
            yield ours
        finally:
            await ours[1].aclose()
