"""The parts of the next request as rows: folded, open, or read as they are sent."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from textual.strip import Strip

from sessions.agent.inspect import ContextPart, ContextView
from tui.widgets.cells import pad
from tui.widgets.look import Look
from tui.widgets.rows import MIN_SECOND, Part, Row, RowState, row_line, wrap
from tui.widgets.when import counted

COLUMNS = (7, 9, 7)
"""Cells of items, tokens and share."""
NARROW = 60
"""Below it the number of items is left out."""
_TITLES = {
    "tools": "Tools",
    "system": "System prompt",
    "self": "About the agent",
    "facts": "Always sent",
    "label": "label of the block",
    "summary": "Earlier, in short",
    "messages": "Messages",
    "user": "You",
    "assistant": "Answer",
    "environment": "Date and folder",
    "changed": "Facts changed since",
    "next": "Your next message",
    "gone": "No longer sent",
}


def title_of(part: ContextPart, view: ContextView) -> str:
    """What the row is called."""
    match part.kind:
        case "tool" if part.title == "recall_memory" and view.block.listed:
            return f"{part.title}, with contents of {counted(view.block.listed, 'fact')}"
        case "call":
            return f"call {part.title}"
        case "result":
            return f"result of {part.title}"
        case "label" if not part.text.startswith("What"):
            return "end of the block"
        case "next" if not part.text:
            return "Your next message: none yet"
    return part.title or _TITLES[part.kind]


def notes(view: ContextView) -> list[str]:
    """What is not sent, in words."""
    left, block = view.left_out, view.block
    out = []
    if view.off:
        out.append("Memory is off: no facts and no memory tools, and earlier calls of them are empty")
    out += _tools(view)
    if left.off:
        out.append(f"Not sent: {counted(left.off, 'turn')} said while memory was off")
    if left.here:
        out.append(f"Not sent: {counted(left.here, 'turn')} told to a model on this machine")
    if left.older:
        out.append(f"Not sent: {counted(left.older, 'older turn')}")
    if left.summarised:
        out.append(f"In short only: {counted(left.summarised, 'message')} above the divider, still in the log")
    if block.left_out:
        out.append(f"No room: {counted(block.left_out, 'fact')} that would always be sent; recall finds them")
    if block.unlisted:
        out.append(f"No room in the contents: {counted(block.unlisted, 'fact')}; recall finds them")
    fixed = sum(part.tokens for part in view.parts if part.kind in {"tools", "system", "self", "facts"})
    if block.left_out or block.unlisted or fixed > view.window // 4:
        out.append(f"Tools, prompt and facts: {fixed:,} tok; facts give way above {view.window // 4:,}, a quarter")
    return out


def _tools(view: ContextView) -> list[str]:
    """Why not all tools are offered, and which are not."""
    if view.why == "no tools":
        return ["This model cannot call tools: none is offered, facts are sent all the same"]
    if view.why != "small":
        return []
    names, most = view.left_tools, 5
    gone = ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
    offered = "Small window: the tools of the memory are offered, in short"
    return [f"{offered}. Left out: {gone}; name one in your message to have it" if gone else offered]


def rows_of(view: ContextView, opened: Set[str], width: int) -> list[Row]:
    """The rows with these keys open; `width` is that of the list."""
    total = max(1, view.tokens)
    parts = [(str(i), part) for i, part in enumerate(view.parts)]
    if view.gone is not None:
        parts.append(("gone", view.gone))
    return [row for key, part in parts for row in _rows(part, key, 0, view, opened, width, total)]


def _rows(
    part: ContextPart, key: str, level: int, view: ContextView, opened: Set[str], width: int, total: int
) -> Iterator[Row]:
    is_open = key in opened
    first = next((line.strip() for line in part.text.split("\n") if line.strip()), "")
    yield PartRow(key, part, title_of(part, view), first if level or part.kind == "next" else "", level, is_open, total)
    if not is_open:
        return
    for i, child in enumerate(part.parts):
        yield from _rows(child, f"{key}.{i}", level + 1, view, opened, width, total)
    indent = 2 * level + 4
    for n, text in enumerate(wrap(part.text, min(96, width - indent - 6)) if part.text else []):
        yield TextLine(f"{key}:{n}", text, indent)


@dataclass(slots=True)
class PartRow:
    """A part: mark, name, its beginning; items, tokens and share on the right."""

    key: str
    part: ContextPart
    title: str
    first: str
    level: int
    open: bool
    total: int
    height: ClassVar[int] = 1
    selectable: ClassVar[bool] = True
    head: ClassVar[bool] = False
    live: ClassVar[bool] = False

    def draw(self, width: int, look: Look, state: RowState) -> list[Strip]:
        reverse = state.chosen and not look.palette.steps
        fg, muted = (Style(), Style()) if reverse else (look.fg, look.muted)
        items, tokens, share = COLUMNS
        count = f"{sum(p.kind != 'label' for p in self.part.parts):,}" if self.part.parts else ""
        sent = not self.level and self.part.kind != "gone"
        percent = f"{100 * self.part.tokens / self.total:.0f}%" if sent else ""
        folds = bool(self.part.parts or self.part.text)
        mark = (look.marks.open if self.open else look.marks.folded) if folds else " "
        words = fg + Style(bold=True) if state.chosen else fg if sent else muted
        left: list[Part] = [("  " * self.level, fg), (mark, muted), (" ", fg), (self.title, words)]
        right: list[Part] = [(pad(count, items, right=True), muted)] if width >= NARROW else []
        right += [
            (pad(f"{self.part.tokens:,}", tokens, right=True), fg if sent or self.level else muted),
            (pad(percent, share, right=True), muted),
        ]
        room = width - 8 - sum(len(text) for text, _ in (*left, *right))
        if self.first and not self.open and room >= MIN_SECOND:
            left += [("  ", fg), (self.first, muted)]
        return [row_line(width, look, state, left, right)]


@dataclass(slots=True)
class TextLine:
    """A line of a part's own text."""

    key: str
    text: str
    indent: int
    height: ClassVar[int] = 1
    selectable: ClassVar[bool] = True
    head: ClassVar[bool] = False
    live: ClassVar[bool] = False

    def draw(self, width: int, look: Look, state: RowState) -> list[Strip]:
        fg = Style() if state.chosen and not look.palette.steps else look.muted
        return [row_line(width, look, state, [(" " * self.indent, fg), (self.text, fg)])]
