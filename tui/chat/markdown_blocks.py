"""Blocks of Markdown as lines: headings, lists, quotes, code, tables."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING

from tui.chat.code import draw_code
from tui.chat.markdown_inline import Inline
from tui.chat.runs import Line, Run, blank, safe, wrap
from tui.chat.tables import Table, draw_table
from tui.widgets.cells import cell_len
from tui.widgets.look import Marks

if TYPE_CHECKING:
    from markdown_it.token import Token

_TASK = re.compile(r"\[([ xX])\](?= |$) ?")
_DEEPEST = 8
"""Levels of indent; deeper ones are drawn at this one, or no room would be left."""


class Blocks:
    """Draws the tokens of one piece of source, which begins at `base` of `source`."""

    def __init__(self, source: str, base: int, end: int, marks: Marks, number: int | None = None) -> None:
        self._source, self._base, self._marks = source, base, marks
        self._starts = [base]
        at = source.find("\n", base, end)
        while at >= 0:
            self._starts.append(at + 1)
            at = source.find("\n", at + 1, end)
        self._starts.append(end + 1)
        self._number = number
        self._tokens: list[Token] = []
        self._i = 0
        self._depth = 0

    def draw(self, tokens: list[Token], width: int) -> list[Line]:
        """All blocks, a blank line between them."""
        self._tokens, self._i = tokens, 0
        return self._sequence("", width, "fg", tight=False)

    def _line(self, number: int) -> tuple[int, int]:
        """Start and end of a line of the source, without its newline."""
        number = min(number, len(self._starts) - 2)
        return self._starts[number], self._starts[number + 1] - 1

    def _blank_before(self, number: int) -> bool:
        if number <= 0:
            return False
        a, b = self._line(number - 1)
        return not self._source[a:b].strip(" \t>\r")

    def _sequence(self, close: str, width: int, ink: str, *, tight: bool) -> list[Line]:
        out: list[Line] = []
        while self._i < len(self._tokens) and self._tokens[self._i].type != close:
            token = self._tokens[self._i]
            gap = not tight or (token.map is not None and self._blank_before(token.map[0]))
            lines = self._block(token, max(4, width), ink)
            if out and lines and gap:
                out.append([])
            out += lines
        self._i += 1
        return out

    def _block(self, token: Token, width: int, ink: str) -> list[Line]:
        self._i += 1
        match token.type:
            case "heading_open":
                return self._sequence("heading_close", width, "fg+b", tight=True)
            case "paragraph_open":
                return self._sequence("paragraph_close", width, ink, tight=True)
            case "inline":
                return self._inline(token, width, ink)
            case "bullet_list_open":
                return self._list("bullet_list_close", width, ink, None)
            case "ordered_list_open":
                first = self._number if self._number is not None else int(token.attrs.get("start", 1))
                self._number = None
                return self._list("ordered_list_close", width, ink, first)
            case "blockquote_open":
                return self._nested(
                    Run(f"{self._marks.quote} ", "muted"), "blockquote_close", width, "fg+i", tight=False
                )
            case "fence" | "code_block":
                return self._code(token, width)
            case "hr":
                return [[Run(self._marks.rule * width, "rule")]]
            case "table_open":
                return self._table(width)
            case _:
                return self._verbatim(token, ink)

    def _verbatim(self, token: Token, ink: str) -> list[Line]:
        if not token.map or not token.content:
            return []
        return [safe(self._source, *self._line(n), ink) for n in range(*token.map)]

    def _inline(self, token: Token, width: int, ink: str, skip: int = 0) -> list[Line]:
        inline = Inline(self._source, token.content, self._positions(token), ink)
        return [w for line in inline.lines(token.children or [], skip) for w in wrap(line, width)]

    def _positions(self, token: Token) -> Callable[[int], int]:
        """Index of an inline block's content -> offset of the source, by aligning the lines of both."""
        first = token.map[0] if token.map else 0
        rows = token.content.split("\n")
        tops, places = [0], []
        for k, row in enumerate(rows):
            a, b = self._line(first + k)
            place = self._source.rfind(row, a, b)
            places.append(place if place >= 0 else a)
            tops.append(tops[-1] + len(row) + 1)
        if len(rows) == 1:
            return lambda index: places[0] + index

        def at(index: int) -> int:
            row = min(bisect_right(tops, index) - 1, len(rows) - 1)
            return places[row] + index - tops[row]

        return at

    def _nested(
        self, first: Run, close: str, width: int, ink: str, *, tight: bool, rest: Run | None = None
    ) -> list[Line]:
        cells = cell_len(first.text) if self._depth < _DEEPEST else 0
        self._depth += 1
        lines = self._sequence(close, width - cells, ink, tight=tight)
        self._depth -= 1
        if not cells:
            return lines
        return [[first if i == 0 or rest is None else rest, *line] for i, line in enumerate(lines or [[]])]

    def _list(self, close: str, width: int, ink: str, number: int | None) -> list[Line]:
        out: list[Line] = []
        items = self._count_items(close)
        digits = len(str((number or 0) + items - 1)) + 2
        while self._i < len(self._tokens) and self._tokens[self._i].type != close:
            item = self._tokens[self._i]
            self._i += 1
            if out and item.map and self._blank_before(item.map[0]):
                out.append([])
            mark = Run(f"{self._marks.item} ", "muted")
            if number is not None:
                mark = Run(f"{number}{item.markup or '.'} ".rjust(digits), "muted")
                number += 1
            elif task := self._task():
                mark = task
            rest = blank(cell_len(mark.text))
            out += self._nested(mark, "list_item_close", width, ink, tight=True, rest=rest)
        self._i += 1
        return out

    def _count_items(self, close: str) -> int:
        level = self._tokens[self._i].level
        n = 0
        for k in range(self._i, len(self._tokens)):
            token = self._tokens[k]
            if token.type == close and token.level == level - 1:
                break
            n += token.type == "list_item_open" and token.level == level
        return n

    def _task(self) -> Run | None:
        """The mark of a task, its `[x]` taken out of the item's text."""
        if self._i + 1 >= len(self._tokens):
            return None
        inline = self._tokens[self._i + 1]
        box = _TASK.match(inline.content) if inline.type == "inline" else None
        if not box or not inline.children or inline.children[0].type != "text":
            return None
        inline.children[0].content = inline.children[0].content[box.end() :]
        done = box[1] != " "
        start = self._positions(inline)(0)
        text = f"{self._marks.done if done else self._marks.off} "
        return Run(text, "ok" if done else "muted", start, start + box.end())

    def _code(self, token: Token, width: int) -> list[Line]:
        spans = []
        first = (token.map[0] if token.map else 0) + (token.type == "fence")
        rows = token.content.split("\n")
        for k, row in enumerate(rows[:-1] if rows[-1] == "" else rows):
            a, b = self._line(first + k)
            b = b - 1 if self._source.endswith("\r", a, b) else b
            start = b - len(row) if self._source.endswith(row, a, b) else min(b, a + self._indent(a, b))
            spans.append((start, b))
        return draw_code(self._source, spans, token.info.strip().split(" ")[0], width)

    def _indent(self, a: int, b: int) -> int:
        text = self._source[a:b]
        return len(text) - len(text.lstrip(" \t"))

    def _table(self, width: int) -> list[Line]:
        rows: list[list[Line]] = []
        aligns: list[str] = []
        cursor = end = 0
        while (token := self._tokens[self._i]).type != "table_close":
            self._i += 1
            if token.type == "tr_open":
                rows.append([])
                cursor, end = self._line(token.map[0] if token.map else 0)
            elif token.type in {"th_open", "td_open"} and len(rows) == 1:
                aligns.append(str(token.attrs.get("style", "")).removeprefix("text-align:"))
            elif token.type == "inline":
                at, cursor = self._cell(token.content, cursor, end)
                lines = Inline(self._source, token.content, at, "fg").lines(token.children or [])
                rows[-1].append([run for line in lines for run in line])
        self._i += 1
        return draw_table(Table(rows[0], rows[1:], aligns), width, self._marks.rule) if rows else []

    def _cell(self, content: str, start: int, end: int) -> tuple[Callable[[int], int], int]:
        """Where the characters of a cell stand in its row, and where the next cell may begin."""
        place = self._source.find(content, start, end)
        if content and place >= 0:
            return (lambda index: place + index), place + len(content)
        # `\|` in the row is `|` in the cell, so its characters are found one by one.
        places: list[int] = []
        at = start
        for char in content:
            found = self._source.find(char, at, end)
            at = found + 1 if found >= 0 else at
            places.append(max(start, at - 1))
        places.append(at)
        return (lambda index: places[min(index, len(places) - 1)]), at
