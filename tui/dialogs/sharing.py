"""What a model elsewhere may see of what was said to models on this machine."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult

from tui.dialogs.base import Lines
from tui.dialogs.choice import CHOICE_KEYS, Choice, ChoiceRow

NOW, SESSION, ALL = "now", "session", "all"


class Sharing(Choice):
    """Gives NOW, SESSION or ALL; None = the words stay where they are."""

    def __init__(self, text: Sequence[str], turns: int, past: bool, no: str) -> None:
        """`text` says where words go, `turns` is how many of this session were said here, `past` whether others were,
        `no` what esc does.
        """
        rows = [ChoiceRow(NOW, "From now on", "what was said to models here stays here", letter="1", right="1")]
        if turns:
            along = f"its {turns} turn{'s go' if turns > 1 else ' goes'} along"
            rows.append(ChoiceRow(SESSION, "With this session", along, letter="2", right="2"))
        if past:
            key = str(len(rows) + 1)
            rows.append(ChoiceRow(ALL, "With past sessions", "it can search them, too", letter=key, right=key))
        below = ["In Memory, space switches a fact off; ^o shows what is sent.", "/model changes back."]
        super().__init__("Where your words go", rows, NOW, below=below)
        self._text = text
        self._keys = [*CHOICE_KEYS, ("escape", "esc", no)]

    def body(self) -> ComposeResult:
        yield Lines([*(("fg", text) for text in self._text), ("fg", "")], classes="dialog-text")
        yield from super().body()
