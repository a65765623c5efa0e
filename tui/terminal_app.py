"""The app's side of the terminal: what comes from it, what goes to it, and its clipboard."""

from __future__ import annotations

import base64
import os
import signal
from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

from textual import events
from textual.app import App
from textual.driver import Driver
from textual.filter import LineFilter
from textual.widget import Widget

from tui.widgets.barrier import Barrier
from tui.widgets.visible import without_controls

_HUNG_UP = 128 + signal.SIGHUP
"""The exit code, as shells have it."""


class TerminalApp(App[int]):
    """An app that can show and be given any text."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.barrier = Barrier()
        self.has_hung_up = False
        self._aims: WeakKeyDictionary[events.Key, Widget] = WeakKeyDictionary()
        """Key -> who had the focus when it was pressed."""

    async def on_event(self, event: events.Event) -> None:
        """A key that nobody took, and whose place has lost the focus since, goes to the place that has it now.

        Who types ahead is faster than a focus moves: what follows `/` is meant for the search box and must not become
        a command of the list.
        """
        if isinstance(event, events.Key) and (focused := self.focused) is not None:
            if not event.is_forwarded:
                self._aims[event] = focused
            elif self._aims.pop(event, focused) is not focused:
                again = events.Key(event.key, event.character)
                self._aims[again] = focused
                focused._forward_event(again)
                return
        await super().on_event(event)

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

    def begin_with_theme(self, name: str) -> None:
        """The theme of the first paint. A change of `theme` would read every style sheet a second time."""
        self.set_reactive(App.theme, name)
        dark = self.current_theme.dark
        self.set_class(True, f"-theme-{name}", update=False)
        self.set_class(dark, "-dark-mode", update=False)
        self.set_class(not dark, "-light-mode", update=False)
        self._refresh_truecolor_filter(self.ansi_theme)
        self.stylesheet.set_variables(self.get_css_variables())

    def on_hung_up(self) -> None:
        self.hung_up()

    def hung_up(self) -> None:
        """Nobody sees the screen any more: leave, once, whichever way that was noticed first."""
        if not self.has_hung_up:
            self.has_hung_up = True
            self.quit(_HUNG_UP)

    def quit(self, code: int = 0) -> None:
        """End what runs, then leave."""
        raise NotImplementedError

    def say(self, text: str, level: str = "info") -> None:
        """Tell the person."""
        raise NotImplementedError
