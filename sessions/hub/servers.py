"""The MCP servers of the settings: started beside each other, offered to every turn, closed with the hub."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

from sessions.home import Home
from sessions.hub.threads import Threads
from sessions.paths import HomePaths
from sessions.settings import Settings
from sessions.settings_edit import server
from sessions.store.atomic import write_atomic
from sessions.tools.base import Tool
from sessions.tools.mcp import Health, McpServer
from sessions.tools.mcp_config import Keeps, of_settings
from sessions.tools.mcp_found import FoundServer, found
from sessions.tools.mcp_left import LEFT, end_left

PATIENCE_S = 3.0
"""A turn waits so long for servers that are starting, once for each start."""
_SAID = 500
"""Of so many servers that a folder names it is known that the person was told of them."""


class Servers:
    """A part of the hub. Nothing is started, and the SDK not loaded, before `begin`."""

    def __init__(
        self,
        home: Home,
        threads: Threads,
        spawn: Callable[[Coroutine[Any, Any, Any]], object],
        tell: Callable[[str], None],
        keeps: Keeps,
    ) -> None:
        """`keeps` says whether what a server writes may be kept now."""
        self._home = home
        self._threads = threads
        self._spawn = spawn
        self._keeps = keeps
        self._servers: dict[str, McpServer] = {}
        self._off: set[str] = set()
        self._begun = False
        self.tell = tell
        """Takes a sentence about a server that failed."""
        self.changed: Callable[[], object] = lambda: None
        """Called when any state is another."""
        self.patience_s = PATIENCE_S
        self.quiet_s: float | None = None
        """Set where there is only this one turn: after so long it is told what is waited for."""

    def begin(self) -> None:
        """Start all servers of the settings, and end those that a killed program left behind."""
        self._begun = True
        self._spawn(asyncio.to_thread(end_left, self._home.paths.local / "mcp" / LEFT))
        self.follow()

    def follow(self) -> None:
        """Bring what runs in line with the settings, once begun: those that are new start, those that are gone end."""
        if not self._begun:
            return
        wanted = {name: of_settings(name, table) for name, table in self._home.settings.mcp_servers.items()}
        for name in [name for name, one in self._servers.items() if wanted.get(name) != one.config]:
            self._spawn(self._servers.pop(name).stop())
        made = {}
        for name, config in wanted.items():
            made[name] = self._servers.get(name) or McpServer(
                config, os.environ, log_of(self._home.paths, name), self._moved, self._keeps, self._sees
            )
        self._servers = made
        for name, one in made.items():
            if name not in self._off and one.state == "off":
                one.start()
        self.changed()

    async def offered(self, wait: bool) -> list[Tool]:
        """The tools that can be called now. With `wait` it is for a turn: servers that ended are started again, and
        those that are starting are waited for, a moment."""
        if wait:
            for one in self._servers.values():
                one.revive()
            await self._wait([one for one in self._servers.values() if one.state == "starting" and not one.waited])
        return [tool for one in self._servers.values() for tool in one.tools]

    def missing(self, told: set[tuple[str, int]]) -> list[str]:
        """What a turn that wants all servers is to be told of those that failed and are not in `told`, where they are
        put."""
        failed = [one for one in self._servers.values() if one.state == "failed" and (one.name, one.starts) not in told]
        told |= {(one.name, one.starts) for one in failed}
        return [_failure(one) for one in failed]

    async def _wait(self, starting: Sequence[McpServer]) -> None:
        if not starting:
            return
        waits = [asyncio.ensure_future(one.settled()) for one in starting]
        try:
            quiet_s = self.patience_s if self.quiet_s is None else min(self.quiet_s, self.patience_s)
            _, open_ = await asyncio.wait(waits, timeout=quiet_s)
            if open_ and self.quiet_s is not None:
                names = ", ".join(one.name for one in starting if one.state == "starting")
                self.tell(f"Waiting for MCP server {names} to start, {self.patience_s:g} s at most")
                await asyncio.wait(open_, timeout=self.patience_s - quiet_s)
        finally:
            for wait in waits:
                wait.cancel()
        for one in starting:
            one.waited = True
            if one.state == "starting":
                late = "its tools come with a later turn" if self.quiet_s is None else "went on without it"
                self.tell(f"MCP server {one.name} is still starting: {late}")

    def health(self) -> list[Health]:
        """All of the settings, in their order."""
        return [one.health for one in self._servers.values()]

    async def restart(self, name: str) -> None:
        """End it, if it runs, and start it again."""
        one = self._servers[name]
        self._off.discard(name)
        await one.stop()
        one.start()

    async def switch(self, name: str) -> None:
        """Off until the program ends, or on again."""
        one = self._servers[name]
        if one.state == "off":
            await self.restart(name)
        else:
            self._off.add(name)
            await one.stop()

    async def found(self, folder: Path) -> list[FoundServer]:
        """What the folder's `.mcp.json` names and the settings do not."""
        known = self._home.settings.mcp_servers
        return [one for one in await self._threads.run(found, folder) if one.config.name not in known]

    async def news(self, folder: Path) -> int:
        """How many such servers can be used; 0 when that was said before of each of them and this folder."""
        servers = [one for one in await self.found(folder) if not one.wrong]
        new = bool(servers) and await asyncio.to_thread(self._any_new, folder, servers)
        return len(servers) if new else 0

    async def add(self, one: FoundServer) -> None:
        """Write it into the settings and start it. Raises StoreError."""
        await self._threads.run(server, self._home.paths.config, one.config.name, one.config.table())
        await self._threads.run(self._home.reload_settings)
        self.follow()

    async def close(self) -> None:
        servers, self._servers = list(self._servers.values()), {}
        self.changed = lambda: None
        await asyncio.gather(*(one.stop() for one in servers), return_exceptions=True)

    def _moved(self, one: McpServer) -> None:
        if one.state == "failed" and self._servers.get(one.name) is one:
            self.tell(_failure(one))
        self.changed()

    def _sees(self, folder: Path) -> bool:
        return self._home.files_allowed(folder) is True

    def _any_new(self, folder: Path, servers: Sequence[FoundServer]) -> bool:
        said = self._home.paths.local / "mcp" / "said"
        these = [hashlib.sha256(repr((folder, one)).encode(errors="replace")).hexdigest() for one in servers]
        try:
            known = said.read_text().split() if said.exists() else []
            if new := [one for one in these if one not in known]:
                said.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                write_atomic(said, "\n".join([*known, *new][-_SAID:]).encode())
        except OSError:
            return True
        return bool(new)


def _failure(one: McpServer) -> str:
    return f"MCP server {one.name} failed: {one.why}"


def log_of(paths: HomePaths, name: str) -> Path:
    """Where what a server writes to its stderr is kept."""
    return paths.local / "mcp" / f"{name}.log"


async def examined(settings: Settings, paths: HomePaths) -> list[Health]:
    """Every server of the settings, started, looked at, and ended."""
    servers = [
        McpServer(of_settings(name, table), os.environ, log_of(paths, name), lambda one: None)
        for name, table in settings.mcp_servers.items()
    ]

    async def look(one: McpServer) -> Health:
        one.start()
        await one.settled()
        health = one.health
        await one.stop()
        return health

    return list(await asyncio.gather(*map(look, servers)))
