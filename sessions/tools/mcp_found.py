"""The MCP servers that a folder's `.mcp.json` names, as Claude Code writes it. They are read, and never started."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from sessions.messages import clean
from sessions.tools.mcp_config import ServerConfig

FILE = ".mcp.json"
_BYTES = 1 << 20
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]+")
_NAME = 40
_OURS = "memagent-tui"


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A server of the file, under the name that it would get in the settings."""

    config: ServerConfig
    wrong: str = ""
    """Why it cannot be used; empty when it can."""


def found(folder: Path) -> list[FoundServer]:
    """The servers of the folder's file, in its order; none where there is no file that can be read."""
    try:
        with (folder / FILE).open("rb") as file:
            read = json.loads(file.read(_BYTES))
    except (OSError, ValueError, RecursionError):
        return []
    servers = read.get("mcpServers") if isinstance(read, dict) else None
    if not isinstance(servers, dict):
        return []
    made: dict[str, FoundServer] = {}
    for name, entry in servers.items():
        one = _of(_NOT_IN_NAMES.sub("-", name).strip("-")[:_NAME], entry)
        if one is not None:
            made.setdefault(one.config.name, one)
    return list(made.values())


def _of(name: str, entry: Any) -> FoundServer | None:
    """None for what is no server, or is this very program."""
    if not name or not isinstance(entry, dict):
        return None
    command, url = _text(entry.get("command")), _text(entry.get("url"))
    args = entry.get("args")
    listed = [clean(arg) for arg in args if isinstance(arg, str)] if isinstance(args, list) else []
    if PurePath(command).name.startswith(_OURS) and listed[:1] == ["mcp"]:
        return None
    config = ServerConfig(name, command, tuple(listed), _texts(entry.get("env")), url, _texts(entry.get("headers")))
    return FoundServer(config, _wrong(entry, config, listed == (args or [])))


def _wrong(entry: Mapping[str, Any], config: ServerConfig, args_are_texts: bool) -> str:
    if entry.get("type") == "sse":
        return "its transport, sse, is no longer spoken: use the server's http address"
    if bool(config.command) == bool(config.url):
        return "it has both command and url" if config.command else "it has neither command nor url"
    if config.url and not config.url.startswith(("http://", "https://", "${")):
        return "its url does not begin with http:// or https://"
    return "" if args_are_texts else "its args are no list of texts"


def _text(value: Any) -> str:
    return clean(value) if isinstance(value, str) else ""


def _texts(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        return {}
    return {clean(key): clean(text) for key, text in value.items() if isinstance(text, str)}
