"""A message as the blocks in which it is drawn: one, or of a huge one several, over which its places go on."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

from sessions.store.spans import Span
from sessions.store.wording import Wording
from tui.chat.blocks import Answer, Block, Call, Divider, Prompt, Thought, goes_on

THOUGHT, SUMMARY = "thought", "summary"
"""Roles of places that have a block of their own beside the message's."""
Name = tuple[str, str]
"""Id of a message or call, and what of the message it is."""


def by_name(blocks: Sequence[Block]) -> dict[Name, list[Block]]:
    """The blocks of each message and call, in order."""
    out: dict[Name, list[Block]] = {}
    last: list[Block] = []
    for block in blocks:
        if goes_on(block):
            last.append(block)
            continue
        name = _name(block)
        if name is None:
            last = []
        elif isinstance(block, Answer) and name in out:
            # A notice stood between; the log has one text.
            last = out[name]
            last.append(block)
        else:
            last = out[name] = [block]
    return out


def _name(block: Block) -> Name | None:
    match block:
        case Prompt(message=str(id_)) | Answer(message=str(id_)) if id_:
            return id_, ""
        case Thought():
            return block.message, THOUGHT
        case Divider():
            return block.message, SUMMARY
        case Call():
            return block.call_id, ""
        case _:
            return None


class SaidIn:
    """Where something stands in the blocks of one message."""

    def __init__(self, blocks: Sequence[Block], wording: Wording) -> None:
        self.made_of = made_of(blocks, wording)
        self._blocks = tuple(blocks)
        self._starts = [0, *accumulate(len(block.source) for block in blocks[:-1])]
        places = wording.places("".join(block.source for block in blocks))
        # There may be hundreds of thousands.
        self._from, self._to = array("L", (span[0] for span in places)), array("L", (span[1] for span in places))

    def at(self, nth: int) -> tuple[Block, Span | None]:
        """The block of a place, and its span there; the last place when there are not so many, None when none is."""
        if not self._from:
            return self._blocks[0], None
        nth = min(nth, len(self._from) - 1)
        i = bisect_right(self._starts, self._from[nth]) - 1
        return self._blocks[i], (self._from[nth] - self._starts[i], self._to[nth] - self._starts[i])

    def before(self, piece: int) -> int:
        """How many places begin in the blocks before one of them."""
        return bisect_left(self._from, self._starts[piece])


def made_of(blocks: Sequence[Block], wording: Wording) -> tuple[object, ...]:
    """Changes when the places may be others."""
    return wording, *((block.id, block.rev) for block in blocks)
