from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sessions.events import Event, Notice, ReasoningDelta, ToolCallFinished, TurnFailed, TurnFinished
from sessions.home import Home
from sessions.hub import SessionHub
from tests.servers.chat_server import Pause, Reply, event
from tests.servers.model_servers import KINDS, ModelServer
from tests.servers.reached import connected, served
from tests.waiting import until

LONG = "The boat is long and slow, and nobody asks where it goes. " * 500


@pytest.fixture(params=list(KINDS))
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with served(request.param, monkeypatch) as server:
        yield server


@pytest.fixture
def home(tmp_path: Path, server: ModelServer) -> Home:
    """Connected as the dialog does it."""
    home = Home(tmp_path / "home")
    (home.paths.config).write_text('[memory]\nembedder = "off"\n')
    home.reload_settings()
    connected(home, server)
    return home


async def talk(home: Home, message: str) -> list[Event]:
    seen: list[Event] = []
    async with SessionHub(home) as hub:
        state = await hub.new(home.paths.root)
        events = hub.subscribe(state.id)
        await hub.send(state.id, message)
        await hub.idle(state.id)
    async for one in events:
        seen.append(one)
    return seen


async def test_a_chat_with_several_calls_in_one_step(home: Home, server: ModelServer) -> None:
    wanted = ("recall_memory", {"query": "boats"}), ("search_history", {"query": "boats"})
    server.script(server.kind.calls(*wanted), server.kind.says("Nothing about boats."))
    seen = await talk(home, "What of boats?")
    done = [one for one in seen if isinstance(one, ToolCallFinished)]
    assert {one.name for one in done} == {"recall_memory", "search_history"} and all(one.ok for one in done)
    (end,) = [one for one in seen if isinstance(one, TurnFinished)]
    assert end.text.strip() == "Nothing about boats."
    assert any(isinstance(one, ReasoningDelta) for one in seen) == server.kind.thinks
    roles = [message["role"] for message in server.requests[1]["messages"]]
    assert roles[-3:] == ["assistant", "tool", "tool"]


async def test_a_turn_that_is_stopped_ends_the_request(home: Home, server: ModelServer) -> None:
    pause = Pause()
    server.script(Reply([event({"role": "assistant", "content": "It began "}), pause]))
    async with SessionHub(home) as hub:
        state = await hub.new(home.paths.root)
        await hub.send(state.id, "Tell me")
        await until(pause.reached.is_set, "it streams")
        hub.cancel(state.id)
        await hub.idle(state.id)
        await until(server.gone.is_set, "the server sees that nobody listens")


async def test_too_much_for_the_window_is_a_sentence_and_never_a_silent_loss(home: Home, server: ModelServer) -> None:
    server.limit = 5000
    more = "[profiles.here]\ncontext_window = 32768\n"
    lines = home.paths.config.read_text().replace("[profiles.here]\n", more)
    home.paths.config.write_text(lines)
    home.reload_settings()
    seen = await talk(home, LONG)
    failed = [one.error for one in seen if isinstance(one, TurnFailed)]
    said = [one.text for one in seen if isinstance(one, Notice)]
    if server.kind.overflow is None:
        assert failed == [] and any("The server cut your prompt at 5,000" in text for text in said)
    else:
        assert len(failed) == 1 and "too long" in failed[0]
