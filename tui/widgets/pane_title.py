"""The first line of a pane: what it is, and a short fact."""

from __future__ import annotations

from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from tui.widgets.look import look_of
from tui.widgets.rows import ground, line


class PaneTitle(Widget):
    """Bold when the pane has the focus, muted when not."""

    title_text: reactive[str] = reactive("", layout=False)
    fact: reactive[str] = reactive("", layout=False)
    active: reactive[bool] = reactive(False, layout=False)

    def __init__(self, title: str, fact: str = "") -> None:
        super().__init__()
        self.set_reactive(PaneTitle.title_text, title)
        self.set_reactive(PaneTitle.fact, fact)

    def render_line(self, y: int) -> Strip:
        look = look_of(self.app)
        title = look.bold if self.active else look.muted_bold
        fact = [(self.fact, look.muted)] if self.fact else []
        return line(self.size.width, [(self.title_text, title)], fact).apply_style(ground(self))
