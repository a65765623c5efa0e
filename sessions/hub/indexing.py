"""The search index catches up in the background, one run at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from sessions.home import Home
from sessions.hub.threads import Threads


@dataclass(slots=True)
class Indexing:
    """What is due, and the run that sees to it."""

    home: Home
    threads: Threads
    spawn: Callable[[Coroutine[Any, Any, Any]], object]
    tell: Callable[[str], None]
    """Says what went wrong with the search by meaning."""
    closed: bool = False
    progress: tuple[int, int] | None = None
    """Sessions taken in, and to take in, while that goes on."""
    _all: bool = False
    _due: set[str] = field(default_factory=set)
    _running: bool = False
    _taking: bool = False
    _stirs: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def behind(self) -> bool:
        """Something that was said may not be found yet."""
        return self._all or bool(self._due) or self._taking

    async def stirs(self) -> None:
        """Wait until there is something to take in."""
        if not self.behind:
            await self._stirs.wait()

    def soon(self, session: str | None = None) -> None:
        """Take in one session that grew, or all logs."""
        if session is None:
            self._all = True
        else:
            self._due.add(session)
        self._stirs.set()
        self._stirs = asyncio.Event()
        if not self._running and not self.closed:
            self._running = True
            self.spawn(self._run())

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            more = True
            while (self._all or self._due or more) and not self.closed:
                if self._all or self._due:
                    only = None if self._all else frozenset(self._due)
                    self._all, self._taking = False, True
                    self._due.clear()
                    try:
                        await loop.run_in_executor(self.threads.index, self._catch_up, only)
                    finally:
                        self._taking = False
                # A little at a time: what was just said is found by its words at once.
                more = bool(await loop.run_in_executor(self.threads.index, self.home.learn))
                if problem := self.home.index.questions.take_problem():
                    self.tell(problem)
        finally:
            self._running = False

    def _catch_up(self, only: frozenset[str] | None) -> None:
        def told(done: int, due: int) -> None:
            self.progress = (done, due)

        try:
            self.home.index.catch_up(told, only=only)
        finally:
            self.progress = None
