"""The last thing that every line passes on its way to the terminal, whoever drew it."""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from tui.widgets.cells import cell_len
from tui.widgets.steady import steady
from tui.widgets.visible import one_cell

_PLAIN = str.maketrans(
    {"·": "-", "…": "~", "→": ">", "←": "<", "↑": "^", "↓": "v", "▾": "v", "▸": ">", "–": "-", "—": "-", "−": "-",
     "“": '"', "”": '"', "‘": "'", "’": "'", "\ufffd": "?"}
)  # fmt: skip


class Barrier(LineFilter):
    """No control sequence and nothing invisible gets through: each such character is a mark of one cell; and nothing on
    whose width terminals differ.

    Our own lines hold none, `visible` having been there; this is for what the toolkit draws, and for what is forgotten.
    """

    plain = False
    """The ornaments between words become plain too, for a terminal that may draw them two cells wide."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments in as many cells as before; what the marks take is missing at the end."""
        if all(text.isascii() and text.isprintable() for text, _, _ in segments):
            return segments
        out: list[Segment] = []
        more = 0
        for text, style, control in segments:
            shown = steady(text if text.isprintable() and not self.plain else self._shown(text))
            if shown != text:
                more += cell_len(shown) - cell_len(text)
            out.append(Segment(shown, style, control))
        return _shorter(out, more) if more > 0 else out

    def _shown(self, text: str) -> str:
        shown = one_cell(text).replace("\n", " ").replace("\t", " ")
        return shown.translate(_PLAIN) if self.plain else shown


def _shorter(segments: list[Segment], cells: int) -> list[Segment]:
    """The segments without so many cells at their end."""
    width = sum(segment.cell_length for segment in segments) - cells
    out: list[Segment] = []
    for segment in segments:
        if segment.cell_length > width:
            out.append(segment.split_cells(width)[0])
            break
        out.append(segment)
        width -= segment.cell_length
    return [segment for segment in out if segment.text]
