"""What a session did: its recap, the facts it learned and used, and the end of its conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from rich.style import Style
from textual.message import Message
from textual.strip import Strip

from sessions.events import Event
from sessions.memory.fact import Fact
from tui.chat.excerpt import Excerpt
from tui.history.hit_rows import HitRow, who
from tui.history.opened import OpenedAt
from tui.history.rows import LABEL, UNTITLED, badge_of, recap_by, recap_lines
from tui.memory.fact_rows import fact_line
from tui.widgets.look import Look
from tui.widgets.match import spans
from tui.widgets.rows import LEFT, NO_STYLE, Part, RowState, line, marked, section, wrap
from tui.widgets.stripview import StripView
from tui.widgets.when import counted, folder, long, tokens, turns_told

if TYPE_CHECKING:
    from sessions.store.catalog import Meta

LAST_TURNS = 3
_LABEL_CELLS = 10
_TEXT_CELLS = 96
_MODES = {"on": "memory on", "read-only": "memory: use, don't save", "off": "memory off"}


@dataclass(frozen=True, slots=True)
class UsedFact:
    """A fact in a session: what it did there (`learned`, `used`) and the fact, None when it is gone."""

    name: str
    word: str
    fact: Fact | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """All that the detail draws."""

    meta: Meta
    now: datetime
    facts: Sequence[UsedFact] = ()
    tail: Excerpt | None = None
    """The last turns; None while they are being read."""
    hit: HitRow | None = None
    """What a search found there."""
    cost: str = ""
    """What its answers cost, where its profile has a price."""


class SessionDetail(StripView):
    """The detail of the session that is chosen in the list."""

    class Back(Message):
        """esc or left: to the list."""

    class Opened(OpenedAt):
        """Take the shown session up again, at what was found there."""

    class Restored(Message):
        """Bring the shown session back from the trash."""

    BINDINGS = [("escape,left", "back", "Back"), ("enter", "open", "Resume")]  # noqa: RUF012

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.shown: Shown | None = None
        self.trashed = False
        """What is shown is in the trash."""

    @property
    def place(self) -> str:
        return "trash" if self.trashed else ""

    def show(
        self,
        meta: Meta | None,
        *,
        now: datetime,
        facts: Sequence[UsedFact] = (),
        events: Sequence[Event] | None = None,
        hit: HitRow | None = None,
        cost: str = "",
    ) -> None:
        """Draw a session; `events` are those of its tail, None while they are read. None clears."""
        before = self.shown
        same = before is not None and meta is not None and before.meta.id == meta.id and hit in (None, before.hit)
        turn = hit.hit.turn if hit is not None else 0
        who = (meta.profile, meta.model) if meta is not None else ("", "")
        tail = Excerpt(events, most=LAST_TURNS, around=turn, who=who) if events is not None else None
        self.shown = Shown(meta, now.astimezone(), facts, tail, hit, cost) if meta is not None else None
        self.set_builder(self._lines_of, top=not same)

    def _lines_of(self, width: int, look: Look) -> list[Strip]:
        return draw(width, look, self.shown, airy=self.airy) if self.shown else []

    def action_back(self) -> None:
        self.post_message(self.Back())

    def action_open(self) -> None:
        if self.trashed:
            self.post_message(self.Restored())
        elif self.shown is not None:
            self.post_message(self.Opened(self.shown.meta.id, self.shown.hit))


def facts_line(meta: Meta, cost: str = "") -> str:
    """`~/code/atlas · $0.25 · qwen3:8b · 7 turns · 9.2k tok · memory on`; the end may be cut, the cost never is."""
    used = sum(meta.tokens.values())
    words = [folder(meta.cwd), cost, meta.model or meta.profile, turns_told(meta.turns, fork=bool(meta.forked_from))]
    words += [f"{tokens(used)} tok" if used else "", _MODES.get(str(meta.memory), "")]
    return " · ".join(word for word in words if word)


def draw(width: int, look: Look, shown: Shown, *, airy: bool) -> list[Strip]:
    """The whole detail as lines."""
    meta, now = shown.meta, shown.now
    blank = Strip.blank(width, Style())
    out = [blank] if airy else []
    out += [
        line(width, [(meta.title or UNTITLED, look.bold)], [(long(meta.updated_at, now), look.muted)]),
        line(width, [(facts_line(meta, shown.cost), look.muted)]),
    ]
    if meta.damaged:
        lines = counted(meta.damaged, "line")
        told = f"{lines} of its log cannot be read; the rest is here"
        out.append(line(width, [(f"{look.marks.overdue} ", look.warn), (told, look.warn)]))
    if shown.hit is not None:
        out += [blank, *_found(width, look, shown.hit, meta, now)]
    recap = recap_lines(meta)
    if recap:
        by = recap_by(meta)
        out += [blank, section(width, look, "Recap", "by rule" if by in {"", "rule", "rules"} else f"by {by}")]
        for text in recap:
            out += _recap_line(width, look, text)
    if shown.facts:
        out += [blank, section(width, look, "Facts", _fact_counts(shown.facts))]
        out += [_fact_line(width, look, used, now) for used in shown.facts]
    tail = shown.tail
    if tail is not None and tail.blocks:
        most = max(meta.turns, tail.turns)
        word = (
            f"around turn {tail.around}"
            if tail.around
            else f"last {tail.shown or 'words'} of {counted(most, 'turn')}"
            if tail.shown < most
            else counted(most, "turn")
        )
        out += [blank, section(width, look, "Conversation", word), blank]
        out += tail.draw(width, look, now, shown.hit.needles if shown.hit is not None else ())
    return [*out, blank]


def _found(width: int, look: Look, row: HitRow, meta: Meta, now: datetime) -> list[Strip]:
    """Which of the hits it is, who said it and when, and the words with what stands around them."""
    hit = row.hit
    turn = f" · turn {hit.turn} of {max(meta.turns, hit.turn)}" if hit.turn else ""
    out = [section(width, look, "Found", f"hit {row.at + 1} of {len(row.hits)}{turn}")]
    source = badge_of(hit.source)
    said: list[Part] = [(who(hit), look.fg)] + ([(f"  {source}", look.muted)] if source else [])
    out.append(line(width, said, [(long(hit.at, now), look.muted)]))
    for text in wrap(hit.text, min(width, _TEXT_CELLS) - LEFT - 2):
        out.append(line(width, marked(text, spans(text, row.needles), look.fg, look)))
    return out


def _recap_line(width: int, look: Look, text: str) -> list[Strip]:
    match = LABEL.match(text)
    if match is None:
        return [line(width, [(part, look.fg)]) for part in wrap(text, width - LEFT - 2)]
    label = match[1].lower()
    out = []
    for i, part in enumerate(wrap(text[match.end() :], width - LEFT - 2 - _LABEL_CELLS)):
        head: Part = (label.ljust(_LABEL_CELLS) if i == 0 else " " * _LABEL_CELLS, look.muted)
        out.append(line(width, [head, (part, look.fg)]))
    return out


def _fact_counts(facts: Sequence[UsedFact]) -> str:
    words = dict.fromkeys(f.word for f in facts)
    return " · ".join(f"{sum(1 for f in facts if f.word == word)} {word}" for word in words)


def _fact_line(width: int, look: Look, used: UsedFact, now: datetime) -> Strip:
    if used.fact is None:
        left = [("        ", NO_STYLE), (used.name, look.muted)]
        return line(width, left, [("no longer there", look.muted)])
    return fact_line(width, look, RowState(), used.fact, now, word=used.word)
