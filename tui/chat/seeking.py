"""A conversation in which something is looked for: marked wherever it stands, and gone to place by place."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.strip import Strip

from sessions.store.spans import Span
from tui.chat.blocks import Block, Call, Divider, Thought
from tui.chat.details import GIVEN, RESULT
from tui.chat.found import mark_spans, mark_words
from tui.chat.inks import Inks
from tui.chat.messages import ResultWanted
from tui.chat.paging import Paging
from tui.chat.runs import Line
from tui.chat.said_in import SUMMARY, THOUGHT, Name, SaidIn, by_name, made_of
from tui.chat.sheet import Spot

if TYPE_CHECKING:
    from sessions.store import find
    from sessions.store.wording import Wording

_ABOVE = 3
"""The place that is gone to stands at this part of the screen's height."""


class Seeking(Paging):
    """The owner says what is looked for and which place is gone to; one that is not read yet is asked for."""

    _wording: Wording | None = None
    _aim: tuple[find.Spot, int] | None = None
    """The place that the reader is at: a message, and which of its places."""
    _there: tuple[int, Span] | None = None
    """The same as id of the block and span of its source."""

    def __init__(self, **named: object) -> None:
        super().__init__(**named)
        self._marks: dict[int, tuple[int, list[Span]]] = {}
        """Id of a block in sight -> its revision and what is marked in it."""
        self._known: dict[Name, SaidIn] = {}
        """The huge messages in which it was looked for."""
        self._origin, self._landed = 0, -1
        """Id of the block that was in the first row when something was begun to be typed, and where that has led."""

    def stepped(self) -> None:
        """What is typed next is looked for from here."""
        self._origin = 0

    def seek(self, wording: Wording | None, known: dict[Name, SaidIn] | None = None) -> None:
        """Mark what is looked for; None marks nothing any more. The reader stays where he is.

        `known`: what `look_through` found.
        """
        self._wording, self._aim, self._there = wording, None, None
        self._marks.clear()
        self._known = known or {}
        self._mark_block(None)
        self.refresh()

    def go_to_place(self, spot: find.Spot, nth: int) -> None:
        """Show the `nth` place of a message, which may have to be read first."""
        self._aim = spot, nth
        if self.ways.any:
            self.show_newest()
        self._draw()
        if not self._land():
            self.go_to(spot.message, spot.turn, spot.tool)

    def go_to(self, message: str, turn: int = 0, tool: str = "") -> bool:
        """The same, to the exact place when it is the one that is looked for."""
        found = super().go_to(message, turn, tool)
        if found and self._aim is not None and self._aim[0].message == message:
            self._land()
        return found

    def first_place(self, spots: Sequence[find.Spot]) -> int:
        """Which of the places is the first that the reader has not scrolled past; the last one when all are above.

        While he only types on, it is told from where he began to.
        """
        top = round(self.scroll_y)
        if self._origin not in self._sheet.index or top != self._landed:
            at = self._sheet.spot(top)
            self._origin = self._sheet.drawn[at.block].block.id if at is not None else 0
            self._landed = top
        first = self._sheet.index.get(self._origin, 0)
        named = by_name(self.document.blocks)
        before = 0
        for spot in spots:
            pieces = [self._sheet.index.get(block.id, -1) for block in named.get(_name(spot), ())]
            if pieces and pieces[0] >= first:
                return before
            if len(pieces) > 1 and pieces[-1] >= first and self._wording is not None:
                # The reader is in the midst of it.
                passed = self._said_in(_name(spot), named[_name(spot)]).before(bisect_left(pieces, first))
                if passed < spot.count:
                    return before + passed
            before += spot.count
        return max(0, before - 1)

    def _said_in(self, name: Name, blocks: Sequence[Block]) -> SaidIn:
        """Where it stands in these blocks of a message; in those of a huge one it is looked for once."""
        assert self._wording is not None
        known = self._known.get(name)
        if known is None or known.made_of != made_of(blocks, self._wording):
            known = SaidIn(blocks, self._wording)
            if len(blocks) > 1:
                self._known[name] = known
        return known

    async def look_through(self, spots: Sequence[find.Spot], wording: Wording | None) -> dict[Name, SaidIn]:
        """The places in huge messages, found beside the event loop so that each can be gone to at once."""
        out: dict[Name, SaidIn] = {}
        named = by_name(self.document.blocks) if spots else {}
        for name in dict.fromkeys(_name(spot) for spot in spots):
            blocks = named.get(name, [])
            if wording is not None and len(blocks) > 1:
                out[name] = await asyncio.to_thread(SaidIn, blocks, wording)
        return out

    def _land(self) -> bool:
        """Bring the place in sight; False when it is not here."""
        if self._aim is None or self._wording is None:
            return False
        spot, nth = self._aim
        blocks = by_name(self.document.blocks).get(_name(spot), [])
        if not blocks or blocks[0].id not in self._sheet.index:
            return False
        block, span = (blocks[0], None) if isinstance(blocks[0], Call) else self._said_in(_name(spot), blocks).at(nth)
        i = self._sheet.index[block.id]
        self._mark_block(block)
        if isinstance(block, Call):
            span, row = self._in_call(i, block, spot.role == "tool", nth)
        else:
            if isinstance(block, Thought | Divider):
                self._open(i, block)
            row = self._row_of(i, span or (0, 0))
        self._there = (block.id, span) if span is not None else None
        height = self.size.height
        if not round(self.scroll_y) <= row < round(self.scroll_y) + height - 1:
            self._at_end = False
            self.go(max(0, row - height // _ABOVE))
        self._landed = round(self.scroll_y)
        self.refresh()
        return True

    def _row_of(self, i: int, span: Span) -> int:
        """The row of the sheet in which a span of the block's source begins."""
        sheet = self._sheet
        sheet.ensure(i, 0)
        best = (sheet.top(i), -1)
        for j, part in enumerate(sheet.drawn[i].parts):
            if part.segment is not None and not part.segment.start <= span[0] < part.segment.end:
                continue
            sheet.ensure(i, j)
            for row, line in enumerate(part.lines):
                start = max((run.start for run in line if 0 <= run.start <= span[0]), default=-1)
                if start > best[1]:
                    best = sheet.top(i, j) + part.gap + row, start
        return best[0]

    def _in_call(self, i: int, block: Call, result: bool, nth: int) -> tuple[Span | None, int]:
        """The place in the line of a call, and its row; or the row in what it was given or gave, opened as far."""
        sheet, wording = self._sheet, self._wording
        assert wording is not None
        if not result:
            sheet.ensure(i, 0)
            shown = max(run.end for run in sheet.drawn[i].parts[0].lines[0])
            places = [span for span in wording.places(block.source) if span[0] < shown]
            if nth < len(places):
                return places[nth], self._row_of(i, places[nth])
            nth -= len(wording.places(block.name))
        self._open(i, block)
        which = RESULT if result else GIVEN
        places = wording.places(sheet.text_inside(i, which))
        if result and block.file and nth >= len(places):
            # It is in what is yet to be read; when that is here, this is gone to again.
            self.show_whole(block, RESULT)
        if not places:
            return None, sheet.top(i)
        at = places[min(nth, len(places) - 1)][0]
        row = sheet.row_inside(i, which, at)
        if row is None:
            self._whole.add((block.id, which))
            sheet.redraw(block)
            sheet.ensure(i, 0)
            row = sheet.row_inside(i, which, at)
        return None, sheet.top(i) if row is None else row

    def show_whole(self, block: Block, which: int) -> None:
        """The same of a result of which only the beginning is here: the rest is asked for."""
        super().show_whole(block, which)
        if isinstance(block, Call) and which == RESULT and block.file:
            self.post_message(ResultWanted(block))

    def put_result(self, call: Call, text: str | None) -> None:
        """All of a result of which only the beginning was here; None when there is no more of it."""
        i = self._sheet.index.get(call.id)
        block = self._sheet.drawn[i].block if i is not None else None
        if not isinstance(block, Call) or not block.file:
            return
        block.file = ""
        if text is not None:
            block.content = text
        self._anew(block)
        if self._aim is not None and self._aim[0].call == block.call_id:
            self._land()

    def _open(self, i: int, block: Block) -> None:
        """Show all of what is folded to a line."""
        if not self._canvas(block).opened:
            self._opened ^= {block.id}
            self._sheet.redraw(block)
        self._sheet.ensure(i, 0)
        self._settle(self._hold())

    def _strip(self, spot: Spot, inks: Inks) -> Strip:
        line = self._marked_line(spot) if self._wording is not None else None
        if line is None:
            return super()._strip(spot, inks)
        return inks.strip(line, self._text_width, self._selected(spot.block))

    def _marked_line(self, spot: Spot) -> Line | None:
        """The row with what was found in it; None when there is nothing."""
        wording, block = self._wording, self._sheet.drawn[spot.block].block
        assert wording is not None
        line = self._sheet.line(spot)
        known = self._marks.get(block.id)
        if known is None or known[0] != block.rev:
            known = self._marks[block.id] = block.rev, wording.marks(block.source)
        now = self._there[1] if self._there is not None and self._there[0] == block.id else None
        if now is not None and now not in known[1] and now[1] > len(block.source):
            # It goes on in the next block.
            known[1].append(now)
        if not known[1] and not isinstance(block, Call):
            return None
        if isinstance(block, Call) and any(run.start < 0 and run.text.strip() for run in line[1:]):
            line = mark_words(line, wording.needles)
        return mark_spans(line, known[1], now)


def _name(spot: find.Spot) -> Name:
    return spot.call or spot.message, spot.role if spot.role in {THOUGHT, SUMMARY} else ""
