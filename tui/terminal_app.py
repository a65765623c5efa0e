"""The app's side of the terminal: what comes from it, what goes to it, and its clipboard."""

from __future__ import annotations

import base64
import os
import signal
import time
from collections import deque
from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

from textual import events
from textual.app import App
from textual.driver import Driver
from textual.filter import LineFilter
from textual.widget import Widget

from tui.widgets.barrier import Barrier
from tui.widgets.beat import Once
from tui.widgets.visible import without_controls

_HOLD_S = 3.0
"""Longest time that a key waits for those before it, and for a view that is being made."""
_AGAIN_S = 0.01
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
        self._held: deque[events.Key] = deque()
        """Keys that wait for those before them."""
        self._held_until = 0.0
        self.moving = False
        """The focus is on its way to another view."""

    async def on_event(self, event: events.Event) -> None:
        """A key that nobody took, and whose place has lost the focus since, goes to the place that has it now.

        Who types ahead is faster than a focus moves: what follows `/` is meant for the search box and must not become
        a command of the list. What is pressed after it comes after it.
        """
        if not isinstance(event, events.Key):
            await super().on_event(event)
        elif event.is_forwarded:
            focused = self.focused
            if focused is not None and self._aims.pop(event, focused) is not focused:
                again = events.Key(event.key, event.character)
                self._aims[again] = focused
                focused._forward_event(again)
            else:
                await super().on_event(event)
        elif self._held or self._must_wait():
            if not self._held:
                self._held_until = time.monotonic() + _HOLD_S
                self._look_again()
            self._held.append(event)
        else:
            await self._pressed(event)

    async def _pressed(self, event: events.Key) -> None:
        if self.focused is not None:
            self._aims[event] = self.focused
        await super().on_event(event)
        if not event.is_forwarded:
            self._aims.pop(event, None)

    def _must_wait(self) -> bool:
        """Whether a key is still under way to a place that has lost the focus, or the focus itself is."""
        focused = self.focused
        return self.moving or any(aim is not focused and not key._stop_propagation for key, aim in self._aims.items())

    async def _let_go(self) -> None:
        while self._held and (time.monotonic() > self._held_until or not self._must_wait()):
            await self._pressed(self._held.popleft())
        if self._held:
            self._look_again()

    def _look_again(self) -> None:
        # Not as the next message: without a moment of rest nothing is laid out, and no focus moves.
        Once(self, _AGAIN_S, self._let_go)

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


def cjk_locale() -> bool:
    """Whether the terminal may draw marks of ambiguous width two cells wide."""
    locale = next((value for name in ("LC_ALL", "LC_CTYPE", "LANG") if (value := os.environ.get(name))), "")
    return locale[:2] in {"ja", "ko", "zh"}
