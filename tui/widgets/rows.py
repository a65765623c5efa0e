"""Drawing lines on the grid of a pane, and the rows that every list has.

A pane of width w: column 0 is free, 1 the edge, 2 the mark, 3 free, 4 the text up to w-3, w-2 padding and w-1 the
scrollbar. Bands run from 1 to w-2. Every strip made here is exactly w cells wide, whatever the text holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, TypeAlias

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from tui.widgets.cells import cell_len, chopped, cut, visible
from tui.widgets.look import Look

Part: TypeAlias = tuple[str, Style]
"""Some text and its style. The text may come from anywhere: it is made safe when it is drawn."""
Span: TypeAlias = tuple[int, int]
"""Start and end of a match, in characters of the source text."""

NO_STYLE = Style()
LEFT = 2
"""The first column of what a row says: its mark, or a title."""
TIME_CELLS = 8
MIN_SECOND = 14
"""A second text with less room than this is left out rather than cut."""


@dataclass(frozen=True, slots=True)
class RowState:
    """What a list knows of a row when it draws it."""

    chosen: bool = False
    focused: bool = False
    hover: bool = False
    airy: bool = True
    tick: int = 0
    """Counts tenths of a second while something runs; -1 = without animations."""


class Row(Protocol):
    """A row of a line list."""

    @property
    def key(self) -> str: ...

    @property
    def height(self) -> int:
        """1 or 2 lines."""
        ...

    @property
    def selectable(self) -> bool: ...

    @property
    def head(self) -> bool:
        """A group head: an airy list puts a blank line above it."""
        ...

    @property
    def live(self) -> bool:
        """It shows something that runs, and is drawn again ten times a second."""
        ...

    def draw(self, width: int, look: Look, state: RowState) -> list[Strip]:
        """`height` strips of exactly `width` cells, `width` being the pane's."""
        ...


def ground(widget: Widget) -> Style:
    """The background that the lines of a widget stand on."""
    return Style.from_color(None, widget.background_colors[1].rich_color)


def plain(text: str) -> str:
    """The text in one line, safe to draw."""
    return visible(text).replace("\n", " ")


def fit(parts: Iterable[Part], cells: int) -> list[Part]:
    """The parts in at most `cells` cells, made safe; what was cut ends in `…`."""
    out: list[Part] = []
    room = cells
    safe = [(plain(text), style) for text, style in parts]
    total = sum(cell_len(text) for text, _ in safe)
    if total <= cells:
        return [part for part in safe if part[0]]
    for text, style in safe:
        size = cell_len(text)
        if size < room:
            out.append((text, style))
            room -= size
            continue
        # Something follows or is lost here: cut this part so that the dots find room.
        short = cut(text, room) if size > room else cut(text + " ", room)
        if short:
            out.append((short, style))
        break
    return [part for part in out if part[0]]


def width_of(parts: Iterable[Part]) -> int:
    """Cells that the parts take."""
    return sum(cell_len(plain(text)) for text, _ in parts)


def marked(text: str, spans: Sequence[Span], style: Style, look: Look) -> list[Part]:
    """The text in parts, with the given spans as search matches."""
    out: list[Part] = []
    at = 0
    for start, end in sorted(spans):
        if start < at or end <= start:
            continue
        out += [(text[at:start], style), (text[start:end], style + look.hit + Style(bold=True))]
        at = end
    out.append((text[at:], style))
    return [part for part in out if part[0]]


def band_of(look: Look, state: RowState) -> Style:
    """The background of a row in its state."""
    if state.chosen:
        return look.sel_bg if state.focused else look.sel_blur_bg
    return look.sel_blur_bg if state.hover else NO_STYLE


def edge_of(look: Look, state: RowState) -> Part:
    """The bar at column 1."""
    if not state.chosen:
        return " ", NO_STYLE
    return (look.marks.focus, look.accent) if state.focused else (look.marks.blur, look.muted)


def line(
    width: int,
    left: Sequence[Part],
    right: Sequence[Part] = (),
    *,
    edge: Part = (" ", NO_STYLE),
    band: Style = NO_STYLE,
    gap: int = 2,
    rule: Part | None = None,
) -> Strip:
    """A line of a pane: `left` from column 2, `right` ending at w-3, `band` behind columns 1 to w-2.

    `rule` is the character that fills what is between, one cell away from both. A right fact that would leave the left
    text less than 8 cells is left out.
    """
    if width <= LEFT + 2:
        return Strip.blank(max(0, width))
    room = width - LEFT - 2
    facts = fit(right, room)
    taken = width_of(facts)
    if taken and room - taken - gap < min(8, width_of(left)):
        facts, taken = [], 0
    texts = fit(left, room - (taken + gap if taken else 0))
    between = room - width_of(texts) - taken
    fill: list[Part] = [(" " * between, NO_STYLE)]
    if rule is not None and between > 2:
        tail = 1 if taken else 0
        fill = [(" ", NO_STYLE), (rule[0] * (between - 1 - tail), rule[1]), (" " * tail, NO_STYLE)]
    parts = [*texts, *fill, *facts, (" ", NO_STYLE)]
    # The bar keeps its own colour where the band brings one for its text.
    segments = [Segment(" ", NO_STYLE), Segment(edge[0], edge[1] + band.background_style)]
    # A match or a badge keeps its ground on the band.
    segments += [Segment(text, style if style.bgcolor else style + band) for text, style in parts if text]
    segments.append(Segment(" ", NO_STYLE))
    return Strip(segments, width)


def row_line(
    width: int, look: Look, state: RowState, left: Sequence[Part], right: Sequence[Part] = (), gap: int = 2
) -> Strip:
    """A line of a list row: its edge and band follow from the state."""
    return line(width, left, right, edge=edge_of(look, state), band=band_of(look, state), gap=gap)


def spinner(look: Look, state: RowState) -> str:
    """The mark of what runs."""
    frames = look.marks.spinner
    return look.marks.elsewhere if state.tick < 0 else frames[state.tick % len(frames)]


def section(width: int, look: Look, title: str, fact: str = "") -> Strip:
    """The head of a part of a detail: bold title, thin rule, a short fact on the right."""
    right = [(fact, look.muted)] if fact else []
    return line(width, [(title, look.bold)], right, gap=2, rule=(look.marks.rule, look.rule))


def wrap(text: str, cells: int) -> list[str]:
    """The text in lines of at most `cells` cells, broken at spaces where there are any; empty lines stay."""
    cells = max(2, cells)
    out: list[str] = []
    for source in visible(text).split("\n"):
        current, size = "", 0
        for word in source.split(" "):
            length = cell_len(word)
            if current and size + 1 + length <= cells:
                current, size = f"{current} {word}", size + 1 + length
                continue
            if current:
                out.append(current)
            *heads, current = chopped(word, cells) if length > cells else [word]
            out += heads
            size = cell_len(current)
        out.append(current)
    return out


@dataclass(slots=True)
class GroupHead:
    """The title of a group and how many it holds."""

    key: str
    title: str
    count: str = ""
    warn: bool = False
    height: ClassVar[int] = 1
    selectable: ClassVar[bool] = False
    head: ClassVar[bool] = True
    live: ClassVar[bool] = False

    def draw(self, width: int, look: Look, state: RowState) -> list[Strip]:
        style = look.warn + Style(bold=True) if self.warn else look.muted_bold
        right = [(self.count, style if self.warn else look.muted)] if self.count else []
        rule = None if state.airy else (look.marks.rule, look.rule)
        return [line(width, [(self.title, style)], right, rule=rule)]


@dataclass(slots=True)
class TextRow:
    """A line that only says something."""

    key: str
    text: str
    mark: str = ""
    """Name of a mark of the look; empty = none."""
    kind: str = "muted"
    """Name of the look's style for the mark."""
    height: ClassVar[int] = 1
    selectable: ClassVar[bool] = False
    head: ClassVar[bool] = False
    live: ClassVar[bool] = False

    def draw(self, width: int, look: Look, state: RowState) -> list[Strip]:
        sign = getattr(look.marks, self.mark) if self.mark else ""
        lead: list[Part] = [(sign, getattr(look, self.kind)), (" ", NO_STYLE)] if sign else []
        return [line(width, [*lead, (self.text, look.muted)])]
