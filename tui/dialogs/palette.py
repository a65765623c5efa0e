"""All commands: type to narrow, enter to run."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.widgets import Input

from tui.commands import ACTIONS, Action, Keymap, fuzzy
from tui.dialogs.base import Dialog
from tui.dialogs.choice import ChoiceRow
from tui.widgets.linelist import LineList


def found(query: str) -> list[Action]:
    """The commands that fit, best first; all of them in the registry's order for an empty query."""
    offered = [action for action in ACTIONS if action.palette]
    if not query.strip():
        return offered
    scored = []
    for action in offered:
        texts = (action.title, action.slash, action.name)
        scores = [match[0] for text in texts if text and (match := fuzzy(query.strip(), text))]
        if scores:
            scored.append((max(scores), action))
    return [action for _, action in sorted(scored, key=lambda s: -s[0])]


class Palette(Dialog[str]):
    """Gives the name of the chosen action."""

    def __init__(self, keymap: Keymap) -> None:
        super().__init__("Commands", [("", "↑↓", "Choose"), ("enter", "enter", "Run")])
        self._keymap = keymap

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
        rows = [
            ChoiceRow(action.name, action.title, right=self._keymap.shown(action.name) or _slash(action))
            for action in found(query)
        ]
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
