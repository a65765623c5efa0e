"""The first line: views, model and where words go, memory, and how full the context is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from sessions.settings import GUIDE
from tui.widgets.cells import cell_len, cut, visible
from tui.widgets.look import Look, look_of

VIEWS = ("chat", "history", "memory")
_LEAST, _PLACE = 4, 20
"""Cells: of a model's name at least, of a host at most."""


@dataclass(frozen=True, slots=True)
class HeaderState:
    """What the first line says."""

    view: str = "chat"
    model: str = ""
    place: str = ""
    memory: str = "on"
    """on, read-only, off, private, or private-off: nothing is kept, and memory is not read either."""
    facts: int | None = None
    """Active facts; None while they are not counted yet."""
    to_review: int = 0
    tokens: int = 0
    window: int = 0
    """0 = not known yet."""
    compact_at: float = 0.82


def size_text(tokens: int) -> str:
    """`32k`, `128k`, `1M`: a window in round numbers."""
    if tokens >= 1_000_000:
        return f"{tokens / 1_000_000:.3g}M"
    return f"{tokens // 1000 if tokens % 1000 == 0 else tokens // 1024}k" if tokens >= 1000 else str(tokens)


def memory_text(mode: str, facts: int | None) -> str:
    """The memory mode in the screen's words."""
    if mode == "private":
        return "private: nothing is kept"
    if mode == "private-off":
        return "private, memory off"
    if mode == "read-only":
        return "memory: use, don't save"
    if mode == "off":
        return "memory off"
    return "memory on" if facts is None else f"memory on, {facts:,} fact{'' if facts == 1 else 's'}"


class Header(Widget):
    """One line; redrawn only when something on it changed."""

    class ViewChosen(Message):
        """A tab was clicked."""

        def __init__(self, view: str) -> None:
            super().__init__()
            self.view = view

    class PartChosen(Message):
        """The model, the memory mode or the gauge was clicked."""

        def __init__(self, action: str) -> None:
            super().__init__()
            self.action = action

    def __init__(self, state: HeaderState | None = None) -> None:
        super().__init__(id="header")
        self.state = state or HeaderState()

    def change(self, **values: Any) -> None:
        """Replace fields of the state."""
        state = replace(self.state, **values)
        if state != self.state:
            self.state = state
            self.refresh()

    def render_line(self, y: int) -> Strip:
        look, width = look_of(self.app), self.size.width
        left = self._tabs(look, width)

        def made(less: int = 0) -> tuple[list[Segment], int]:
            right = self._facts(look, width, less, brief=brief)
            return right, width - 2 - _cells(left) - _cells(right)

        brief = False
        right, room = made()
        if room < 2:
            brief = True
            right, room = made()
        if room < 2:  # The model's name is what can be long.
            right, room = made(room - 2)
            room = max(1, room)
        segments = [*left, Segment(" " * room, look.bar_bg), *right, Segment("  ", look.bar_bg)]
        return Strip(segments).adjust_cell_length(width, look.bar_bg)

    def _tabs(self, look: Look, width: int) -> list[Segment]:
        wide = width >= 100
        out = [Segment("  memagent " if wide else " ", look.muted + look.bar_bg)]
        waiting = ""
        if self.state.to_review:
            waiting = f"· {self.state.to_review} to review" if width >= 150 else str(self.state.to_review)
        for i, view in enumerate(VIEWS):
            meta = Style(meta={"view": view})
            here = view == self.state.view
            if not here:
                ground, words = look.bar_bg, look.muted
            elif look.palette.steps:
                ground, words = look.bg, look.accent_bold
            else:
                ground, words = look.sel_bg, look.sel_bg + Style(bold=True)
            if wide or i:
                out.append(Segment(" " if wide else "", look.bar_bg))
            out.append(Segment(" " + view.capitalize(), words + ground + meta))
            if view == "memory" and waiting:
                out.append(Segment(" " + waiting, look.warn + ground + Style(bold=True) + meta))
            out.append(Segment(" ", ground + meta))
        return out

    def _facts(self, look: Look, width: int, less: int = 0, *, brief: bool = False) -> list[Segment]:
        """The right half. `less` (negative) cells are taken from the model's name. `brief`: without what is
        said last. Where words go is said before how full the context looks."""
        s, marks, parts = self.state, look.marks, []
        narrow = width < 80 and bool(s.place) and s.model != GUIDE
        if narrow:  # Only where words go, not to whom.
            where = cut(visible(s.place), _PLACE)
            where = cut(where, max(_LEAST, cell_len(where) + less)) if less else where
            parts.append([Segment(where, look.muted + look.bar_bg + Style(meta={"do": "model"}))])
        elif width >= 80 and s.model:
            name = visible(s.model)
            name = cut(name, max(_LEAST, cell_len(name) + less)) if less else name
            where = cut(visible(s.place), _PLACE)
            if s.model == GUIDE:  # Words for it go nowhere.
                name += " (rules, no AI)" if width >= 100 and not brief else ""
            elif where:
                name += f" · {where}"
            parts.append([Segment(name, look.muted + look.bar_bg + Style(meta={"do": "model"}))])
        mark, style = {
            "on": (marks.pinned, look.accent),
            "read-only": (marks.active, look.accent),
        }.get(s.memory, (marks.off, look.muted))
        words = look.fg if s.memory != "off" else look.muted
        meta = Style(meta={"do": "memory-mode"})
        parts.append(
            [
                Segment(mark, style + look.bar_bg + meta),
                Segment(" " + memory_text(s.memory, None if narrow and brief else s.facts), words + look.bar_bg + meta),
            ]
        )
        if s.window:
            parts.append(self._gauge(look, 0 if brief and s.model != GUIDE else width))
        out: list[Segment] = []
        for part in parts:
            if out and part:
                out.append(Segment("   ", look.bar_bg))
            out.extend(part)
        return out

    def _gauge(self, look: Look, width: int) -> list[Segment]:
        s = self.state
        share = min(1.0, s.tokens / s.window)
        style = (
            look.err if share >= 0.95 else look.warn if s.compact_at and share >= 0.9 * s.compact_at else look.accent
        )
        cells = 10 if width >= 100 else 6 if width >= 80 else 0
        used = min(cells, round(share * cells))
        out, meta = [], Style(meta={"do": "context"})
        if cells:
            out.append(Segment(look.marks.used * used, style + look.bar_bg + meta))
            out.append(Segment(look.marks.free * (cells - used) + " ", look.faint + look.bar_bg + meta))
        of = f" of {size_text(s.window)}" if width >= 100 else ""
        out.append(Segment(f"{share * 100:.0f}%{of}", look.fg + look.bar_bg + meta))
        return out

    def on_click(self, event: events.Click) -> None:
        view, action = event.style.meta.get("view"), event.style.meta.get("do")
        if isinstance(view, str):
            self.post_message(self.ViewChosen(view))
        elif isinstance(action, str):
            self.post_message(self.PartChosen(action))


def _cells(segments: list[Segment]) -> int:
    return sum(cell_len(s.text) for s in segments)
