"""The rows of the Memory list: facts, files that are broken, changes that wait."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from textual.strip import Strip

from sessions.memory.fact import BrokenFact, Fact, Proposal
from tui.widgets.look import Look
from tui.widgets.match import spans
from tui.widgets.rows import NO_STYLE, Part, RowState, marked, row_line
from tui.widgets.when import due

NUMBER_CELLS = 4


def number_part(number: int, look: Look) -> Part:
    """The number, right-aligned, and the blank after it."""
    return (str(number) if number else "").rjust(NUMBER_CELLS) + " ", look.muted


def fact_mark(fact: Fact, look: Look, now: datetime) -> Part:
    """The mark of a fact as it is now."""
    if not fact.active:
        return look.marks.off, look.muted
    if fact.due is not None and due(fact.due, now)[1]:
        return look.marks.overdue, look.warn
    return (look.marks.pinned if fact.pinned else look.marks.active), look.accent


def fact_word(fact: Fact, look: Look, now: datetime) -> Part | None:
    """`off`, `due Fri 4`, `overdue 2 d`; active has no word."""
    if not fact.active:
        return ("off" if fact.status == "off" else fact.status), look.muted
    if fact.due is not None:
        word, late = due(fact.due, now)
        return word, look.warn if late else look.muted
    return ("locked", look.muted) if fact.locked else None


def fact_line(
    width: int,
    look: Look,
    state: RowState,
    fact: Fact,
    now: datetime,
    *,
    word: str = "",
    words: tuple[str, ...] = (),
) -> Strip:
    """A fact in one line; `word` stands before its state on the right, `words` are marked in its summary."""
    style = look.bold if state.chosen else look.fg if fact.active else look.muted
    left = [fact_mark(fact, look, now), number_part(fact.number, look)]
    # The number's column begins right after the mark: `◆   7 Lives in Tokyo`.
    left += marked(fact.summary, spans(fact.summary, words), style, look)
    own = fact_word(fact, look, now)
    right: list[Part] = [(word, look.muted)] if word else []
    if own is not None:
        right += [(" · ", look.muted), own] if right else [own]
    return row_line(width, look, state, left, right)


@dataclass(slots=True)
class FactRow:
    """Mark, number, the one line, and a word for what is unusual."""

    key: str
    fact: Fact
    now: datetime
    words: tuple[str, ...] = ()
    height: ClassVar[int] = 1
    selectable: ClassVar[bool] = True
    head: ClassVar[bool] = False
    live: ClassVar[bool] = False

    def draw(self, width: int, look: Look, state: RowState) -> list[Strip]:
        return [fact_line(width, look, state, self.fact, self.now, words=self.words)]


@dataclass(slots=True)
class BrokenRow:
    """A file that cannot be read, and why."""

    key: str
    broken: BrokenFact
    height: ClassVar[int] = 1
    selectable: ClassVar[bool] = True
    head: ClassVar[bool] = False
    live: ClassVar[bool] = False

    def draw(self, width: int, look: Look, state: RowState) -> list[Strip]:
        left: list[Part] = [(look.marks.failed, look.err), (" " * (NUMBER_CELLS + 1), NO_STYLE)]
        left.append((self.broken.path.name, look.bold if state.chosen else look.fg))
        return [row_line(width, look, state, left, [(self.broken.why, look.err)])]


_PROPOSED = {
    "new": ("new", "new"),
    "update": ("change", "change"),
    "supersede": ("change", "change"),
    "forget": ("stale", "forget"),
    "merge": ("merge", "merge"),
}


@dataclass(slots=True)
class ProposalRow:
    """A change that waits for the person's yes."""

    key: str
    proposal: Proposal
    now: Fact | None = None
    """The fact that it changes, as it is."""
    height: ClassVar[int] = 1
    selectable: ClassVar[bool] = True
    head: ClassVar[bool] = False
    live: ClassVar[bool] = False

    def draw(self, width: int, look: Look, state: RowState) -> list[Strip]:
        mark, word = _PROPOSED.get(self.proposal.proposes, ("new", self.proposal.proposes))
        fact = self.proposal.fact
        number = self.now.number if self.now is not None and mark != "merge" else fact.number
        left: list[Part] = [(getattr(look.marks, mark), look.warn), number_part(number, look)]
        style = look.bold if state.chosen else look.fg
        if mark == "change" and self.now is not None and self.now.summary != fact.summary:
            left.append((f"{self.now.summary} {look.marks.arrow} ", style))
        left.append((fact.summary, style))
        return [row_line(width, look, state, left, [(word, look.muted)])]
