"""The blocks of a conversation as a list that grows at its end, and in its gaps where parts are read from the log."""

from __future__ import annotations

from itertools import count
from typing import TypeVar

from tui.chat.blocks import Block, Call, Divider, Gap, Prompt

B = TypeVar("B", bound=Block)
_IDS = count(1)


def new_id() -> int:
    """The id of a block, larger than all before."""
    return next(_IDS)


class Parts:
    """`take_changed` tells a view where to look again."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.dim_before = 0
        """Blocks above this index are out of the model's sight."""
        self.gaps: list[Gap] = []
        """What of the log is not here."""
        self._step = 0
        """Blocks of the step that runs have larger ids."""
        self._changed: int | None = None
        self._messages = 0
        """Since the last divider."""
        self._places: dict[int, tuple[int, int]] = {}
        """Id of a prompt -> messages counted and index of the divider when it was said."""
        self._calls: dict[str, list[Call]] = {}
        """Id of a call -> those that have it, the newest last: ids may come again in another turn."""
        self._moved = 0
        """How far the block that was looked for last stood from where it came in."""

    def take_changed(self) -> int | None:
        """The first index that changed since the last call; None when nothing did."""
        changed, self._changed = self._changed, None
        return changed

    def adopt(self, shown: Parts) -> int:
        """Give blocks at the end the ids that the same ones have in a document of the end only; where that begins."""
        first, self._step = len(self.blocks), shown._step
        for mine, theirs in zip(reversed(self.blocks), reversed(shown.blocks), strict=False):
            if type(mine) is not type(theirs):
                break
            if mine.id in self._places:
                self._places[theirs.id] = self._places.pop(mine.id)
            mine.id = theirs.id
            first -= 1
        return first

    def _newest(self, kind: type[B], test: object = None) -> B | None:
        for block in reversed(self.blocks):
            if isinstance(block, kind) and (not callable(test) or test(block)):
                return block
        return None

    def _mark(self, index: int) -> None:
        self._changed = index if self._changed is None else min(self._changed, index)

    def _touch(self, block: Block) -> None:
        block.rev += 1
        self._mark(self._index(block))

    def _add(self, block: Block, index: int | None = None) -> None:
        block.id = new_id()
        index = block.place = len(self.blocks) if index is None else index
        self.blocks.insert(index, block)
        if isinstance(block, Call):
            self._calls.setdefault(block.call_id, []).append(block)
        self._mark(index)

    def _index(self, block: Block) -> int:
        """Where it stands: looked for from where it came in, moved as far as its neighbours were."""
        blocks = self.blocks
        low = max(0, min(block.place + self._moved, len(blocks) - 1))
        high = low + 1
        while low >= 0 or high < len(blocks):
            for i in (low, high):
                if 0 <= i < len(blocks) and blocks[i] is block:
                    self._moved = i - block.place
                    return i
            low, high = low - 1, high + 1
        raise ValueError(f"no such block: {block.id}")

    def _drop(self, first: int) -> tuple[Block, ...]:
        """Take away the blocks from an index on."""
        gone = tuple(self.blocks[first:])
        del self.blocks[first:]
        for block in gone:
            if isinstance(block, Call):
                self._calls[block.call_id] = [call for call in self._calls[block.call_id] if call is not block]
        return gone

    # What is not here

    def begin_with_gap(self, end: int) -> None:
        """What the log holds before byte `end` is not here."""
        gap = Gap(start=0, end=end)
        self.gaps.append(gap)
        self._insert(0, [gap])
        self._tell_dividers()

    def lacks(self, message: str) -> bool:
        """Whether the prompt of this id, or something said after it, is not here."""
        for block in reversed(self.blocks if self.gaps else ()):
            if isinstance(block, Prompt) and block.message == message:
                return False
            if isinstance(block, Gap):
                return True
        return False

    def fill(self, gap: Gap, part: Parts, start: int, end: int) -> bool:
        """Put what the log holds from byte `start` to `end` into the gap. False when it is not in it any more."""
        here = any(block is gap for block in self.blocks)
        if not here or not gap.start <= start < end <= gap.end:
            return False
        at = self._index(gap)
        rest = Gap(start=end, end=gap.end, turn=gap.turn)
        if start > gap.start:
            gap.end = start
            gap.rev += 1
            self._mark(at)
            at += 1
        else:
            self.gaps.remove(gap)
            self._remove(at)
        self._insert_part(at, part, gap.messages)
        if rest.start < rest.end:
            rest.messages = part._messages + (0 if part._divided else gap.messages)
            self.gaps.append(rest)
            self._insert(at + len(part.blocks), [rest])
        self._tell_dividers()
        return True

    @property
    def _divided(self) -> bool:
        return any(isinstance(block, Divider) for block in self.blocks)

    def _insert_part(self, at: int, part: Parts, before: int) -> None:
        """`before`: messages counted from the divider above to this place."""
        divider = next((i for i in range(at, len(self.blocks)) if isinstance(self.blocks[i], Divider)), None)
        above = next((i for i in range(at - 1, -1, -1) if isinstance(self.blocks[i], Divider)), 0)
        count, divided = len(part.blocks), part._divided
        more = part._messages - (before if divided else 0)
        last = count + (len(self.blocks) if divider is None else divider)
        self._insert(at, part.blocks)
        for id_, calls in part._calls.items():
            self._calls[id_] = calls + self._calls.get(id_, [])
        first = True
        for block in part.blocks:
            if block.id in part._places:
                messages, dim = part._places[block.id]
                self._places[block.id] = (messages + before, above) if first else (messages, at + dim)
            elif isinstance(block, Divider):
                block.messages += before if first else 0
                first = False
        for block in self.blocks[at + count : last]:
            if block.id in self._places:
                messages, dim = self._places[block.id]
                self._places[block.id] = messages + more, at + part.dim_before if divided else dim
            elif isinstance(block, Gap):
                block.messages += more
        if divider is None:
            self._messages += more
            self.dim_before = at + part.dim_before if divided else self.dim_before
        elif isinstance(ruled := self.blocks[last], Divider):
            ruled.messages += more

    def _insert(self, at: int, blocks: list[Block]) -> None:
        count = len(blocks)
        for i, block in enumerate(blocks, at):
            block.id, block.place = block.id or new_id(), i

        def moved(index: int) -> int:
            # 0 without a divider there = there is none.
            return index + count if index >= at and self._is_divider(index) else index

        self._places = {id_: (messages, moved(above)) for id_, (messages, above) in self._places.items()}
        self.dim_before = moved(self.dim_before)
        self.blocks[at:at] = blocks
        self._mark(at)

    def _remove(self, at: int) -> None:
        self._places = {i: (m, above - (above > at)) for i, (m, above) in self._places.items()}
        self.dim_before -= self.dim_before > at
        del self.blocks[at]
        self._mark(at)

    def _is_divider(self, index: int) -> bool:
        return index < len(self.blocks) and isinstance(self.blocks[index], Divider)

    def _tell_dividers(self) -> None:
        """How many messages stand above a divider is known when all of them are here."""
        gap = False
        for block in self.blocks:
            if isinstance(block, Gap):
                gap = True
            elif isinstance(block, Divider):
                if block.counted == gap:
                    block.counted = not gap
                    block.rev += 1
                gap = False
