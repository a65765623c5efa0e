"""The one question before something is erased: what goes stands above the choice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from tui.dialogs.base import Lines
from tui.dialogs.choice import Choice, ChoiceRow


class EraseChoice(Choice):
    """Gives the key of the chosen row; `keep` or None leaves all as it is. Enter alone erases nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pagedown", "read(1)", show=False, priority=True),
        Binding("pageup", "read(-1)", show=False, priority=True),
    ]

    def __init__(self, title: str, goes: Sequence[str], rows: Sequence[ChoiceRow], *, whole: bool = False) -> None:
        """With `whole` all that goes can be scrolled to; otherwise so much of it is shown as there is room for."""
        keep = ChoiceRow("keep", "Keep it", "nothing is erased", "n", letter="n")
        super().__init__(title, [*rows, keep], keep.key, "nothing brings it back")
        self._goes = list(goes)
        self._whole = whole

    def body(self) -> ComposeResult:
        room = max(3, self.app.size.height - 14)
        cut = len(self._goes) > room and not self._whole
        shown = [*self._goes[: room - 1], "…"] if cut else self._goes
        lines = Lines([("fg" if i == 0 else "muted", text) for i, text in enumerate(shown)], classes="dialog-text")
        if len(shown) > room:
            with VerticalScroll(id="confirm-text", can_focus=False) as scroll:
                scroll.styles.height = room
                yield lines
        else:
            yield lines
        yield Lines([("fg", "")], classes="dialog-text")
        yield from super().body()

    def on_mount(self) -> None:
        if self.query("#confirm-text"):
            self.note("pgdn reads all")

    def action_read(self, way: int) -> None:
        """Scroll what goes by a screenful of it."""
        for text in self.query("#confirm-text").results(VerticalScroll):
            text.scroll_relative(y=way * max(1, text.size.height - 1))
