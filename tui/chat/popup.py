"""The slash commands that fit what is being written, above the composer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.commands import BY_SLASH, Action, matching_slash
from tui.widgets.cells import cell_len, cut
from tui.widgets.footer import Key
from tui.widgets.look import look_of

_ROWS = 8


class SlashPopup(Widget):
    """The focus stays in the composer, which hands its keys to `take` while this is open."""

    KEYS: ClassVar[list[Key]] = [
        ("", "↑↓", "Choose"),
        ("enter", "enter", "Run"),
        ("tab", "tab", "Complete"),
        ("escape", "esc", "Close"),
    ]

    @dataclass
    class Run(Message):
        """Enter on a row, or a click."""

        action: Action

    def __init__(self) -> None:
        super().__init__(id="slash")
        self.write: Callable[[str], None] = lambda _: None
        """Puts a text in the place of what stands in the composer, at once: the next key may be waiting already."""
        self.display = False
        self._found: list[tuple[Action, tuple[int, ...]]] = []
        self._at = 0
        self._top = 0
        self._closed_at: str | None = None

    def follow(self, text: str) -> None:
        """Open, narrow or close by what stands in the composer."""
        word = text[1:] if text.startswith("/") else None
        if word is None or any(c.isspace() for c in word):
            self._closed_at = None
            self.close(forget=True)
            return
        if self._closed_at is not None and text.startswith(self._closed_at):
            return
        self._found = matching_slash(word)
        self._at = self._top = 0
        self._show(bool(self._found))

    def close(self, *, forget: bool = False, text: str | None = None) -> None:
        """Go away; with `text` it stays away while that is being continued."""
        self._closed_at = None if forget else text
        self._show(False)

    def take(self, key: str) -> bool:
        """A key of the composer; True when it was for this list."""
        if key in {"up", "down"}:
            self._move(-1 if key == "up" else 1)
        elif key == "tab":
            self.write(f"/{self._found[self._at][0].slash} ")
        elif key == "enter":
            self._run(self._found[self._at][0])
        elif key == "escape":
            self.close(text="/")
        else:
            return False
        return True

    def _run(self, action: Action) -> None:
        # What needs words is to be written to its end first.
        needs = bool(action.arguments) and not action.arguments.startswith("[")
        self.write(f"/{action.slash} " if needs else "")
        if not needs:
            self.post_message(self.Run(action))

    def _move(self, by: int) -> None:
        self._at = (self._at + by) % len(self._found)
        self._top = min(max(self._top, self._at - _ROWS + 1), self._at)
        self.refresh()

    def _show(self, show: bool) -> None:
        changed = self.display != show
        self.display = show
        if show:
            self.styles.height = 1 + min(_ROWS, len(self._found))
            self.refresh()
        if changed:
            self.post_message(self.Toggled())

    class Toggled(Message):
        """Opened or closed: the footer shows other keys."""

    def render_line(self, y: int) -> Strip:
        look, width = look_of(self.app), self.size.width
        ground = look.panel_bg
        if y == 0:
            count = f"{len(self._found)} of {len(BY_SLASH)}"
            room = max(1, width - 3 - len("Commands") - cell_len(count) - 2)
            return Strip(
                [
                    Segment("   Commands", look.muted_bold + ground),
                    Segment(" " * room + count + "  ", look.muted + ground),
                ]
            ).adjust_cell_length(width, ground)
        index = self._top + y - 1
        if index >= len(self._found):
            return Strip.blank(width, ground)
        action, positions = self._found[index]
        chosen = index == self._at
        ground = look.sel_bg if chosen else ground
        plain, note = (ground, ground) if chosen and not look.palette.steps else (look.fg + ground, look.muted + ground)
        bright = ground + Style(bold=True) if plain is ground else look.accent_bold + ground
        meta = Style(meta={"row": index})
        edge = Segment(look.marks.focus, look.accent + ground) if chosen else Segment(" ", ground)
        segments = [edge, Segment("  ", ground), Segment("/", bright + meta)]
        segments += [Segment(c, (bright if i in positions else plain) + meta) for i, c in enumerate(action.slash)]
        segments.append(Segment(" " * max(2, 12 - len(action.slash)), ground + meta))
        keys = self.app.keymap.shown(action.name) if hasattr(self.app, "keymap") else ""
        right = keys if action.keys else action.arguments
        room = width - 3 - 1 - max(len(action.slash) + 2, 12) - cell_len(right) - 4
        segments.append(Segment(cut(action.title, room), note + meta))
        used = sum(cell_len(s.text) for s in segments)
        segments.append(Segment(" " * max(1, width - 2 - used - cell_len(right)) + right + "  ", note + meta))
        return Strip(segments).adjust_cell_length(width, ground)

    def on_click(self, event: events.Click) -> None:
        row = event.style.meta.get("row")
        if isinstance(row, int):
            self._run(self._found[row][0])
