"""What a hub can do beside talking; each part is made when it is first asked for."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sessions.events import Event
from sessions.home import Home
from sessions.hub.background import Background
from sessions.hub.live import LiveSession
from sessions.hub.pool import Pool
from sessions.hub.threads import Threads
from sessions.importers.registry import anything
from sessions.tools.base import Offered, Offering, Tool

if TYPE_CHECKING:
    from sessions.hub.connecting import Connecting
    from sessions.hub.finding import Finding
    from sessions.hub.following import Following, Offer
    from sessions.hub.keeping import Keeping
    from sessions.hub.past import Past
    from sessions.hub.recapping import Recaps
    from sessions.hub.search import Search
    from sessions.hub.servers import Servers
    from sessions.hub.spending import Spending

FILES_STAY = "The files here may be read by models on this machine only, so not by this one: /files asks anew"


class Parts:
    """A part of the hub."""

    home: Home
    work: Background
    _threads: Threads
    _pool: Pool
    _live: dict[str, LiveSession]

    @cached_property
    def search(self) -> Search:
        """Finds what was said, and the facts."""
        from sessions.hub.search import Search

        return Search(self.home, self._threads)

    @cached_property
    def finding(self) -> Finding:
        """Finds something inside one session."""
        from sessions.hub.finding import Finding

        return Finding(self.home, self._live)

    @cached_property
    def past(self) -> Past:
        """What was said before what is in memory of an open session."""
        from sessions.hub.past import Past

        return Past(self._get)

    @cached_property
    def recaps(self) -> Recaps:
        """What a model writes about a session."""
        from sessions.hub.recapping import Recaps

        return Recaps(self.home, self._pool, self._meta)

    @cached_property
    def keeping(self) -> Keeping:
        """The trash, exports, and erasing for good."""
        from sessions.hub.keeping import Keeping

        return Keeping(self.home, self._threads, self._live, self.leave, self.work.stirs, self._publish)

    @cached_property
    def following(self) -> Following:
        """Brings in what is said to other agents."""
        from sessions.hub.following import Following

        return Following(self.home, self._spawn, self._warn)

    @cached_property
    def servers(self) -> Servers:
        """The MCP servers of the settings; `begin` starts them."""
        from sessions.hub.servers import Servers

        def keeps() -> bool:
            return not any(live.private for live in self._live.values())

        return Servers(self.home, self._threads, self._spawn, self._warn, keeps)

    @property
    def spending(self) -> Spending:
        """What was spent, by the prices of the profiles."""
        return self._pool.spending

    @cached_property
    def connecting(self) -> Connecting:
        """Finds models, tries them, and keeps the one that is chosen."""
        from sessions.hub.connecting import Connecting

        return Connecting(self.home)

    def _offered(self, cwd: Path, far: Callable[[], bool]) -> Offered:
        told: set[tuple[str, int]] = set()
        kept: list[str] = []

        def folder() -> tuple[list[Tool], list[str]]:
            """The tools that read it, and what is to be said once: that a yes was not meant for this model."""
            away = far()
            files = self.home.files(cwd, far=away)
            held = away and not files and not kept and bool(self.home.files(cwd))
            return files, [FILES_STAY] if held else []

        async def offered(wait: bool) -> Offering:
            files, remarks = await asyncio.to_thread(folder)
            remarks = remarks if wait else []
            kept.extend(remarks)
            if "servers" not in vars(self):
                return Offering(files, tuple(remarks))
            tools = await self.servers.offered(wait)
            return Offering([*files, *tools], (*remarks, *(self.servers.missing(told) if wait else ())))

        return offered

    async def _close_servers(self) -> None:
        if "servers" in vars(self):
            await self.servers.close()

    async def offer(self) -> Offer | None:
        """What could be followed of other agents; None when there is nothing, or when the person was asked already."""
        used = await self._threads.run(anything, os.environ, Path.home())
        return await self.following.offer() if used else None

    async def leave(self, session: str, then: Callable[[], object] = lambda: None) -> None:
        raise NotImplementedError

    def _get(self, session: str) -> LiveSession:
        raise NotImplementedError

    async def _meta(self, session: str, data: dict[str, Any]) -> None:
        raise NotImplementedError

    def _publish(self, event: Event) -> None:
        raise NotImplementedError

    def _warn(self, text: str) -> None:
        raise NotImplementedError

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        raise NotImplementedError
