"""A choice of a few lines: memory mode, model, yes or no."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.strip import Strip

from tui.dialogs.base import Dialog, Lines
from tui.widgets.footer import Key
from tui.widgets.linelist import LineList
from tui.widgets.look import Look
from tui.widgets.rows import LEFT, Part, RowState, row_line, wrap

CHOICE_KEYS: list[Key] = [("", "↑↓", "Choose"), ("enter", "enter", "Use")]
_CELLS = 80
"""As wide as the style sheet has it."""
_AROUND = LEFT + 2
"""Cells of a line that its text leaves free."""


@dataclass(slots=True)
class ChoiceRow:
    """A line to choose: a mark, what it is, what it means, a fact on the right."""

    key: str
    text: str
    note: str = ""
    right: str = ""
    mark: str = " "
    mark_style: str = "accent"
    letter: str = ""
    """A key that chooses it at once."""
    text_cells: int = 0
    height: ClassVar[int] = 1
    selectable: ClassVar[bool] = True
    head: ClassVar[bool] = False
    live: ClassVar[bool] = False

    def draw(self, width: int, look: Look, state: RowState) -> list[Strip]:
        reverse = state.chosen and not look.palette.steps
        fg, muted, mark = (
            (Style(), Style(), Style()) if reverse else (look.fg, look.muted, getattr(look, self.mark_style))
        )
        words = fg + Style(bold=True) if state.chosen else fg
        left: list[Part] = [(self.mark, mark), (" ", fg), (self.text.ljust(self.text_cells), words)]
        if self.note:
            left += [("  ", fg), (self.note, muted)]
        return [row_line(width, look, state, left, [(self.right, muted)] if self.right else [])]


class Choice(Dialog[str]):
    """Gives the key of the chosen row."""

    def __init__(
        self,
        title: str,
        rows: Sequence[ChoiceRow],
        chosen: str = "",
        note: str = "",
        below: Sequence[str] = (),
        *,
        told: str = "",
    ) -> None:
        """`told` stands under the rows, in as many lines as it takes; those of `below` are cut where they are long."""
        super().__init__(title, CHOICE_KEYS, note)
        self._rows = list(rows)
        self._chosen = chosen
        self._below = below
        self._told = told

    def body(self) -> ComposeResult:
        widest = max((len(row.text) for row in self._rows), default=0)
        for row in self._rows:
            row.text_cells = widest
        choices = LineList(id="choices")
        choices.one_click = True
        yield choices
        if self._told or self._below:
            yield Lines([], id="below", classes="dialog-below")

    def on_mount(self) -> None:
        choices = self.query_one("#choices", LineList)
        choices.styles.height = min(len(self._rows), max(3, self.app.size.height - 10))
        choices.set_rows(self._rows)
        choices.choose(self._chosen)
        choices.focus()
        self._show_below()

    def on_resize(self) -> None:
        self.call_after_refresh(self._show_below)

    def _show_below(self) -> None:
        for lines in self.query("#below").results(Lines):
            cells = (lines.size.width or min(_CELLS, self.app.size.width * 94 // 100) - 2) - _AROUND
            told = wrap(self._told, cells) if self._told else []
            lines.show([("muted", text) for text in (*told, *self._below)])

    def on_line_list_opened(self, event: LineList.Opened) -> None:
        event.stop()
        self.dismiss(event.key)

    def on_key(self, event: events.Key) -> None:
        for row in self._rows:
            if row.letter and event.character == row.letter:
                event.stop()
                self.dismiss(row.key)
                return
