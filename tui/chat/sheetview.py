"""A scrolling sheet: draws what is in sight, and never moves what is being read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import ClassVar

from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollDown, ScrollTo, ScrollUp
from textual.strip import Strip

from sessions.clock import Clock, SystemClock
from tui.chat.blocks import Block, Call, Divider, Thought
from tui.chat.details import GIVEN, RESULT
from tui.chat.inks import Inks
from tui.chat.layout import clamp
from tui.chat.rows import Canvas
from tui.chat.sheet import Sheet, Spot
from tui.widgets.look import Look, look_of
from tui.widgets.thinbar import SteadyBar

_WHEEL_ROWS = 3


class SheetView(ScrollView, can_focus=True):
    """Shows a list of blocks by the line API. It stays at the end only if it was there."""

    ALLOW_SELECT: ClassVar[bool] = False
    """Textual's own selection works on rows of the screen; ours on the text behind them."""

    def __init__(self, *, id: str | None = None, clock: Clock | None = None) -> None:
        super().__init__(id=id)
        self._bar: SteadyBar | None = None
        self._clock = clock
        self._sheet = Sheet(self._canvas)
        self._opened: set[int] = set()
        """Blocks that were opened by hand."""
        self._whole: set[tuple[int, int]] = set()
        """Ids of calls, and which of their texts are shown to the end."""
        self._at_end = True
        self._settling = False
        self._look: Look | None = None
        self._inks: dict[bool, Inks] = {}

    @property
    def vertical_scrollbar(self) -> SteadyBar:
        """The bar, made when first asked for, as Textual does."""
        if self._bar is None:
            self._vertical_scrollbar = self._bar = SteadyBar(thickness=self.scrollbar_size_vertical)
            self._bar.display = False
            self.app._start_widget(self, self._bar)
        return self._bar

    def post_message(self, message: Message) -> bool:
        """What the conversation says goes all the way up, also when the pane around it made it say so: for Textual the
        pane would then be the sender, with whom it ends."""
        if type(message).__module__.startswith("tui."):
            message.set_sender(self)
        return super().post_message(message)

    @property
    def at_end(self) -> bool:
        """The newest row is in sight, and stays there."""
        return self._at_end

    @property
    def _text_width(self) -> int:
        """Cells without the scrollbar's column."""
        return max(1, self.size.width - self.scrollbar_size_vertical)

    def _now(self) -> datetime:
        clock: Clock = self._clock or getattr(self.app, "clock", None) or SystemClock()
        return clock.now().astimezone()

    def _canvas(self, block: Block) -> Canvas:
        opened, whole = block.id in self._opened, self._shown_whole(block)
        return Canvas(self._sheet.width, look_of(self.app).marks, self._now(), opened, whole)

    def _shown_whole(self, block: Block) -> tuple[bool, bool]:
        return (block.id, GIVEN) in self._whole, (block.id, RESULT) in self._whole

    def _is_dim(self, index: int) -> bool:
        """Whether the model does not see the block at this index."""
        return False

    def _selected(self, index: int) -> tuple[int, int] | None:
        """The selected source span of a block."""
        return None

    def _take(self, blocks: Sequence[Block], first: int) -> None:
        """Show the blocks from index `first` on; the reader's row stays where it is."""
        held = self._hold()
        self._sheet.sync(blocks, first)
        self._settle(held)

    def _hold(self) -> tuple[int, int, int] | None:
        """What stands in the first row: block id, part, row. None at the end, which is held by itself."""
        spot = None if self._at_end else self._sheet.spot(round(self.scroll_y))
        return (self._sheet.drawn[spot.block].block.id, spot.part, spot.row) if spot else None

    def _settle(self, held: tuple[int, int, int] | None = None, top: int | None = None) -> None:
        """Draw what is in sight, then put the view where it belongs: what was held, row `top`, or the end."""
        height = self.size.height
        if not height or self._settling:
            return
        sheet = self._sheet
        sheet.width = max(20, self.size.width)
        if held is not None and held[0] in sheet.index:
            top = sheet.top(sheet.index[held[0]], held[1]) + held[2]
        elif top is None:
            top = sheet.total if self._at_end else round(self.scroll_y)
        self._settling = True
        try:
            top = self._draw_visible(top, height)
            self._move(top)
        finally:
            self._settling = False

    def _draw_visible(self, top: int, height: int) -> int:
        sheet = self._sheet
        anchor: tuple[int, int, int] | None = None
        held = False
        for _ in range(12):
            top = clamp(sheet.total if self._at_end else top, sheet.total, height)
            # What was in sight before stays the one that does not move, whatever is drawn above it.
            if anchor is None or not held:
                anchor = self._anchor(top, height)
                held = anchor is not None and sheet.is_drawn(*anchor[:2])
            moved = False
            for i, j in sheet.parts_between(top, top + height):
                moved |= sheet.ensure(i, j)
            if not moved:
                break
            if anchor and not self._at_end:
                top = sheet.top(anchor[0], anchor[1]) + anchor[2]
        return clamp(sheet.total if self._at_end else top, sheet.total, height)

    def _anchor(self, top: int, height: int) -> tuple[int, int, int] | None:
        """The part that must not move, and its row: the first in sight whose height is known, else the first.

        Of a block that begins above and has no parts yet, nobody knows what is in sight: what follows it is held.
        """
        first: tuple[int, int, int] | None = None
        closed: tuple[int, int, int] | None = None
        for i, j in self._sheet.parts_between(top, top + height):
            if j < 0:
                closed = i, 0, top - self._sheet.top(i)
                continue
            place = (i, j, top - self._sheet.top(i, j))
            if self._sheet.is_drawn(i, j):
                return place
            first = first or place
        return first or closed

    def _move(self, top: int) -> None:
        total = self._sheet.total
        size = Size(self._text_width, total)
        if size != self.virtual_size:
            # The reactive would lay out the whole screen; nothing but the scrollbar depends on it.
            self.set_reactive(SheetView.virtual_size, size)
            self.vertical_scrollbar.stand(self.size.height, total, top)
        if top != self.scroll_y:
            self.scroll_y = self.scroll_target_y = top

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Somebody scrolled, or what is in sight was settled."""
        super().watch_scroll_y(old_value, new_value)
        if not self._settling and self.is_mounted:
            self.go(round(new_value))

    def go(self, top: int) -> None:
        """Show row `top` first; the last rows stay in sight from then on when it shows them."""
        end = self._sheet.total - self.size.height
        self._at_end = top >= end
        self._settle(top=top)
        self._at_end = round(self.scroll_y) >= self._sheet.total - self.size.height
        self.refresh()

    def go_first(self) -> None:
        """Show the very first row. What stands below it is drawn first: nothing in sight is held on to."""
        for i, j in self._sheet.parts_between(0, self.size.height):
            self._sheet.ensure(i, j)
        self.go(0)

    def go_by(self, rows: int) -> None:
        """Scroll by some rows."""
        self.go(clamp(round(self.scroll_y) + rows, self._sheet.total, self.size.height))

    def on_resize(self, event: events.Resize) -> None:
        """The rows of another width are drawn when they come in sight."""
        held = self._hold()
        self._settle(held)
        self.refresh()

    def on_show(self) -> None:
        self._settle(self._hold())

    # Each of these replaces a handler of Textual's that would animate, and so fight with the rows that are held.

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._scrolled(event, _WHEEL_ROWS)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._scrolled(event, -_WHEEL_ROWS)

    def on_scroll_down(self, event: ScrollDown) -> None:
        self._scrolled(event, self.size.height - 1)

    def on_scroll_up(self, event: ScrollUp) -> None:
        self._scrolled(event, 1 - self.size.height)

    def on_scroll_to(self, event: ScrollTo) -> None:
        self._scrolled(event, round(event.y or 0) - round(self.scroll_y))

    def _scrolled(self, event: Message, rows: int) -> None:
        event.stop()
        event.prevent_default()
        self.go_by(rows)

    def _refresh_from(self, row: int) -> None:
        """Draw again from a row of the sheet on."""
        y = max(0, row - round(self.scroll_y))
        if y < self.size.height:
            self.refresh(Region(0, y, self.size.width, self.size.height - y))

    def render_line(self, y: int) -> Strip:
        """One row of the screen."""
        look = look_of(self.app)
        if look is not self._look:
            self._take_look(look)
        row = y + round(self.scroll_y)
        spot = self._sheet.spot(row) if row < self._sheet.total else None
        if spot is None:
            return Strip.blank(self._text_width, self._inks[False].base)
        inks = self._inks[self._is_dim(spot.block)]
        return self._strip(spot, inks)

    def _strip(self, spot: Spot, inks: Inks) -> Strip:
        return self._sheet.strip(spot, inks, self._text_width, self._selected(spot.block))

    def _take_look(self, look: Look) -> None:
        if self._look is not None and self._look.marks != look.marks:
            for drawn in self._sheet.drawn:
                for part in drawn.parts:
                    part.width = 0
        self._look = look
        self._inks = {dim: Inks(look, dim=dim) for dim in (False, True)}
        self._sheet.restyle()

    def _toggle(self, block: Block) -> None:
        """Open or fold a block; the row that was clicked stays."""
        self._opened ^= {block.id}
        self._whole -= {(block.id, GIVEN), (block.id, RESULT)}
        self._anew(block)

    def show_whole(self, block: Block, which: int) -> None:
        """Show the rest of a call's text; what is above it stays where it is."""
        self._whole.add((block.id, which))
        self._anew(block)

    def _anew(self, block: Block) -> None:
        i = self._sheet.index.get(block.id)
        if i is None:
            return
        top = round(self.scroll_y)
        sheet = self._sheet
        sheet.redraw(block)
        for at in sheet.parts_between(sheet.top(i), max(sheet.top(i) + 1, top + self.size.height)):
            sheet.ensure(*at)
        self._at_end = self._at_end and top >= self._sheet.total - self.size.height
        self._settle(top=top)
        self.refresh()

    def _first_visible(self, test: Callable[[Block], bool]) -> Block | None:
        """The newest block in sight that passes."""
        top = round(self.scroll_y)
        shown = {i for i, _ in self._sheet.parts_between(top, top + self.size.height)}
        return next((b for i in sorted(shown, reverse=True) if test(b := self._sheet.drawn[i].block)), None)

    def unfold(self) -> None:
        """Open the newest thing in sight that can be, or fold it: a thought, what was put in short, a long result."""
        top, sheet = round(self.scroll_y), self._sheet
        found: tuple[Block, str] | None = None
        for i, j in sheet.parts_between(top, top + self.size.height):
            block = sheet.drawn[i].block
            if isinstance(block, Thought) or (isinstance(block, Divider) and block.content):
                found = block, ""
            elif isinstance(block, Call) and 0 <= j < len(sheet.drawn[i].parts):
                lines = sheet.drawn[i].parts[j].lines
                target = lines[-1][-1].target if lines and lines[-1] else ""
                if target.startswith("more:") and sheet.top(i, j) + len(lines) <= top + self.size.height:
                    found = block, target
        if found is None:
            return
        block, target = found
        if target:
            self.show_whole(block, int(target.partition(":")[2]))
        else:
            self._toggle(block)
