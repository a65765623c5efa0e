"""What the transcript tells its owner."""

from __future__ import annotations

from textual.message import Message

from tui.chat.blocks import Call


class SelectionEnded(Message):
    """A selection was made with the mouse."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


class LinkOpened(Message):
    """A link was clicked; the owner shows where it goes before it opens it."""

    def __init__(self, href: str) -> None:
        super().__init__()
        self.href = href


class ResultWanted(Message):
    """All of a result is to be read that is kept beside the log; the owner gives it to `put_result`."""

    def __init__(self, call: Call) -> None:
        super().__init__()
        self.call = call


class FootFocused(Message):
    """The keys act on the foot of the newest answer, or, `on` false, no longer."""

    def __init__(self, on: bool = True) -> None:
        super().__init__()
        self.on = on


class CameBelow(Message):
    """Something new stands below what is in sight, or, `on` false, the reader is at the end again."""

    def __init__(self, on: bool) -> None:
        super().__init__()
        self.on = on


class WayTurned(Message):
    """An older way is shown, or no longer."""


class FactOpened(Message):
    """The line that tells what became of a fact was clicked."""

    def __init__(self, fact: str | int) -> None:
        super().__init__()
        self.fact = fact


class FootAction(Message):
    """What the person wants of the facts behind an answer.

    `action`: edit, list (all always-sent facts), undo, off, retry (answer again). `names` and `numbers` are the
    facts it is about, in the same order.
    """

    def __init__(self, action: str, names: tuple[str, ...], numbers: tuple[int, ...], turn: int) -> None:
        super().__init__()
        self.action, self.names, self.numbers, self.turn = action, names, numbers, turn


class Left(Message):
    """The person is done here: the composer's turn."""
