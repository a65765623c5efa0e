"""A band of code: highlighted, its language at the right, long lines broken and never cut."""

from __future__ import annotations

from collections.abc import Sequence

from tui.chat.highlight import highlight
from tui.chat.runs import Line, Run, blank, chop, safe, width_of, words
from tui.widgets.cells import cell_len

_PAD = 2


def draw_code(
    source: str, spans: Sequence[tuple[int, int]], lang: str, width: int, *, label: bool = True
) -> list[Line]:
    """The lines at `spans` of the source, in a band `width` cells wide; `label` names the language in the first."""
    text = "\n".join(source[a:b] for a, b in spans)
    inked = _by_line(highlight(text, lang), [b - a for a, b in spans])
    out: list[Line] = []
    for (start, _), line in zip(spans, inked, strict=True):
        runs = [run for a, b, ink in line for run in safe(source, start + a, start + b, f"{ink}@raised")]
        # An empty line still has a place in the source, or a selection would jump over it.
        out += chop(runs or [Run("", "fg@raised", start, start)], width - _PAD - 1)
    name = words(lang, "muted@raised") if label and lang else None
    return [_band(line, width, name if i == 0 else None) for i, line in enumerate(out or [[]])]


def _band(line: Line, width: int, name: Run | None) -> Line:
    out = [Run(" " * _PAD, "edge@raised"), *line]
    used = width_of(out)
    label = cell_len(name.text) if name else 0
    if name is not None and used + label + 3 <= width:
        return [*out, blank(width - used - label - 1, "fg@raised"), name, blank(1, "fg@raised")]
    return [*out, blank(width - used, "fg@raised")]


def _by_line(inked: list[tuple[int, int, str]], lengths: list[int]) -> list[list[tuple[int, int, str]]]:
    """Spans of a whole text as spans of its lines, each counted from the line's start."""
    out: list[list[tuple[int, int, str]]] = [[] for _ in lengths]
    line, top = 0, 0
    for start, end, ink in inked:
        at = start
        while at < end and line < len(lengths):
            stop = top + lengths[line]
            if at < stop:
                out[line].append((at - top, min(end, stop) - top, ink))
            if end <= stop:
                break
            at = top = stop + 1
            line += 1
    return out
