"""What a line is drawn with: the styles of the palette and the marks, chosen once per theme."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from rich.color import Color
from rich.style import Style
from textual.app import App

from styles.themes import PALETTES, Palette


@dataclass(frozen=True, slots=True)
class Marks:
    """One cell each. Many are of ambiguous width, so a plain set exists."""

    prompt: str = "›"
    folded: str = "▸"
    open: str = "▾"
    pinned: str = "◆"
    active: str = "◇"
    off: str = "○"
    done: str = "✓"
    failed: str = "✗"
    overdue: str = "!"
    new: str = "+"
    change: str = "~"
    stale: str = "−"
    merge: str = "="
    approval: str = "?"
    elsewhere: str = "●"
    focus: str = "▌"
    blur: str = "▏"
    quote: str = "▏"
    item: str = "•"
    used: str = "━"
    free: str = "─"
    rule: str = "─"
    guide: str = "│"
    dot: str = "·"
    ellipsis: str = "…"
    arrow: str = "→"
    down: str = "↓"
    up: str = "↑"
    edge: str = "▔"
    spinner: str = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


UNICODE = Marks()
ASCII = Marks(
    prompt=">",
    folded=">",
    open="v",
    pinned="*",
    active="o",
    off=".",
    done="#",
    failed="x",
    elsewhere="@",
    stale="-",
    focus="|",
    blur="|",
    quote="|",
    item="*",
    used="=",
    free="-",
    rule="-",
    guide="|",
    dot="-",
    ellipsis="...",
    arrow="->",
    down="v",
    up="^",
    edge="-",
    spinner="|/-\\",
)


@dataclass(frozen=True, slots=True)
class Look:
    """Rich styles that carry a foreground only (text) or a background only (names ending in `_bg`).

    Combine them: `look.muted + look.panel_bg`.
    """

    palette: Palette
    marks: Marks
    fg: Style
    muted: Style
    faint: Style
    rule: Style
    accent: Style
    ok: Style
    warn: Style
    err: Style
    bold: Style
    """Bold foreground."""
    muted_bold: Style
    accent_bold: Style
    italic: Style
    """Muted italic: thoughts, quotations, placeholders."""
    link: Style
    bar_bg: Style
    bg: Style
    panel_bg: Style
    raised_bg: Style
    sel_bg: Style
    sel_blur_bg: Style
    hit: Style
    add_bg: Style
    delete_bg: Style
    cursor: Style
    """The block cursor."""


@lru_cache(maxsize=8)
def make_look(theme: str, ascii_marks: bool = False) -> Look:
    """The look of a theme; an unknown name gives the dark one."""
    p = PALETTES.get(theme, PALETTES["dark"])

    def fore(
        colour: str, *, bold: bool | None = None, italic: bool | None = None, underline: bool | None = None
    ) -> Style:
        return Style(color=colour, bold=bold, italic=italic, underline=underline)

    def back(colour: str) -> Style:
        return Style.from_color(None, Color.parse(colour))

    chosen = Style.from_color(Color.parse(p.sel_text), Color.parse(p.sel)) if not p.steps else back(p.sel)
    return Look(
        palette=p,
        marks=ASCII if ascii_marks else UNICODE,
        fg=fore(p.fg),
        muted=fore(p.muted),
        faint=fore(p.faint),
        rule=fore(p.rule),
        accent=fore(p.accent),
        ok=fore(p.ok),
        warn=fore(p.warn),
        err=fore(p.err),
        bold=fore(p.fg, bold=True),
        muted_bold=fore(p.muted, bold=True),
        accent_bold=fore(p.accent, bold=True),
        italic=fore(p.muted, italic=True),
        link=fore(p.accent, underline=True),
        bar_bg=back(p.bar),
        bg=back(p.bg),
        panel_bg=back(p.panel),
        raised_bg=back(p.raised),
        sel_bg=chosen,
        sel_blur_bg=back(p.sel_blur),
        hit=Style.from_color(Color.parse(p.hit_text), Color.parse(p.hit)),
        add_bg=back(p.add),
        delete_bg=back(p.delete),
        cursor=Style.from_color(Color.parse(p.bg), Color.parse(p.accent)),
    )


def look_of(app: App[object]) -> Look:
    """The look of a running app: its theme, and plain marks when its attribute `ascii_marks` says so."""
    return make_look(app.theme, bool(getattr(app, "ascii_marks", False)))
