"""The workbench before a scripted chat service: one turn is talked, seen, read back, and seen again after a restart."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import openai  # noqa: F401  its loading takes seconds on a busy machine and is nothing to wait for here
import pytest

from sessions.events import FactsRecalled
from sessions.home import Home
from sessions.messages import AssistantMessage, Marker, Record, ToolMessage
from sessions.providers import chat
from sessions.store.log import read_log
from sessions.tools.base import Tool, ToolContext, ToolResult
from tests.servers.chat_server import ChatServer
from tests.servers.weather_server import WeatherServer
from tests.tui.workbench import Bench, text_of, workbench
from tests.waiting import until
from tui.app import MemagentApp
from tui.widgets.tree_rows import Flattener, Folds

PROFILE = "scripted"


@dataclass
class Stage:
    """A home with one profile, which is the scripted service."""

    home: Path
    server: ChatServer
    weather: WeatherServer
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    """What the tool `wait` waits for."""
    session: str = ""

    def bench(self, home: Path | None = None, **options: Any) -> Any:
        return workbench(home or self.home, profile=PROFILE, **options)

    def records(self, session: str) -> list[Record]:
        """The log, which must be whole: each line JSON, nothing skipped."""
        path = self.home / "sessions" / f"{session}.jsonl"
        data = path.read_bytes()
        assert data.endswith(b"\n")
        lines = [json.loads(line) for line in data.split(b"\n")[:-1]]
        read = read_log(path)
        assert read.problems == [] and len(read.records) == len(lines)
        assert len({line["id"] for line in lines}) == len(lines)
        return read.records

    def answers(self, session: str) -> list[AssistantMessage]:
        return [r for r in self.records(session) if isinstance(r, AssistantMessage)]

    def results(self, session: str) -> list[ToolMessage]:
        return [r for r in self.records(session) if isinstance(r, ToolMessage)]

    def ends(self, session: str) -> list[dict[str, Any]]:
        return [r.data for r in self.records(session) if isinstance(r, Marker) and r.kind == "turn_end"]


def home_of(folder: Path, url: str, *more: str) -> Path:
    """A home whose config knows the service."""
    home = folder / "home"
    home.mkdir(mode=0o700)
    profile = [f"[profiles.{PROFILE}]", 'type = "openai"', f'base_url = "{url}"', 'model = "m"']
    (home / "config.toml").write_text("\n".join([*profile, *more]) + "\n")
    return home


@contextmanager
def staged(folder: Path, patch: pytest.MonkeyPatch, *more: str, url: str = "{}") -> Iterator[Stage]:
    """Servers, a home, tools that misbehave, and a service that need not be waited for."""
    with ChatServer() as server, WeatherServer() as weather:
        patch.setenv("MEMAGENT_WEATHER_GEOCODING_URL", weather.url)
        patch.setenv("MEMAGENT_WEATHER_FORECAST_URL", weather.url)
        patch.setattr(chat, "backoff_s", lambda attempt: 0.0)
        stage = Stage(home_of(folder, url.format(server.url), *more), server, weather)
        real = Home.tools
        patch.setattr(Home, "tools", lambda *given, **more: [*real(*given, **more), *odd_tools(stage)])
        yield stage
        assert server.problems == []


def odd_tools(stage: Stage) -> list[Tool]:
    """Tools that a server of tools may well offer."""
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}

    async def boom(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        raise ValueError("no such row")

    async def echo(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        return ToolResult(f"heard {arguments.get('text', '')}")

    async def big(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        return ToolResult("".join(f"row {i:05d} of a table\n" for i in range(10_000)))

    async def wait(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        await stage.gate.wait()
        return ToolResult("waited")

    async def late(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        await stage.gate.wait()
        return ToolResult("late", events=recalled("b", "both"))

    async def soon(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        asyncio.get_running_loop().call_later(0, stage.gate.set)
        return ToolResult("soon", events=recalled("a", "both"))

    def recalled(*names: str) -> tuple[FactsRecalled]:
        return (FactsRecalled(session="", names=names, numbers=tuple(len(name) for name in names)),)

    tools = (boom, echo, big, wait, late, soon)
    return [Tool(run.__name__, f"{run.__name__} something", schema, run) for run in tools]


def open_tree(app: MemagentApp) -> str:
    """The agent tree with everything in it unfolded."""
    tree = app.body.agent
    rows = Flattener(_Open(), tree.list.size.width).rows(tree.trace)
    return "\n".join(getattr(row, "name", "") + " " + getattr(row, "second", "") for row in rows)


class _Open(Folds):
    def is_open(self, key: str, default: bool) -> bool:
        return True


@dataclass(frozen=True)
class Seen:
    """What a person sees of a session."""

    transcript: str
    tree: str
    facts: str
    opened: str
    """The tree with everything unfolded."""
    full: str
    """The transcript with calls and thoughts unfolded."""
    header: str
    title: str


async def seen(app: MemagentApp, pilot: Bench) -> Seen:
    transcript, tree = app.body.chat.transcript, app.body.agent
    await transcript.drawn()
    await pilot.pause()
    tree._flush()
    await until(lambda: app.body.chat.title.title_text != "New session", "a title")
    await until(lambda: app.header.state.facts is not None, "the facts are counted")
    await pilot.pause()
    folded = text_of(transcript).rstrip()
    transcript.tool_detail = "full"
    transcript.unfold()
    await pilot.pause()
    full = text_of(transcript).rstrip()
    transcript.unfold()
    transcript.tool_detail = "line"
    await pilot.pause()
    return Seen(
        folded,
        text_of(tree.list).rstrip(),
        tree.title.fact,
        open_tree(app),
        full,
        text_of(app.header),
        app.body.chat.title.title_text,
    )


async def replayed(stage: Stage, session: str, folder: Path) -> Seen:
    """The session as a fresh workbench shows it, on a copy of the home."""
    shutil.copytree(stage.home, folder)
    async with stage.bench(folder, resume=session) as (app, pilot):
        assert app.desk.session == session
        return await seen(app, pilot)


def in_order(parts: list[str], shown: str) -> None:
    """All parts stand in the text, one after the other."""
    at = 0
    for part in parts:
        found = shown.find(part, at)
        assert found >= 0, f"{part!r} not after {shown[max(0, at - 40) : at]!r} in\n{shown}"
        at = found + len(part)
