"""A line of keys with what they do, the first one filled: for a dialog in which a decision is made."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.strip import Strip
from textual.widget import Widget

from tui.widgets.cells import cell_len, cut
from tui.widgets.footer import Key
from tui.widgets.look import look_of
from tui.widgets.rows import ground


class Buttons(Widget):
    """A click on one is the same as its key."""

    def __init__(self) -> None:
        super().__init__(classes="dialog-buttons")
        self._keys: list[Key] = []

    def show(self, keys: list[Key]) -> None:
        if keys != self._keys:
            self._keys = keys
            self.refresh()

    def render_line(self, y: int) -> Strip:
        look, room = look_of(self.app), self.size.width - 4
        segments, used = [Segment("  ")], 0
        for i, (name, key, label) in enumerate(self._keys):
            meta = Style(meta={"key": name})
            words = cut(label, max(8, room - used - len(key) - 4))
            first = look.cursor + Style(bold=True) + meta
            styles = (first, first) if not i else (look.accent_bold + look.raised_bg + meta, look.fg + look.raised_bg)
            wide = cell_len(key) + cell_len(words) + 4
            if used + wide > room:
                break
            segments += [Segment(f" {key} ", styles[0]), Segment(f" {words} ", styles[1] + meta), Segment("  ")]
            used += wide + 2
        return Strip(segments).adjust_cell_length(self.size.width).apply_style(ground(self))

    def on_click(self, event: events.Click) -> None:
        event.stop()
        if isinstance(key := event.style.meta.get("key"), str):
            self.app.call_later(self.app.simulate_key, key)
