"""The three palettes, and the Textual themes made of them. Pure data: importing it loads nothing else."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.theme import Theme


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours by what they are for, as `#RRGGBB`."""

    bar: str
    """Header and footer."""
    bg: str
    """What is read: transcript, detail."""
    panel: str
    """Lists, tree, dialogs, popups."""
    raised: str
    """Your prompts, composer, code, fields, badges."""
    sel: str
    """The chosen row where the focus is."""
    sel_text: str
    sel_blur: str
    """The chosen row where the focus is not."""
    hit: str
    """A search match, a selection of text."""
    hit_text: str
    add: str
    delete: str
    rule: str
    """Lines and tree guides."""
    fg: str
    muted: str
    """The second level of text."""
    faint: str
    """The empty part of the gauge; never words."""
    accent: str
    """Where you are, what runs, facts."""
    ok: str
    warn: str
    err: str
    dark: bool = True
    steps: bool = True
    """False: panes do not differ by background, so lines separate them."""


DARK = Palette(
    bar="#101216",
    bg="#15171C",
    panel="#1A1D23",
    raised="#22262E",
    sel="#2B3450",
    sel_text="#D8DCE4",
    sel_blur="#262A32",
    hit="#3D4A7A",
    hit_text="#D8DCE4",
    add="#1B2C25",
    delete="#33201F",
    rule="#2D323B",
    fg="#D8DCE4",
    muted="#98A0AE",
    faint="#6B7482",
    accent="#9DB0FF",
    ok="#8CC79B",
    warn="#E0B56A",
    err="#EC8087",
)
LIGHT = Palette(
    bar="#E9E8E4",
    bg="#FCFBF9",
    panel="#F4F3EF",
    raised="#EAE9E4",
    sel="#DCE3FA",
    sel_text="#23262D",
    sel_blur="#E4E4E2",
    hit="#C3CFF8",
    hit_text="#23262D",
    add="#DFF0E3",
    delete="#FAE3E1",
    rule="#D5D3CD",
    fg="#23262D",
    muted="#5D636E",
    faint="#7F858F",
    accent="#3B53C4",
    ok="#226B3A",
    warn="#7F5500",
    err="#B3242F",
    dark=False,
)
CONTRAST = Palette(
    bar="#000000",
    bg="#000000",
    panel="#000000",
    raised="#000000",
    sel="#00FFFF",
    sel_text="#000000",
    sel_blur="#000000",
    hit="#FFFF00",
    hit_text="#000000",
    add="#000000",
    delete="#000000",
    rule="#808080",
    fg="#FFFFFF",
    muted="#C0C0C0",
    faint="#808080",
    accent="#00FFFF",
    ok="#00FF00",
    warn="#FFFF00",
    err="#FF5F5F",
    steps=False,
)
PALETTES = {"dark": DARK, "light": LIGHT, "contrast": CONTRAST}


def textual_theme(name: str) -> Theme:
    """The palette as a Textual theme of that name; every colour is a CSS variable (`$raised`, `$sel-blur` …)."""
    from textual.theme import Theme

    p = PALETTES[name]
    colours = {k.replace("_", "-"): v for k, v in asdict(p).items() if isinstance(v, str)}
    return Theme(
        name=name,
        primary=p.accent,
        secondary=p.accent,
        accent=p.accent,
        background=p.bg,
        surface=p.panel,
        panel=p.raised,
        foreground=p.fg,
        success=p.ok,
        warning=p.warn,
        error=p.err,
        dark=p.dark,
        variables=colours
        | {
            "block-cursor-background": p.sel,
            "block-cursor-foreground": p.sel_text,
            "block-cursor-blurred-background": p.sel_blur,
            "input-cursor-background": p.accent,
            "input-cursor-foreground": p.bg,
            "input-selection-background": p.hit,
            "footer-background": p.bar,
            "footer-key-foreground": p.fg,
            "footer-description-foreground": p.muted,
            "screen-selection-background": p.hit,
            "scrollbar": p.rule,
            "scrollbar-hover": p.faint,
            "scrollbar-active": p.faint,
            "scrollbar-background": p.bg,
            "scrollbar-background-hover": p.bg,
            "scrollbar-background-active": p.bg,
            "scrollbar-corner-color": p.bg,
        },
    )
