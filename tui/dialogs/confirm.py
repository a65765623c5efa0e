"""Yes or no."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.strip import Strip
from textual.widget import Widget

from tui.dialogs.base import Dialog, Lines
from tui.widgets.look import look_of
from tui.widgets.rows import ground

_AROUND = 9
"""Rows of the dialog beside its text, at most."""
_STEPS = {"up": -1, "down": 1, "pageup": -1, "pagedown": 1}


class Confirm(Dialog[bool]):
    """True for yes, False for no; None when it was closed. What is longer than the screen is scrolled."""

    def __init__(self, title: str, text: Sequence[str | tuple[str, str]], yes: str, no: str = "Keep") -> None:
        super().__init__(title, [("y", "y", yes), ("n", "n", no)])
        self._text = [("fg", line) if isinstance(line, str) else line for line in text]
        self._words = (yes, no)

    def body(self) -> ComposeResult:
        with VerticalScroll(id="confirm-text", can_focus=False):
            yield Lines(self._text, classes="dialog-text")
        yield _Buttons(*self._words)

    def on_mount(self) -> None:
        self.query_one(_Buttons).focus()

    def on_resize(self) -> None:
        """The answers are always in sight."""
        most = max(1, self.app.size.height * 9 // 10 - _AROUND)
        self.query_one("#confirm-text").styles.max_height = most
        self.note("↑↓ read all" if len(self._text) > most else "")

    def on_key(self, event: events.Key) -> None:
        answer = {"y": True, "enter": True, "n": False}.get(event.key)
        if answer is not None:
            event.stop()
            self.dismiss(answer)
        elif event.key in _STEPS:
            event.stop()
            text = self.query_one("#confirm-text")
            text.scroll_relative(y=_STEPS[event.key] * (max(1, text.size.height - 1) if "page" in event.key else 1))


class _Buttons(Widget, can_focus=True):
    def __init__(self, yes: str, no: str) -> None:
        super().__init__(classes="dialog-buttons")
        self._words = (yes, no)

    def render_line(self, y: int) -> Strip:
        look = look_of(self.app)
        filled = look.cursor + Style(bold=True)
        plain = look.fg + look.raised_bg
        return (
            Strip(
                [
                    Segment("  "),
                    Segment(f" enter  {self._words[0]} ", filled + Style(meta={"yes": True})),
                    Segment("  "),
                    Segment(" n ", look.accent_bold + look.raised_bg + Style(meta={"yes": False})),
                    Segment(f" {self._words[1]} ", plain + Style(meta={"yes": False})),
                ]
            )
            .adjust_cell_length(self.size.width)
            .apply_style(ground(self))
        )

    def on_click(self, event: events.Click) -> None:
        yes = event.style.meta.get("yes")
        if isinstance(yes, bool) and isinstance(self.screen, Confirm):
            self.screen.dismiss(yes)
