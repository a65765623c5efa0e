"""Items from several tasks to one reader, in batches, without a bound: who writes never waits."""

from __future__ import annotations

import asyncio
from typing import Generic, TypeVar

T = TypeVar("T")


class Channel(Generic[T]):
    """A queue with one reader that takes all that came at once. Used on one event loop only."""

    __slots__ = ("_items", "_waiter")

    def __init__(self) -> None:
        self._items: list[T] = []
        self._waiter: asyncio.Future[None] | None = None

    def put(self, item: T) -> None:
        self._items.append(item)
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def get(self) -> list[T]:
        """All items since the last call, in order; waits until there is one."""
        while not self._items:
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        items, self._items = self._items, []
        return items

    def taken(self) -> list[T]:
        """What waits, without waiting for more."""
        items, self._items = self._items, []
        return items
