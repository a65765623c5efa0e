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
from tui.history.rows import LABEL, UNTITLED, recap_by, recap_lines
from tui.memory.fact_rows import fact_line
from tui.widgets.look import Look
from tui.widgets.rows import LEFT, NO_STYLE, Part, RowState, line, section, wrap
from tui.widgets.stripview import StripView
from tui.widgets.when import counted, folder, long, tokens

if TYPE_CHECKING:
    from sessions.store.catalog import Meta

LAST_TURNS = 3
_LABEL_CELLS = 10
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


class SessionDetail(StripView):
    """The detail of the session that is chosen in the list."""

    class Back(Message):
        """esc or left: to the list."""

    class Opened(Message):
        """Take the shown session up again."""

        def __init__(self, session: str) -> None:
            super().__init__()
            self.session = session

    BINDINGS = [("escape,left", "back", "Back"), ("enter", "open", "Resume")]  # noqa: RUF012

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.shown: Shown | None = None

    def show(
        self,
        meta: Meta | None,
        *,
        now: datetime,
        facts: Sequence[UsedFact] = (),
        events: Sequence[Event] | None = None,
    ) -> None:
        """Draw a session; `events` are those of its tail, None while they are read. None clears."""
        same = self.shown is not None and meta is not None and self.shown.meta.id == meta.id
        tail = Excerpt(events, most=LAST_TURNS) if events is not None else None
        self.shown = Shown(meta, now.astimezone(), facts, tail) if meta is not None else None
        self.set_builder(self._lines_of, top=not same)

    def _lines_of(self, width: int, look: Look) -> list[Strip]:
        return draw(width, look, self.shown, airy=self.airy) if self.shown else []

    def action_back(self) -> None:
        self.post_message(self.Back())

    def action_open(self) -> None:
        if self.shown is not None:
            self.post_message(self.Opened(self.shown.meta.id))


def facts_line(meta: Meta) -> str:
    """`~/code/atlas · qwen3:8b · 7 turns · 9.2k tok · memory on`."""
    used = sum(meta.tokens.values())
    words = [folder(meta.cwd), meta.model or meta.profile, counted(meta.turns, "turn")]
    words += [f"{tokens(used)} tok" if used else "", _MODES.get(str(meta.memory), "")]
    return " · ".join(word for word in words if word)


def draw(width: int, look: Look, shown: Shown, *, airy: bool) -> list[Strip]:
    """The whole detail as lines."""
    meta, now = shown.meta, shown.now
    blank = Strip.blank(width, Style())
    out = [blank] if airy else []
    out += [
        line(width, [(meta.title or UNTITLED, look.bold)], [(long(meta.updated_at, now), look.muted)]),
        line(width, [(facts_line(meta), look.muted)]),
    ]
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
        word = f"last {tail.shown} of {counted(most, 'turn')}" if tail.shown < most else counted(most, "turn")
        out += [blank, section(width, look, "Conversation", word), blank]
        out += tail.draw(width, look, now)
    return [*out, blank]


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
        return line(width, left, [("forgotten", look.muted)])
    return fact_line(width, look, RowState(), used.fact, now, word=used.word)
