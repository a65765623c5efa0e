"""Which files of which client get what."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sessions.lending.entry import hook, server
from sessions.lending.parts import Instructions, JsonHook, JsonServer, Part, RuleFile, TomlServer
from sessions.paths import HomePaths

CLIENTS = {"claude-code": "Claude Code", "codex": "Codex", "cursor": "Cursor"}


_PROGRAMS = {"claude-code": "claude", "codex": "codex", "cursor": "cursor"}


def known_as(name: str) -> str:
    """The client of `CLIENTS` that calls itself so, as `codex-mcp-client` and `cursor-vscode` do; else the name."""
    return next((client for client in CLIENTS if name.lower().startswith(client)), name)


@dataclass(frozen=True, slots=True)
class Place:
    """A part and the file in which it belongs."""

    path: Path
    part: Part
    also: tuple[Path, ...] = ()
    """Other files in which it may have been put before."""


@dataclass(frozen=True, slots=True)
class Machine:
    """Where the clients of this user keep their settings."""

    user: Path
    """The user's own folder."""
    environ: Mapping[str, str]

    def claude(self) -> Path:
        """`$CLAUDE_CONFIG_DIR`, of several the first, else `~/.claude`."""
        named = [part.strip() for part in self.environ.get("CLAUDE_CONFIG_DIR", "").split(",") if part.strip()]
        return self._path(named[0]) if named else self.user / ".claude"

    def claude_json(self) -> Path:
        """Where Claude Code has the servers of the user: `.claude.json` beside its folder, or in the one that is named;
        an older `.config.json` in that folder goes first."""
        older = self.claude() / ".config.json"
        if older.is_file():
            return older
        named = self.environ.get("CLAUDE_CONFIG_DIR", "").strip(" ,")
        return (self.claude() if named else self.user) / ".claude.json"

    def codex(self) -> Path:
        """`$CODEX_HOME`, else `~/.codex`."""
        named = self.environ.get("CODEX_HOME", "").strip()
        return self._path(named) if named else self.user / ".codex"

    def cursor(self) -> Path:
        return self.user / ".cursor"

    def has(self, client: str) -> bool:
        """Whether the client, or settings of it, are on this machine."""
        folder = {"claude-code": self.claude, "codex": self.codex, "cursor": self.cursor}[client]()
        if folder.is_dir() or (client == "claude-code" and self.claude_json().is_file()):
            return True
        return shutil.which(_PROGRAMS[client], path=self.environ.get("PATH")) is not None

    def _path(self, text: str) -> Path:
        return (self.user / text.removeprefix("~/")) if text.startswith("~/") else Path(text).absolute()


def places(client: str, machine: Machine, folder: Path | None, command: str, paths: HomePaths) -> list[Place]:
    """The files of a client that tell it of us, for the whole user or for one folder; the server's entry first."""
    entry = server(command, paths, folder)
    in_json: dict[str, Any] = {"type": "stdio", **entry}
    match client:
        case "claude-code":
            settings = (folder / ".claude" if folder else machine.claude()) / "settings.json"
            return [
                Place(folder / ".mcp.json" if folder else machine.claude_json(), JsonServer(in_json)),
                Place(folder / "CLAUDE.md" if folder else machine.claude() / "CLAUDE.md", Instructions()),
                Place(settings, JsonHook(hook(command, paths))),
            ]
        case "codex":
            config = (folder / ".codex" if folder else machine.codex()) / "config.toml"
            return [Place(config, TomlServer(entry)), _agents_md(folder or machine.codex())]
        case _:
            config = (folder / ".cursor" if folder else machine.cursor()) / "mcp.json"
            rule = [Place(folder / ".cursor/rules/memagent.mdc", RuleFile())] if folder else []
            return [Place(config, JsonServer(in_json)), *rule]


def _agents_md(folder: Path) -> Place:
    """Codex reads one file in a folder: AGENTS.override.md when it says something, else AGENTS.md."""
    usual, first = folder / "AGENTS.md", folder / "AGENTS.override.md"
    try:
        overridden = bool(first.read_bytes().strip())
    except OSError:
        overridden = False
    return Place(first, Instructions(), (usual,)) if overridden else Place(usual, Instructions(), (first,))
