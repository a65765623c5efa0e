"""The smaller parts of a fact's form."""

from __future__ import annotations

import re

from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.memory.fields import LABEL_CELLS
from tui.widgets.cells import pad
from tui.widgets.look import look_of
from tui.widgets.rows import ground, line
from tui.widgets.textbox import TextBox

_LINK = re.compile(r"\[\[([^\[\]\n]+)\]\]")


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
    """The longer text of a fact. Its keys are those of every text field; tab leaves it.

    A `[[name]]` is a link to another fact: alt+enter in it opens it, and so does a double click.
    """

    class LinkOpened(Message):
        """Show the fact of that name."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self) -> None:
        super().__init__("", soft_wrap=True, show_line_numbers=False, tab_behavior="focus", highlight_cursor_line=False)
        self.cursor_blink = False

    def get_line(self, line_index: int) -> Text:
        """A line with its links underlined."""
        text = super().get_line(line_index)
        text.highlight_regex(_LINK, look_of(self.app).link)
        return text

    def link_at(self, row: int, column: int) -> str:
        """The name in the link at a place of the text; empty when there is none."""
        found = (m for m in _LINK.finditer(self.document.get_line(row)) if m.start() <= column <= m.end())
        return next((m[1].strip() for m in found), "")

    def on_key(self, event: events.Key) -> None:
        if event.key == "alt+enter":
            event.stop()
            event.prevent_default()
            self._open(*self.cursor_location)

    def on_click(self, event: events.Click) -> None:
        if event.chain == 2:
            self._open(*self.get_target_document_location(event))

    def _open(self, row: int, column: int) -> None:
        if name := self.link_at(row, column):
            self.post_message(self.LinkOpened(name))
