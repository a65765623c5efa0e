"""What every dialog is: a panel over the dimmed screen, with its own keys in the footer."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Generic, TypeVar

from rich.segment import Segment
from textual import events
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.containers import Vertical
from textual.css.query import NoMatches
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widget import Widget

from tui.widgets.footer import Footer, Key
from tui.widgets.look import look_of
from tui.widgets.rows import Part, ground, line

T = TypeVar("T")


class Edge(Widget):
    """The accent line at the top of a panel."""

    def render_line(self, y: int) -> Strip:
        look = look_of(self.app)
        return Strip([Segment(look.marks.edge * self.size.width, look.accent)]).apply_style(ground(self))


class Lines(Widget):
    """Lines of text on the grid of a pane; what is inside may come from anywhere."""

    def __init__(self, lines: list[tuple[str, str]], *, id: str | None = None, classes: str | None = None) -> None:
        """`lines` are (style name of the look, text) pairs."""
        super().__init__(id=id, classes=classes)
        self._lines = lines

    def on_mount(self) -> None:
        self.styles.height = len(self._lines)

    def show(self, lines: list[tuple[str, str]]) -> None:
        self._lines = lines
        self.styles.height = len(lines)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        if y >= len(self._lines):
            return Strip.blank(self.size.width, ground(self))
        look = look_of(self.app)
        style, text = self._lines[y]
        left: list[Part] = [(text, getattr(look, style))]
        return line(self.size.width, left).apply_style(ground(self))


class Dialog(ModalScreen[T], Generic[T]):
    """Esc gives None. Subclasses name title, keys, and what stands between.

    The first part of a key is how Textual calls it: a click on it in the footer is the same as the key.
    """

    def __init__(self, title: str, keys: list[Key], note: str = "", close: str = "Close") -> None:
        super().__init__()
        self._title = title
        self._note = note
        self._keys = [*keys, ("escape", "esc", close)]
        self._dismissed = False

    @property
    def gone(self) -> bool:
        """Closed, or about to be: what it shows cannot be changed any more."""
        return self._dismissed or self._pruning or not self.is_attached or not self.app.is_running

    def beside(self, group: str, work: Callable[[], Coroutine[Any, Any, None]], *, exclusive: bool = True) -> None:
        """Do something beside the screen for as long as the dialog is open, and draw nothing after that."""
        # A partial, not a coroutine: a worker that is cancelled before it begins leaves none behind.
        guarded: Any = partial(self._while_open, work)
        self.run_worker(guarded, group=group, description=group, exclusive=exclusive)

    async def _while_open(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            await work()
        except NoMatches:
            if not self.gone:
                raise

    def note(self, text: str) -> None:
        """Say something else on the right of the title."""
        self.query_one(_Title).note(text)

    def show_keys(self, keys: list[Key]) -> None:
        """Have these keys in the footer; the one that closes stays."""
        self._keys = [*keys, self._keys[-1]]
        self.query_one("#footer", Footer).show(self._keys)

    def body(self) -> ComposeResult:
        """The widgets under the title."""
        yield from ()

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Edge(classes="dialog-edge")
            yield _Title(self._title, self._note)
            yield from self.body()
        yield Footer(self._keys, id="footer")

    def on_footer_chosen(self, event: Footer.Chosen) -> None:
        event.stop()
        if event.action:
            # A key that this screen sent itself would not go beyond it, to where keys are looked up.
            self.app.call_later(self.app.simulate_key, event.action)

    # A key is stopped where it closes the dialog, or it would act on what is behind as well.

    def key_escape(self, event: events.Key) -> None:
        event.stop()
        self.action_close()

    def key_ctrl_c(self, event: events.Key) -> None:
        event.stop()
        self.action_close()

    def key_ctrl_q(self, event: events.Key) -> None:
        event.stop()
        self.dismiss(None)
        getattr(self.app, "quit", self.app.exit)()

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Close; a key that comes when it is closed already does nothing."""
        if not self.is_current:
            return AwaitComplete()
        self._dismissed = True
        return super().dismiss(result)

    def action_close(self) -> None:
        self.dismiss(None)


class _Title(Widget):
    def __init__(self, title: str, note: str) -> None:
        super().__init__(classes="dialog-title")
        self._texts = (title, note)

    def note(self, text: str) -> None:
        self._texts = (self._texts[0], text)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        look = look_of(self.app)
        if y:
            return Strip.blank(self.size.width, ground(self))
        strip = line(self.size.width, [(self._texts[0], look.bold)], [(self._texts[1], look.muted)])
        return strip.apply_style(ground(self))
