"""Pieces of a line that know where in the source they come from, and how such lines wrap.

A line is a list of runs. Offsets are what makes selection survive wrapping: whatever is on the screen maps back to
the text as it was written. An ink names a style (`fg`, `muted`, `accent` …), with flags after `+` (b, i, u) and a
background after `@`: `accent+u@raised`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from tui.widgets.cells import cell_len, chopped, visible

_WIDE = (
    "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\U00020000-\U0003fffd"
)
_CLOSING = "、。，．！？：；」』）】〉》"
_WORD = re.compile(f" +|[{_WIDE}][{_CLOSING}]*|[^ {_WIDE}]+")


class Run(NamedTuple):
    """Text in one ink. `start` is -1 for what is not in the source (gutters, marks, padding)."""

    text: str
    """Safe to draw: it went through `visible`."""
    ink: str
    start: int = -1
    end: int = -1
    """One past the last character of the source that it shows."""
    target: str = ""
    """What a click on it means: `link:URL`, `toggle`, `foot:N`."""

    @property
    def linear(self) -> bool:
        """Each character shown is one of the source; else the run shows its span as a whole."""
        return self.end - self.start == len(self.text)


Line: TypeAlias = list[Run]


def blank(cells: int, ink: str = "fg") -> Run:
    """Empty cells."""
    return Run(" " * max(0, cells), ink)


def safe(source: str, start: int, end: int, ink: str, target: str = "") -> Line:
    """`source[start:end]` as runs: what must not reach a terminal is a mark that maps to its character."""
    text = source[start:end]
    if not text:
        return []
    shown = visible(text)
    if shown == text and "\n" not in text:
        return [Run(text, ink, start, end, target)]
    out: Line = []
    clean_from = start
    for i in range(start, end):
        char = source[i]
        mark = " " if char == "\n" else visible(char)
        if mark != char:
            if i > clean_from:
                out.append(Run(source[clean_from:i], ink, clean_from, i, target))
            out.append(Run(mark, ink, i, i + 1, target))
            clean_from = i + 1
    if end > clean_from:
        out.append(Run(source[clean_from:end], ink, clean_from, end, target))
    return out


def words(text: str, ink: str, target: str = "") -> Run:
    """Text that is not in the source, in one line and safe."""
    return Run(visible(text).replace("\n", " "), ink, target=target)


def plain(line: Iterable[Run]) -> str:
    """What a line shows."""
    return "".join(run.text for run in line)


def width_of(line: Iterable[Run]) -> int:
    """Its cells."""
    return sum(cell_len(run.text) for run in line)


def part(line: Line, a: int, b: int) -> Line:
    """The runs of the characters `[a, b)` that a line shows."""
    out: Line = []
    at = 0
    for run in line:
        n = len(run.text)
        if at + n > a and at < b:
            lo, hi = max(0, a - at), min(n, b - at)
            if lo == 0 and hi == n:
                out.append(run)
            elif run.start >= 0 and run.linear:
                out.append(Run(run.text[lo:hi], run.ink, run.start + lo, run.start + hi, run.target))
            else:
                out.append(run._replace(text=run.text[lo:hi]))
        at += n
        if at >= b:
            break
    return out


def spans(text: str, width: int) -> list[tuple[int, int]]:
    """Where lines of at most `width` cells begin and end: at spaces, between wide characters, else inside words."""
    width = max(2, width)
    if text.isascii():
        return _ascii_spans(text, width)
    if len(text) * 2 <= width:
        return [(0, len(text))]
    out: list[tuple[int, int]] = []
    start, end, used, at = 0, 0, 0, 0
    for word in _WORD.findall(text):
        cells = cell_len(word)
        if word[0] == " ":
            at += len(word)
            used += cells
            continue
        if used + cells > width and end > start:
            out.append((start, end))
            start, used = at, 0
        if used + cells > width:
            pieces = [p for p in chopped(word, width) if p]
            for piece in pieces[:-1]:
                out.append((start, at + len(piece)))
                at += len(piece)
                start = at
            word, used = pieces[-1], 0  # noqa: PLW2901
            cells = cell_len(word)
        at += len(word)
        end = at
        used += cells
    out.append((start, max(end, start)))
    return out


def _ascii_spans(text: str, width: int) -> list[tuple[int, int]]:
    n = len(text)
    out: list[tuple[int, int]] = []
    a = 0
    while n - a > width:
        cut = text.rfind(" ", a + 1, a + width + 1)
        b = cut if cut > a else a + width
        if not text[a:b].strip():
            b = a + width
        nxt = b
        while nxt < n and text[nxt] == " ":
            nxt += 1
        while b > a + 1 and text[b - 1] == " ":
            b -= 1
        out.append((a, b))
        a = nxt
    if a < n or not out:
        out.append((a, n))
    return out


def wrap(line: Line, width: int) -> list[Line]:
    """The line in as many as it takes; at least one."""
    text = plain(line)
    lines = spans(text, width)
    return [line] if len(lines) == 1 and lines[0] == (0, len(text)) else [part(line, a, b) for a, b in lines]


def chop(line: Line, width: int) -> list[Line]:
    """The line broken at every `width` cells, spaces kept: for code."""
    text = plain(line)
    width = max(2, width)
    if len(text) <= width and (text.isascii() or cell_len(text) <= width):
        return [line]
    out: list[Line] = []
    at = 0
    for piece in chopped(text, width):
        out.append(part(line, at, at + len(piece)))
        at += len(piece)
    return out


def cut_line(line: Line, width: int) -> Line:
    """The line in at most `width` cells; what was cut ends in `…`."""
    if width_of(line) <= width:
        return line
    if width <= 0:
        return []
    text = plain(line)
    kept = next(iter(chopped(text, max(1, width - 1))), "").rstrip() if width > 1 else ""
    if cell_len(kept) > width - 1:
        kept = ""
    out = part(line, 0, len(kept))
    last = line[min(len(out), len(line) - 1)]
    return [*out, Run("…", last.ink.replace("+b", ""), last.end, last.end, last.target)]
