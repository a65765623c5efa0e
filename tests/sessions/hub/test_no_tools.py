from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessions.events import Notice
from sessions.hub.connecting import Connecting
from sessions.memory.fact import By, Draft
from sessions.providers import toolless
from sessions.settings import Profile
from tests.servers.chat_server import ChatServer, calls, error, text
from tests.sessions.hub_home import hub_of
from tests.sessions.wire_home import offered, system, wire_home

REFUSAL = error(400, "registry.ollama.ai/library/gemma:2b does not support tools")


@pytest.fixture(autouse=True)
def nothing_known() -> Iterator[None]:
    toolless.forget()
    yield
    toolless.forget()


async def test_the_chat_goes_on_without_tools_which_is_said_once_and_kept_in_mind(tmp_path: Path) -> None:
    with ChatServer() as server:
        home = wire_home(tmp_path, server, embedder="off")
        home.facts.save(Draft("city", "Lives in Tokyo", "preference"), by=By("user"))
        server.script(
            calls(("recall_memory", {"query": "city"})),
            text("Tokyo."),
            REFUSAL,
            text("Fine."),
            text("Sure."),
            text("Hello."),
        )
        async with hub_of(home) as (hub, heard):
            state = await hub.new(home.paths.root)
            for turn, words in enumerate(("Where do I live?", "And you?", "Really?"), 1):
                await hub.send(state.id, words)
                await heard.over(state.id, turn)
            notices = [e.text for e in heard.of(Notice)]
            view = await hub.context(state.id, "What now?")
            other = await hub.new(home.paths.root)
            await hub.send(other.id, "Hello")
            await heard.over(other.id, 1)
            assert [e.text for e in heard.of(Notice)] == notices, "once, for all sessions"
        assert len(notices) == 1 and "scripted cannot call tools at 127.0.0.1" in notices[0]
        assert "It answers without any" in notices[0] and "cut your prompt" not in notices[0]
        assert [bool(offered(body)) for body in server.requests] == [True, True, True, False, False, False]
        assert "call recall_memory" in system(server.requests[0])
        for body in server.requests[3:]:
            assert not re.search(r"_memory|get_weather|search_history|\btools?\b", system(body)), "no word of a tool"
            sent = json.dumps(body)
            assert "tool_calls" not in sent and '"tool"' not in sent and "Lives in Tokyo" in system(body)
        roles = [m["role"] for m in server.requests[4]["messages"]]
        assert roles == ["system", "user", "assistant", "user", "assistant", "user"]
        assert "Result of recall_memory, as data" in json.dumps(server.requests[3])
        assert (view.why, view.request.tools) == ("no tools", ()) and "recall_memory" in view.left_tools
    assert server.problems == []


async def test_a_model_that_cannot_call_tools_can_be_connected_and_it_is_said(tmp_path: Path) -> None:
    with ChatServer() as server:
        home = wire_home(tmp_path, server)
        server.script(REFUSAL, text("Ready."))
        tested = await Connecting(home).test(Profile("p", base_url=server.url, model="gemma:2b", context_window=8_000))
        assert (tested.error, tested.tools) == ("", False)
        assert [bool(offered(body)) for body in server.requests] == [True, False]
