"""The lines of an empty session: what is remembered, what waits, what can be taken up again, what can be tried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.widgets.cells import cut
from tui.widgets.look import Look, look_of
from tui.widgets.rows import MIN_SECOND, Part, ground, line, width_of
from tui.widgets.when import counted, due, short

TRY = (
    "I live in Tokyo, and I prefer Celsius.",
    "What am I waiting on?",
    "What did I say about the roadmap last week?",
)


@dataclass(frozen=True, slots=True)
class Recent:
    """A session that can be taken up again."""

    id: str
    title: str
    recap: str
    at: str
    turns: int
    source: str = ""


@dataclass(frozen=True, slots=True)
class Waiting:
    """An open thread that is due within three days, or overdue."""

    number: int
    summary: str
    due: date


@dataclass(frozen=True, slots=True)
class StartState:
    """What the lines say. None = not known yet, and left out."""

    facts: int | None = None
    sessions: int | None = None
    waiting: Sequence[Waiting] = ()
    to_review: int = 0
    recent: Sequence[Recent] = ()
    guide: bool = False
    private: bool = False
    moved: str = ""
    """What there is to say of a project that seems to have moved here."""
    found: str = ""
    """Sessions of other agents that could be followed."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A model that could be connected."""

    text: str = ""
    """Empty = nothing was found."""
    found: bool = False
    """It is ready on this machine."""


def greeting(state: StartState, now: datetime) -> str:
    """`Good evening. I remember 12 facts and 128 sessions.`"""
    part = "morning" if now.hour < 12 else "afternoon" if now.hour < 18 else "evening"
    hello = f"Good {part}." if now.hour >= 5 else "Hello."
    if state.private:
        return f"{hello} Private: nothing of this is kept."
    if state.facts is None or state.sessions is None:
        return hello
    if not state.facts and not state.sessions:
        return f"{hello} I remember nothing yet: tell me something."
    return f"{hello} I remember {counted(state.facts, 'fact')} and {counted(state.sessions, 'session')}."


class StartLines(Widget):
    """Drawn by the line; clicking a session takes it up, clicking a sentence puts it into the composer."""

    @dataclass
    class SessionChosen(Message):
        session: str

    @dataclass
    class SentenceChosen(Message):
        text: str

    class MovedChosen(Message):
        """The line about a project that moved was clicked."""

    class ConnectChosen(Message):
        """The line about a model that could be connected was clicked."""

    class FoundChosen(Message):
        """The line about sessions of other agents was clicked."""

    def __init__(self) -> None:
        super().__init__(id="start")
        self.state = StartState()
        self._offer: Offer | None = None
        self._lines: list[Strip] = []
        self._made_for: tuple[StartState, Offer | None, int, int, str] | None = None

    def show(self, state: StartState) -> None:
        if state != self.state:
            self.state = state
            self.refresh()

    def found(self, text: str) -> None:
        """What could be followed of other agents; nothing any more when it is empty."""
        self.show(replace(self.state, found=text))

    def offer(self, offer: Offer) -> None:
        """What could be connected in the place of the guide."""
        if offer != self._offer:
            self._offer = offer
            self.refresh()

    def render_line(self, y: int) -> Strip:
        made_for = (self.state, self._offer, self.size.width, self.size.height, self.app.theme)
        if made_for != self._made_for:
            self._made_for = made_for
            self._lines = self._make(look_of(self.app))
        strip = self._lines[y] if y < len(self._lines) else Strip.blank(self.size.width)
        return strip.apply_style(ground(self))

    def _make(self, look: Look) -> list[Strip]:
        now = self.app.now() if hasattr(self.app, "now") else datetime.now().astimezone()
        groups = [
            self._head(look, now),
            self._waits(look, now),
            self._again(look, now),
            self._found(look),
            self._guide(look),
            self._try(look),
        ]
        lines: list[Strip] = []
        for group in groups:
            if not group:
                continue
            if lines:
                lines.append(Strip.blank(self.size.width))
            lines.extend(group)
        return lines

    def _line(self, left: list[Part], right: list[Part] | None = None, meta: dict[str, str] | None = None) -> Strip:
        strip = line(self.size.width, left, right or [])
        if not meta:
            return strip
        mark = Style(meta=meta)
        return Strip([Segment(s.text, (s.style or Style()) + mark) for s in strip], strip.cell_length)

    def _head(self, look: Look, now: datetime) -> list[Strip]:
        return [self._line([("  " + greeting(self.state, now), look.bold)])]

    def _waits(self, look: Look, now: datetime) -> list[Strip]:
        lines = []
        for thread in self.state.waiting:
            words, overdue = due(thread.due, now)
            mark: Part = (look.marks.overdue, look.warn) if overdue else (look.marks.active, look.accent)
            text = f" Waiting on, {words}: {thread.summary}"
            lines.append(self._line([mark, (text, look.fg)], [("F4", look.muted)]))
        if self.state.to_review:
            text = f" {counted(self.state.to_review, 'fact waits', 'facts wait')} for your review"
            lines.append(self._line([(look.marks.new, look.warn), (text, look.fg)], [("F4", look.muted)]))
        if self.state.moved:
            left: list[Part] = [(look.marks.approval, look.warn), (f" {self.state.moved}", look.fg)]
            lines.append(self._line(left, [("/moved", look.muted)], {"moved": "yes"}))
        return lines

    def _again(self, look: Look, now: datetime) -> list[Strip]:
        if not self.state.recent:
            return []
        lines = [self._line([("Take up again", look.muted_bold)], [("enter the first · ^r all", look.muted)])]
        for i, session in enumerate(self.state.recent):
            meta = {"session": session.id}
            mark: Part = (look.marks.prompt, look.accent) if i == 0 else (" ", look.muted)
            title = [mark, (" " + session.title, look.fg)]
            lines.append(self._line(title, [(short(session.at, now), look.muted)], meta))
            left: list[Part] = [("  ", look.muted)]
            if session.source:
                left += [(f" {session.source} ", look.muted + look.raised_bg), (" ", look.muted)]
            turns = counted(session.turns, "turn")
            room = self.size.width - 8 - width_of(left) - len(turns)
            if room >= MIN_SECOND:
                left.append((cut(session.recap.replace("\n", " "), room), look.muted))
            lines.append(self._line(left, [(turns, look.muted)], meta))
        return lines

    def _found(self, look: Look) -> list[Strip]:
        if not self.state.found:
            return []
        left: list[Part] = [(look.marks.new, look.accent), (f" {self.state.found}", look.fg)]
        head = [self._line([("Found on this machine", look.muted_bold)])]
        return [*head, self._line(left, [("/import · asks first", look.muted)], {"found": "yes"})]

    def _guide(self, look: Look) -> list[Strip]:
        if not self.state.guide:
            return []
        first = "  This is the guide: it follows rules and is no language model."
        offer, keys = self._offer or Offer(), "/connect" if self.state.recent else "enter · /connect"
        mark: Part = (look.marks.elsewhere, look.ok) if offer.found else (look.marks.active, look.accent)
        words = offer.text or "Connect a model: on this machine, or with a key"
        told = self._line([mark, (f" {words}", look.fg)], [(keys, look.muted)], {"connect": "yes"})
        return [self._line([(first, look.muted)]), told]

    def _try(self, look: Look) -> list[Strip]:
        if self.state.recent and self.size.height < 20:
            return []
        lines = [self._line([("Try", look.muted_bold)])]
        for text in TRY:
            lines.append(self._line([(look.marks.prompt, look.muted), (" " + text, look.fg)], meta={"try": text}))
        return lines

    def on_click(self, event: events.Click) -> None:
        session, text = event.style.meta.get("session"), event.style.meta.get("try")
        if isinstance(session, str):
            self.post_message(self.SessionChosen(session))
        elif isinstance(text, str):
            self.post_message(self.SentenceChosen(text))
        elif event.style.meta.get("moved"):
            self.post_message(self.MovedChosen())
        elif event.style.meta.get("connect"):
            self.post_message(self.ConnectChosen())
        elif event.style.meta.get("found"):
            self.post_message(self.FoundChosen())
