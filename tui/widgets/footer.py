"""The last line: the keys of whatever has the focus, never more than fit."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.commands import DROPPED_FIRST
from tui.widgets.cells import cell_len
from tui.widgets.look import look_of

Key = tuple[str, str, str]
"""Action, key as shown, label."""


_STAY = ("palette", "help", "quit")


def fit(keys: list[Key], width: int, first_out: tuple[str, ...] = ()) -> tuple[list[Key], int]:
    """The keys that fit between the margins, and the gap between them.

    Commands, Help and Quit stay; of the others those in `first_out` go first, then those at the end. Between 60 and 79
    columns five keys stay, Help the last of them.
    """
    tail = [key for key in keys if key[0] in _STAY]
    head = [key for key in keys if key[0] not in _STAY]
    if width < 80 and tail:
        head = [key for key in head if key[0] not in first_out]
        tail = [key for key in tail if key[0] != "quit"]
        head = head[: 5 - len(tail)]
    room = width - 4
    for gap in (3, 2):
        if _wide(head + tail, gap) <= room:
            return head + tail, gap
    while head and _wide(head + tail, 2) > room:
        out = next((key for name in first_out for key in head if key[0] == name), head[-1])
        head = [key for key in head if key is not out]
    while tail and _wide(head + tail, 2) > room:
        tail = tail[1:]
    return head + tail, 2


def _wide(keys: list[Key], gap: int) -> int:
    return sum(cell_len(key) + 1 + cell_len(label) for _, key, label in keys) + gap * max(0, len(keys) - 1)


class Footer(Widget):
    """Draws keys and what they do; a click on one is the same as the key."""

    class Chosen(Message):
        """An action of the footer was clicked."""

        def __init__(self, action: str) -> None:
            super().__init__()
            self.action = action

    def __init__(self, keys: list[Key] | None = None, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._keys = keys or []

    def show(self, keys: list[Key]) -> None:
        """Draw these keys; does nothing when they are the ones on screen."""
        if keys != self._keys:
            self._keys = keys
            self.refresh()

    def render_line(self, y: int) -> Strip:
        look, width = look_of(self.app), self.size.width
        keys, gap = fit(self._keys, width, DROPPED_FIRST)
        segments = [Segment("  ", look.bar_bg)]
        for i, (action, key, label) in enumerate(keys):
            meta = Style(meta={"key": action})
            if i:
                segments.append(Segment(" " * gap, look.bar_bg))
            segments.append(Segment(key, look.bold + look.bar_bg + meta))
            segments.append(Segment(" " + label, look.muted + look.bar_bg + meta))
        return Strip(segments).adjust_cell_length(width, look.bar_bg)

    def on_click(self, event: events.Click) -> None:
        action = event.style.meta.get("key")
        if isinstance(action, str):
            self.post_message(self.Chosen(action))
