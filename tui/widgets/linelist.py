"""The list that History, Memory and the agent tree share: thousands of rows, drawn line by line as they are seen."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tui.widgets.beat import Beat
from tui.widgets.look import look_of
from tui.widgets.rows import Row, RowState, TextRow, ground, line

AIRY_ROWS = 30
"""From this height of the terminal on there is room for blank lines."""
_CACHED = 600
_BEATS = 5
"""Rows that run are drawn on every so many beats: what changes at both sides of the screen at once draws all of it."""


class LineList(ScrollView, can_focus=True):
    """Rows of one or two lines with a cursor. The owner gives the rows, and filters by giving fewer.

    The cursor stays on its key when the rows change, and the row stays where it is on the screen.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home", "edge(-1)", "First", show=False),
        Binding("end", "edge(1)", "Last", show=False),
        Binding("enter", "open", "Open", show=False),
    ]

    foot: reactive[str] = reactive("", layout=False)
    """What the last line says on the left; empty = no last line."""
    foot_right: reactive[str] = reactive("", layout=False)
    """What it says on the right when nothing more is below."""
    busy: reactive[str] = reactive("", layout=False)
    """What goes on; it takes the right, whatever is below."""
    driven: reactive[bool] = reactive(False, layout=False)
    """A focused field (the search box) drives this list: the chosen row is drawn as if the list had the focus."""

    class Highlighted(Message):
        """The cursor is on another row now; None when there is none."""

        def __init__(self, source: LineList, key: str | None) -> None:
            super().__init__()
            self.source = source
            self.key = key

        @property
        def control(self) -> LineList:
            return self.source

    class Opened(Message):
        """The row was opened: enter, a second click."""

        def __init__(self, source: LineList, key: str) -> None:
            super().__init__()
            self.source = source
            self.key = key

        @property
        def control(self) -> LineList:
            return self.source

    def __init__(self, *, empty: str = "", id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.empty = empty
        self.quiet = False
        """The chosen row is drawn only while the list has the focus."""
        self.one_click = False
        """A click opens a row at once; else a second one does."""
        self._rows: list[Row] = []
        self._starts: list[int] = []
        self._total = 0
        self._index = -1
        self._hover = -1
        self._airy = True
        self._fresh_focus = False
        self._tick = 0
        self._beat = Beat(self, self._on_tick, _BEATS)
        self._strips: dict[tuple[int, bool, bool], list[Strip]] = {}

    # ------------------------------------------------------------------ rows

    @property
    def rows(self) -> Sequence[Row]:
        """The rows as given; the list's own and not to be changed."""
        return self._rows

    @property
    def cursor(self) -> str | None:
        """The key of the chosen row."""
        return self._rows[self._index].key if 0 <= self._index < len(self._rows) else None

    @property
    def cursor_row(self) -> Row | None:
        return self._rows[self._index] if 0 <= self._index < len(self._rows) else None

    def set_rows(self, rows: Sequence[Row], *, keep: bool = True) -> None:
        """Show these rows. The cursor stays on its key, else near where it was; `keep=False` goes to the first."""
        key, old = self.cursor, self._index
        top = self.scroll_offset.y
        before = self._starts[old] - top if 0 <= old < len(self._starts) else None
        self._rows = list(rows)
        self._hover = -1
        index = next((i for i, row in enumerate(rows) if row.key == key), -1) if keep and key is not None else -1
        if index < 0:
            index = self._near(min(old, len(self._rows) - 1) if keep and old >= 0 else 0)
        self._index = index
        self._measure()
        if not keep:
            self._scroll(0)
        elif index >= 0 and before is not None and 0 <= before < self._page():
            self._scroll(max(0, self._starts[index] - before))
        self._show_cursor()
        self._watch_live()
        self.refresh()
        if self.cursor != key:
            self.post_message(self.Highlighted(self, self.cursor))

    def update_row(self, row: Row) -> None:
        """Draw one row anew: the row of the same key is replaced, its height may not change."""
        for i, old in enumerate(self._rows):
            if old.key == row.key:
                self._rows[i] = row
                self._forget(i)
                self._watch_live()
                return

    def choose(self, key: str) -> bool:
        """Put the cursor on a key; False when no selectable row has it."""
        for i, row in enumerate(self._rows):
            if row.key == key and row.selectable:
                self._move_to(i)
                return True
        return False

    def show_end(self) -> None:
        """Scroll to the last row; the cursor stays."""
        self._scroll(max(0, self._total - self._page()))

    def redraw(self) -> None:
        """Draw everything anew: what the rows are drawn from has changed."""
        self._strips.clear()
        self.refresh()

    # ------------------------------------------------------------------ moving

    def action_move(self, by: int) -> None:
        i = self._index + by
        while 0 <= i < len(self._rows):
            if self._rows[i].selectable:
                self._move_to(i)
                return
            i += by
        if by < 0:
            # Nothing above but heads: show them.
            self._scroll(0)

    def action_page(self, by: int) -> None:
        if not self._rows or self._index < 0:
            return
        target = self._starts[self._index] + by * max(1, self._page() - 2)
        i = max(0, bisect_right(self._starts, max(0, target)) - 1)
        self._move_to(self._near(i, by))

    def action_edge(self, by: int) -> None:
        self._move_to(self._near(0 if by < 0 else len(self._rows) - 1, -by))
        if by < 0:
            self._scroll(0)

    def action_open(self) -> None:
        key = self.cursor
        if key is not None:
            self.post_message(self.Opened(self, key))

    def _near(self, index: int, direction: int = 1) -> int:
        """The selectable row nearest to an index, looking in `direction` first; -1 when there is none."""
        for step in (direction, -direction):
            i = index
            while 0 <= i < len(self._rows):
                if self._rows[i].selectable:
                    return i
                i += step
        return -1

    def _move_to(self, index: int) -> None:
        if index < 0 or index == self._index:
            self._show_cursor()
            return
        old, self._index = self._index, index
        self._forget(old)
        self._forget(index)
        self._show_cursor()
        self.post_message(self.Highlighted(self, self.cursor))

    def _show_cursor(self) -> None:
        """Scroll as little as brings the whole chosen row in sight, with its group's head when that is just above."""
        if self._index < 0 or not self.size.height:
            return
        start = self._starts[self._index]
        end = self._end(self._index)
        if self._index and self._rows[self._index - 1].head:
            start = self._starts[self._index - 1]
        top, page = self.scroll_offset.y, self._page()
        if start < top:
            self._scroll(start)
        elif end > top + page:
            self._scroll(end - page)

    def _scroll(self, y: int) -> None:
        # Forced: the scrollbar, by which Textual allows scrolling, comes only with the next layout.
        self.scroll_to(y=y, animate=False, force=True)

    # ------------------------------------------------------------------ geometry

    def _gap(self, index: int) -> int:
        return 1 if self._airy and index and self._rows[index].head else 0

    def _end(self, index: int) -> int:
        return self._starts[index + 1] if index + 1 < len(self._starts) else self._total

    def _foot_lines(self) -> int:
        return 3 if self.foot and self._airy and self.size.height > 8 else 0

    def _page(self) -> int:
        """Lines of the view that show rows."""
        return max(1, self.size.height - self._foot_lines())

    def _measure(self) -> None:
        self._airy = self.app.size.height >= AIRY_ROWS
        self._strips.clear()
        at = 0
        starts: list[int] = []
        for i, row in enumerate(self._rows):
            starts.append(at)
            at += row.height + (1 if self._airy and i and row.head else 0)
        self._starts, self._total = starts, at
        self.virtual_size = Size(self.size.width, at + self._foot_lines())

    def row_at(self, y: int) -> int:
        """The index of the row at a line of the view; -1 on blanks and the last line."""
        at = y + self.scroll_offset.y
        if y >= self._page() or not 0 <= at < self._total:
            return -1
        i = bisect_right(self._starts, at) - 1
        return i if at - self._starts[i] >= self._gap(i) else -1

    # ------------------------------------------------------------------ drawing

    def render_line(self, y: int) -> Strip:
        return self._line(y).apply_style(ground(self))

    def _line(self, y: int) -> Strip:
        width = self.size.width
        page = self._page()
        if y >= page and self._foot_lines():
            return self._foot_strip(width) if y == page + 1 else Strip.blank(width, Style())
        at = y + self.scroll_offset.y
        if not self._rows and self.empty and at == 0:
            return TextRow("", self.empty).draw(width, look_of(self.app), RowState())[0]
        if at >= self._total:
            return Strip.blank(width, Style())
        i = bisect_right(self._starts, at) - 1
        part = at - self._starts[i] - self._gap(i)
        strips = self._draw(i)
        return strips[part] if 0 <= part < len(strips) else Strip.blank(width, Style())

    def _draw(self, index: int) -> list[Strip]:
        chosen, hover = index == self._index, index == self._hover
        key = (index, chosen, hover)
        strips = self._strips.get(key)
        if strips is None:
            if len(self._strips) > _CACHED:
                self._strips.clear()
            row = self._rows[index]
            tick = self._tick if self._animated else -1
            focused = self.has_focus or self.driven
            shown = chosen and row.selectable and (focused or not self.quiet)
            state = RowState(shown, focused, hover, self._airy, tick)
            strips = row.draw(self.size.width, look_of(self.app), state)
            self._strips[key] = strips
        return strips

    def _foot_strip(self, width: int) -> Strip:
        look = look_of(self.app)
        bottom = self.scroll_offset.y + self._page()
        first = bisect_right(self._starts, bottom - 1)
        below = sum(1 for row in self._rows[first:] if row.selectable)
        right = self.busy or (f"{look.marks.down} {below:,} more" if below else self.foot_right)
        return line(width, [(self.foot, look.muted)], [(right, look.muted)])

    def _forget(self, index: int) -> None:
        """Draw a row anew."""
        if not 0 <= index < len(self._rows):
            return
        for chosen in (False, True):
            for hover in (False, True):
                self._strips.pop((index, chosen, hover), None)
        y = self._starts[index] - self.scroll_offset.y
        self.refresh(Region(0, y, self.size.width, self._end(index) - self._starts[index]))

    # ------------------------------------------------------------------ what runs

    @property
    def _animated(self) -> bool:
        return self.app.animation_level != "none"

    def _watch_live(self) -> None:
        """The timer runs only while a row shows something that runs."""
        live = any(row.live for row in self._rows)
        self._beat.run(live and (self._beat.runs or self.is_attached))

    def _on_tick(self) -> None:
        self._tick += 1
        first = max(0, bisect_right(self._starts, self.scroll_offset.y) - 1)
        last = bisect_right(self._starts, self.scroll_offset.y + self.size.height)
        for i in range(first, min(last, len(self._rows))):
            if self._rows[i].live:
                self._forget(i)

    # ------------------------------------------------------------------ events

    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, lambda _: self.redraw())
        self._watch_live()

    def on_resize(self) -> None:
        self._measure()
        self._show_cursor()
        self.refresh()

    def on_focus(self) -> None:
        self._fresh_focus = True
        self._forget(self._index)

    def on_blur(self) -> None:
        self._forget(self._index)

    def watch_driven(self) -> None:
        self._forget(self._index)

    def watch_foot(self) -> None:
        self.virtual_size = Size(self.size.width, self._total + self._foot_lines())

    def on_click(self, event: events.Click) -> None:
        index = self.row_at(event.y)
        fresh, self._fresh_focus = self._fresh_focus, False
        if index < 0 or not self._rows[index].selectable:
            return
        # The click that brings the focus only chooses, so an accidental one opens nothing: the second half of one too.
        again = index == self._index and not fresh
        self._move_to(index)
        if again or self.one_click:
            self.action_open()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        index = self.row_at(event.y)
        self._set_hover(index if index >= 0 and self._rows[index].selectable else -1)

    def on_leave(self) -> None:
        self._set_hover(-1)

    def _set_hover(self, index: int) -> None:
        if index != self._hover:
            old, self._hover = self._hover, index
            self._forget(old)
            self._forget(index)
