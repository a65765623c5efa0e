"""Inks become styles: a line of runs, the look and what is selected give a strip."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui.chat.runs import Line, Run
from tui.widgets.look import Look

_FOUND = {"hit", "now"}
_FLAGS = {"b": Style(bold=True), "i": Style(italic=True), "u": Style(underline=True)}


class Inks:
    """The styles of one look, made once each. `dim` is the look of what the model no longer sees."""

    def __init__(self, look: Look, *, dim: bool = False) -> None:
        self.look, self.dim = look, dim
        self.base = look.bg + look.fg
        self._made: dict[str, Style] = {}

    def style(self, ink: str) -> Style:
        """`accent+u@raised` as a style on the transcript's background."""
        made = self._made.get(ink)
        if made is None:
            made = self._made[ink] = self._make(ink)
        return made

    def _make(self, ink: str) -> Style:
        name, _, back = ink.partition("@")
        name, _, flags = name.partition("+")
        look = self.look
        style = look.bg + (look.muted if self.dim and name != "rule" else getattr(look, name, look.fg))
        for flag in flags:
            if not (self.dim and flag == "b"):
                style += _FLAGS[flag]
        if back in _FOUND:
            return style + (look.cursor if back == "now" else look.hit)
        if back and not (self.dim and back == "band"):
            style += look.sel_bg if back == "sel" else look.raised_bg
        return style

    def strip(self, line: Line, width: int, selected: tuple[int, int] | None = None) -> Strip:
        """The line in exactly `width` cells; the source span `selected` in it is marked."""
        segments: list[Segment] = []
        edge = not self.look.palette.steps
        for run in line:
            style = self.style(run.ink)
            text = self.look.marks.guide + run.text[1:] if edge and run.ink == "edge@raised" else run.text
            if selected is None or run.start < 0:
                segments.append(Segment(text, style))
            else:
                segments.extend(self._marked(run, style, *selected))
        return Strip(segments).adjust_cell_length(width, self.base)

    def _marked(self, run: Run, style: Style, a: int, b: int) -> list[Segment]:
        if b <= run.start or a >= max(run.end, run.start + 1):
            return [Segment(run.text, style)]
        hit = style + self.look.hit
        if not run.linear:
            return [Segment(run.text, hit)]
        lo, hi = max(0, a - run.start), min(len(run.text), b - run.start)
        pieces = ((run.text[:lo], style), (run.text[lo:hi], hit), (run.text[hi:], style))
        return [Segment(text, s) for text, s in pieces if text]
