"""The agent reads the folder's files once the person said so in the workbench."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sessions.settings import ToolSettings
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
            await until(lambda: load(home / "config.toml", {}).tools.folders_here == (str(tmp_path),), "written down")
            await say(app, pilot, "And now?")
            assert "Maps for everyone." in str(server.requests[-1]) and "read_file  README.md" in screen_text(app)
            await command(app, pilot, "/files off")
            await until(lambda: load(home / "config.toml", {}).tools == ToolSettings(), "taken back")
            await say(app, pilot, "Again?")
            assert "read_file" not in names(server.requests[-1])


async def test_a_yes_for_this_machine_is_none_for_a_model_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Atlas\n")
    with ChatServer() as server, ChatServer() as remote:
        home = home_for(tmp_path, server)
        elsewhere = remote.url.replace("127.0.0.1", "127.1")
        with (home / "config.toml").open("a") as file:
            file.write(f'[profiles.far]\nbase_url = "{elsewhere}"\nmodel = "far"\ncontext_window = 32000\n')
        async with workbench(home) as (app, pilot):
            await command(app, pilot, "/files on")
            await until(lambda: app.screen.is_modal, "the question")
            assert "goes to this machine" in " ".join(screen_text(app).split())
            await pilot.press("y")
            await until(lambda: app.settings.tools.folders_here, "written down")
            await say(app, pilot, "One")
            assert "read_file" in names(server.requests[-1])
            await command(app, pilot, "/model far")
            await until(lambda: app.screen.is_modal, "whether words may go there")
            await pilot.press("enter")
            await until(lambda: not app.screen.is_modal and app.header.state.place == "127.1", "changed")
            for words in ("Two", "Three"):
                await say(app, pilot, words)
                assert remote.requests and "read_file" not in names(remote.requests[-1])
            assert " ".join(screen_text(app).split()).count("/files asks anew") == 1
            await command(app, pilot, "/files on")
            await until(lambda: app.screen.is_modal, "the question again")
            assert "What it reads goes to 127.1" in " ".join(screen_text(app).split())
            await pilot.press("y")
            await until(lambda: app.settings.tools.folders, "written down")
            await say(app, pilot, "Four")
            assert "read_file" in names(remote.requests[-1])
            await command(app, pilot, "/files off")
            await until(lambda: load(home / "config.toml", {}).tools == ToolSettings(), "both are taken back")


async def test_the_home_folder_is_never_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    async with workbench(tmp_path / "home") as (app, pilot):
        await command(app, pilot, "/files on")
        await until(lambda: "too wide or holds keys" in screen_text(app), "why not")
