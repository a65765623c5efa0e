"""What a call was given and what came of it, under its line: the beginning, or all of it in pieces.

A piece is drawn when it is first seen, so that the length of a result costs nothing until it is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tui.chat.blocks import Call
from tui.chat.rows import TEXT, Canvas, source_lines
from tui.chat.runs import Line, Run, blank
from tui.widgets.calls import arguments_block, pretty
from tui.widgets.when import counted

GIVEN, RESULT = 0, 1
"""The two texts of a call."""
FIRST_ROWS = 40
"""Of each text, before more of it is asked for."""
_FIRST = 20_000
"""Characters that are looked at for these."""
_PIECE = 4_000
_INDENT = TEXT + 2


class Detail(NamedTuple):
    """A piece of one of the texts."""

    text: str
    """The whole of it."""
    start: int
    end: int
    which: int
    ink: str
    cut: bool = False
    """Only its first rows are shown, and how many more there are."""
    beside: bool = False
    """The text itself is the beginning of a result that is kept beside the log."""


def details(block: Call, canvas: Canvas) -> Iterator[Detail]:
    """The pieces under the line of a call that is open."""
    result = "muted" if block.state == "done" else "err"
    texts = (arguments_block(block.arguments), "muted"), (pretty(block.content), result)
    for which, (text, ink) in enumerate(texts):
        if not text.strip():
            continue
        beside = which == RESULT and bool(block.file)
        if not canvas.whole[which]:
            yield Detail(text, 0, min(len(text), _FIRST), which, ink, True, beside)
            continue
        start = 0
        while start < len(text):
            end = _end(text, start)
            # The line feed at its end ends a line that is there.
            yield Detail(text, start, end - (end < len(text) and text[end - 1] == "\n"), which, ink)
            start = end


def shape(block: Call, canvas: Canvas) -> tuple[object, ...]:
    """What decides which pieces there are; empty where there are none."""
    return (*canvas.whole, block.file, len(block.content)) if canvas.opened else ()


def _end(text: str, start: int) -> int:
    """Where a piece ends: behind a line if there is one in reach."""
    if len(text) <= start + 2 * _PIECE:
        return len(text)
    at = text.find("\n", start + _PIECE, start + 2 * _PIECE)
    return at + 1 if at >= 0 else start + 2 * _PIECE


def draw_detail(detail: Detail, canvas: Canvas) -> list[Line]:
    """Its lines; they are no part of the conversation's text."""
    lines = _wrapped(detail, canvas)
    shown = lines[:FIRST_ROWS] if detail.cut else lines
    out = [[blank(_INDENT), *(run._replace(start=-1, end=-1) for run in line)] for line in shown]
    left = len(lines) - len(shown)
    if detail.end < len(detail.text):
        left += detail.text.count("\n", detail.end) + 1
    if detail.cut and left:
        words = "all of it" if detail.beside else counted(left, "more line")
        more = Run(f"{canvas.marks.down} {words}", "accent", target=f"more:{detail.which}")
        out.append([blank(_INDENT), more])
    return out


def row_of(detail: Detail, canvas: Canvas, offset: int) -> int | None:
    """The row of the piece that shows a character of its text; None when it is not among those that are shown."""
    if not detail.start <= offset <= detail.end:
        return None
    lines = _wrapped(detail, canvas)
    row = max((i for i, line in enumerate(lines) if line[0].start <= offset), default=0)
    return None if detail.cut and row >= FIRST_ROWS else row


def _wrapped(detail: Detail, canvas: Canvas) -> list[Line]:
    return source_lines(detail.text, detail.start, detail.end, detail.ink, canvas.room - (_INDENT - TEXT))
