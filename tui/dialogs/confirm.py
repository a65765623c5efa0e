"""Yes or no."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.strip import Strip
from textual.widget import Widget

from tui.dialogs.base import Dialog, Lines
from tui.widgets.look import look_of
from tui.widgets.rows import ground


class Confirm(Dialog[bool]):
    """True for yes, False for no; None when it was closed."""

    def __init__(self, title: str, text: list[str], yes: str, no: str = "Keep") -> None:
        super().__init__(title, [("y", "y", yes), ("n", "n", no)])
        self._text = text
        self._words = (yes, no)

    def body(self) -> ComposeResult:
        yield Lines([("fg", text) for text in self._text], classes="dialog-text")
        yield _Buttons(*self._words)

    def on_mount(self) -> None:
        self.query_one(_Buttons).focus()

    def on_key(self, event: events.Key) -> None:
        answer = {"y": True, "enter": True, "n": False}.get(event.key)
        if answer is not None:
            event.stop()
            self.dismiss(answer)


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
