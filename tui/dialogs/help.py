"""The keys and commands, those of the place the person is in first."""

from __future__ import annotations

from itertools import zip_longest

from textual import events
from textual.app import ComposeResult

from tui.commands import ACTIONS, EVERYWHERE, PLACES, Action, Keymap, shown_key
from tui.dialogs.base import Dialog
from tui.dialogs.choice import ChoiceRow
from tui.widgets.linelist import LineList
from tui.widgets.rows import GroupHead, Row, wrap

_KEY_CELLS = 24
_WIDEST = 110
_AROUND = 12
"""Cells of a row beside its two texts."""
_TITLES = {EVERYWHERE: "Everywhere", "slash": "Commands in the composer", "palette": "All commands, by name"}


def help_rows(place: str, keymap: Keymap, width: int = 76) -> list[Row]:
    """Groups: this place, everywhere, slash commands, what only the palette has, then the other places.

    What is longer than a row of `width` cells goes on in the next.
    """
    rows: list[Row] = []
    others = [name for name in PLACES if name != place]
    for name in [place, EVERYWHERE, "slash", "palette", *others]:
        actions = _actions(name, keymap)
        if not actions:
            continue
        title = _TITLES.get(name) or PLACES[name]
        rows.append(GroupHead(f"head:{name}", title))
        for action in actions:
            left = f"/{action.slash} {action.arguments}".strip() if name == "slash" else _keys(action, keymap)
            left = keymap.shown("palette") if name == "palette" else left
            rows += _wrapped(f"{name}:{action.name}", left, action.title, width)
    return rows


def _wrapped(key: str, left: str, title: str, width: int) -> list[Row]:
    heads, texts = wrap(left, _KEY_CELLS), wrap(title, max(20, width - _KEY_CELLS - _AROUND))
    rows: list[Row] = []
    for i, (head, text) in enumerate(zip_longest(heads, texts, fillvalue="")):
        rows.append(ChoiceRow(f"{key}:{i}" if i else key, head, text, text_cells=_KEY_CELLS))
    return rows


def _actions(place: str, keymap: Keymap) -> list[Action]:
    if place == "slash":
        return [action for action in ACTIONS if action.slash]
    if place == "palette":
        return [action for action in ACTIONS if action.palette and not action.slash and not keymap.keys(action.name)]
    return [action for action in ACTIONS if place in action.where and keymap.keys(action.name)]


def _keys(action: Action, keymap: Keymap) -> str:
    return ", ".join(shown_key(key) for key in keymap.keys(action.name))


class Help(Dialog[None]):
    """Only read; up and down scroll."""

    def __init__(self, place: str, keymap: Keymap) -> None:
        super().__init__("Help", [("", "↑↓", "Scroll")], PLACES.get(place, ""))
        self._place = place
        self._keymap = keymap

    def body(self) -> ComposeResult:
        yield LineList(id="choices")

    def on_mount(self) -> None:
        choices = self.query_one("#choices", LineList)
        choices.styles.height = max(3, min(40, self.app.size.height - 9))
        choices.focus()
        self._fill()

    def on_resize(self) -> None:
        self._fill()

    def _fill(self) -> None:
        width = min(_WIDEST, self.app.size.width * 94 // 100) - 2
        self.query_one(".dialog").styles.width = width + 2
        self.query_one("#choices", LineList).set_rows(help_rows(self._place, self._keymap, width))

    def key_f1(self, event: events.Key) -> None:
        event.stop()
        self.action_close()
