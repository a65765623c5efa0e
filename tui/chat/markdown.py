"""Markdown of an answer as lines of styled runs with source offsets."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from tui.chat.code import draw_code
from tui.chat.markdown_blocks import Blocks
from tui.chat.runs import Line
from tui.chat.segments import Segment, Splitter
from tui.widgets.look import Marks

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_RETURN = re.compile("\r\n|\r|\x00")
_MARKS = {"\r\n": " \n", "\r": "␍", "\x00": "␀"}


def prepare(source: str) -> str:
    """The source as the parser may see it: it would change returns and NULs, which moves every offset behind them."""
    if "\r" in source or "\x00" in source:
        return _RETURN.sub(lambda m: _MARKS[m[0]], source)
    return source


def draw_segment(source: str, segment: Segment, width: int, marks: Marks) -> list[Line]:
    """The lines of a segment of a prepared source. Offsets are those of the whole source."""
    if segment.code:
        return _fence(source, segment, width)
    tokens = _parser().parse(source[segment.start : segment.end])
    return Blocks(source, segment.start, segment.end, marks, segment.number).draw(tokens, width)


def draw_markdown(source: str, width: int, marks: Marks) -> list[Line]:
    """A whole text, as it looks when it is done."""
    source = prepare(source)
    splitter = Splitter()
    splitter.update(source)
    tail = splitter.tail(source)
    out: list[Line] = []
    for segment in [*splitter.segments, *([tail] if tail else [])]:
        lines = draw_segment(source, segment, width, marks)
        out += [[], *lines] if out and segment.gap else lines
    return out


def _fence(source: str, segment: Segment, width: int) -> list[Line]:
    spans: list[tuple[int, int]] = []
    at = segment.start
    while at < segment.end:
        end = source.find("\n", at, segment.end)
        end = end if end >= 0 else segment.end
        spans.append((at, end - 1 if source.endswith(" ", at, end) and source[end : end + 1] == "\n" else end))
        at = end + 1
    indent = 0
    if segment.first:
        opening = source[slice(*spans[0])]
        indent = len(opening) - len(opening.lstrip(" "))
        del spans[0]
    if spans and _closes(source[slice(*spans[-1])].strip(), segment.fence):
        del spans[-1]
    trimmed = [(min(b, a + _spaces(source, a, b, indent)), b) for a, b in spans]
    return draw_code(source, trimmed, segment.lang, width, label=segment.first) if trimmed or segment.first else []


def _spaces(source: str, a: int, b: int, most: int) -> int:
    n = 0
    while n < most and a + n < b and source[a + n] == " ":
        n += 1
    return n


def _closes(line: str, fence: str) -> bool:
    return len(line) >= len(fence) and not line.strip(fence[0])


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # Reference definitions would vanish from the screen, and may stand in another segment than their use.
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable(["reference"])
    parser.core.ruler.disable(["text_join"])
    return parser
