"""The one-line search box above a list. Only while it has the focus do letters type."""

from __future__ import annotations

from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from tui.widgets.editline import EditLine
from tui.widgets.look import look_of
from tui.widgets.rows import NO_STYLE, Part, ground, line, width_of

_MOVES = {"up": -1, "down": 1, "pageup": -10, "pagedown": 10}


class FilterBox(Widget, can_focus=True):
    """`/ Search facts`: tells the owner what is typed, and which way the list below is to move."""

    fact: reactive[str] = reactive("", layout=False)
    """A short fact on the right."""

    class Changed(Message):
        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Moved(Message):
        """Move the list's cursor by so many rows."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    class Submitted(Message):
        """Open the row that is chosen in the list."""

    class Left(Message):
        """Back to the list: with the filter as it is, or without it."""

        def __init__(self, keep: bool) -> None:
            super().__init__()
            self.keep = keep

    def __init__(self, placeholder: str, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.placeholder = placeholder
        self._line = EditLine()

    @property
    def text(self) -> str:
        return self._line.text

    @text.setter
    def text(self, text: str) -> None:
        self._line.set(text)
        self.refresh()

    def select(self) -> None:
        """Mark all that is written: typing replaces it."""
        self._line.set(self.text, selected=True)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        look, width, focused = look_of(self.app), self.size.width, self.has_focus
        fact: list[Part] = [(self.fact, look.muted)] if self.fact else []
        slash: Part = ("/", look.accent_bold if focused else look.muted)
        room = width - 6 - width_of(fact)
        typed = self._line.parts(room, look, look.fg, focused=focused, placeholder=self.placeholder)
        if not self.text:
            # A hint, not quoted words: upright.
            typed = [(text, look.muted if style is look.italic else style) for text, style in typed]
        edge: Part = (look.marks.focus, look.accent) if focused else (" ", NO_STYLE)
        return line(width, [slash, (" ", NO_STYLE), *typed], fact, edge=edge, band=look.raised_bg).apply_style(
            ground(self)
        )

    def on_key(self, event: events.Key) -> None:
        before = self.text
        if event.key in _MOVES:
            self.post_message(self.Moved(_MOVES[event.key]))
        elif event.key == "enter":
            self.post_message(self.Submitted())
        elif event.key in {"escape", "tab"}:
            self.post_message(self.Left(keep=event.key == "tab"))
        elif not self._line.key(event.key, event.character):
            return
        event.stop()
        event.prevent_default()
        self._after(before)

    def on_paste(self, event: events.Paste) -> None:
        before = self.text
        self._line.insert(event.text)
        event.stop()
        self._after(before)

    def on_click(self, event: events.Click) -> None:
        self._line.go_to_cell(event.x - 4)
        self.refresh()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def _after(self, before: str) -> None:
        self.refresh()
        if self.text != before:
            self.post_message(self.Changed(self.text))
