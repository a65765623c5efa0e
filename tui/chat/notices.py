"""Lines between conversation and composer: what the program has to say, and what waits to be sent."""

from __future__ import annotations

from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from tui.widgets.beat import Once
from tui.widgets.look import look_of
from tui.widgets.rows import Part, ground, line

_INFO_S = 6.0


class NoticeLine(Widget):
    """The newest notice; an information goes by itself, the others stay until the next message."""

    def __init__(self) -> None:
        super().__init__(id="notice")
        self.display = False
        self.text = ""
        self._level = "info"
        self._timer: Once | None = None

    def show(self, text: str, level: str = "info") -> None:
        self.text, self._level = text, level
        self.display = True
        self.refresh()
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if level == "info":
            self._timer = Once(self, _INFO_S, self.clear)

    def clear(self) -> None:
        self.text = ""
        self.display = False

    def render_line(self, y: int) -> Strip:
        look = look_of(self.app)
        marks = {"error": (look.marks.failed, look.err), "warning": (look.marks.overdue, look.warn)}
        mark, style = marks.get(self._level, (look.marks.dot, look.muted))
        words = look.fg if self._level == "error" else look.muted
        return line(self.size.width, [(mark, style), (" ", Style()), (self.text, words)]).apply_style(ground(self))


class QueueLines(Widget):
    """What was sent while a turn runs, oldest first, at most three lines."""

    def __init__(self) -> None:
        super().__init__(id="queue")
        self.display = False
        self._texts: list[str] = []

    def show(self, texts: list[str]) -> None:
        if texts != self._texts:
            self._texts = texts
            self.display = bool(texts)
            self.styles.height = min(3, len(texts)) or 1
            self.refresh()

    def render_line(self, y: int) -> Strip:
        shown = self._texts[-3:]
        if y >= len(shown):
            return Strip.blank(self.size.width, ground(self))
        look = look_of(self.app)
        last = y == len(shown) - 1
        words = f"queued {look.marks.dot} {look.marks.up} edits it" if last else "queued"
        left: list[Part] = [(look.marks.prompt, look.muted), (" ", Style()), (shown[y], look.italic)]
        return line(self.size.width, left, [(words, look.muted)]).apply_style(ground(self))
