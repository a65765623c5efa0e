"""What is selected: from a character of one block to a character of another, whatever happens to the rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tui.chat.blocks import ROWS, Block, Foot, Thought, goes_on
from tui.chat.runs import Line
from tui.widgets.cells import cell_len

_BEFORE = re.compile(r"[ \t]*(?:>[ \t]?)*[ \t]*(?:(?:[-*+]|\d+[.)])[ \t]+)?(?:\[[ xX]\] )?(?:#{1,6}[ \t]+)?[*_`~]*$")
_OPENING = re.compile(r"[*_`~]+$")
_CLOSING = re.compile(r"[*_`~]+")
_WORD = re.compile(r"\w+|[^\w\s]")
END = 1 << 60
"""Behind the end of any block."""


@dataclass(frozen=True, slots=True)
class Point:
    """A character: block id and its span in the block's source. An empty span lies between characters."""

    block: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Selection:
    """From where a drag began to where it is; both ends' characters are in it."""

    anchor: Point
    head: Point


def span_of(selection: Selection, index: dict[int, int], at: int) -> tuple[int, int] | None:
    """The selected source span of the block at an index; None when there is none."""
    a, b = index.get(selection.anchor.block), index.get(selection.head.block)
    if a is None or b is None or not min(a, b) <= at <= max(a, b):
        return None
    if a == b:
        start = min(selection.anchor.start, selection.head.start)
        return start, max(selection.anchor.end, selection.head.end)
    first, last = (selection.anchor, selection.head) if a < b else (selection.head, selection.anchor)
    if at == min(a, b):
        return first.start, END
    return (0, last.end) if at == max(a, b) else (0, END)


def copied(
    blocks: Sequence[Block], selection: Selection, index: dict[int, int], edges: dict[int, tuple[int, int]]
) -> str:
    """The source text of a selection.

    `edges` tells for the first and last block which offsets are the first and last that show: who selects from the
    first character shown to the last means the whole message, with the Markdown around it.
    """
    a, b = index.get(selection.anchor.block), index.get(selection.head.block)
    if a is None or b is None:
        return ""
    out = ""
    before: Block | None = None
    for at in range(min(a, b), max(a, b) + 1):
        block = blocks[at]
        span = span_of(selection, index, at)
        if span is None or isinstance(block, Foot) or (isinstance(block, Thought) and a != b):
            continue
        text = cut_source(block.source, *span, edges.get(block.id))
        if not text:
            continue
        if before is not None and not goes_on(block):
            out += "\n" if isinstance(before, ROWS) and isinstance(block, ROWS) else "\n\n"
        out += text
        before = block
    return out


def cut_source(source: str, start: int, end: int, shown: tuple[int, int] | None = None) -> str:
    """`source[start:end]`, with the Markdown that belongs to what is selected."""
    first, last = shown or (0, len(source))
    end = min(end, len(source))
    if start <= first and end >= last:
        return source
    start = 0 if start <= first else start
    end = len(source) if end >= last else end
    if start >= end:
        return ""
    line = source.rfind("\n", 0, start) + 1
    if "\n" in source[start:end] and _BEFORE.match(source[line:start]):
        start = line
    elif opening := _OPENING.search(source, line, start):
        # Half a pair of stars would be left: take the other one in.
        mark = opening[0]
        if source[start:end].count(mark) % 2:
            start -= len(mark)
    if (closing := _CLOSING.match(source, end)) and source[start:end].count(closing[0]) % 2:
        end = closing.end()
    return source[start:end]


def word_at(source: str, point: Point) -> Point:
    """The word that a character is part of."""
    line = source.rfind("\n", 0, point.start) + 1
    for word in _WORD.finditer(source, line):
        if word.end() > point.start:
            return Point(point.block, word.start(), word.end()) if word.start() <= point.start else point
    return point


def line_at(source: str, point: Point) -> Point:
    """The line, as it was written, of a character."""
    end = source.find("\n", point.start)
    return Point(point.block, source.rfind("\n", 0, point.start) + 1, end if end >= 0 else len(source))


def offset_at(line: Line, x: int) -> tuple[int, int] | None:
    """The source span of the character at a cell of a line; the nearest one's end when there is none."""
    cell = 0
    found: tuple[int, int] | None = None
    for run in line:
        cells = cell_len(run.text)
        if run.start >= 0:
            if x < cell:
                return found or (run.start, run.start)
            if x < cell + cells:
                if run.linear:
                    i = _index(run.text, x - cell)
                    return run.start + i, run.start + i + 1
                return run.start, run.end
            found = (run.end, run.end)
        cell += cells
    return found


def target_at(line: Line, x: int) -> str:
    """What a click at a cell of a line means."""
    cell = 0
    for run in line:
        cells = cell_len(run.text)
        if cell <= x < cell + cells:
            return run.target
        cell += cells
    return ""


def _index(text: str, cell: int) -> int:
    if text.isascii():
        return min(cell, len(text) - 1)
    for i in range(1, len(text) + 1):
        if cell_len(text[:i]) > cell:
            return i - 1
    return len(text) - 1
