"""Heights on top of each other: where a row stands and what stands at a row. Pure arithmetic."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate


class Stack:
    """A column of heights with their tops. Changes near the end are cheap; tops are summed when asked for."""

    def __init__(self) -> None:
        self._heights: list[int] = []
        self._tops: list[int] = [0]
        self._valid = 0
        """Tops `[0, _valid]` are right."""

    def __len__(self) -> int:
        return len(self._heights)

    def height(self, index: int) -> int:
        return self._heights[index]

    def set(self, index: int, height: int) -> int:
        """Set or append (`index == len`); the difference to what it was."""
        if index == len(self._heights):
            self._heights.append(height)
            return height
        change = height - self._heights[index]
        if change:
            self._heights[index] = height
            self._valid = min(self._valid, index)
        return change

    def cut(self, length: int) -> None:
        """Keep the first `length`."""
        del self._heights[length:]
        self._valid = min(self._valid, length)

    def top(self, index: int) -> int:
        """The row where it begins; of `len`, the total."""
        self._sum()
        return self._tops[index]

    @property
    def total(self) -> int:
        return self.top(len(self._heights))

    def find(self, y: int) -> int:
        """Which one covers row `y`; the nearest when none does; -1 when there is none."""
        if not self._heights:
            return -1
        self._sum()
        # Empty ones share their top with the next: the last of equals is the one with rows.
        index = bisect_right(self._tops, max(0, y), 0, len(self._heights)) - 1
        while index > 0 and not self._heights[index]:
            index -= 1
        return max(0, index)

    def _sum(self) -> None:
        if self._valid == len(self._heights) == len(self._tops) - 1:
            return
        del self._tops[self._valid + 1 :]
        tail = accumulate(self._heights[self._valid :], initial=self._tops.pop())
        self._tops.extend(tail)
        self._valid = len(self._heights)


def estimate(characters: int, newlines: int, width: int) -> int:
    """About how many rows a text takes, before it is rendered."""
    return max(1, newlines + 1 + characters // max(8, width) * 2 // 3)


def clamp(y: int, total: int, height: int) -> int:
    """A scroll position that shows no more emptiness than it must."""
    return max(0, min(y, total - height))
