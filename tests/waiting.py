"""Waiting for a condition, never for a time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

_STEP_S = 0.01


def wait_until(predicate: Callable[[], object], what: str, timeout_s: float = 20.0) -> None:
    """Return when the predicate holds; fail with `what` and the last state after `timeout_s`."""
    end = time.monotonic() + timeout_s
    while not predicate():
        if time.monotonic() > end:
            raise AssertionError(f"not within {timeout_s} s: {what}")
        time.sleep(_STEP_S)


async def until(predicate: Callable[[], object], what: str, timeout_s: float = 20.0) -> None:
    """The same on an event loop."""
    end = time.monotonic() + timeout_s
    while not predicate():
        if time.monotonic() > end:
            raise AssertionError(f"not within {timeout_s} s: {what}")
        await asyncio.sleep(_STEP_S)
