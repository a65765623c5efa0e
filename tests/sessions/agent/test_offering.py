from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from sessions.agent.offering import asked_for
from sessions.agent.prompt import system_prompt
from sessions.hub import SessionHub
from sessions.memory.fact import By, Draft
from sessions.tools.base import tools_chars
from tests.servers.chat_server import ChatServer, text
from tests.sessions.agent.scripted import Scripted, agent, echo, run, says, tool
from tests.sessions.agent.scripted import calls as wants
from tests.sessions.wire_home import contents_of, offered, system, wire_home

MEMORY = ["recall_memory", "save_memory", "delete_memory", "search_history"]


async def test_a_small_window_gets_the_memory_tools_in_short_and_what_the_person_names(tmp_path: Path) -> None:
    with ChatServer() as server:
        sizes: dict[int, int] = {}
        for window in (32_000, 7_000):
            home = wire_home(tmp_path / str(window), server, window=window, embedder="off")
            home.facts.save(Draft("sarah", "Sarah Chen runs the roadmap", "contact"), by=By("user"))
            server.requests.clear()
            server.script(text("Hi."), text("Cold."), text("Bye."))
            async with SessionHub(home) as hub:
                state = await hub.new(home.paths.root)
                for words in ("Hello", "How is the weather in Oslo?", "Thanks"):
                    view = await hub.context(state.id, words)
                    await hub.send(state.id, words)
                    await hub.idle(state.id)
                    assert [s.name for s in view.request.tools] == offered(server.requests[-1]), "as it was shown"
                look = await hub.context(state.id)
            first, second, third = server.requests
            sizes[window] = tools_chars(look.request.tools)
            assert "Sarah Chen runs the roadmap" in contents_of(first)
            if window == 32_000:
                assert sorted(offered(first)) == sorted([*MEMORY, "get_weather"])
                assert (look.why, look.left_tools) == ("", ())
                continue
            assert offered(first) == MEMORY and "get_weather" not in system(first)
            assert "get_weather" in offered(second) and "call get_weather" in system(second)
            assert "get_weather" in offered(third), "what was asked for once stays"
            assert look.why == "small"
        assert sizes[7_000] < 0.6 * sizes[32_000]
    assert server.problems == []


async def test_tools_that_take_over_a_quarter_of_a_large_window_are_left_out_until_one_is_named() -> None:
    many = [
        tool(f"notes.write_{n:02}", lambda *_: "ok", text={"type": "string", "description": "x" * 2_000})
        for n in range(20)
    ]
    model = Scripted(says("a"), says("b"), [wants(("notes.write_03", {}))], says("c"), says("d"), window=32_000)
    made = agent(model, tools=[echo("get_weather"), *many])
    await run(made, "hello")
    view = await made.look("and now?")
    assert view.why == "small" and len(view.left_tools) == 21
    assert model.requests[0].tools == () and "notes.write_00" in view.left_tools
    await run(made, "Use the note server")
    assert [t.name for t in model.requests[1].tools] == [t.name for t in many]
    assert "description" not in model.requests[1].tools[0].parameters["properties"]["text"]
    roomy = agent(Scripted(says("a"), window=128_000), tools=many)
    assert (await roomy.look("hello")).why == ""


@pytest.mark.parametrize(
    ("words", "found"),
    [("what's the WEATHER", ["get_weather"]), ("read my file", ["list_files", "read_file"]), ("get it", []), ("", [])],
)
def test_a_tool_is_asked_for_by_a_word_of_its_name(words: str, found: list[str]) -> None:
    tools = [echo(name) for name in ("get_weather", "list_files", "read_file")]
    assert [t.name for t in asked_for(tools, [], words)] == found


def test_the_prompt_names_no_tool_that_is_not_offered() -> None:
    tools = ("get_weather", "save_memory", "delete_memory", "search_history", "recall_memory")
    for memory in (True, False):
        whole = system_prompt(memory=memory)
        assert [tool for tool in tools if tool in whole] == list(tools if memory else tools[:1])
        for count in range(1, len(tools) + 1):
            for away in map(frozenset, combinations(tools, count)):
                said = system_prompt(memory=memory, without=away)
                assert not [tool for tool in away if tool in said], said
        assert "weather" not in system_prompt(memory=memory, without={"get_weather"}).lower()
