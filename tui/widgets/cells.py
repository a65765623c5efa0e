"""Text measured and cut by terminal cells, and made safe to draw.

Whatever a model, a tool or a file wrote goes through `visible` before it reaches the screen: no control sequence
survives it, and nothing is hidden by it.
"""

from __future__ import annotations

import re

from rich.cells import cell_len, chop_cells, set_cell_size

__all__ = ["cell_len", "chop_cells", "cut", "pad", "visible"]

# C0 but tab and newline, DEL, C1, bidi embeddings, overrides, isolates and marks, line and paragraph separators,
# zero-width space and no-break space, lone surrogates, tags, interlinear and other format characters.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def _mark(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return f"<{code:02X}>" if code <= 0xFF else f"<U+{code:04X}>"


def visible(text: str, *, tab: int = 4) -> str:
    """The text with every control, bidi and invisible character shown as a mark (`␛`, `<U+202E>`).

    Newlines stay, tabs become spaces, `\\r\\n` is a newline.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if "\t" in text:
        text = text.replace("\t", " " * tab)
    return _UNSAFE.sub(_mark, text)


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
