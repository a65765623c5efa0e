"""What came of taking over a file, and what was left out and why: as long as it is, to be scrolled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.strip import Strip

from tui.dialogs.base import Dialog
from tui.widgets.linelist import LineList
from tui.widgets.look import Look
from tui.widgets.rows import Part, RowState, line, wrap

_CELLS = 80
"""As wide as the style sheet has it."""
_AROUND = 10
"""Lines of the screen that are not the list's."""


@dataclass(slots=True)
class _Said:
    """A line of the report; the cursor goes through them, so that the list scrolls."""

    key: str
    text: str
    came: bool
    height: ClassVar[int] = 1
    selectable: ClassVar[bool] = True
    head: ClassVar[bool] = False
    live: ClassVar[bool] = False

    def draw(self, width: int, look: Look, state: RowState) -> list[Strip]:
        left: list[Part] = [(self.text, look.fg if self.came else look.muted)]
        return [line(width, left)]


class ImportReport(Dialog[None]):
    """Only read."""

    def __init__(self, name: str, came: Sequence[str], left: Sequence[str]) -> None:
        super().__init__(f"Taken over: {name}", [("", "↑↓", "Scroll")])
        self._came = list(came)
        self._left = list(left)

    def body(self) -> ComposeResult:
        yield LineList(id="choices")

    def on_mount(self) -> None:
        self._show()
        self.query_one("#choices", LineList).focus()

    def on_resize(self) -> None:
        self.call_after_refresh(self._show)

    def _show(self) -> None:
        choices = self.query_one("#choices", LineList)
        cells = (choices.size.width or min(_CELLS, self.app.size.width * 94 // 100) - 2) - 6
        texts = [(text, True) for text in self._came]
        if self._left:
            texts += [("", True), ("Left out, or not taken over wholly:", True), *((t, False) for t in self._left)]
        told = [(said, came) for text, came in texts for said in _hung(text, cells)]
        choices.styles.height = min(len(told), max(3, self.app.size.height * 9 // 10 - _AROUND))
        choices.set_rows([_Said(str(i), said, came) for i, (said, came) in enumerate(told)])

    def on_line_list_opened(self, event: LineList.Opened) -> None:
        event.stop()


def _hung(text: str, cells: int) -> list[str]:
    """The text in lines, all but the first indented."""
    first, *more = wrap(text, cells) or [""]
    return [first, *(f"  {said}" for said in wrap(" ".join(more), cells - 2))] if more else [first]
