"""All that a call is to be given, to be read before it is allowed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.style import Style
from textual.app import ComposeResult
from textual.strip import Strip

from tui.chat.approval import argument_lines, label_cells
from tui.dialogs.base import Dialog
from tui.widgets.cells import cut, pad
from tui.widgets.look import Look
from tui.widgets.rows import Part, line
from tui.widgets.stripview import StripView


class Arguments(Dialog[None]):
    """Gives nothing: the question is answered where it stands."""

    def __init__(self, name: str, arguments: Mapping[str, Any]) -> None:
        super().__init__(name, [("", "↑↓", "Scroll")])
        self._arguments = arguments

    def body(self) -> ComposeResult:
        yield StripView(self._draw, id="arguments")

    def on_mount(self) -> None:
        view = self.query_one(StripView)
        view.styles.height = max(3, self.app.size.height - 12)
        view.focus()

    def _draw(self, width: int, look: Look) -> list[Strip]:
        label = label_cells(self._arguments)
        out = []
        for name, text in argument_lines(self._arguments, width - label - 6):
            left: list[Part] = [(pad(cut(name, label), label) + "  ", look.muted), (text, look.fg + Style())]
            out.append(line(width, left))
        return out
