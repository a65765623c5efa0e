"""One line of text: a session's new title, a sentence to remember."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.widgets import Input

from tui.dialogs.base import Dialog, Lines


class AskText(Dialog[str]):
    """Gives the text, without blanks around it; empty text is not accepted."""

    def __init__(self, title: str, value: str = "", *, placeholder: str = "", verb: str = "Save") -> None:
        super().__init__(title, [("enter", "enter", verb)])
        self._value = value
        self._placeholder = placeholder

    def body(self) -> ComposeResult:
        field = Input(self._value, placeholder=self._placeholder, select_on_focus=True, compact=True, id="ask-text")
        field.cursor_blink = False
        yield field
        yield Lines([("err", "")], id="ask-error")

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        text = " ".join(event.value.split())
        if text:
            self.dismiss(text)
        else:
            self.query_one("#ask-error", Lines).show([("err", "write something, or esc")])
