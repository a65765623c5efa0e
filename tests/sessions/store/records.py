"""Records and homes to try the store with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sessions.messages import AssistantMessage, Marker, ToolMessage, UserMessage
from sessions.paths import HomePaths, make_home

SESSION = "20261129-171408-7f3a9c"
AT = "2026-11-29T17:14:08.123Z"


def home(root: Path) -> HomePaths:
    paths = HomePaths(root, root / "config.toml")
    make_home(paths)
    return paths


def first(cwd: str = "/code/atlas", at: str = AT, **data: Any) -> Marker:
    return Marker("first", at, "session", {"cwd": cwd, "profile": "guide", "model": "guide", "memory": "on"} | data)


def user(id_: str, content: str, turn: int = 1, at: str = AT, **more: Any) -> UserMessage:
    return UserMessage(id_, at, turn, content, **more)


def answer(id_: str, content: str, turn: int = 1, at: str = AT, **more: Any) -> AssistantMessage:
    return AssistantMessage(id_, at, turn, content, profile="guide", model="guide", **more)


def result(id_: str, content: str, turn: int = 1, name: str = "get_weather", at: str = AT, **more: Any) -> ToolMessage:
    return ToolMessage(id_, at, turn, f"call-{id_}", name, content, **more)
