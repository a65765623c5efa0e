"""Where a fact comes from, where it was used, its versions: with a cursor over what opens."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from sessions.memory.fact import Fact
from tui.memory.fact_detail import Background, Line, Use, below
from tui.memory.versions import Version
from tui.widgets.look import Look
from tui.widgets.stripview import Builder, StripView


@dataclass(frozen=True, slots=True)
class _Shown:
    fact: Fact
    known: Background
    now: datetime


class BackgroundView(StripView):
    """What stands below the form. Without a fact it shows whatever its builder draws, and has no cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "choose(-1)", "Up", show=False),
        Binding("down,j", "choose(1)", "Down", show=False),
    ]

    class Opened(Message):
        """Go to where it was said or used."""

        def __init__(self, session: str, message: str, turn: int = 0, tool: str = "") -> None:
            super().__init__()
            self.session = session
            self.message = message
            self.turn = turn
            self.tool = tool

    def __init__(self) -> None:
        super().__init__()
        self._shown: _Shown | None = None
        self._open: frozenset[int] = frozenset()
        """Numbers of the versions whose differences show."""
        self._spots: list[tuple[int, str]] = []
        """Line and key of what the cursor can stand on."""
        self._chosen = ""

    @property
    def place(self) -> str:
        """What can be chosen here has keys of its own."""
        return "background" if self._spots else ""

    @property
    def fact(self) -> Fact | None:
        return self._shown.fact if self._shown is not None else None

    @property
    def version(self) -> Version | None:
        """The chosen version."""
        if self._shown is None or not self._chosen.startswith("version:"):
            return None
        return next((v for v in self._shown.known.versions or () if f"version:{v.number}" == self._chosen), None)

    def show(self, fact: Fact, known: Background, now: datetime, *, top: bool) -> None:
        """Draw what is known of a fact."""
        same = self.fact is not None and (fact.id or fact.name) == (self.fact.id or self.fact.name)
        self._shown = _Shown(fact, known, now)
        if not same:
            self._open, self._chosen = frozenset(), ""
        super().set_builder(self._draw, top=top)

    def set_builder(self, builder: Builder, *, top: bool = True) -> None:
        self._shown, self._spots, self._chosen = None, [], ""
        super().set_builder(builder, top=top)

    def _draw(self, width: int, look: Look) -> list[Strip]:
        shown = self._shown
        if shown is None:
            return []
        chosen = self._chosen if self.has_focus else ""
        lines: list[Line] = below(width, look, shown.fact, shown.known, shown.now, self._open, chosen)
        self._spots = [(i, one.key) for i, one in enumerate(lines) if one.key]
        return [one.strip.apply_meta({"spot": one.key}) if one.key else one.strip for one in lines] or [
            Strip.blank(width, Style())
        ]

    def action_choose(self, by: int) -> None:
        keys = [key for _, key in self._spots]
        if not keys:
            self.scroll_relative(y=by, animate=False)
            return
        at = keys.index(self._chosen) if self._chosen in keys else 0
        to = min(max(at + by, 0), len(keys) - 1)
        if to == at and self._chosen:
            self.scroll_relative(y=by, animate=False)
        self._choose(keys[to])

    def _choose(self, key: str) -> None:
        self._chosen = key
        self._build()
        self._see()

    def _see(self) -> None:
        """Scroll to the chosen line and what belongs to it, as much as there is room for."""
        lines = [line for line, _ in self._spots]
        at = next((i for i, (_, key) in enumerate(self._spots) if key == self._chosen), 0)
        first = lines[at] if lines else 0
        end = lines[at + 1] if at + 1 < len(lines) else len(self._lines)
        rows = max(1, min(end - first, self.size.height)) if self._chosen.startswith("version:") else 1
        self.scroll_to_region(Region(0, first, 1, rows), animate=False)

    def open(self) -> None:
        """Enter: go to the source or a use; show what a version changed, or no more."""
        shown, kind, number = self._shown, *self._chosen.partition(":")[::2]
        if shown is None:
            return
        if kind == "version":
            self._open ^= {int(number)}
            self._build()
            self._see()
        elif kind == "use":
            use: Use = shown.known.uses[int(number)]
            self.post_message(self.Opened(use.session, use.message, use.turn, "recall_memory"))
        elif shown.fact.source.session:
            self.post_message(self.Opened(shown.fact.source.session, shown.fact.source.message))

    def on_focus(self) -> None:
        if not self._chosen and self._spots:
            self._chosen = self._spots[0][1]
        super().on_focus()

    def on_click(self, event: events.Click) -> None:
        key = event.style.meta.get("spot")
        if isinstance(key, str) and key:
            again = key == self._chosen and event.chain == 1
            self._choose(key)
            if again or event.chain > 1:
                self.open()
