from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessions.events import Notice
from sessions.home import Home
from sessions.hub import SessionHub
from sessions.hub.connecting import Connecting
from sessions.providers import windows
from sessions.providers.service import Service
from tests.servers.chat_server import ChatServer, text
from tests.servers.model_servers import HERE, ModelServer, model_server
from tui.ask import AskOptions, ask

LONG = "The boat is long and slow, and nobody asks where it goes. " * 400


@pytest.fixture(autouse=True)
def _nothing_known() -> Iterator[None]:
    windows._told.clear()
    windows._said.clear()
    yield


def home_of(folder: Path, server: ChatServer, model: str, more: str = "") -> Home:
    home = folder / "home"
    home.mkdir()
    profile = f'[profiles.p]\nbase_url = "{server.url}"\nmodel = "{model}"\n{more}'
    (home / "config.toml").write_text(f'[agent]\nprofile = "p"\n[memory]\nembedder = "off"\n{profile}')
    return Home(home)


async def talk(home: Home, *messages: str) -> tuple[list[int], list[str]]:
    """The window after each message, and what was remarked."""
    seen, said = [], []
    async with SessionHub(home) as hub:
        state = await hub.new(home.paths.root)
        events = hub.subscribe(state.id)
        await hub.warm(state.id)
        seen.append(hub.context_use(state.id).window)
        for message in messages:
            await hub.send(state.id, message)
            await hub.idle(state.id)
            seen.append(hub.context_use(state.id).window)
    async for event in events:
        if isinstance(event, Notice) and event.level == "warning":
            said.append(event.text)
    return seen, said


@pytest.mark.parametrize("kind", HERE)
async def test_the_window_is_what_the_server_tells(tmp_path: Path, kind: str) -> None:
    with model_server(kind) as server:
        home = home_of(tmp_path, server, server.kind.model)
        seen, said = await talk(home, "hi", "and again")
    after = {"LM Studio": 32768, "Ollama": 8192, "llama.cpp": 16384, "vLLM": 40960}[kind]
    before = 4096 if kind == "Ollama" else after
    assert seen == [before, after, after]
    small = ["qwen3:8b sees only 8,192 tokens as it runs here. For more: OLLAMA_CONTEXT_LENGTH=32768 ollama serve"]
    assert said == (small if kind == "Ollama" else []), "said once"
    assert server.problems == []


async def test_a_test_of_the_model_does_not_swallow_what_is_to_be_said_of_it(tmp_path: Path) -> None:
    with model_server("Ollama") as server:
        home = home_of(tmp_path, server, "qwen3:8b")
        tested = await Connecting(home).test(home.settings.profiles["p"])
        assert (tested.error, tested.window) == ("", 8192)
        _, said = await talk(home, "hi", "and again")
    assert len(said) == 1 and "OLLAMA_CONTEXT_LENGTH=32768 ollama serve" in said[0]


async def test_the_settings_are_believed_and_nothing_is_asked(tmp_path: Path) -> None:
    with model_server("Ollama") as server:
        seen, said = await talk(home_of(tmp_path, server, "qwen3:8b", "context_window = 32768\n"), "hi")
        assert (seen, said, server.gets) == ([32768, 32768], [], [])


async def test_a_server_that_tells_nothing_costs_nothing(tmp_path: Path) -> None:
    with ChatServer() as server:
        server.listings = {}
        seen, said = await talk(home_of(tmp_path, server, "m"), "hi")
    assert seen == [128_000, 128_000] and said == []


async def test_a_prompt_that_the_server_cut_is_told_once_and_less_is_sent_from_then_on(tmp_path: Path) -> None:
    with ModelServer("Ollama") as server:
        server.limit = 4096
        home = home_of(tmp_path, server, "qwen3:8b", "context_window = 32768\n")
        seen, said = await talk(home, LONG, "and now?")
    (cut,) = said
    assert cut.startswith("The server cut your prompt at 4,096 of about ") and "context_window = 4096" in cut
    assert len(server.raw[-1]) < len(server.raw[0]), "what does not fit is left out here, where it can be seen"
    assert seen[-1] == 32768


async def test_a_report_that_leaves_out_what_was_cached_is_no_cut(tmp_path: Path) -> None:
    with ChatServer() as server:
        server.script(text("One.", tokens=(40, 2)), text("Two.", tokens=(9_000, 2)))
        _, said = await talk(home_of(tmp_path, server, "m", "context_window = 32768\n"), LONG, "and now?")
    assert said == []


def runs_with(server: ModelServer, window: int | None) -> None:
    """The server was started with that window, and has its model loaded; None = not yet."""
    (row,) = HERE["Ollama"]().loaded["/api/ps"]["models"]
    server.kind.loaded = {"/api/ps": {"models": [row | {"context_length": window}]}} if window else {}
    server.listings = {**(server.listings or {}), "/api/ps": {"models": []}, **server.kind.loaded}


async def test_a_server_that_was_started_after_the_program_is_asked_when_it_is_there(tmp_path: Path) -> None:
    with model_server("Ollama") as first:
        port = first.port
    home = home_of(tmp_path, first, "qwen3:8b")
    async with SessionHub(home) as hub:
        state = await hub.new(home.paths.root)
        await hub.warm(state.id)
        await hub.send(state.id, "hi")
        await hub.idle(state.id)
        assert hub.context_use(state.id).window == 128_000, "nothing runs"
        with ModelServer("Ollama", port) as server:
            await hub.send(state.id, "hi")
            await hub.idle(state.id)
            assert hub.context_use(state.id).window == 8192
            names = [tool["function"]["name"] for tool in server.requests[0]["tools"]]
            assert names and "get_weather" not in names, "4,096 before: few tools"


async def test_a_window_that_the_server_was_given_meanwhile_holds(tmp_path: Path) -> None:
    with ModelServer("Ollama") as server:
        home = home_of(tmp_path, server, "qwen3:8b")
        async with SessionHub(home) as hub:
            state = await hub.new(home.paths.root)
            seen = []
            for window in (4096, 32768, 8192):
                runs_with(server, window)
                await hub.send(state.id, "hi")
                await hub.idle(state.id)
                seen.append(hub.context_use(state.id).window)
            assert seen == [4096, 32768, 8192]
            gets = len(server.gets)
            await hub.send(state.id, "hi")
            await hub.idle(state.id)
            assert server.gets[gets:] == ["/api/ps"], "the one listing that tells it"

            for anew in (False, True):
                runs_with(server, None)
                if anew:
                    windows.lost(Service(home.settings.profiles["p"], None))
                await hub.warm(state.id)
                assert hub.context_use(state.id).window == 8192, "what is not loaded at the moment was"


async def test_a_new_session_knows_what_a_server_that_was_started_anew_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windows, "_FRESH_S", 0.0)
    with ModelServer("Ollama") as server:
        home = home_of(tmp_path, server, "qwen3:8b")
        async with SessionHub(home) as hub:
            state = await hub.new(home.paths.root)
            await hub.send(state.id, "hi")
            await hub.idle(state.id)
            runs_with(server, 32768)
            again = await hub.new(home.paths.root)
            await hub.warm(again.id)
            assert hub.context_use(again.id).window == 32768


async def test_what_was_learned_of_a_smaller_window_does_not_outlive_it(tmp_path: Path) -> None:
    with ModelServer("Ollama") as server:
        home = home_of(tmp_path, server, "qwen3:8b")
        async with SessionHub(home) as hub:
            state = await hub.new(home.paths.root)
            runs_with(server, 16384)
            await hub.send(state.id, "hi")
            await hub.idle(state.id)
            server.limit = 4000
            await hub.send(state.id, LONG)
            await hub.idle(state.id)
            server.limit = None
            runs_with(server, 131072)
            for _ in range(2):
                await hub.send(state.id, LONG)
                await hub.idle(state.id)
            assert json.dumps(server.requests[-1]).count("The boat is long") >= 1000, "all three are sent"


async def test_the_first_request_without_a_screen_is_made_for_the_true_window(tmp_path: Path) -> None:
    """Nothing is warmed there before the turn begins."""
    with ModelServer("Ollama") as server:
        home = home_of(tmp_path, server, "qwen3:8b")
        assert await asyncio.to_thread(ask, AskOptions("hi", home=str(home.paths.root))) == 0
    offered = [tool["function"]["name"] for tool in server.requests[0]["tools"]]
    assert offered and "get_weather" not in offered
