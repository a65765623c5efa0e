"""Text measured and cut by terminal cells."""

from __future__ import annotations

from rich.cells import cell_len, chop_cells, set_cell_size

from tui.widgets.visible import visible

__all__ = ["cell_len", "chopped", "cut", "pad", "visible"]


def chopped(text: str, cells: int) -> list[str]:
    """The text in pieces of at most `cells` cells, two at least."""
    pieces: list[str] = []
    for piece in chop_cells(text, cells):
        if cell_len(piece) <= cells:
            pieces.append(piece)
            continue
        # Behind joiners that join nothing the library counts otherwise than it cuts.
        part = ""
        for char in piece:
            if part and cell_len(part + char) > cells:
                pieces.append(part)
                part = ""
            part += char
        pieces.append(part)
    return pieces


def cut(text: str, cells: int) -> str:
    """The text in at most `cells` cells; what was cut ends in `…`."""
    if cells <= 0:
        return ""
    if cell_len(text) <= cells:
        return text
    return set_cell_size(text, cells - 1).rstrip() + "…"


def pad(text: str, cells: int, *, right: bool = False) -> str:
    """The text cut or filled to exactly `cells` cells; `right` puts the text at the right end."""
    text = cut(text, cells)
    fill = " " * max(0, cells - cell_len(text))
    return fill + text if right else text + fill
