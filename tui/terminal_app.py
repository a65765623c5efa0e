"""The app's side of the terminal: what comes from it, what goes to it, and its clipboard."""

from __future__ import annotations

import base64
import os
from collections.abc import Sequence
from typing import Any

from textual.app import App
from textual.driver import Driver
from textual.filter import LineFilter

from tui.widgets.barrier import Barrier
from tui.widgets.visible import without_controls


class TerminalApp(App[int]):
    """An app that can show and be given any text."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.barrier = Barrier()

    def get_driver_class(self) -> type[Driver]:
        """Textual's driver, or ours in its place."""
        usual = super().get_driver_class()
        if usual.__name__ != "LinuxDriver":
            return usual
        from tui.terminal import TerminalDriver

        return TerminalDriver

    def get_line_filters(self) -> Sequence[LineFilter]:
        """What Textual does to every line, and last of all the barrier."""
        return [*super().get_line_filters(), self.barrier]

    def copy_to_clipboard(self, text: str) -> None:
        """Send the text to the terminal's clipboard, through tmux where it runs in one; controls are marks there."""
        text = without_controls(text)
        super().copy_to_clipboard(text)
        if os.environ.get("TMUX") and self._driver is not None:
            coded = base64.b64encode(text.encode()).decode()
            self._driver.write(f"\x1bPtmux;\x1b\x1b]52;c;{coded}\a\x1b\\")
        self.say("sent to the clipboard")

    def say(self, text: str, level: str = "info") -> None:
        """Tell the person."""
        raise NotImplementedError
