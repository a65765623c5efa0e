"""The agent reads the folder's files once the person said so in the workbench."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sessions.settings_file import load
from tests.servers.chat_server import ChatServer, calls, text
from tests.tui.served import home_for
from tests.tui.workbench import Bench, say, screen_text, workbench, write
from tests.waiting import until
from tui.app import MemagentApp


def names(request: dict[str, Any]) -> set[str]:
    return {tool["function"]["name"] for tool in request.get("tools", ())}


async def command(app: MemagentApp, pilot: Bench, text: str) -> None:
    write(app, text)
    await pilot.press("enter")


async def test_files_are_read_from_the_yes_on_and_not_after_the_no(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Atlas\nMaps for everyone.\n")
    with ChatServer() as server:
        home = home_for(tmp_path, server)
        server.script(text("No tool for it."), calls(("read_file", {"path": "README.md"})), text("Maps."), text("No."))
        async with workbench(home) as (app, pilot):
            await say(app, pilot, "What is in the readme?")
            assert "read_file" not in names(server.requests[-1])
            await command(app, pilot, "/files ")
            await until(lambda: app.screen.is_modal, "the question")
            shown = " ".join(screen_text(app).split())
            assert "and the folders in it: list, read, search" in shown and "What it reads goes to" in shown
            await pilot.press("y")
            await until(lambda: load(home / "config.toml", {}).tools.folders == (str(tmp_path),), "written down")
            await say(app, pilot, "And now?")
            assert "Maps for everyone." in str(server.requests[-1]) and "read_file  README.md" in screen_text(app)
            await command(app, pilot, "/files off")
            await until(lambda: load(home / "config.toml", {}).tools.folders == (), "taken back")
            await say(app, pilot, "Again?")
            assert "read_file" not in names(server.requests[-1])


async def test_the_home_folder_is_never_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    async with workbench(tmp_path / "home") as (app, pilot):
        await command(app, pilot, "/files on")
        await until(lambda: "too wide or holds keys" in screen_text(app), "why not")
