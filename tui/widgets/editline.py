"""One line of text being edited: pure state, drawn by the search box and by the fields of a form."""

from __future__ import annotations

from rich.style import Style

from tui.widgets.cells import cell_len
from tui.widgets.look import Look
from tui.widgets.rows import Part, plain


class EditLine:
    """A text and a cursor in it. `selected` means that all of it is selected, and typing replaces it."""

    def __init__(self, text: str = "") -> None:
        self.text = text
        self.cursor = len(text)
        self.selected = False

    def set(self, text: str, *, selected: bool = False) -> None:
        self.text, self.cursor, self.selected = text, len(text), selected and bool(text)

    def insert(self, text: str) -> None:
        """Put text at the cursor; line breaks become spaces."""
        text = " ".join(text.splitlines())
        if self.selected:
            self.set("")
        self.text = self.text[: self.cursor] + text + self.text[self.cursor :]
        self.cursor += len(text)

    def key(self, key: str, character: str | None) -> bool:
        """Do what a key means in a line of text; False when it means nothing here."""
        if character is not None and character.isprintable():
            self.insert(character)
            return True
        if key in {"backspace", "delete"} and self.selected:
            self.set("")
            return True
        match key:
            case "backspace":
                self._remove(self.cursor - 1, self.cursor)
            case "delete":
                self._remove(self.cursor, self.cursor + 1)
            case "ctrl+w" | "alt+backspace":
                self._remove(self._word(), self.cursor)
            case "ctrl+u":
                self._remove(0, self.cursor)
            case "left":
                self.cursor = max(0, self.cursor - 1)
            case "right":
                self.cursor = min(len(self.text), self.cursor + 1)
            case "home" | "ctrl+a":
                self.cursor = 0
            case "end" | "ctrl+e":
                self.cursor = len(self.text)
            case _:
                return False
        self.selected = False
        return True

    def _word(self) -> int:
        head = self.text[: self.cursor].rstrip()
        return head.rfind(" ") + 1

    def _remove(self, start: int, end: int) -> None:
        start, end = max(0, start), min(len(self.text), end)
        self.text = self.text[:start] + self.text[end:]
        self.cursor = start

    def go_to_cell(self, cell: int) -> None:
        """Put the cursor where a click at that cell of the text falls."""
        self.selected = False
        self.cursor = len(self.text)
        at = 0
        for i, char in enumerate(self.text):
            at += cell_len(plain(char))
            if cell < at:
                self.cursor = i
                return

    def parts(self, cells: int, look: Look, style: Style, *, focused: bool, placeholder: str = "") -> list[Part]:
        """The line in at most `cells` cells, scrolled so that the cursor is seen, with the cursor when focused."""
        if not self.text:
            hint = plain(placeholder)
            if not focused:
                return [(hint, look.italic)]
            return [(hint[:1] or " ", look.cursor), (hint[1:], look.italic)]
        if not focused:
            return [(self.text, style)]
        if self.selected:
            return [(self.text, look.hit), (" ", look.cursor)]
        start = 0
        while start < self.cursor and cell_len(plain(self.text[start : self.cursor + 1])) + 1 > cells:
            start += 1
        under = self.text[self.cursor : self.cursor + 1]
        before = [(self.text[start : self.cursor], style)]
        return [*before, (under or " ", look.cursor), (self.text[self.cursor + 1 :], style)]
