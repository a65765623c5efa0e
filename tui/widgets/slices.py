"""Long work on the event loop, a little at a time; and which end of a long session is shown before the rest."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from sessions.events import Event, TurnStarted

T = TypeVar("T")

AT_ONCE = 1500
"""So many events are taken without slices."""
_TAIL = 300
_SLICE_S = 0.006
_REST_S = 0.002
"""Keys and frames come in between."""


def tail_start(events: Sequence[Event]) -> int:
    """Where the turns begin that are shown first; 0 when all are."""
    if len(events) <= AT_ONCE:
        return 0
    start = next((i for i in range(len(events) - _TAIL, 0, -1) if isinstance(events[i], TurnStarted)), 0)
    # Of a turn that is most of the session nothing is gained by doing the rest later.
    return start if start > len(events) // 4 else 0


async def in_slices(items: Iterable[T], each: Callable[[T], object]) -> None:
    """Do something to each item, and let others work between."""
    end = time.perf_counter() + _SLICE_S
    for item in items:
        each(item)
        if time.perf_counter() > end:
            await asyncio.sleep(_REST_S)
            end = time.perf_counter() + _SLICE_S


@contextmanager
def no_collection() -> Iterator[None]:
    """While a hundred thousand things are made that stay, Python's collector would walk all of them again and again."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
