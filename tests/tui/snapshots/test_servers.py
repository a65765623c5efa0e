"""The dialog of the MCP servers, as stored screens."""

from __future__ import annotations

from pathlib import Path

import pytest

from sessions.paths import HomePaths
from sessions.tools.base import Tool, ToolContext
from sessions.tools.mcp import Health
from sessions.tools.mcp_config import ServerConfig
from sessions.tools.mcp_found import FoundServer
from tests.tui.snapshots.test_snapshots import SIZES, compare, settled
from tests.tui.workbench import workbench
from tui.dialogs.servers import ServersDialog, ToolsDialog


async def _run(_: dict[str, object], __: ToolContext) -> str:
    return ""


def tool(name: str, about: str, *takes: str, asks: str = "") -> Tool:
    schema = {"type": "object", "properties": {one: {"type": "string"} for one in takes}}
    return Tool(name, about, schema, _run, bool(asks), asks)


WRITES = "MCP server notes · can write"
TOOLS = (
    tool("notes.search", "Finds pages by their words.", "query", "limit"),
    tool("notes.create_page", "Makes a page. It is seen by everybody who may see the space.", "title", asks=WRITES),
    tool("notes.delete_page", "Moves a page to the bin.", "title", asks=f"{WRITES} · can delete"),
)
WHY = "it ended with code 1: Error: connect ECONNREFUSED 127.0.0.1:5432"
HEALTH = [
    Health(ServerConfig("notes", "npx", ("-y", "notes-mcp")), "running", "", TOOLS, ("page: its schema is no object",)),
    Health(ServerConfig("wiki", url="https://wiki.example.com/mcp"), "starting"),
    Health(ServerConfig("database", "uvx", ("mcp-postgres", "${DATABASE_URL}")), "failed", WHY),
    Health(ServerConfig("time", "uvx", ("mcp-server-time",)), "off"),
]
WRONG = ["mcp.servers.half, line 21: has neither command nor url"]
FOUND = [
    FoundServer(ServerConfig("files", "npx", ("-y", "@modelcontextprotocol/server-filesystem", "."))),
    FoundServer(ServerConfig("old", url="http://localhost:9000/sse"), "its transport, sse, is no longer spoken"),
]


def servers() -> ServersDialog:
    paths = HomePaths(Path("/home/ada/memagent"), Path("/home/ada/memagent/config.toml"))
    dialog = ServersDialog(None, lambda: HEALTH, WRONG, paths)  # type: ignore[arg-type]
    dialog.found = FOUND
    return dialog


VIEWS = {"mcp": servers, "mcp-tools": lambda: ToolsDialog(HEALTH[0], ())}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("view", VIEWS)
async def test_the_servers_look_as_they_did(tmp_path: Path, view: str, size: str) -> None:
    cwd = tmp_path / "code" / "atlas"
    cwd.mkdir(parents=True)
    async with workbench(cwd / "home", SIZES[size]) as (app, pilot):
        app.push_screen(VIEWS[view]())
        await pilot.pause()
        await pilot.press("down", *(["down"] if view == "mcp" else []))
        compare(f"{view}-{size}", await settled(app, pilot))
