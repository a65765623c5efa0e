"""The line under a conversation whose reader is further up: something new came below."""

from __future__ import annotations

from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.widgets.look import look_of
from tui.widgets.rows import Part, ground, line


class BelowLine(Widget):
    """A click anywhere on it goes there. `keyed`: so does the key end, which is the composer's while it has text."""

    class Wanted(Message):
        """The person wants to see it."""

    def __init__(self) -> None:
        super().__init__(id="below")
        self.display = False
        self._keyed = True

    def show(self, shown: bool) -> None:
        self.display = shown

    def key(self, keyed: bool) -> None:
        """Whether the key works now."""
        if keyed != self._keyed:
            self._keyed = keyed
            self.refresh()

    def on_click(self) -> None:
        self.post_message(self.Wanted())

    def render_line(self, y: int) -> Strip:
        look = look_of(self.app)
        left: list[Part] = [(f"{look.marks.down} ", look.accent), ("new below", look.fg)]
        right: list[Part] = [("end", look.bold), (" shows it", look.muted)] if self._keyed else []
        return line(self.size.width, left, right).apply_style(ground(self))
