"""Connecting what is connected already: another key, another model, and signs of life while something is waited for."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from textual.widgets import Input

from sessions.hub import connecting
from tests.servers.chat_server import ChatServer, error
from tests.servers.keyring_file import FileKeyring
from tests.servers.model_servers import model_server
from tests.tui.test_connecting import chosen, far_dialog, opened, shows
from tests.tui.test_settings_now import GOOD, far, home_of
from tests.tui.workbench import Bench, say, screen_text, workbench, write
from tests.waiting import until
from tui.app import MemagentApp
from tui.dialogs import connect

SIZES = [(120, 40), (80, 24)]


async def dialog(app: MemagentApp, pilot: Bench) -> None:
    write(app, "/connect")
    await pilot.press("enter")
    await shows(app, "Connect a model", "Without a model")
    await until(lambda: not app.screen._looking, "looked")


def lists_with_a_key(server: ChatServer) -> None:
    """Its list wants the right key."""

    class Listings(dict[str, object]):
        def get(self, path: str, _: object = None) -> object:
            return super().get(path) if server.keys[-1:] == [f"Bearer {GOOD}"] else error(401, "Incorrect API key")

    server.listings = Listings({"/v1/models": {"data": [{"id": "scripted"}, {"id": "larger"}]}})


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_a_list_that_is_waited_for_says_so_each_second(
    tmp_path: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connecting, "LISTING_S", 2.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        async with workbench(tmp_path / "home", size) as (app, pilot):
            await far_dialog(app, pilot, f"http://127.0.0.1:{silent.getsockname()[1]}/v1")
            await shows(app, "Where does the key")
            await pilot.press("3")
            await shows(app, "asking for its models … 1 s")
            await shows(app, "asking for its models … 2 s")
            await shows(app, "Silence for 2.5 s")
            assert "profiles." not in screen_text(app) and "asking for" not in screen_text(app)


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_a_key_that_is_refused_while_connecting_is_typed_anew(
    tmp_path: Path, ring: Path, size: tuple[int, int]
) -> None:
    FileKeyring().set_password("memagent-tui", "mine", "sk-wrong-key-000000")
    with ChatServer() as server:
        lists_with_a_key(server)
        home = home_of(tmp_path, {"mine": server.url}, 'api_key = "keyring"\n')
        async with workbench(home, size, profile="guide") as (app, pilot):
            await far_dialog(app, pilot, server.url)
            await shows(app, "refuses access (401)", "Enter gives another key")
            await pilot.press("enter")
            await shows(app, "Where does the key")
            await pilot.press("2")
            await shows(app, "Key for 127.0.0.1")
            app.screen.query_one(Input).value = GOOD
            await pilot.press("enter")
            await shows(app, "larger")
            await pilot.press("enter")
            await until(lambda: app.desk.state.profile == "mine", "it is used")
    assert GOOD in ring.read_text() and GOOD not in (home / "config.toml").read_text()


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_ones_own_address_has_a_row_and_its_key_is_given_anew_there(
    tmp_path: Path, ring: Path, size: tuple[int, int]
) -> None:
    FileKeyring().set_password("memagent-tui", "mine", "sk-wrong-key-000000")
    with ChatServer() as server:
        home = home_of(tmp_path, {"mine": server.url}, 'api_key = "keyring"\n')
        async with workbench(home, size) as (app, pilot):
            await dialog(app, pilot)
            await shows(app, "In your settings", "scripted · now", "k Key")
            await pilot.press("k")
            await shows(app, "Where does the key for 127.0.0.1 come from?")
            await pilot.press("enter")  # where it lies now
            await shows(app, "Key for 127.0.0.1")
            app.screen.query_one(Input).value = GOOD
            await pilot.press("enter")
            await shows(app, "answers from now on")
            await say(app, pilot, "hi")
        assert f"Bearer {GOOD}" in str(server.headers[-1])


async def test_another_model_of_ones_own_address_leaves_the_settings_as_they_are(tmp_path: Path) -> None:
    with ChatServer() as server:
        server.listings = {"/v1/models": {"data": [{"id": "scripted"}, {"id": "larger"}]}}
        home = home_of(tmp_path, {"mine": server.url}, "price_in = 2.0  # mine\n")
        table = (home / "config.toml").read_text().partition("[profiles.mine]")[2]
        async with workbench(home) as (app, pilot):
            await say(app, pilot, "hi")
            await dialog(app, pilot)
            await shows(app, "scripted · now")
            await pilot.press("m")
            await shows(app, "larger")
            for letter in "larger":
                await pilot.press(letter)
            await pilot.press("enter")
            await shows(app, "Use larger")
            assert "larger · now" not in screen_text(app) and "now" not in screen_text(app).partition("larger")[2][:12]
            await pilot.press("enter")
            await until(lambda: app.desk.state.profile == "mine-larger", "the other model")
            await shows(app, "mine stays as it is")
            await say(app, pilot, "and you?")
    assert table in (home / "config.toml").read_text() and server.requests[-1]["model"] == "larger"


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_a_service_elsewhere_is_not_asked_for_its_models_before_the_person_agreed(
    tmp_path: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAR_KEY", "sk-far-0123456")
    with ChatServer() as server:
        home = home_of(tmp_path, {"far": far(server)}, 'api_key_env = "FAR_KEY"\n')
        async with workbench(home, size, profile="guide") as (app, pilot):
            await opened(app, pilot)
            await chosen(app, pilot, "far", "up")
            await pilot.press("m")
            await shows(app, "Where your words go", "The key comes from FAR_KEY.")
            await pilot.press("n")
            await shows(app, "In your settings")
            assert server.gets == []
            await pilot.press("m")
            await shows(app, "Where your words go")
            await pilot.press("y")
            await shows(app, "Models of far", "scripted")
            await pilot.press("enter")
            await shows(app, "Use scripted")
            await pilot.press("enter")
            await until(lambda: app.desk.state.profile == "far", "asked once")
            assert server.requests == []


async def test_what_is_started_while_the_dialog_is_open_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connect, "AGAIN_S", 0.2)
    monkeypatch.setenv("MEMAGENT_LOCAL_PORTS", "1,1,1,1")
    async with workbench(tmp_path / "home") as (app, pilot):
        await opened(app, pilot)
        with model_server("Ollama") as later:
            monkeypatch.setenv("MEMAGENT_LOCAL_PORTS", f"1,{later.port},1,1")
            await shows(app, "Found on this machine", "qwen3:8b and 1 more")


async def test_the_window_shows_as_soon_as_the_server_told_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with model_server("Ollama") as server:
        home = tmp_path / "home"
        home.mkdir()
        profile = f'[profiles.p]\nbase_url = "{server.url}"\nmodel = "qwen3:8b"\n'
        (home / "config.toml").write_text(f'[agent]\nprofile = "p"\n{profile}')
        async with workbench(home) as (app, _):
            await until(lambda: "0% of 4k" in screen_text(app).split("\n")[0], "4,096 before the first answer")
        assert server.requests == []
