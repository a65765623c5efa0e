from __future__ import annotations

from pathlib import Path

import pytest

from sessions.clock import SystemClock
from sessions.paths import HomePaths, make_home
from sessions.settings import MemorySettings, WeatherSettings
from sessions.store.index import Index
from sessions.tools.base import Tool, ToolContext, ToolResult
from sessions.tools.history import history_tool
from sessions.tools.memory import MemorySource
from sessions.tools.weather import weather_tool
from tests.servers.weather_server import WeatherServer
from tests.sessions.memory.homes import store_of
from tui.widgets.calls import arguments_block, told_arguments, told_result

CONTEXT = ToolContext("s", 1, "call-1", "m", Path("/"), SystemClock())


async def run(tool: Tool, **arguments: object) -> ToolResult:
    result = await tool.run(arguments, CONTEXT)
    assert isinstance(result, ToolResult)
    return result


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("save_memory", {"summary": "Lives in Tokyo", "kind": "user", "name": "lives-in-tokyo"}, "lives-in-tokyo"),
        ("save_memory", {"summary": "Lives in\nTokyo", "kind": "user"}, "Lives in Tokyo"),
        ("recall_memory", {"kind": "contact", "query": "staffing"}, "staffing"),
        ("recall_memory", {"fact": 7}, "7"),
        ("recall_memory", {}, ""),
        ("get_weather", {"units": "celsius", "location": "Kyoto, Japan"}, "Kyoto, Japan"),
        ("search_history", {"query": "offsite", "after": "2026-11-01"}, "offsite · since 1 Nov 2026"),
        ("search_history", {"after": "2026-03", "before": "spring", "query": ""}, "since Mar 2026 · until spring"),
        ("notes.create", {"empty": "", "title": "Offsite", "body": "long"}, "Offsite"),
        ("notes.create", {"ids": [1, "b"], "title": "Offsite"}, "1, b"),
        ("get_weather", '{"location": "Tok', '{"location": "Tok'),
    ],
)
def test_a_call_is_told_by_its_main_argument(name: str, arguments: dict[str, object] | str, told: str) -> None:
    assert told_arguments(name, arguments) == told


def test_facts_are_told_by_count_or_number_and_other_results_not_at_all() -> None:
    assert told_result("…", ok=True, recalled=2) == "2 facts"
    assert told_result("Saved #3", ok=True, changed=(3,)) == "fact 3"
    assert told_result("Saved", ok=True, changed=(3, 4)) == "2 facts"
    assert told_result("Here is the weather information for Tokyo, Japan:\n\n19", ok=True) == ""
    assert told_result("Error: timed out.\nmore", ok=False) == "timed out."
    assert told_result("  ", ok=False) == "failed"


async def test_what_our_own_tools_say_in_full_has_a_short_word(tmp_path: Path) -> None:
    home = HomePaths(tmp_path, tmp_path / "config.toml")
    make_home(home)
    index = Index(home, SystemClock())
    found = await run(history_tool(index, ""), query="offsite")
    index.close()
    assert told_result(found.content, ok=found.ok) == "nothing found"
    memory = MemorySource(store_of(tmp_path), MemorySettings(), lambda: "on", tmp_path)
    recall = next(tool for tool in memory.tools() if tool.name == "recall_memory")
    for arguments in ({"query": "x"}, {"fact": "x"}, {"kind": "contact"}, {}):
        nothing = await run(recall, **arguments)
        assert told_result(nothing.content, ok=nothing.ok) == "nothing found"
    with WeatherServer() as server:
        failed = await run(weather_tool(WeatherSettings(server.url, server.url)), location="Hakonne")
    assert not failed.ok
    assert told_result(failed.content, ok=False) == "no place named “Hakonne”"


def test_passages_are_counted() -> None:
    assert told_result("3 passages from past sessions (quoted …):\n- a", ok=True) == "3 passages"


def test_opened_arguments_stand_one_a_line_and_nested_ones_as_json() -> None:
    assert arguments_block({"a": "x", "n": [1, 2], "d": {"k": 1}}) == 'a: x\nn: 1, 2\nd: {\n  "k": 1\n}'
    assert arguments_block("{oops") == "{oops"
