"""All commands, with those of the place that the person is in: type to narrow, enter to run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from textual import events
from textual.app import ComposeResult
from textual.widgets import Input

from tui.commands import ACTIONS, PLACES, Action, Keymap, fuzzy
from tui.dialogs.base import Dialog
from tui.dialogs.choice import ChoiceRow
from tui.widgets.linelist import LineList
from tui.widgets.rows import GroupHead, Row

CanDo: TypeAlias = Callable[[Action], bool]
"""Says whether an action can be done now."""
_NEAR = 5.0
"""How much the better an action of the place fits."""


def found(query: str, place: str = "", can: CanDo = bool) -> list[Action]:
    """The commands that fit, best first; all of them for an empty query, those of a list's place before the others."""
    everywhere = [action for action in ACTIONS if action.palette and place not in action.where and can(action)]
    here = [action for action in ACTIONS if place in action.where and action.name != "palette" and can(action)]
    offered = [*here, *everywhere] if _first(here) else [*everywhere, *here]
    if not query.strip():
        return offered
    scored = []
    for action in offered:
        texts = (action.title, action.slash, action.name)
        scores = [match[0] for text in texts if text and (match := fuzzy(query.strip(), text))]
        if scores:
            scored.append((max(scores) + (_NEAR if action in here and not action.own else 0), action))
    return [action for _, action in sorted(scored, key=lambda s: -s[0])]


def _first(here: Sequence[Action]) -> bool:
    """What can be done to the rows of a list stands above all else; what a field does with its keys, below."""
    return any(not action.own for action in here)


class Palette(Dialog[str]):
    """Gives the name of the chosen action."""

    def __init__(self, keymap: Keymap, place: str = "", can: CanDo = bool) -> None:
        super().__init__("Commands", [("", "↑↓", "Choose"), ("enter", "enter", "Run")])
        self._keymap = keymap
        self._place = place
        self._can = can

    def body(self) -> ComposeResult:
        field = Input(placeholder="Type a command", compact=True, id="ask-text")
        field.cursor_blink = False
        yield field
        choices = LineList(id="choices", empty="No such command")
        choices.driven = choices.one_click = True
        # What is typed always goes to the field.
        choices.can_focus = False
        yield choices

    def on_mount(self) -> None:
        self.query_one("#choices", LineList).styles.height = max(3, min(16, self.app.size.height - 10))
        self._show("")
        self.query_one(Input).focus()

    def _show(self, query: str) -> None:
        rows: list[Row] = []
        before: bool | None = None
        actions = found(query, self._place, self._can)
        for action in actions:
            here = self._place in action.where
            if here != before and not query.strip() and (here or rows):
                rows.append(GroupHead(f"head:{here}", PLACES[self._place] if here else "Everywhere"))
            before = here
            shown = self._keymap.shown(action.name) or _slash(action)
            rows.append(ChoiceRow(action.name, action.title, right=shown))
        self.query_one("#choices", LineList).set_rows(rows, keep=False)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._show(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        name = self.query_one("#choices", LineList).cursor
        if name:
            self.dismiss(name)

    def on_line_list_opened(self, event: LineList.Opened) -> None:
        event.stop()
        self.dismiss(event.key)

    def on_key(self, event: events.Key) -> None:
        choices = self.query_one("#choices", LineList)
        if event.key in {"up", "down"}:
            event.stop()
            choices.action_move(-1 if event.key == "up" else 1)
        elif event.key in {"pageup", "pagedown"}:
            event.stop()
            choices.action_page(-1 if event.key == "pageup" else 1)


def _slash(action: Action) -> str:
    return f"/{action.slash}" if action.slash else ""
