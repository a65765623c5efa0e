from __future__ import annotations

from pathlib import Path

import pytest

from sessions.home import Home
from sessions.hub.connecting import Connecting, with_model
from sessions.providers.listing import Model
from sessions.settings import Profile
from tests.servers.chat_server import ChatServer, error, stream, text
from tests.servers.model_servers import KINDS, model_server
from tests.servers.reached import profile_of, served

READY = ("ready", {"word": "yes"})


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.mark.parametrize("kind", KINDS)
async def test_each_server_is_tried_with_one_small_request_and_then_tells_its_window(
    home: Home, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(kind, monkeypatch) as server:
        server.script(server.kind.calls(READY))
        tested = await Connecting(home).test(profile_of(server))
    assert (tested.error, tested.tools) == ("", True)
    assert tested.window == (8192 if kind == "Ollama" else server.kind.window)
    assert len(server.requests) == 1 and [t["function"]["name"] for t in server.requests[0]["tools"]] == ["ready"]
    assert server.problems == []


async def test_what_goes_wrong_in_a_test_is_said_in_the_words_of_a_turn(home: Home) -> None:
    connecting = Connecting(home)
    with ChatServer() as server:
        profile = Profile("new", base_url=server.url, model="m")
        server.script(text("Ready."), stream(), error(401, "Incorrect API key: sk-wrong-key"), error(404, "no model m"))
        assert (await connecting.test(profile)).tools is False
        assert "empty answer" in (await connecting.test(profile)).error
        refused = (await connecting.test(profile, "sk-wrong-key")).error
        assert "127.0.0.1 refuses access (401)" in refused and "sk-wrong" not in refused
        assert "has no model 'm'" in (await connecting.test(profile)).error
    assert "Nothing answers at" in (await connecting.test(profile)).error
    odd = Profile("odd", base_url="http://", model="m")
    assert "none of a service" in (await connecting.test(odd)).error


def test_the_answer_is_kept_as_a_profile_and_comments_stay(home: Home) -> None:
    config = home.paths.config
    config.write_text('# mine\n[agent]\nmax_steps = 7\n[profiles.ollama]\nbase_url = "http://elsewhere:1/v1"\n')
    home.reload_settings()
    connecting = Connecting(home)
    url = "http://localhost:11434/v1"
    made = connecting.profile_for("Ollama", url, Model("qwen3:8b", 8192))
    assert (made.name, made.model, made.context_window) == ("ollama-2", "qwen3:8b", None), "asked each time"
    connecting.keep(made)
    assert home.settings.agent.profile == "ollama-2" and home.settings.agent.max_steps == 7
    assert home.settings.profiles["ollama"].base_url == "http://elsewhere:1/v1"
    assert config.read_text().startswith("# mine\n")

    with config.open("a") as file:
        file.write("temperature = 0.2\n")
    home.reload_settings()
    again = connecting.profile_for("Ollama", url + "/", Model("llama3.2:3b"))
    assert (again.name, again.model, again.temperature) == ("ollama-2", "llama3.2:3b", 0.2)
    connecting.keep(Profile("guide", type="guide"))
    assert home.settings.profile().type == "guide" and "ollama-2" in home.settings.profiles


def test_window_and_prices_of_a_model_elsewhere_are_kept_with_it() -> None:
    far = Profile("far", base_url="https://router.example/api/v1")
    made = with_model(far, Model("qwen/qwen3-32b", None, 40960, price_in=0.1, price_out=0.3))
    assert (made.context_window, made.price_in, made.price_out) == (40960, 0.1, 0.3)
    assert with_model(made, Model("other")).price_in is None
    told = with_model(Profile("far", base_url="https://openrouter.ai/api/v1"), Model("m", None, 40960, price_in=0.1))
    assert (told.context_window, told.price_in) == (40960, None), "it tells what each answer costs"
    mine = Profile("far", base_url="https://openrouter.ai/api/v1", model="m", context_window=9, price_in=1.0)
    assert with_model(mine, Model("m", 5)) == mine, "what the person set stays"


async def test_with_discover_off_nothing_is_looked_for_unless_the_person_asks(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    with model_server("Ollama") as server:
        monkeypatch.setenv("MEMAGENT_LOCAL_PORTS", f"1,{server.port}")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
        home.paths.config.write_text("[agent]\ndiscover = false\n")
        home.reload_settings()
        seen = await Connecting(home).look()
        assert seen.servers == () and [key.name for key in seen.keys] == ["OpenAI"] and server.connections == 0
        assert (await Connecting(home).look(asked=True)).servers[1].usable
