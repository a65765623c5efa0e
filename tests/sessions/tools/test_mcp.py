"""An MCP server may do what it wants: it harms its own calls, and what it says is data."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from sessions.clock import SystemClock
from sessions.tools import mcp
from sessions.tools.base import ToolContext, ToolResult
from sessions.tools.mcp_config import ServerConfig, environment_of
from sessions.tools.mcp_guard import Guard, TooMuchError
from sessions.tools.mcp_log import CAP
from tests.sessions.tools.mcp_life import call, living, noted, runs, small, tool
from tests.waiting import until


async def test_its_tools_are_offered_and_ask_unless_they_say_that_they_only_read(tmp_path: Path) -> None:
    async with living(small(), tmp_path) as server:
        assert (server.state, server.why) == ("running", "")
        asks = {name: tool(server, name).asks for name in ("notes.read_page", "notes.create_page", "notes.delete_page")}
        assert list(asks.values()) == [
            "",
            "MCP server notes · can write",
            "MCP server notes · can write · can delete",
        ]
        assert not tool(server, "notes.read_page").side_effects and tool(server, "notes.create_page").side_effects
        assert tool(server, "notes.read_page").parameters["required"] == ["title"]
        assert (await call(server, "read_page", title="One")).content == "read_page One"


async def test_results_are_text_with_marks_for_the_rest(tmp_path: Path) -> None:
    async with living(small(), tmp_path) as server:
        rich = await call(server, "rich", body="\x1b[2Jhello")
        assert rich.ok and rich.content.split("\n") == [
            "\x1b[2Jhello",  # cleaned where it is shown, as every tool's result
            "[image image/png, 12 kB]",
            "a resource",
            "[resource file:///y: why]",
            "[hologram]",
        ]
        failed = await call(server, "fail")
        assert (failed.ok, failed.content) == (False, "that does not exist")
        long = await call(server, "rich", body="x" * 1_100_000)
        assert len(long.content) < 1_000_100 and long.content.endswith("more characters were left out]")


async def test_what_it_lies_about_is_made_harmless_and_said(tmp_path: Path) -> None:
    async with living(small("liar"), tmp_path) as server:
        names = [made.name for made in server.tools]
        assert len(names) == len(set(names)) == 128
        assert all(name.isprintable() and " " not in name and ":" not in name for name in names)
        nothing = {"type": "object", "properties": {}}
        assert [tool(server, f"notes.{name}").parameters for name in ("text", "array", "wide")] == [nothing] * 3
        odd = tool(server, "notes.odd").parameters
        assert odd == {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a"]}
        assert len(tool(server, "notes.long").description) == 2_001
        assert tool(server, "notes.with_space_and_31m").asks, "a hint that is no truth is none"
        told = "\n".join(server.health.remarks)
        for word in (
            "no object",
            "too large",
            "was cut",
            "one of this name",
            "odd characters",
            "without a name",
            "128",
        ):
            assert word in told
        assert (await call(server, "odd", a=1)).ok


@pytest.mark.parametrize(
    ("does", "why"),
    [
        ("die", "ended with code 3: it was all too much"),
        ("flood", "more than 5,000 messages"),
        ("line", "a message of more than 8 MB"),
        ("noise", "more than 200 lines"),
        ("blank", "more than 25,000 lines"),
        ("values", "a message of more than 50,000 values"),
        ("deaf", "more than 500 things without taking an answer"),
    ],
)
async def test_a_server_that_goes_too_far_is_stopped_and_started_again(tmp_path: Path, does: str, why: str) -> None:
    calls = tmp_path / "calls"
    async with living(small("wild", calls=calls), tmp_path) as server:
        waiting = asyncio.ensure_future(call(server, "hang"))
        result = await call(server, does)
        assert not result.ok and "ended during the call" in result.content and why in result.content
        assert why in (await waiting).content, "whoever else waits for it is told, too"
        assert server.state == "failed" and server.tools == () and why in server.why
        pid = noted(calls)[0]["pid"]
        await until(lambda: not runs(pid), "it is gone")
        server.revive()
        await server.settled()
        assert (await call(server, "read_page", title="Two")).content == "read_page Two"


async def test_killed_in_a_call(tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    async with living(small(calls=calls), tmp_path) as server:
        waiting = asyncio.ensure_future(call(server, "hang"))
        await until(lambda: len(noted(calls)) == 2, "it hangs")
        os.kill(noted(calls)[0]["pid"], signal.SIGKILL)
        result = await waiting
        assert result.content == "The MCP server notes ended during the call: it was killed by signal 9"


async def test_it_is_not_started_again_for_ever(tmp_path: Path) -> None:
    async with living(small(), tmp_path) as server:
        for n in range(mcp.AGAIN):
            await call(server, "die")
            server.revive()
            assert (server.state == "starting") is (n < mcp.AGAIN - 1)
            await server.settled()
        assert server.state == "failed" and "is not started again by itself" in server.why
        server.start()  # by hand it is
        await server.settled()
        assert server.state == "running"


async def test_a_call_that_nobody_waits_for_any_more_is_cancelled_there(tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    async with living(small(calls=calls), tmp_path) as server:
        waiting = asyncio.ensure_future(call(server, "hang"))
        await until(lambda: len(noted(calls)) == 2, "it hangs")
        waiting.cancel()
        await until(lambda: noted(calls)[-1]["what"] == "cancelled", "the server knows")
        assert (await call(server, "read_page", title="Next")).content == "read_page Next"


async def test_a_changed_list_is_followed(tmp_path: Path) -> None:
    async with living(small(), tmp_path) as server:
        before = len(server.tools)
        await call(server, "grow")
        await until(lambda: len(server.tools) == before + 1, "another tool")
        assert (await call(server, "grown")).ok


async def test_a_tool_that_says_it_can_do_more_does_not_run_for_who_heard_of_less(tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    async with living(small("wild", calls=calls), tmp_path) as server:
        before = tool(server, "notes.turn")
        assert (await call(server, "turn")).ok
        await until(lambda: tool(server, "notes.turn").asks != "", "it writes now")
        where = ToolContext("s", 1, "call-1", "m1", Path.cwd(), SystemClock())
        result = await before.run({}, where)
        assert isinstance(result, ToolResult) and not result.ok and "it can write" in result.content
        assert [line["what"] for line in noted(calls)].count("call") == 1


@pytest.mark.parametrize("word", ["shy", "banner"])
async def test_odd_starts_are_survived(tmp_path: Path, word: str) -> None:
    async with living(small(word), tmp_path) as server:
        assert server.state == "running" and (await call(server, "read_page", title="x")).ok


async def test_why_it_does_not_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = ServerConfig("notes", str(tmp_path / "gone"))
    secret = ServerConfig("notes", "true", (), {"TOKEN": "${NO_SUCH_TOKEN}"})
    nowhere = ServerConfig("notes", url="http://127.0.0.1:9/mcp")
    for config, why in (
        (small("crash"), "it ended with code 1: Error: no database"),
        (gone, f"{gone.command} is not found"),
        (secret, "${NO_SUCH_TOKEN} is not set in the environment"),
        (nowhere, "http://127.0.0.1:9/mcp cannot be reached"),
    ):
        async with living(config, tmp_path) as server:
            assert server.state == "failed" and why in server.why
    monkeypatch.setattr(mcp, "START_S", 0.5)
    async with living(small("hangs"), tmp_path) as server:
        assert server.state == "failed" and server.why == "it did not answer within 0.5 s"


async def test_its_stderr_goes_to_a_file_that_stays_small(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "notes.log"
    async with living(small("shouts"), tmp_path) as server:
        assert (await call(server, "read_page", title="x")).ok
        await until(lambda: log.exists() and log.stat().st_size > CAP // 2, "it shouts")
        sizes: set[int] = set()
        await until(lambda: sizes.add(log.stat().st_size) or len(sizes) > 5, "it shouts on")
        assert max(sizes) <= CAP
    assert capfd.readouterr() == ("", "") and log.stat().st_mode & 0o777 == 0o600


async def test_one_that_does_not_leave_is_made_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sessions.tools.mcp_stdio._LEAVES_S", 0.05)
    monkeypatch.setattr("sessions.tools.mcp_stdio._TERMINATED_S", 0.2)
    calls = tmp_path / "calls"
    async with living(small("stubborn", "parent", calls=calls), tmp_path) as server:
        assert server.state == "running"
        pids = [call["pid"] for call in noted(calls)] + [call["child"] for call in noted(calls) if "child" in call]
        assert len(pids) == 3 and all(map(runs, pids))
    await until(lambda: not any(map(runs, pids)), "it is gone, with its children")


async def test_no_key_of_ours_reaches_it_but_those_that_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = tmp_path / "calls"
    config = small(calls=calls)
    config = ServerConfig("notes", config.command, config.args, {**config.env, "NOTES_TOKEN": "${MY_TOKEN}"})
    ours = {"OPENAI_API_KEY": "sk-1", "AWS_SECRET_ACCESS_KEY": "s", "MEMAGENT_HOME": "/h", "MY_TOKEN": "t-1"}
    for name, value in ours.items():
        monkeypatch.setenv(name, value)
    async with living(config, tmp_path) as server:
        assert server.state == "running"
    given = set(noted(calls)[0]["environment"])
    assert {"PATH", "NOTES_TOKEN"} <= given and not given & ours.keys()
    assert config.expanded(ours).env["NOTES_TOKEN"] == "t-1"
    assert ServerConfig("n", "${A:-x} ${B:-}").expanded({}).command == "x "
    proxies = {"HTTPS_PROXY": "http://me:secret@proxy", "https_proxy": "http://proxy:3128"}
    assert environment_of(ServerConfig("n", "c"), proxies) == {"https_proxy": "http://proxy:3128"}


def test_too_much_is_too_much_only_within_a_while() -> None:
    now = 0.0
    guard = Guard(lambda: now)
    for _ in range(3):
        for _ in range(5_000):
            guard.message()
        guard.came(100 << 20)
        now += 6
    guard.came(100 << 20)
    with pytest.raises(TooMuchError, match="128 MB"):
        guard.came(100 << 20)


async def test_without_the_package_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("mcp", "mcp.client", "mcp.client.session"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "sessions.tools.mcp_link", raising=False)
    monkeypatch.delattr("sessions.tools.mcp_link", raising=False)
    async with living(small(), tmp_path) as server:
        assert (server.state, server.why) == ("failed", mcp.MISSING)
