"""A screen as text that can be compared and read: its rows, and below them the styles of each row in runs."""

from __future__ import annotations

from rich.color import Color
from rich.segment import Segment
from rich.style import Style

from styles.themes import PALETTES
from tui.app import MemagentApp


def page(app: MemagentApp) -> str:
    """The screen: rows, then `row: first cell-last cell colour/ground flags`, colours by the palette's names."""
    names = {str(v).lower(): k for k, v in reversed(_colours(app.theme))}
    rows = [list(strip) for strip in app.screen._compositor.render_strips()]
    text = ["".join(s.text for s in row).rstrip() for row in rows]
    styles = [f"{y:>2}: {_runs(row, names)}" for y, row in enumerate(rows)]
    return "\n".join([*text, "", *styles]) + "\n"


def _colours(theme: str) -> list[tuple[str, object]]:
    palette = PALETTES[theme]
    return [(name, getattr(palette, name)) for name in palette.__dataclass_fields__]


def _runs(row: list[Segment], names: dict[str, str]) -> str:
    runs: list[tuple[int, int, str]] = []
    x = 0
    for segment in row:
        end = x + segment.cell_length
        name = _name(segment.style or Style(), names, blank=not segment.text.strip())
        if runs and runs[-1][2] == name:
            runs[-1] = (runs[-1][0], end, name)
        elif end > x:
            runs.append((x, end, name))
        x = end
    return "  ".join(f"{a}-{b - 1} {name}" for a, b, name in runs)


def _name(style: Style, names: dict[str, str], *, blank: bool) -> str:
    flags = "".join(
        c for c, on in (("b", style.bold), ("i", style.italic), ("u", style.underline), ("r", style.reverse)) if on
    )
    ink = "" if blank and not flags else _colour(style.color, names)
    return f"{ink}/{_colour(style.bgcolor, names)}{'+' + flags if flags else ''}"


def _colour(colour: Color | None, names: dict[str, str]) -> str:
    if colour is None or colour.triplet is None:
        return "-" if colour is None else colour.name
    return names.get(colour.triplet.hex.lower(), colour.triplet.hex)
