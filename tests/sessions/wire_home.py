"""A home whose model is a scripted service on 127.0.0.1, so that what is sent can be read byte by byte."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sessions.clock import FixedClock
from sessions.home import Home
from sessions.settings import AgentSettings, MemorySettings, Profile, Settings
from tests.servers.chat_server import ChatServer
from tests.sessions.agent.scripted import NOW

WINDOW = 100_000


def wire_home(folder: Path, server: ChatServer, *, window: int = WINDOW, **memory: Any) -> Home:
    """A home under `folder` whose one profile is the server."""
    profile = Profile("wire", base_url=server.url, model="scripted", context_window=window)
    agent = AgentSettings(profile="wire")
    settings = Settings(agent=agent, profiles={"wire": profile}, memory=MemorySettings(**memory))
    return Home(folder / "home", settings=settings, clock=FixedClock(NOW), env={})


def text_of(body: Any) -> str:
    """A request as text in which words can be looked for."""
    return json.dumps(body, ensure_ascii=False)


def offered(body: dict[str, Any]) -> list[str]:
    """Names of the tools that a request offers."""
    return [tool["function"]["name"] for tool in body.get("tools", ())]


def system(body: dict[str, Any]) -> str:
    return next((m["content"] for m in body["messages"] if m["role"] == "system"), "")


def contents_of(body: dict[str, Any]) -> str:
    """The description of recall_memory, in which the table of contents stands; empty when it is not offered."""
    tools = (tool["function"] for tool in body.get("tools", ()))
    return next((tool["description"] for tool in tools if tool["name"] == "recall_memory"), "")


def newest(body: dict[str, Any]) -> str:
    """The newest message of the person, as it was sent."""
    return [m["content"] for m in body["messages"] if m["role"] == "user"][-1]


def holding(root: Path, words: str | Iterable[str]) -> list[str]:
    """Files under a folder that hold one of the words, in their name or bytes."""
    wanted = [words] if isinstance(words, str) else list(words)
    found = []
    for path in sorted(root.rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        if any(word.encode() in data or word in path.name for word in wanted):
            found.append(str(path.relative_to(root)))
    return found
