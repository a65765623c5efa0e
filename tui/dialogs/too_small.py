"""One sentence where the workbench does not fit."""

from __future__ import annotations

from textual.strip import Strip
from textual.widget import Widget

from tui.views import LEAST_HEIGHT, LEAST_WIDTH
from tui.widgets.look import look_of
from tui.widgets.rows import ground, line


class TooSmall(Widget):
    """Covers the screen."""

    def __init__(self) -> None:
        super().__init__(id="too-small")

    def render_line(self, y: int) -> Strip:
        if y:
            return Strip.blank(self.size.width, ground(self))
        text = f"Too small: {LEAST_WIDTH}x{LEAST_HEIGHT} needed"
        return line(self.size.width, [(text, look_of(self.app).fg)]).apply_style(ground(self))
