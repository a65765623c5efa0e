"""The rows of the History list."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual.strip import Strip

from tui.widgets.look import Look
from tui.widgets.match import spans
from tui.widgets.rows import NO_STYLE, Part, RowState, marked, row_line, spinner
from tui.widgets.when import counted, folder, in_group, short, turns_told

if TYPE_CHECKING:
    from sessions.store.catalog import Meta

BADGES = {
    "claude-code": "Claude Code",
    "codex": "Codex",
    "chatgpt": "ChatGPT",
    "claude-ai": "Claude.ai",
    "messages-jsonl": "messages.jsonl",
    "memdir": "memdir",
}
"""What another program's sessions are called."""
BADGE_CELLS = 40
NARROW = (60, 79)
"""Widths of the list when it is all that a small terminal has room for; a list beside others is narrower."""
UNTITLED = "New session"
LABEL = re.compile(r"^(Asked|Then|Used|Learned|Answer|Done|Decided|Open):\s+")
"""What a line of a recap begins with."""


def recap_lines(meta: Meta) -> list[str]:
    """What the session did, line by line; empty when nothing is known."""
    text = str(meta.recap.get("text", "")) if meta.recap else ""
    return [line for line in text.splitlines() if line.strip()]


def recap_text(meta: Meta) -> str:
    """What the session did, in one line: of a recap made by rules what was learned, then the answer, without labels."""
    lines = recap_lines(meta)
    told = {match[1]: line[match.end() :] for line in lines if (match := LABEL.match(line))}
    if "Answer" not in told and "Learned" not in told:
        return " ".join(LABEL.sub("", " ".join(lines)).split())
    learned = told.get("Learned", "")
    count = learned.count(", ") + 1
    done = f"Learned {learned if count == 1 else counted(count, 'fact')}" if learned else ""
    return "; ".join(" ".join(text.split()) for text in (done, told.get("Answer", "")) if text)


def recap_by(meta: Meta) -> str:
    """Who wrote the recap: `rule` or a model."""
    return str(meta.recap.get("by", "")) if meta.recap else ""


def badge(meta: Meta) -> str:
    """The name of the program that the session comes from; empty for our own."""
    return badge_of(str((meta.source or {}).get("kind", "")))


def badge_of(kind: str | None) -> str:
    """The name of a kind of program; empty for our own."""
    return BADGES.get(kind or "", kind or "")


@dataclass(slots=True)
class SessionRow:
    """Mark, title and when; below it where it comes from, what it did and how many turns."""

    key: str
    meta: Meta
    now: datetime
    state: str = ""
    """`running`, `waits for you`, `new`, `running elsewhere`, `read-only`, `archived`; empty = at rest."""
    words: tuple[str, ...] = ()
    """The words of the filter, to be marked."""
    group: str = ""
    height: ClassVar[int] = 2
    selectable: ClassVar[bool] = True
    head: ClassVar[bool] = False

    @property
    def live(self) -> bool:
        return self.state == "running"

    def draw(self, width: int, look: Look, state: RowState) -> list[Strip]:
        mark: Part = (" ", NO_STYLE)
        when: Part = (in_group(self.meta.updated_at, self.now), look.muted)
        if self.group != "Yesterday":
            when = (short(self.meta.updated_at, self.now), look.muted)
        if self.state == "waits for you":
            mark, when = (look.marks.approval, look.warn), (self.state, look.warn)
        elif self.state in {"read-only", "archived"}:
            when = (self.state, look.muted)
        elif self.state == "new":
            mark, when = (look.marks.item, look.accent), (self.state, look.accent)
        elif self.state:
            sign = spinner(look, state) if self.live else look.marks.elsewhere
            mark, when = (sign, look.accent), (self.state, look.accent)
        title = look.bold if state.chosen else look.fg
        name = marked(self.meta.title or UNTITLED, spans(self.meta.title, self.words), title, look)
        turns: list[Part] = [(turns_told(self.meta.turns, fork=bool(self.meta.forked_from)), look.muted)]
        if self.meta.damaged:
            lost = f"{look.marks.overdue} {counted(self.meta.damaged, 'line')} lost"
            turns = [(lost, look.warn), (f" {look.marks.dot} ", look.muted), *turns]
        return [
            row_line(width, look, state, [mark, (" ", NO_STYLE), *name], [when]),
            row_line(width, look, state, [("  ", NO_STYLE), *self._second(width, look)], turns),
        ]

    def _second(self, width: int, look: Look) -> list[Part]:
        source = badge(self.meta) if width >= BADGE_CELLS and not NARROW[0] <= width <= NARROW[1] else ""
        parts: list[Part] = [(f" {source} ", look.muted + look.raised_bg), (" ", NO_STYLE)] if source else []
        text = recap_text(self.meta)
        cwd = folder(self.meta.cwd or "")
        found = spans(text, self.words)
        if self.words and not found and spans(cwd, self.words) and not spans(self.meta.title, self.words):
            # Only the folder matched: say so where the eye looks for the reason.
            return [*parts, *marked(cwd, spans(cwd, self.words), look.muted, look)]
        return [*parts, *marked(text, found, look.muted, look)]


def haystack(meta: Meta) -> str:
    """What the filter looks in."""
    recap = str(meta.recap.get("text", "")) if meta.recap else ""
    return f"{meta.title}\n{recap}\n{folder(meta.cwd)}\n{badge(meta)}"
