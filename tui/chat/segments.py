"""Where an answer can be cut so that each piece is Markdown of its own.

One pass over the lines, remembered between calls: while an answer streams in, only what came is looked at, and only
the piece behind the last safe break is rendered again. The pieces depend on the text alone, not on how it arrived.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_FENCE = re.compile(r"( *)(`{3,}|~{3,})[ \t]*([^`\n]*)$")
_ITEM = re.compile(r"(?:([-*+])|(\d{1,9})([.)]))(?:[ \t]|$)")
_HEADING = re.compile(r"#{1,6}(?:[ \t]|$)")

CODE_LINES = 64
"""A longer fence is cut, so that an open one costs the same however long it grows."""
SOFT_LINES = 24
"""From here on a blank line in a fence is a good place to cut."""
LIST_LINES = 40
"""A longer list is cut between its items."""

LONG_LINES = 60
"""A paragraph or quotation of more lines is cut between two of them."""


class Segment(NamedTuple):
    """A span of the source that is rendered by itself."""

    start: int
    end: int
    code: bool = False
    """Lines of a top-level fence; the fence's own lines are inside the span."""
    fence: str = ""
    """What opened the fence, and closes it."""
    lang: str = ""
    first: bool = True
    """It begins with the opening line of the fence."""
    gap: bool = True
    """A blank row stands before it."""
    number: int | None = None
    """What an ordered list that was cut goes on with."""


class Splitter:
    """Cuts a growing text. `segments` are done; the rest is `tail`.

    `fence` is the line that opened the fence in which the text begins; empty = it begins outside of one.
    """

    def __init__(self, fence: str = "") -> None:
        self.segments: list[Segment] = []
        self._at = 0
        """The first line not looked at."""
        self._start = 0
        self._lines = 0
        self._blank = True
        self._fence: tuple[str, int, bool] | None = None
        """Character, length, top level."""
        self._closer = ("", 0)
        self._lang, self._first = "", True
        self._list = False
        self._ordinal = 0
        self._gap = True
        self._number: int | None = None
        if opened := _FENCE.match(fence):
            self._closer = (opened[2][0], len(opened[2]))
            self._fence = (*self._closer, True)
            self._lang, self._first, self._blank = opened[3].strip().split(" ")[0], False, False

    def update(self, source: str) -> None:
        """Look at the whole lines that came since the last call. The text only ever grows."""
        while (end := source.find("\n", self._at)) >= 0:
            line = source[self._at : end]
            self._line(source, line[:-1] if line.endswith("\r") else line, self._at, end + 1)
            self._at = end + 1

    def tail(self, source: str) -> Segment | None:
        """What stands behind the last safe break."""
        top = self._fence is not None and self._fence[2]
        if not top and not source[self._start :].strip():
            return None
        return self._segment(len(source), code=top)

    def _segment(self, end: int, *, code: bool) -> Segment:
        if code:
            char, length = self._closer
            return Segment(self._start, end, True, char * length, self._lang, self._first, self._gap)
        return Segment(self._start, end, gap=self._gap, number=self._number)

    def _close(self, source: str, end: int, *, code: bool = False, gap: bool = True) -> None:
        if end > self._start and (code or source[self._start : end].strip()):
            self.segments.append(self._segment(end, code=code))
            self._gap = gap
        self._start, self._lines, self._number = end, 0, None

    def _line(self, source: str, line: str, at: int, nxt: int) -> None:
        self._lines += 1
        stripped = line.strip()
        if self._fence:
            self._in_fence(source, stripped, nxt)
            return
        if not stripped:
            self._blank = True
            return
        indent = len(line) - len(line.lstrip(" \t"))
        fence = _FENCE.match(line)
        if fence and (indent < 4 or self._list):
            top = indent == 0 or (indent < 4 and not self._list)
            if top:
                self._close(source, at)
                self._closer = (fence[2][0], len(fence[2]))
                self._lang, self._first, self._list = fence[3].strip().split(" ")[0], True, False
            self._fence = (fence[2][0], len(fence[2]), top)
            self._blank = False
            return
        if indent == 0:
            self._flush_left(source, line, at)
        self._blank = False

    def _in_fence(self, source: str, stripped: str, nxt: int) -> None:
        assert self._fence
        char, length, top = self._fence
        if len(stripped) >= length and not stripped.strip(char):
            self._fence = None
            self._blank = top
            if top:
                self._close(source, nxt, code=True)
        elif top and (self._lines >= CODE_LINES or (self._lines >= SOFT_LINES and not stripped)):
            self._close(source, nxt, code=True, gap=False)
            self._first = False

    def _is_long(self, source: str, line: str, at: int) -> bool:
        """A text of many lines without a blank one. Tables are never cut, their columns need all rows."""
        if self._lines <= LONG_LINES or self._list or "|" in line:
            return False
        piece = source[self._start : at]
        return piece[:1] != ">" or (line[:1] == ">" and "```" not in piece and not line[1:].strip().startswith("```"))

    def _flush_left(self, source: str, line: str, at: int) -> None:
        item = _ITEM.match(line)
        goes_on = bool(item and item[2] and self._list and self._ordinal)
        if self._blank or _HEADING.match(line):
            self._close(source, at)
        elif (item and self._list and self._lines > LIST_LINES) or self._is_long(source, line, at):
            self._close(source, at, gap=False)
        if item and item[2]:
            self._ordinal = self._ordinal + 1 if goes_on else int(item[2])
            if goes_on and self._start == at:
                self._number = self._ordinal
        elif self._blank or item:
            self._ordinal = 0
        if item:
            self._list = True
        elif self._blank:
            self._list = False
