"""One line of text: a session's new title, a sentence to remember, a key that nobody is to see."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.widgets import Input

from tui.dialogs.base import Dialog, Lines
from tui.widgets.rows import wrap


class AskText(Dialog[str]):
    """Gives the text, without blanks around it; empty text is not accepted."""

    def __init__(
        self,
        title: str,
        value: str = "",
        *,
        placeholder: str = "",
        verb: str = "Save",
        secret: bool = False,
        note: str = "",
    ) -> None:
        """`secret`: what is typed is not shown. `note` stands below."""
        super().__init__(title, [("enter", "enter", verb)])
        self._value = value
        self._placeholder = placeholder
        self._secret = secret
        self._below = note

    def body(self) -> ComposeResult:
        field = Input(
            self._value,
            placeholder=self._placeholder,
            select_on_focus=True,
            compact=True,
            password=self._secret,
            id="ask-text",
        )
        field.cursor_blink = False
        yield field
        if self._below:
            yield Lines([("muted", part) for part in wrap(self._below, 70)], classes="dialog-below")
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
