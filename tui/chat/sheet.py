"""The blocks of a document on top of each other, drawn when first seen.

A block is one part, an answer one part for each piece of Markdown. What was not seen yet has an estimated height;
what was seen keeps its lines and strips until its text or the width changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from textual.strip import Strip

from tui.chat.blocks import ROWS, Answer, Block, Call, Foot, Growing, More, Note, Prompt, goes_on
from tui.chat.details import FIRST_ROWS, Detail, details, draw_detail, row_of, shape
from tui.chat.inks import Inks
from tui.chat.layout import Stack, estimate
from tui.chat.markdown import draw_segment, prepare
from tui.chat.rows import TEXT, Canvas, draw_row, edged
from tui.chat.runs import Line, blank
from tui.chat.segments import Segment, Splitter


class Spot(NamedTuple):
    """A row of the sheet: block, part of the block, row of the part (its gap included)."""

    block: int
    part: int
    row: int


@dataclass(slots=True)
class Part:
    """What is drawn at once."""

    gap: int
    """Blank rows before it, 0 or 1."""
    segment: Segment | None = None
    detail: Detail | None = None
    lines: list[Line] = field(default_factory=list)
    width: int = 0
    """What the lines were drawn for; 0 = not drawn."""
    strips: dict[int, Strip] = field(default_factory=dict)


@dataclass(slots=True)
class Drawn:
    """A block and its parts, which are made when it is first seen."""

    block: Block
    gap: int
    rev: int = -1
    guess: int = 0
    """Its height as long as there are no parts."""
    parts: list[Part] = field(default_factory=list)
    stack: Stack | None = None
    splitter: Splitter | None = None
    """Set once the answer was cut into pieces."""
    source: str = ""
    done: int = 0
    """Parts that will not change any more."""
    shape: tuple[object, ...] = ()
    """What decides which parts a call has."""

    @property
    def height(self) -> int:
        return self.guess if self.stack is None else self.stack.total

    def top(self, j: int) -> int:
        """Where a part begins, from the block's first row."""
        return self.stack.top(min(j, len(self.stack))) if self.stack else 0


class Sheet:
    """Rows of a document at a width. `canvas` says what a block is drawn for."""

    def __init__(self, canvas: Callable[[Block], Canvas]) -> None:
        self.drawn: list[Drawn] = []
        self.index: dict[int, int] = {}
        """Block id -> index."""
        self._canvas = canvas
        self._stack = Stack()
        self.width = 80

    @property
    def total(self) -> int:
        """Rows."""
        return self._stack.total

    def sync(self, blocks: Sequence[Block], first: int, end: int | None = None) -> None:
        """Take over the blocks from index `first` on, or those before `end`; those before `first` did not change."""
        first = min(first, len(self.drawn))
        old = {d.block.id: d for d in self.drawn[first:]}
        del self.drawn[first:]
        self._stack.cut(first)
        for id_ in old:
            self.index.pop(id_, None)
        before = next((d.block for d in reversed(self.drawn) if _shows(d.block)), None)
        for i in range(first, len(blocks) if end is None else min(end, len(blocks))):
            block = blocks[i]
            gap = _gap(before, block)
            drawn = old.get(block.id)
            if drawn is None or drawn.block is not block or drawn.gap != gap:
                drawn = Drawn(block, gap)
            if drawn.rev != block.rev:
                self._renew(drawn)
            self.drawn.append(drawn)
            self.index[block.id] = i
            self._stack.set(i, drawn.height)
            before = block if _shows(block) else before

    def _renew(self, drawn: Drawn) -> None:
        drawn.rev = drawn.block.rev
        if isinstance(drawn.block, Answer) and (drawn.splitter or drawn.block.open):
            self._split(drawn)
            return
        drawn.parts, drawn.stack, drawn.splitter, drawn.done = [], None, None, 0
        drawn.guess = drawn.gap * _shows(drawn.block) + self._estimate(drawn.block)

    def _open(self, drawn: Drawn) -> None:
        """Make the parts of a block that comes in sight."""
        if isinstance(drawn.block, Answer):
            self._split(drawn)
            return
        drawn.parts, drawn.stack = [Part(drawn.gap)], Stack()
        canvas = self._canvas(drawn.block)
        if not isinstance(drawn.block, Call) or not canvas.opened:
            drawn.stack.set(0, drawn.guess)
            drawn.shape = ()
            return
        drawn.shape = shape(drawn.block, canvas)
        drawn.stack.set(0, drawn.gap + 1)
        for j, detail in enumerate(details(drawn.block, canvas), 1):
            drawn.parts.append(Part(0, detail=detail))
            lines = detail.text.count("\n", detail.start, detail.end)
            rows = estimate(detail.end - detail.start, lines, canvas.room)
            drawn.stack.set(j, min(rows, FIRST_ROWS + 1) if detail.cut else rows)

    def _estimate(self, block: Block) -> int:
        if isinstance(block, Answer | Prompt | Note | More):
            text = block.text
            return estimate(len(text), text.count("\n"), min(96, self.width - 6))
        return 1 if _shows(block) else 0

    def _split(self, drawn: Drawn) -> None:
        """Cut the answer into pieces; those that were done stay as they are."""
        block = drawn.block
        assert isinstance(block, Answer)
        drawn.splitter = splitter = drawn.splitter or Splitter(block.piece.fence if block.piece else "")
        drawn.source = source = prepare(block.text)
        splitter.update(source)
        tail = splitter.tail(source)
        drawn.stack = stack = drawn.stack or Stack()
        del drawn.parts[drawn.done :]
        stack.cut(drawn.done)
        for segment in [*splitter.segments[drawn.done :], *([tail] if tail else [])]:
            j = len(drawn.parts)
            gap = int(segment.gap) if j else drawn.gap
            drawn.parts.append(Part(gap, segment))
            lines = source.count("\n", segment.start, segment.end - 1)
            stack.set(j, gap + estimate(segment.end - segment.start, lines, min(96, self.width - 6)))
        drawn.done = len(splitter.segments)

    def ensure(self, i: int, j: int) -> bool:
        """Draw the part if it is not drawn for this width, none when it is -1; True when rows moved."""
        drawn, moved = self.drawn[i], False
        if drawn.stack is None:
            self._open(drawn)
            moved = bool(self._stack.set(i, drawn.height))
        if not 0 <= j < len(drawn.parts):
            return moved
        part = drawn.parts[j]
        if part.width == self.width:
            return moved
        canvas = self._canvas(drawn.block)
        if part.segment:
            lines = draw_segment(drawn.source, part.segment, canvas.room, canvas.marks)
            part.lines = [[blank(TEXT), *line] if line else [] for line in lines]
        elif part.detail:
            part.lines = draw_detail(part.detail, canvas)
        else:
            part.lines = draw_row(drawn.block, canvas)
        if canvas.marked:
            part.lines = [edged(line, canvas.marks.focus) for line in part.lines]
        part.width = self.width
        part.strips.clear()
        assert drawn.stack is not None
        change = drawn.stack.set(j, part.gap + len(part.lines) if part.lines else 0)
        self._stack.set(i, drawn.height)
        return moved or bool(change)

    def is_drawn(self, i: int, j: int) -> bool:
        parts = self.drawn[i].parts
        return 0 <= j < len(parts) and parts[j].width == self.width

    def redraw(self, block: Block) -> None:
        """Its lines are no longer right: focus, folding, a mark, a tick of its spinner."""
        i = self.index.get(block.id)
        if i is None:
            return
        drawn = self.drawn[i]
        if drawn.parts and isinstance(block, Call) and drawn.shape != shape(block, self._canvas(block)):
            drawn.guess, drawn.parts, drawn.stack = drawn.height, [], None
        for part in drawn.parts:
            part.width = 0

    def text_inside(self, i: int, which: int) -> str:
        """One of the texts of a call that is open."""
        found = (part.detail for part in self.drawn[i].parts if part.detail is not None)
        return next((detail.text for detail in found if detail.which == which), "")

    def row_inside(self, i: int, which: int, offset: int) -> int | None:
        """The row that shows a character of a call's text; None when it is not shown."""
        drawn = self.drawn[i]
        for j, part in enumerate(drawn.parts):
            detail = part.detail
            if detail is not None and detail.which == which:
                row = row_of(detail, self._canvas(drawn.block), offset)
                if row is not None:
                    self.ensure(i, j)
                    return self.top(i, j) + part.gap + row
        return None

    def restyle(self) -> None:
        """Colours changed, text did not."""
        for drawn in self.drawn:
            for part in drawn.parts:
                part.strips.clear()

    def top(self, i: int, j: int = 0) -> int:
        """The row where a part begins."""
        if i >= len(self.drawn):
            return self.total
        return self._stack.top(i) + self.drawn[i].top(j)

    def spot(self, y: int) -> Spot | None:
        """What stands at a row; the last row for what is below, None on an empty sheet."""
        i = self._stack.find(y)
        if i < 0:
            return None
        drawn = self.drawn[i]
        inside = y - self._stack.top(i)
        j = max(0, drawn.stack.find(inside)) if drawn.stack else 0
        return Spot(i, j, inside - drawn.top(j))

    def parts_between(self, top: int, bottom: int) -> Iterator[tuple[int, int]]:
        """The parts that show in rows `[top, bottom)`, as the sheet stands when each is asked for.

        Part -1 stands for all of a block that begins above and has no parts yet: once it has, those that show follow.
        """
        spot = self.spot(top)
        if spot is None:
            return
        i, j, _ = spot
        while i < len(self.drawn) and self.top(i, j) < bottom:
            if self.drawn[i].stack is None and self.top(i) < top:
                yield i, -1
                if self.drawn[i].stack is not None and (spot := self.spot(top)):
                    i, j, _ = spot
                    continue
            elif j < max(1, len(self.drawn[i].parts)):
                yield i, j
            j += 1
            if j >= len(self.drawn[i].parts):
                i, j = i + 1, 0

    def line(self, spot: Spot) -> Line:
        """The runs of a row; nothing in a gap."""
        drawn = self.drawn[spot.block]
        if spot.part >= len(drawn.parts):
            return []
        part = drawn.parts[spot.part]
        row = spot.row - part.gap
        return part.lines[row] if 0 <= row < len(part.lines) else []

    def strip(self, spot: Spot, inks: Inks, width: int, selected: tuple[int, int] | None) -> Strip:
        """A row, ready to be shown."""
        parts = self.drawn[spot.block].parts
        if selected is not None or spot.part >= len(parts):
            return inks.strip(self.line(spot), width, selected)
        strips = parts[spot.part].strips
        strip = strips.get(spot.row)
        if strip is None:
            strip = strips[spot.row] = inks.strip(self.line(spot), width)
        return strip


def _shows(block: Block) -> bool:
    """False for what takes no row."""
    if isinstance(block, Foot):
        return bool(block.items or block.ms or block.stop != "stop")
    return not isinstance(block, Growing) or bool(block.text.strip())


def _gap(before: Block | None, block: Block) -> int:
    """Blank rows before a block, by what shows above it."""
    if before is None or goes_on(block):
        return int(isinstance(block, Answer) and block.piece is not None and block.piece.gap)
    return 0 if isinstance(before, ROWS) and isinstance(block, ROWS) else 1
