"""How long a service is waited for while it is being connected, and what is said of one that is not in the settings."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from sessions.errors import ProviderError
from sessions.home import Home
from sessions.hub import connecting
from sessions.hub.connecting import Connecting
from sessions.providers import listing
from sessions.settings import Profile
from tests.servers.chat_server import ChatServer, Pause, Reply, error


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


class Hangs(dict[str, object]):
    """Every path but the list takes the question and answers nothing."""

    def get(self, path: str, _: object = None) -> object:
        return super().get(path) or Reply([Pause()])


async def test_paths_that_hang_beside_the_list_cost_little(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MORE_S", 0.2)
    with ChatServer() as server:
        server.listings = Hangs({"/v1/models": {"data": [{"id": "m"}]}})
        asked = Connecting(home).models(Profile("new", base_url=server.url))
        models = await asyncio.wait_for(asked, connecting.LISTING_S)
    assert [model.id for model in models] == ["m"] and len(server.gets) == 2, "no more than the first was waited for"


async def test_a_silence_is_as_long_as_was_waited_and_no_setting_is_named_that_is_not_there(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connecting, "LISTING_S", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        with pytest.raises(ProviderError) as raised:
            await Connecting(home).models(Profile("127-0-0-1", base_url=url))
    assert str(raised.value) == f"Silence for 0.3 s from {url}. Try again, or start what runs there again"


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 429, 500])
async def test_what_a_service_refuses_is_told_without_a_profile_that_does_not_exist(home: Home, status: int) -> None:
    with ChatServer() as server:
        moved = {"Location": f"{server.url}/else"} if status == 301 else {}
        for words in ("no", "no such model", "the model does not exist"):
            server.listings = {"/v1/models": error(status, words, moved)}
            server.script(*[error(status, words, moved)] * 3)
            profile = Profile("new", base_url=server.url, model="m", timeout_s=9.0)
            with pytest.raises(ProviderError) as raised:
                await Connecting(home).models(profile)
            told = [str(raised.value)]
            if status < 429:
                told.append((await Connecting(home).test(profile, "sk-0123456789")).error)
            assert not [text for text in told if "profiles." in text or "config key" in text], told


@pytest.mark.parametrize("url", ["http://", "http://127.0.0.1:1/v1", "http://no.such.host.invalid/v1"])
async def test_so_is_an_address_at_which_nothing_is(home: Home, url: str) -> None:
    with pytest.raises(ProviderError) as raised:
        await Connecting(home).models(Profile("new", base_url=url))
    assert "profiles." not in str(raised.value)


async def test_of_a_profile_that_is_kept_its_settings_are_named(home: Home) -> None:
    home.paths.config.write_text('[profiles.q]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\n')
    home.reload_settings()
    with pytest.raises(ProviderError, match=r"correct base_url of \[profiles\.q\]"):
        await Connecting(home).models(home.settings.profiles["q"])


async def test_an_answer_that_never_ends_ends_the_test(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.servers.chat_server import event

    monkeypatch.setattr(connecting, "TEST_S", 0.3)
    with ChatServer() as server:

        def drips():
            while not server.gone.wait(0.05):
                yield event({"reasoning_content": "hm "})

        server.script(Reply(drips()))
        tested = await Connecting(home).test(Profile("new", base_url=server.url, model="m"))
    assert tested.error == "m was not done after 0.6 s. Try a smaller model"
