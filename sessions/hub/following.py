"""What people say to other agents on this machine comes into History as it is said, once they agreed."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sessions.errors import MemagentError
from sessions.home import Home
from sessions.importers.base import Head, Reader, Report, Source
from sessions.importers.instructions import of_folder
from sessions.importers.memories import memories
from sessions.importers.passing import Places, Step, Tally, due, found, head_of, roots, take_all
from sessions.importers.proposing import Proposed, Proposing
from sessions.importers.registry import FOLLOWED, reader
from sessions.importers.taking import Taking
from sessions.store.watch import changes_below

if TYPE_CHECKING:
    from sessions.importers.bringing import Brought
    from sessions.importers.exports import Way

_AGAIN_S = 30.0
"""Without a sign from the system it is looked again then: folders of an agent may come into being."""
_HEADS = 3
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Offer:
    """What could be followed, before anything of it is read but some heads."""

    counts: tuple[tuple[str, int], ...]
    """Name of an agent, and its sessions."""
    size: int
    """In bytes."""
    heads: tuple[tuple[str, Head], ...]
    """Agent and head of the newest ones."""

    @property
    def total(self) -> int:
        return sum(n for _, n in self.counts)


@dataclass(slots=True)
class Following:
    """A part of the hub. Nothing is read before the person agreed, but what the offer shows.

    That sessions came or grew is seen by whoever watches the home, as with those of other programs.
    """

    home: Home
    spawn: Callable[[Coroutine[Any, Any, Any]], object]
    tell: Callable[[str], None]
    """Says what cannot be done."""
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    step: Step | None = None
    """How far it is, while it goes on."""
    rests: bool = True
    """All that there is was gone through."""
    came: int = 0
    """Sessions that came in the first pass."""
    held: bool = False
    """It waits, as while a private session is shown."""
    way: Way | None = None
    """How far a file is that the person named, while it is taken over."""
    _closed: bool = False
    _stop: bool = False
    _halt: bool = False
    """The same, for a file that the person named."""
    _runs: bool = False
    _again: asyncio.Event = field(default_factory=asyncio.Event)
    _places: Places = field(default_factory=Places)
    _told: set[str] = field(default_factory=set)
    _taking: Taking | None = None
    _thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(2, "memagent-import"))
    """One for the pass, and one for what the person asks meanwhile."""

    async def offer(self) -> Offer | None:
        """What is there to be followed; None when the person was asked already, or when there is nothing."""
        if self.home.settings.imports.follow is not None:
            return None
        return await self.found()

    async def found(self) -> Offer | None:
        """The same, whether the person was asked or not."""
        return await self._run(self._offer)

    async def remembered(self, cwd: Path | None = None) -> tuple[Proposed, Report]:
        """Let what other agents remember wait for review; with a folder, what its instruction files say.

        And what could not be read.
        """
        return await self._run(lambda: self._remembered(cwd))

    async def bring(self, path: Path) -> Brought:
        """Take over what is in a file that the person named. Raises UsageError, StoreError and OSError."""
        self._halt = False
        try:
            return await self._run(lambda: self._bring(path))
        finally:
            self.way = None

    def begin(self, *, poll: bool = False) -> None:
        """Follow from now on, as the settings say. `poll` as of `changes_below`."""
        if not self.home.settings.imports.follow or self._closed:
            return
        self._stop, self.rests, self.came = False, False, 0
        if self._runs:
            # It was about to end, or waits: it looks again at once.
            self._again.set()
        else:
            self._runs = True
            self.spawn(self._follow(poll))

    def halt(self) -> None:
        """End the file that is taken over, as soon as the session at hand is whole; what came stays."""
        self._halt = True

    def stop(self) -> None:
        """End the pass that is under way, until the next begin; what was taken over stays."""
        self._stop = True
        self._again.set()

    def hold(self, held: bool) -> None:
        """Let it wait in the middle of whatever it does, until it is held no more."""
        self.held = held
        self._again.set()

    def close(self) -> None:
        self._closed = self._stop = self._halt = True
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _run(self, fn: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, fn)

    async def _follow(self, poll: bool) -> None:
        signs = _Signs(poll, self._again)
        try:
            while not self._closed and not self._stop and self.home.settings.imports.follow:
                if not self.held:
                    # The watch begins before the pass: what is said meanwhile is not missed.
                    await signs.of(await self._run(self._roots))
                    tally = await self._run(self._pass)
                    self._complain(tally)
                    if not self.rests:
                        self.rests, self.came = not tally.stopped, self.came + tally.statuses["new"]
                await signs.wait(_AGAIN_S)
        finally:
            self._runs, self.rests = False, True
            await signs.close()

    def _complain(self, tally: Tally) -> None:
        for path, why in tally.failed:
            if path not in self._told:
                self._told.add(path)
                self.tell(f"{path} cannot be taken over: {why}")

    def _pass(self) -> Tally:
        if self._taking is None:
            self._taking = Taking(self.home.paths, self.home.clock)
        try:
            tally = take_all(
                self._taking,
                due(self._taking, found(FOLLOWED, self.environ)),
                progress=self._progress,
                stop=lambda: self._stop or self.held,
                wanted=self._wanted,
            )
            if not self.home.settings.imports.keep and not tally.stopped:
                self._taking.let_go()
            return tally
        except MemagentError as e:
            return Tally(failed=[("", str(e))])
        finally:
            self.step = None

    def _bring(self, path: Path) -> Brought:
        from sessions.importers.bringing import bring

        def told(way: Way) -> None:
            self.way = way

        home = self.home
        return bring(home.paths, home.facts, home.clock, path, progress=told, stop=lambda: self._halt)

    def _progress(self, step: Step) -> None:
        self.step = step

    def _wanted(self, one: Reader, source: Source) -> bool:
        return self._places.wanted(self.home.settings.imports.folders, one, source)

    def _remembered(self, cwd: Path | None) -> tuple[Proposed, Report]:
        report = Report()
        proposing = Proposing(self.home.paths, self.home.facts, self.home.clock)
        if cwd is None:
            kept = self.home.catalog.list()
            found = memories(reader("claude-code"), roots("claude-code", self.environ), report, kept)
            return proposing.propose(found), report
        return proposing.propose(of_folder(cwd, Path.home(), self.environ)), report

    def _roots(self) -> list[Path]:
        return [root for kind in FOLLOWED for root in roots(kind, self.environ) if root.is_dir()]

    def _offer(self) -> Offer | None:
        sources = found(FOLLOWED, self.environ)
        if not sources:
            return None
        counts = Counter(one.name for one, _ in sources)
        heads = tuple((one.name, head_of(one, source)) for one, source in sources[:_HEADS])
        return Offer(tuple(counts.most_common()), sum(source.size for _, source in sources), heads)


class _Signs:
    """Tells that something changed in the folders, also what changed before it was asked."""

    def __init__(self, poll: bool, again: asyncio.Event) -> None:
        self._poll = poll
        self._again = again
        """Set, it is as if there were a sign."""
        self._folders: list[Path] = []
        self._changes: AsyncGenerator[set[Path], None] | None = None
        self._next: asyncio.Future[set[Path] | None] | None = None

    async def of(self, folders: list[Path]) -> None:
        """Watch these from now on."""
        if folders != self._folders:
            await self.close()
            self._folders = folders
            self._changes = changes_below(folders, poll=self._poll) if folders else None
        if self._changes is not None and self._next is None:
            self._next = asyncio.ensure_future(anext(self._changes, None))
            await asyncio.sleep(0)

    async def wait(self, most_s: float) -> None:
        """Return at the next sign, or after so many seconds."""
        asked = asyncio.ensure_future(self._again.wait())
        try:
            waited: set[asyncio.Future[Any]] = {asked}
            if self._next is not None:
                waited.add(self._next)
            await asyncio.wait(waited, timeout=most_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            asked.cancel()
        self._again.clear()
        if self._next is not None and self._next.done():
            failed = self._next.exception() is not None
            self._next = None
            if failed:
                await asyncio.sleep(most_s)

    async def close(self) -> None:
        if self._next is not None:
            self._next.cancel()
            await asyncio.wait({self._next})
        if self._changes is not None:
            await self._changes.aclose()
        self._next, self._changes, self._folders = None, None, []
