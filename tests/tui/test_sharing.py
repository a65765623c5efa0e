from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessions.paths import HomePaths
from tests.servers.chat_server import ChatServer, text
from tests.tui.workbench import Bench, say, screen_text, workbench, write
from tests.waiting import until
from tui.app import MemagentApp
from tui.dialogs.sharing import Sharing

CANARY = "I keep parakeets in the attic."
SIZES = [(120, 40), (80, 24)]


@pytest.fixture
def servers() -> Iterator[tuple[ChatServer, ChatServer]]:
    with ChatServer() as local, ChatServer() as remote:
        yield local, remote


def home_of(folder: Path, local: ChatServer, remote: ChatServer) -> Path:
    """The short form of an address is a host name to us, so that one is elsewhere."""
    home = folder / "home"
    home.mkdir()
    elsewhere = remote.url.replace("127.0.0.1", "127.1")
    (home / "config.toml").write_text(
        f'[agent]\nprofile = "here"\n[memory]\nembedder = "off"\n'
        f'[profiles.here]\nbase_url = "{local.url}"\nmodel = "small"\n'
        f'[profiles.far]\nbase_url = "{elsewhere}"\nmodel = "big"\n'
    )
    return home


async def asked(app: MemagentApp, pilot: Bench, *words: str) -> str:
    await until(lambda: isinstance(app.screen, Sharing), "the question")
    await pilot.pause()
    page = screen_text(app)
    for word in words:
        assert word in page
    return page


async def told_here(home: Path, local: ChatServer) -> str:
    """A session with the model on this machine."""
    local.script(text("Nice birds."))
    async with workbench(home, (120, 40)) as (app, pilot):
        await say(app, pilot, CANARY)
        return app.desk.session


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize(("key", "sent", "kept"), [("1", False, "local"), ("2", True, "local"), ("3", True, "any")])
async def test_what_a_model_elsewhere_sees_of_what_was_said_here_is_what_the_person_chose(
    tmp_path: Path, servers: tuple[ChatServer, ChatServer], size: tuple[int, int], key: str, sent: bool, kept: str
) -> None:
    home = home_of(tmp_path, *servers)
    await told_here(home, servers[0])
    servers[0].script(text("Good."))
    servers[1].script(text("Hello."), text("Again."))
    async with workbench(home, size) as (app, pilot):
        await say(app, pilot, "My boat is called Otter.")
        write(app, "/model far")
        await pilot.press("enter")
        await asked(app, pilot, "go to 127.1", "From now on", "its 1 turn goes along", "With past sessions")
        await pilot.press(key)
        await until(lambda: app.desk.state.profile == "far", "the other model")
        await say(app, pilot, "Hi!")
        session = app.desk.session
        assert ("Otter" in json.dumps(servers[1].requests)) is sent
    assert f'share = "{kept}"' in (home / "config.toml").read_text()
    share = "any" if sent else "local"
    assert f'"share":"{share}"' in HomePaths(home, home / "config.toml").session_log(session).read_text()
    async with workbench(home, size, resume=session) as (app, pilot):
        await say(app, pilot, "Back!")
        assert not isinstance(app.screen, Sharing) and app.desk.state.share == share
    assert ("Otter" in json.dumps(servers[1].requests)) is sent and "parakeets" not in json.dumps(servers[1].requests)


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_a_session_taken_up_with_a_profile_elsewhere_is_asked_about_before_anything_of_it_goes(
    tmp_path: Path, servers: tuple[ChatServer, ChatServer], size: tuple[int, int]
) -> None:
    home = home_of(tmp_path, *servers)
    session = await told_here(home, servers[0])
    servers[1].script(text("Hello."), text("Again."))
    async with workbench(home, size, profile="far", resume=session) as (app, pilot):
        await asked(app, pilot, "1 turn of this session went to a model on this machine", "127.1 answers now")
        await pilot.press("escape")
        await until(lambda: not app.screen.is_modal, "closed")
        await say(app, pilot, "Hi!")
    assert "parakeets" not in json.dumps(servers[1].requests)
    async with workbench(home, size, profile="far", resume=session) as (app, pilot):
        await asked(app, pilot)
        await pilot.press("2")
        await until(lambda: not app.screen.is_modal, "closed")
        await say(app, pilot, "Hi again!")
    assert "parakeets" in json.dumps(servers[1].requests[-1])
