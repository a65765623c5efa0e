"""One beat for all that moves by itself, so that one drawing of the screen serves all of it."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.message_pump import MessagePump

BEAT_S = 0.1


def to_beat(after_s: float = 0.0) -> float:
    """Seconds until the first beat that is more than `after_s` seconds away."""
    now = time.monotonic()
    # A timer of nothing or less would never let go of the loop.
    return max(0.001, (math.floor((now + max(0.0, after_s)) / BEAT_S) + 1) * BEAT_S - now)


class Once:
    """Calls back once, `after_s` seconds from now, however late the loop comes to it.

    A timer of Textual's whose moment is past before it waits for it never calls (`Timer._run` skips it).
    """

    def __init__(self, owner: MessagePump, after_s: float, callback: Callable[[], object]) -> None:
        loop = asyncio.get_running_loop()
        self._handle = loop.call_later(max(0.0, after_s), owner.call_next, callback)

    def stop(self) -> None:
        self._handle.cancel()


class Beat:
    """Calls back on the beats while it runs; a beat that comes too late is left out."""

    def __init__(self, owner: MessagePump, callback: Callable[[], None], beats: int = 1) -> None:
        self._owner = owner
        self._callback = callback
        self._rest_s = (beats - 0.5) * BEAT_S
        self._timer: Once | None = None

    @property
    def runs(self) -> bool:
        return self._timer is not None

    def run(self, wanted: bool) -> None:
        """Start or stop."""
        if wanted and self._timer is None:
            self._timer = Once(self._owner, to_beat(), self._on_beat)
        elif not wanted and self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _on_beat(self) -> None:
        if self._timer is None:  # stopped while this call waited
            return
        self._timer = Once(self._owner, to_beat(self._rest_s), self._on_beat)
        self._callback()
