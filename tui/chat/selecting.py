"""Selecting with the mouse, and what a click means."""

from __future__ import annotations

from textual import events
from textual.timer import Timer

from tui.chat.blocks import Block
from tui.chat.messages import LinkOpened, SelectionEnded
from tui.chat.selection import Point, Selection, copied, line_at, offset_at, span_of, target_at, word_at
from tui.chat.sheet import Spot
from tui.chat.sheetview import SheetView

_EDGE_S = 0.05


class Selecting(SheetView):
    """A sheet whose text can be selected: drag, double click for a word, triple click for a line."""

    _selection: Selection | None = None
    _dragging = False
    _pointer = (0, 0)
    _edge_timer: Timer | None = None

    @property
    def has_selection(self) -> bool:
        """Something is marked."""
        return bool(self._selection and self.selected_text())

    def selected_text(self) -> str | None:
        """The source of what is marked; None for nothing."""
        if self._selection is None:
            return None
        blocks = [drawn.block for drawn in self._sheet.drawn]
        ends = {self._selection.anchor.block, self._selection.head.block}
        return copied(blocks, self._selection, self._sheet.index, {b: self._edges(b) for b in ends}) or None

    def clear_selection(self) -> None:
        """Mark nothing."""
        if self._selection is not None:
            self._selection = None
            self.refresh()

    def _selected(self, index: int) -> tuple[int, int] | None:
        return span_of(self._selection, self._sheet.index, index) if self._selection else None

    def _edges(self, block_id: int) -> tuple[int, int]:
        """The first and the last offset of a block that show on the screen."""
        i = self._sheet.index.get(block_id)
        if i is None:
            return 0, 0
        drawn = self._sheet.drawn[i]
        length = len(drawn.block.source)
        if not drawn.parts:
            return 0, length
        for j in {0, len(drawn.parts) - 1}:
            self._sheet.ensure(i, j)
        starts = [run.start for line in drawn.parts[0].lines for run in line if run.start >= 0]
        ends = [run.end for line in drawn.parts[-1].lines for run in line if run.start >= 0]
        return min(starts, default=0), max(ends, default=length)

    def _spot(self, y: int) -> Spot | None:
        return self._sheet.spot(max(0, min(y + round(self.scroll_y), self._sheet.total - 1)))

    def _point(self, x: int, y: int) -> Point | None:
        """The character at a cell of the view; on rows without text, the end of the text above."""
        spot = self._spot(y)
        if spot is None:
            return None
        drawn = self._sheet.drawn[spot.block]
        if y + round(self.scroll_y) >= self._sheet.total:
            return Point(drawn.block.id, len(drawn.block.source), len(drawn.block.source))
        part = drawn.parts[spot.part] if spot.part < len(drawn.parts) else None
        if span := offset_at(self._sheet.line(spot), x):
            return Point(drawn.block.id, *span)
        above = range(min(spot.row - (part.gap if part else 0), len(part.lines) if part else 0) - 1, -1, -1)
        for row in above:
            ends = [run.end for run in part.lines[row] if run.start >= 0] if part else []
            if ends:
                return Point(drawn.block.id, ends[-1], ends[-1])
        start = part.segment.start if part and part.segment else 0
        return Point(drawn.block.id, start, start)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        if event.button != 1:
            return
        point = self._point(event.x, event.y)
        self.clear_selection()
        if point is not None:
            self._anchor_point = point
            self._dragging = True
            self._moved = False
            self.capture_mouse()
            self._drag()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if not self._dragging:
            return
        if event.button != 1:
            # It was let go where nobody saw it: outside of the terminal, or before the mouse was captured.
            self._end_drag()
            return
        self._drag()

    def _drag(self) -> None:
        """To where the pointer is now: what it did before the mouse was captured was told to whatever is there."""
        _, y = self._pointer = self.app.mouse_position - self.region.offset
        self._extend()
        outside = y < 0 or y >= self.size.height
        if outside and self._edge_timer is None:
            self._edge_timer = self.set_interval(_EDGE_S, self._scroll_at_edge)
        elif not outside:
            self._stop_edge()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        if self._dragging:
            self._pointer = (event.x, event.y)
            self._extend()
            self._end_drag()

    def _end_drag(self) -> None:
        self._stop_drag()
        if text := self.selected_text():
            self.post_message(SelectionEnded(text))

    def on_click(self, event: events.Click) -> None:
        """A second click marks the word, a third the line; a single one acts on what it hits."""
        if self._moved or event.button != 1:
            return
        point, spot = self._point(event.x, event.y), self._spot(event.y)
        if point is None or spot is None:
            return
        block = self._sheet.drawn[spot.block].block
        if event.chain >= 2:
            whole = (word_at if event.chain == 2 else line_at)(block.source, point)
            self._selection = Selection(whole, whole)
            self.refresh()
            if text := self.selected_text():
                self.post_message(SelectionEnded(text))
        elif event.y + round(self.scroll_y) < self._sheet.total:
            self._act(target_at(self._sheet.line(spot), event.x), block)

    _moved = False
    _anchor_point = Point(0, 0, 0)

    def _act(self, target: str, block: Block) -> None:
        """What a click on a run means."""
        kind, _, rest = target.partition(":")
        if kind == "toggle":
            self._toggle(block)
        elif kind == "more":
            self.show_whole(block, int(rest))
        elif kind == "link":
            self.post_message(LinkOpened(rest))

    def _extend(self) -> None:
        x, y = self._pointer
        top = y < 0
        point = self._point(x if not top else 0, max(0, min(y, self.size.height - 1)))
        if point is None or (not self._moved and point == self._anchor_point):
            return
        self._moved = True
        self._selection = Selection(self._anchor_point, point)
        self.refresh()

    def _scroll_at_edge(self) -> None:
        """The further outside the pointer is, the faster the text comes in."""
        y = self._pointer[1]
        self.go_by(y if y < 0 else y - self.size.height + 1)
        self._extend()

    def _stop_edge(self) -> None:
        if self._edge_timer is not None:
            self._edge_timer.stop()
            self._edge_timer = None

    def _stop_drag(self) -> None:
        self._stop_edge()
        self._dragging = False
        self.release_mouse()

    def on_unmount(self) -> None:
        self._stop_edge()
