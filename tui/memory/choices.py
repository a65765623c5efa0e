"""A field of more than two values, and the list that drops from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.strip import Strip

from sessions.memory.rules import GROUPS, KINDS
from tui.memory.fields import VALUE, ChoiceField
from tui.widgets.linelist import LineList
from tui.widgets.look import Look
from tui.widgets.rows import NO_STYLE, Part, RowState, row_line

KIND_GROUPS: dict[str, str] = {kind: next(title for title, kinds in GROUPS.items() if kind in kinds) for kind in KINDS}
"""Each kind of fact and the group of the list that it stands in."""


@dataclass(slots=True)
class OptionRow:
    """A value and what it means."""

    key: str
    note: str
    cells: int
    """Of the longest value."""
    height: ClassVar[int] = 1
    selectable: ClassVar[bool] = True
    head: ClassVar[bool] = False
    live: ClassVar[bool] = False

    def draw(self, width: int, look: Look, state: RowState) -> list[Strip]:
        reverse = state.chosen and not look.palette.steps
        name, note = (Style(), Style()) if reverse else (look.bold if state.chosen else look.fg, look.muted)
        left: list[Part] = [(self.key.ljust(self.cells), name), ("  ", NO_STYLE), (self.note, note)]
        return [row_line(width, look, state, left)]


class Options(LineList):
    """Lies over the form while the focus is in it; enter takes a value, esc and tab leave the field as it was."""

    def __init__(self, field: ListField, notes: Mapping[str, str]) -> None:
        super().__init__(classes="options")
        self.display = False
        self._field = field
        longest = max(map(len, notes))
        self._options = [OptionRow(value, note, longest) for value, note in notes.items()]
        self.styles.height = len(notes)
        self.styles.width = 6 + longest + max(map(len, notes.values()))
        self.styles.margin = (0, 0, 0, VALUE)

    def open(self, value: str) -> None:
        """Show the values, the cursor on this one."""
        self.display = True
        self.set_rows(self._options)
        self.choose(value)
        self.screen.set_focus(self)

    def on_key(self, event: events.Key) -> None:
        if event.key in {"escape", "tab", "shift+tab", "left"}:
            event.stop()
            event.prevent_default()
            self._field.focus()
        elif event.key == "space":
            event.stop()
            self.action_open()

    def on_click(self, event: events.Click) -> None:
        event.prevent_default()
        index = self.row_at(event.y)
        if index >= 0:
            self._field.take(self.rows[index].key)

    def on_blur(self) -> None:
        self.display = False

    def on_line_list_highlighted(self, event: LineList.Highlighted) -> None:
        event.stop()

    def on_line_list_opened(self, event: LineList.Opened) -> None:
        event.stop()
        self._field.take(event.key)


class ListField(ChoiceField):
    """Enter, space or a click drops the list of `options`, which stands behind this field in the form."""

    def __init__(self, name: str, label: str, notes: Mapping[str, str]) -> None:
        super().__init__(name, label, tuple(notes), "▾")
        self.options = Options(self, notes)

    def take(self, value: str) -> None:
        """This was chosen."""
        self.screen.set_focus(self)
        if value != self.value:
            self.value = value
            self._changed()

    def on_key(self, event: events.Key) -> None:
        if event.key in {"enter", "space", "right", "left"}:
            event.stop()
            event.prevent_default()
            if event.key in {"enter", "space"}:
                self.options.open(self.value)

    def on_click(self, event: events.Click) -> None:
        event.prevent_default()
        if event.x >= VALUE:
            self.options.open(self.value)
