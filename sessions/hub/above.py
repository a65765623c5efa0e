"""What of an open session's log stands above the records that are in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from sessions.agent.before import Before, before
from sessions.messages import Record
from sessions.store.log import LogRead
from sessions.store.outline import Outline, TurnLine, outline
from sessions.store.tail import find_line, read_tail


class Above:
    """Read when somebody asks for it, off the event loop."""

    def __init__(self, path: Path, start: int = 0, file: int = 0) -> None:
        self.path = path
        self.start = start
        """The byte where the records in memory begin; 0 = nothing is above them."""
        self.file = file
        """The inode of the log in which that is so."""
        self._end = start
        """Where what was above at first ends."""
        self._moved = False
        self._outline: asyncio.Future[Outline] | None = None

    def moved(self) -> None:
        """Lines were erased: what is above begins and ends elsewhere."""
        self._moved = self.start > 0
        self._outline = None

    async def settle(self, records: Sequence[Record]) -> None:
        """Find out where the records begin, after lines were erased. Raises StoreError."""
        if self._moved and records:
            first = records[0].id
            self.start, self.file = await asyncio.to_thread(_find, self.path, first, self.start)
            self._moved, self._end = False, self.start

    async def outline(self, make: Callable[[TurnLine], object] | None = None) -> Outline:
        """The turns that were above at first, found out once; anew when something is to be made of them.

        Raises StoreError.
        """
        if self._outline is None or make is not None:
            self._outline = asyncio.ensure_future(asyncio.to_thread(outline, self.path, self._end, make))
        doing = self._outline
        try:
            return await asyncio.shield(doing)
        except Exception:
            if self._outline is doing:
                self._outline = None
            raise

    async def before(self) -> Before:
        """What a turn asks for of what is above."""
        return before(await self.outline(), self.start) if self.start else Before()

    async def more(self, least: int) -> LogRead:
        """The lines right above; from now on they count as in memory. Raises StoreError."""
        read = await asyncio.to_thread(read_tail, self.path, self.start, least=least)
        self.start = read.start
        return read


def _find(path: Path, id_: str, was: int) -> tuple[int, int]:
    found = find_line(path, id_)
    return (was if found is None else found), path.stat().st_ino
