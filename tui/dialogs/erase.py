"""The one question before something is erased: what goes stands above the choice."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult

from tui.dialogs.base import Lines
from tui.dialogs.choice import Choice, ChoiceRow


class EraseChoice(Choice):
    """Gives the key of the chosen row; `keep` or None leaves all as it is. Enter alone erases nothing."""

    def __init__(self, title: str, goes: Sequence[str], rows: Sequence[ChoiceRow]) -> None:
        keep = ChoiceRow("keep", "Keep it", "nothing is erased", "n", letter="n")
        super().__init__(title, [*rows, keep], keep.key, "nothing brings it back")
        self._goes = list(goes)

    def body(self) -> ComposeResult:
        room = max(3, self.app.size.height - 14)
        lines = self._goes if len(self._goes) <= room else [*self._goes[: room - 1], "…"]
        yield Lines([("fg" if i == 0 else "muted", text) for i, text in enumerate(lines)], classes="dialog-text")
        yield Lines([("fg", "")], classes="dialog-text")
        yield from super().body()
