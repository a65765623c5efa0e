"""A field of many lines that may hold any text: what must not reach a terminal is seen, measured and given back."""

from __future__ import annotations

from textual.document._document import Location
from textual.document._edit import Edit
from textual.widgets import TextArea
from textual.widgets.text_area import EditResult

from tui.widgets.visible import held, released


class TextBox(TextArea):
    """Inside, an unsafe character is a private one that is a cell wide; `text` and what is copied have the true one."""

    @property
    def text(self) -> str:
        """The text as it was put in."""
        return released(self.document.text)

    @text.setter
    def text(self, value: str) -> None:
        self.load_text(value)

    def load_text(self, text: str) -> None:
        super().load_text(held(text))

    def get_text_range(self, start: Location, end: Location) -> str:
        return released(super().get_text_range(start, end))

    def edit(self, edit: Edit) -> EditResult:
        edit.text = held(edit.text)
        return super().edit(edit)
