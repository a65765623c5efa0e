"""The context inspector: what goes to the model with the next message, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.strip import Strip
from textual.widget import Widget

from sessions.agent.inspect import ContextView
from tui.dialogs.base import Dialog, Lines
from tui.dialogs.context_rows import COLUMNS, NARROW, PartRow, notes, rows_of
from tui.widgets.cells import pad
from tui.widgets.linelist import AIRY_ROWS, LineList
from tui.widgets.look import look_of
from tui.widgets.rows import Part, ground, line, wrap

_ROWS = 24
"""Most rows of parts at once."""
_CELLS = 84
"""As wide as the style sheet has it."""


class Inspector(Dialog[None]):
    """Only read, but for `m`, which switches a fact off. `mute` gets the fact's number or name."""

    def __init__(
        self,
        view: ContextView,
        place: str,
        spent: str = "",
        *,
        mute: Callable[[str], None],
        copy: Callable[[], None],
    ) -> None:
        """`spent` says what it cost until now."""
        super().__init__(
            f"What goes to {place}",
            [("enter", "enter", "Read, fold"), ("m", "m", "Switch a fact off"), ("y", "y", "Copy as JSON")],
            _sum(view),
        )
        self.view = view
        self._spent = spent
        self._mute = mute
        self._copy = copy
        self._open: set[str] = set()

    def body(self) -> ComposeResult:
        yield _Gauge(self.view)
        yield _Columns()
        parts = LineList(id="choices")
        parts.one_click = True
        yield parts
        yield _Total(self.view)
        yield Lines([], id="context-notes", classes="dialog-text")

    def on_mount(self) -> None:
        self.add_class("-context")
        self.parts.focus()
        self.show(self.view)

    @property
    def parts(self) -> LineList:
        return self.query_one("#choices", LineList)

    def show(self, view: ContextView) -> None:
        """Show this request; what was open stays open."""
        self.view = view
        if self.gone:
            return
        said = [*notes(view), *([self._spent] if self._spent else [])]
        told = [text for note in said for text in wrap(note, self._width - 4)]
        airy = self.app.size.height >= AIRY_ROWS
        box = 0 if look_of(self.app).palette.steps else 2
        room = self.app.size.height * 9 // 10 - 8 - box - len(told) - (5 if airy else 0)
        self.parts.styles.height = max(3, min(_ROWS, room))
        self.set_class(airy, "-airy")
        self.note(_sum(view))
        self.query_one(_Gauge).show(view)
        self.query_one(_Total).show(view)
        self.query_one("#context-notes", Lines).show([("muted", note) for note in told])
        self._rows()

    def _rows(self) -> None:
        self.parts.set_rows(rows_of(self.view, self._open, self._width))

    @property
    def _width(self) -> int:
        """Cells of the lines; before the first layout, what they will be."""
        return self.parts.size.width or min(_CELLS, self.app.size.width * 94 // 100) - 2

    def on_resize(self) -> None:
        self.call_after_refresh(self.show, self.view)

    def on_line_list_opened(self, event: LineList.Opened) -> None:
        event.stop()
        self.fold()

    def fold(self) -> None:
        """Open what the cursor is on, or close it; a line of text closes the part that it belongs to."""
        key = (self.parts.cursor or "").partition(":")[0]
        self._open ^= {key}
        self._rows()
        self.parts.choose(key)

    def mute(self) -> None:
        """Switch the fact under the cursor off."""
        row = self.parts.cursor_row
        if isinstance(row, PartRow) and row.part.kind == "fact":
            number, _, name = row.part.title.partition(" ")
            self._mute(number if number != "0" else name)

    def on_key(self, event: events.Key) -> None:
        deeds = {"space": self.fold, "m": self.mute, "y": self._copy, "ctrl+o": self.action_close}
        if event.key in deeds:
            event.stop()
            deeds[event.key]()
        elif event.key in {"left", "right"}:
            event.stop()
            key = (self.parts.cursor or "").partition(":")[0]
            if (key in self._open) != (event.key == "right"):
                self.fold()
            elif event.key == "left" and "." in key:
                self.parts.choose(key.rpartition(".")[0])


def _sum(view: ContextView) -> str:
    share = f" · {100 * view.tokens / view.window:.0f}%" if view.window else ""
    return f"{view.tokens:,} of {view.window:,} tok{share}"


class _Gauge(Widget):
    def __init__(self, view: ContextView) -> None:
        super().__init__(id="context-gauge")
        self._view = view

    def show(self, view: ContextView) -> None:
        self._view = view
        self.refresh()

    def render_line(self, y: int) -> Strip:
        look, cells = look_of(self.app), max(1, self.size.width - 4)
        used = min(cells, round(cells * self._view.tokens / max(1, self._view.window)))
        bar = [Segment(look.marks.used * used, look.accent), Segment(look.marks.free * (cells - used), look.faint)]
        strip = Strip([Segment("  "), *bar]) if y == 0 else Strip([])
        return strip.adjust_cell_length(self.size.width).apply_style(ground(self))


class _Columns(Widget):
    def __init__(self) -> None:
        super().__init__(id="context-columns")

    def render_line(self, y: int) -> Strip:
        look, width = look_of(self.app), self.size.width
        items, tokens, share = COLUMNS
        names = [("items", items)] if width >= NARROW else []
        right: list[Part] = [
            (pad(name, cells, right=True), look.muted) for name, cells in (*names, ("tok", tokens), ("share", share))
        ]
        if y:
            return _rule(self)
        return line(width, [("  part", look.muted)], right).apply_style(ground(self))


class _Total(Widget):
    def __init__(self, view: ContextView) -> None:
        super().__init__(id="context-total")
        self._view = view

    def show(self, view: ContextView) -> None:
        self._view = view
        self.refresh()

    def render_line(self, y: int) -> Strip:
        look, width = look_of(self.app), self.size.width
        if y == 0 and self.size.height > 1:
            return _rule(self)
        right: list[Part] = [
            (pad(f"{self._view.tokens:,}", COLUMNS[1], right=True), look.bold),
            (pad("100%", COLUMNS[2], right=True), look.muted),
        ]
        left: list[Part] = [("  Total, estimated", look.fg + Style(bold=True))]
        return line(width, left, right).apply_style(ground(self))


def _rule(widget: Widget) -> Strip:
    look, cells = look_of(widget.app), max(0, widget.size.width - 4)
    strip = Strip([Segment("  "), Segment(look.marks.rule * cells, look.rule)])
    return strip.adjust_cell_length(widget.size.width).apply_style(ground(widget))
