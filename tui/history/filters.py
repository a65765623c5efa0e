"""Which sessions History lists, always in sight: all, those of this folder, archived ones, the trash."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from tui.widgets.cells import cell_len
from tui.widgets.look import Look, look_of
from tui.widgets.rows import LEFT, ground
from tui.widgets.when import counted, folder

if TYPE_CHECKING:
    from sessions.store.catalog import Meta

CHOICES = {"all": "All", "folder": "This folder", "archived": "Archived", "trash": "Trash"}
"""The choices and their words, in order."""
ORDERS = {False: "best first", True: "by date"}
"""The order of what a search found; the key says whether it is that of time."""


EMPTY = {
    "all": "No sessions yet",
    "folder": "No sessions in this folder yet",
    "archived": "Nothing is archived",
    "trash": "The trash is empty",
}
"""What the list says when there are none."""
READING = "The sessions are being read"


def counts(choice: str, metas: Sequence[Meta], everything: Sequence[Meta]) -> str:
    """How many sessions are listed, and of how many: `12 of 340 · this folder`."""
    count, of = len(metas), len(everything)
    match choice:
        case "all":
            away = sum(meta.archived for meta in everything)
            return counted(count, "session") + (f" · {away:,} archived" if away else "")
        case "trash":
            return f"{count:,} in the trash"
        case _:
            return f"{count:,} of {of:,} · {CHOICES[choice].lower()}"


def places(choice: str, here: str) -> str:
    """Where the listed sessions come from."""
    return {"all": "All folders · all sources", "folder": f"{folder(here)} · all sources", "trash": "The trash"}.get(
        choice, "Archived · all folders"
    )


def after(choice: str) -> str:
    """The choice behind this one; the first follows the last."""
    names = [*CHOICES]
    return names[(names.index(choice) + 1) % len(names)]


class FilterBar(Widget):
    """`All  This folder  Archived  Trash`, the chosen one lit; while something is searched for, its order too."""

    choice: reactive[str] = reactive("all", layout=False)
    by_date: reactive[bool] = reactive(False, layout=False)
    searching: reactive[bool] = reactive(False, layout=False)
    """The order is shown."""

    class Chosen(Message):
        """List these sessions."""

        def __init__(self, choice: str) -> None:
            super().__init__()
            self.choice = choice

    class OrderTurned(Message):
        """The other order."""

    def render_line(self, y: int) -> Strip:
        look, width = look_of(self.app), self.size.width
        segments = [Segment(" " * (LEFT - 1)), *self._choices(look)]
        used = sum(cell_len(s.text) for s in segments)
        order = ORDERS[self.by_date] if self.searching else ""
        if order and used + 1 + cell_len(order) <= width - 2:
            segments.append(Segment(" " * (width - 2 - used - cell_len(order))))
            segments.append(Segment(order, look.fg + Style(meta={"order": True})))
        return Strip(segments).adjust_cell_length(width).apply_style(ground(self))

    def _choices(self, look: Look) -> list[Segment]:
        out: list[Segment] = []
        for name, word in CHOICES.items():
            style = look.muted
            if name == self.choice:
                style = look.accent_bold + look.raised_bg if look.palette.steps else look.sel_bg + Style(bold=True)
            out.append(Segment(f" {word} ", style + Style(meta={"choice": name})))
        return out

    def on_click(self, event: events.Click) -> None:
        choice = event.style.meta.get("choice")
        if isinstance(choice, str):
            self.post_message(self.Chosen(choice))
        elif event.style.meta.get("order"):
            self.post_message(self.OrderTurned())
