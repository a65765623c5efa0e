"""A marked block of ours at the end of a text file of another program, and the file without it, as it was before."""

from __future__ import annotations

from sessions.lending.json_edit import newline_of
from sessions.lending.unfit import Unfit

_BEGIN, _END = "memagent-tui:begin", "memagent-tui:end"
MARKDOWN = (f"<!-- {_BEGIN} -->", f"<!-- {_END} -->")
TOML = (f"# {_BEGIN}", f"# {_END}")
Marks = tuple[str, str]


def block_of(text: str, marks: Marks) -> str | None:
    """What stands between the marks, with `\\n` as line end; None without a block. Raises Unfit."""
    place = _place(text, marks)
    if place is None:
        return None
    start, end = place
    return text[start:end].replace("\r\n", "\n")[len(marks[0]) : -len(marks[1])].strip("\n")


def with_block(text: str, marks: Marks, lines: str) -> str:
    """The text with the block at its end, or in place of the one that is there. Raises Unfit.

    An empty line goes before it. Whether the file ended in a line end is kept: so does the block.
    """
    place = _place(text, marks)
    newline = newline_of(text[place[0] :] if place else text)
    shown = f"{marks[0]}\n{lines}\n{marks[1]}".replace("\n", newline)
    if place is not None:
        return text[: place[0]] + shown + text[place[1] :]
    if not text:
        return shown + newline
    if text.endswith("\n"):
        return text + newline + shown + newline
    return text + newline + newline + shown


def without_block(text: str, marks: Marks) -> str:
    """The text without the block and the line ends that came with it. Raises Unfit."""
    place = _place(text, marks)
    if place is None:
        return text
    newline = newline_of(text[place[0] :])
    before, behind = text[: place[0]].removesuffix(newline), text[place[1] :]
    rest = behind.removeprefix(newline)
    return before + rest if rest != behind else before.removesuffix(newline) + behind


def line_of_block(text: str, marks: Marks) -> int:
    """The line on which the block begins, from 1."""
    place = _place(text, marks)
    return text.count("\n", 0, place[0]) + 1 if place else 1


def _place(text: str, marks: Marks) -> tuple[int, int] | None:
    start = _line_that_is(text, marks[0], 0)
    if start < 0:
        return None
    end = _line_that_is(text, marks[1], start)
    if end < 0:
        raise Unfit.at("our block begins here and does not end", text, start)
    return start, end + len(marks[1])


def _line_that_is(text: str, mark: str, at: int) -> int:
    """Where a line that is nothing but the mark begins, -1 without one."""
    while (at := text.find(mark, at)) >= 0:
        behind = text[at + len(mark) : at + len(mark) + 2]
        if (at == 0 or text[at - 1] == "\n") and (not behind or behind[0] == "\n" or behind == "\r\n"):
            return at
        at += len(mark)
    return -1
