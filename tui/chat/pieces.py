"""A text of megabytes as pieces that are drawn one by one, so that its length costs nothing until it is read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

HUGE = 256 << 10
"""Characters; a longer text is cut."""
_PIECE = 32 << 10
_FENCE = re.compile(r"\n {0,3}(`{3,}|~{3,})([^\n]*)")


class Piece(NamedTuple):
    """Joined, the pieces are the text."""

    text: str
    gap: bool = True
    """It begins behind a blank line."""
    fence: str = ""
    """The line that opened the fence in which it begins."""


def pieces(text: str) -> list[Piece]:
    """The text, or the parts of a huge one: cut at blank lines where there are any, else at lines, else at words."""
    if len(text) <= HUGE:
        return [Piece(text)]
    return list(_cut(text))


def _cut(text: str) -> Iterator[Piece]:
    fences = _FENCE.finditer(text) if "```" in text or "~~~" in text else iter(())
    ahead = next(fences, None)
    start, gap, fence = 0, True, _first_line(text)
    while start < len(text):
        end, blank = _end(text, start)
        before = fence if start else ""
        while ahead is not None and ahead.start() < end - 1:
            fence = _after(fence, ahead)
            ahead = next(fences, None)
        yield Piece(text[start:end], gap, before)
        start, gap = end, blank and not fence


def _first_line(text: str) -> str:
    """The fence that the first line opens: the pattern looks behind line feeds."""
    found = _FENCE.match("\n" + text[: text.find("\n") + 1 or len(text)][:1000])
    return _after("", found) if found is not None else ""


def _after(fence: str, found: re.Match[str]) -> str:
    """The open fence after a line that looks like one."""
    if not fence:
        return "" if found[1][0] == "`" and "`" in found[2] else (found[1] + found[2]).strip()
    mark = fence[: len(fence) - len(fence.lstrip(fence[0]))]
    closes = found[1][0] == mark[0] and len(found[1]) >= len(mark) and not found[2].strip()
    return "" if closes else fence


def _end(text: str, start: int) -> tuple[int, bool]:
    """Where a piece ends, and whether behind a blank line."""
    low, high = start + _PIECE, start + 2 * _PIECE
    if len(text) <= high:
        return len(text), False
    at = text.find("\n\n", low, high)
    if at >= 0:
        return at + 2, True
    at = text.find("\n", low, high)
    if at < 0:
        at = text.find(" ", low, high)
    return (at + 1 if at >= 0 else high), False
