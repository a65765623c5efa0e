"""The hub's threads: whatever waits for a disk waits here and not on the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Threads:
    """Four threads, so that a long work does not hold up a short one: `log` for what is said, `store` for what a
    screen asks, `search` for what it looks for, `index` for what is made in the background."""

    def __init__(self) -> None:
        self.log = ThreadPoolExecutor(1, "memagent-log")
        self.store = ThreadPoolExecutor(1, "memagent-store")
        self.search = ThreadPoolExecutor(1, "memagent-search")
        self.index = ThreadPoolExecutor(1, "memagent-index")

    async def run(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call on the store's thread."""
        return await asyncio.get_running_loop().run_in_executor(self.store, lambda: fn(*args, **kwargs))

    def close(self) -> None:
        for executor in (self.log, self.store, self.search, self.index):
            executor.shutdown(wait=False, cancel_futures=executor is not self.log)
