"""The smaller parts of a fact's form."""

from __future__ import annotations

from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from tui.memory.fields import LABEL_CELLS
from tui.widgets.cells import pad
from tui.widgets.look import look_of
from tui.widgets.rows import ground, line
from tui.widgets.textbox import TextBox


class FormLine(Widget):
    """What the form has to say: what is unsaved, what went wrong."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.kind = "warn"

    def say(self, text: str, kind: str = "warn") -> None:
        self.text, self.kind = text, kind
        self.refresh()

    def render_line(self, y: int) -> Strip:
        look = look_of(self.app)
        return line(
            self.size.width, [(" " * (LABEL_CELLS + 1), look.fg), (self.text, getattr(look, self.kind))]
        ).apply_style(ground(self))


class BodyLabel(Widget):
    """The label beside the body."""

    active = False

    def render_line(self, y: int) -> Strip:
        look = look_of(self.app)
        label = pad("body" if y == 0 else "", LABEL_CELLS)
        style = look.bold if self.active else look.muted
        return Strip([Segment("  "), Segment(label, style)], LABEL_CELLS + 2).apply_style(ground(self))


class Body(TextBox):
    """The longer text of a fact. Its keys are those of every text field; tab leaves it."""

    def __init__(self) -> None:
        super().__init__("", soft_wrap=True, show_line_numbers=False, tab_behavior="focus", highlight_cursor_line=False)
        self.cursor_blink = False
