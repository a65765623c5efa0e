"""What happens to the files of a home without the hub: by editors, by hand, by other programs."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sessions.errors import MemagentError
from sessions.home import Home
from sessions.hub.threads import Threads
from sessions.memory.journal import lost
from sessions.store.watch import changes

if TYPE_CHECKING:
    from sessions.memory.store import Change

_AGAIN_S = 5.0
"""After a failure it is tried again then, also when no file changes."""


@dataclass(frozen=True, slots=True)
class Outside:
    """What was seen at once."""

    facts: tuple[Change, ...] = ()
    """What a person did to facts by hand; it is in the journal now."""
    memory: bool = False
    """Something under `memory/` changed, by whomever."""
    sessions: frozenset[str] = frozenset()
    """Ids of the sessions whose files changed."""
    problem: str = ""
    """Why the changes cannot be taken in; told once."""
    missed: bool = False
    """Files with facts that were there are gone."""


async def outside(
    home: Home, threads: Threads, look_again: Callable[[str], Awaitable[None]], *, poll: bool = False
) -> AsyncGenerator[Outside, None]:
    """Takes in what people do to the files, and tells it; ends when it is closed.

    What was done while nobody watched comes first. A file made by hand is completed when it was left alone for a
    while, and one that is away for a moment is not yet gone: so there is something to do without a change, too.
    `look_again` is given every session whose log changed.
    """
    watching = changes(home.paths, poll=poll)
    batch: asyncio.Task[set[Path]] | None = None
    paths: set[Path] = set()
    told, memory, due = "", True, 0.0
    try:
        if gone := await threads.run(lost, home.paths):
            yield Outside(problem=gone, missed=True)
        while True:
            if batch is None:
                batch = asyncio.ensure_future(anext(watching))
                # The watch begins with its first step: what changes from here on is not missed.
                await asyncio.sleep(0)
            found: list[Change] = []
            problem = told
            if memory:
                found, problem, again = await _reconciled(home, threads)
                due = time.monotonic() + again
            sessions = frozenset(_session(path) for path in paths if home.paths.sessions in path.parents)
            for path in paths:
                if path.parent == home.paths.sessions and path.suffix == ".jsonl":
                    await look_again(path.stem)
            news = problem if problem != told else ""
            if found or sessions or (memory and paths) or news:
                yield Outside(tuple(found), memory, sessions, news)
            told = problem
            wait_s = None if due == math.inf else max(0.0, due - time.monotonic())
            await asyncio.wait({batch}, timeout=wait_s)
            paths = set()
            if batch.done():
                try:
                    paths = batch.result()
                except StopAsyncIteration:
                    return
                batch = None
            memory = time.monotonic() >= due or any(home.paths.memory in path.parents for path in paths)
    finally:
        if batch is not None:
            batch.cancel()
            await asyncio.wait({batch})
        await watching.aclose()


async def _reconciled(home: Home, threads: Threads) -> tuple[list[Change], str, float]:
    """What was done by hand, why that cannot be taken in, and the seconds after which to look again."""
    try:
        found = await threads.run(home.facts.reconcile)
    except MemagentError as e:
        return [], str(e), _AGAIN_S
    again = home.facts.look_again_s
    return found, "", math.inf if again is None else again


def _session(path: Path) -> str:
    """The id in `<id>.jsonl`, `<id>.meta.json` and `<id>.files`."""
    return path.name.partition(".")[0]
