"""A conversation of which parts are still in the log: they are asked for as the reader comes near, and put in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from textual.message import Message

from sessions.events import Event
from tui.chat.blocks import Gap, Said
from tui.chat.document import Document
from tui.chat.reading import Reading
from tui.widgets.slices import AT_ONCE, in_slices, no_collection

_NEAR = 3
"""Screens away from which a gap is filled."""


class PartWanted(Message):
    """The owner gives a part of the gap to `put`, or says that there is `nothing`.

    `which`: the end of the gap (`before` what is shown below it), its beginning (`after` what is above), or the part
    where something was `said`.
    """

    def __init__(self, gap: Gap, which: Literal["before", "after", "said"], said: Said | None = None) -> None:
        super().__init__()
        self.gap, self.which, self.said = gap, which, said


class Paging(Reading):
    """Knows where the reader is and where the gaps are."""

    def __init__(self, **named: object) -> None:
        super().__init__(**named)  # type: ignore[arg-type]
        self._wanted: PartWanted | None = None
        """What was asked for and has not come."""
        self._home = False
        """The reader goes to the first row as soon as it is there."""

    async def put(self, wanted: PartWanted, events: Sequence[Event], start: int, end: int) -> None:
        """Show the events of the log's bytes `[start, end)` in the gap; the reader's rows stay where they are."""
        part = Document()
        if len(events) > AT_ONCE:
            with no_collection():
                await in_slices(events, part.apply)
        else:
            part.load(events)
        if wanted is not self._wanted:
            return
        self._wanted = None
        filled = self.document.fill(wanted.gap, part, start, end)
        changed = self.document.take_changed()
        if not filled or changed is None:
            return
        self._filled(changed)
        if wanted.said is not None:
            self.go_to(*wanted.said)
        elif self._home and self._first_gap() is None:
            self.go_first()
        self._home = False

    def nothing(self, wanted: PartWanted) -> None:
        """What was asked for is not to be had."""
        if wanted is self._wanted:
            self._forget_wanted()
            if wanted.said is None and wanted.gap in self.document.gaps:
                self.document.gaps.remove(wanted.gap)

    def _filled(self, first: int) -> None:
        """Blocks came in at this index."""
        raise NotImplementedError

    def _forget_wanted(self) -> None:
        self._wanted, self._home = None, False

    def _ask(self, gap: Gap, which: Literal["before", "after", "said"], said: Said | None = None) -> None:
        self._wanted = PartWanted(gap, which, said)
        self.post_message(self._wanted)

    def _first_gap(self) -> Gap | None:
        """The gap in the first row of all."""
        first = self.document.blocks[0] if self.document.blocks else None
        return first if isinstance(first, Gap) else None

    def _settle(self, held: tuple[int, int, int] | None = None, top: int | None = None) -> None:
        super()._settle(held, top)
        if self.document.gaps and self._wanted is None and self.size.height:
            self._look_for_gaps()

    def _look_for_gaps(self) -> None:
        height, top = self.size.height, round(self.scroll_y)
        spot = self._sheet.spot(top)
        for gap in self.document.gaps:
            i = self._sheet.index.get(gap.id)
            if i is None or not top - _NEAR * height <= self._sheet.top(i) <= top + (_NEAR + 1) * height:
                continue
            self._ask(gap, "after" if spot is not None and spot.block < i else "before")
            return

    def _hold(self) -> tuple[int, int, int] | None:
        """A gap is no place to hold on to: what stands below it is."""
        held = super()._hold()
        i = self._sheet.index.get(held[0]) if held is not None else None
        if held is None or i is None or not isinstance(self._sheet.drawn[i].block, Gap):
            return held
        if i + 1 >= len(self._sheet.drawn):
            return held
        return self._sheet.drawn[i + 1].block.id, 0, round(self.scroll_y) - self._sheet.top(i + 1)

    def go_to(self, message: str, turn: int = 0, tool: str = "") -> bool:
        """The same of what is not here: it is shown when it comes."""
        if super().go_to(message, turn, tool):
            return True
        gaps = self.document.gaps
        if not gaps or not message:
            return False
        self._ask(gaps[-1], "said", Said(message, turn, tool))
        return True

    def action_end(self, which: int) -> None:
        """To the first or last row; the first may have to be read."""
        gap = self._first_gap() if which < 0 else None
        if gap is not None:
            self._home = True
            self._ask(gap, "after")
        else:
            super().action_end(which)
