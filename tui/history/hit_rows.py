"""The rows that a search leaves: a session with what was said there, a fact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual.strip import Strip

from tui.history.rows import BADGE_CELLS, NARROW, UNTITLED, badge_of
from tui.widgets.cells import cell_len
from tui.widgets.look import Look
from tui.widgets.match import spans
from tui.widgets.rows import NO_STYLE, Part, RowState, marked, plain, row_line, width_of
from tui.widgets.when import counted, short

if TYPE_CHECKING:
    from sessions.memory.fact import Fact
    from sessions.store.hits import Hit

ROLES = {"user": "You", "assistant": "answer", "title": "title", "recap": "recap", "summary": "in short"}


def who(hit: Hit) -> str:
    """Who said it, in a word."""
    return plain(hit.tool) or ROLES.get(hit.role, hit.role)


def best_line(text: str, needles: Sequence[str]) -> str:
    """Of the lines of a hit the one that matches most."""
    lines = text.split("\n")
    return max(lines, key=lambda line: len(spans(line, needles))) if needles else lines[len(lines) // 2]


def in_sight(text: str, needles: Sequence[str], cells: int) -> str:
    """The text from where its first match is seen in so many cells."""
    found = spans(text, needles)
    if not found or cell_len(text[: found[0][1]]) <= cells - 1:
        return text
    start = max(0, found[0][0] - cells // 2)
    word = text.find(" ", start, found[0][0]) + 1
    return "…" + text[word or start :]


@dataclass(slots=True)
class HitRow:
    """Title and when; below it who said it, the words, and how many hits there are."""

    key: str
    hits: tuple[Hit, ...]
    now: datetime
    needles: tuple[str, ...]
    at: int = 0
    """Which of the hits is shown."""
    words: str = ""
    """What was looked for, without limits of time and place."""
    note: str = ""
    """What is to be known of the session, in a word."""
    height: ClassVar[int] = 2
    selectable: ClassVar[bool] = True
    head: ClassVar[bool] = False
    live: ClassVar[bool] = False

    @property
    def hit(self) -> Hit:
        return self.hits[self.at]

    def draw(self, width: int, look: Look, state: RowState) -> list[Strip]:
        hit = self.hit
        style = look.bold if state.chosen else look.fg
        title = marked(hit.title or UNTITLED, spans(hit.title, self.needles), style, look)
        lead: list[Part] = [("  ", NO_STYLE)]
        when = " · ".join(word for word in (self.note, short(hit.at, self.now)) if word)
        count = f"{self.at + 1} of {len(self.hits)}" if self.at else counted(len(self.hits), "hit")
        return [
            row_line(width, look, state, [*lead, *title], [(when, look.muted)]),
            row_line(width, look, state, [*lead, *self._second(width, look, len(count))], [(count, look.muted)]),
        ]

    def _second(self, width: int, look: Look, taken: int) -> list[Part]:
        source = badge_of(self.hit.source) if width >= BADGE_CELLS and not NARROW[0] <= width <= NARROW[1] else ""
        parts: list[Part] = [(f" {source} ", look.muted + look.raised_bg), (" ", NO_STYLE)] if source else []
        parts += [(who(self.hit), look.fg), ("  ", NO_STYLE)]
        text = best_line(self.hit.text, self.needles)
        text = in_sight(plain(text), self.needles, width - 8 - taken - width_of(parts))
        return [*parts, *marked(text, spans(text, self.needles), look.muted, look)]


@dataclass(slots=True)
class FactHitRow:
    """A fact: its one line, its number, and what more it says."""

    key: str
    fact: Fact
    now: datetime
    needles: tuple[str, ...]
    height: ClassVar[int] = 2
    selectable: ClassVar[bool] = True
    head: ClassVar[bool] = False
    live: ClassVar[bool] = False

    def draw(self, width: int, look: Look, state: RowState) -> list[Strip]:
        fact = self.fact
        style = look.bold if state.chosen else look.fg
        summary = marked(fact.summary, spans(fact.summary, self.needles), style, look)
        body = best_line(fact.body.strip() or fact.name, self.needles)
        more = [(f"fact {fact.number}", look.fg), ("  ", NO_STYLE)]
        more += marked(body, spans(body, self.needles), look.muted, look)
        lead: list[Part] = [("  ", NO_STYLE)]
        when: list[Part] = [(short(fact.confirmed_at, self.now), look.muted)]
        return [
            row_line(width, look, state, [*lead, *summary], when),
            row_line(width, look, state, [*lead, *more], [(fact.kind, look.muted)]),
        ]
