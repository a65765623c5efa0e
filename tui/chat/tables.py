"""Tables by columns, without a box."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tui.chat.runs import Line, Run, blank, cut_line, plain, width_of

_NUMBER = re.compile(r"[-+~<>≈±−]?\s?[$€£¥]?\d[\d.,:/\u202f ]*\s?\S{0,6}$")
_GAP = 3
_LEAST = 4


@dataclass(frozen=True, slots=True)
class Table:
    """The cells of a table as lines; `aligns` holds left, right, center or nothing per column."""

    head: list[Line]
    rows: list[list[Line]]
    aligns: list[str]


def draw_table(table: Table, width: int, rule: str) -> list[Line]:
    """Header, a rule, rows; what does not fit is cut in its column."""
    columns = len(table.head)
    rows = [(row + [[] for _ in range(columns)])[:columns] for row in table.rows]
    widths = [max(1, *(width_of(row[i]) for row in [table.head, *rows])) for i in range(columns)]
    widths = fit(widths, width - _GAP * (columns - 1))
    right = [_is_right(table.aligns[i], [row[i] for row in rows]) for i in range(columns)]
    head = [[run._replace(ink="muted+b") for run in cell] for cell in table.head]
    total = min(width, sum(widths) + _GAP * (columns - 1))
    lines = [_row(head, widths, right, table.aligns), [Run(rule * total, "rule")]]
    return [cut_line(line, width) for line in lines + [_row(row, widths, right, table.aligns) for row in rows]]


def fit(widths: list[int], room: int) -> list[int]:
    """The widest columns give way until all fit, none under four cells."""
    widths = list(widths)
    while sum(widths) > room:
        widest = max(widths)
        if widest <= _LEAST:
            break
        others = [w for w in widths if w < widest]
        at_top = len(widths) - len(others)
        floor = max([_LEAST, *others])
        excess = sum(widths) - room
        lower = max(floor, widest - max(1, excess // at_top))
        widths = [lower if w == widest else w for w in widths] if lower < widest else widths
        if lower == widest:
            break
    return widths


def _is_right(align: str, cells: list[Line]) -> bool:
    if align:
        return align == "right"
    texts = [text for text in (plain(cell).strip() for cell in cells) if text and text not in "-–—"]
    return bool(texts) and all(_NUMBER.match(text) for text in texts)


def _row(cells: list[Line], widths: list[int], right: list[bool], aligns: list[str]) -> Line:
    out: Line = []
    for i, cell in enumerate(cells):
        text = cut_line(cell, widths[i])
        fill = widths[i] - width_of(text)
        before = fill if right[i] else fill // 2 if aligns[i] == "center" else 0
        last = i == len(cells) - 1
        out += [blank(before)] if before else []
        out += text
        after = fill - before + (0 if last else _GAP)
        out += [blank(after)] if after and not last else []
    return out
