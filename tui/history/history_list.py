"""The list of all sessions, newest first, with the search box above it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tui.history.hit_rows import FactHitRow, HitRow
from tui.history.rows import SessionRow, haystack
from tui.widgets.filterlist import FilterList
from tui.widgets.match import fold, matches
from tui.widgets.rows import GroupHead, Row, TextRow
from tui.widgets.when import counted, duration, groups

if TYPE_CHECKING:
    from sessions.hub.search import Answer
    from sessions.store.catalog import Meta
    from sessions.store.hits import Hit

FACT = "fact:"
"""What the key of a fact's row begins with."""


class HistoryList(FilterList):
    """Sessions by day. The owner gives them, and hears which one is to be resumed or shown.

    An owner that `searches` answers what is typed, with what was said anywhere; until it does, titles, recaps, folders
    and sources are looked through here.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "detail", "Detail", show=False),
        Binding("tab", "next_hit", "Next hit", show=False),
    ]

    class Opened(Message):
        """Take this session up again, at the hit when there is one."""

        def __init__(self, session: str, hit: Hit | None = None) -> None:
            super().__init__()
            self.session = session
            self.hit = hit

    class FactOpened(Message):
        """Show this fact."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    class Detail(Message):
        """Show what this session did."""

        def __init__(self, session: str) -> None:
            super().__init__()
            self.session = session

    TITLE = "History"
    HINT = "Search all that was said"
    EMPTY = "No sessions yet"
    FOOT = "All folders · all sources"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.searches = False
        """The owner answers what is typed."""
        self._metas: list[Meta] = []
        self._known: dict[str, Meta] = {}
        self._states: Mapping[str, str] = {}
        self._now: datetime | None = None
        self._folded: dict[str, tuple[Meta, str]] = {}
        self._answer: Answer | None = None
        self._at: dict[str, int] = {}
        """Session -> which of its hits is shown."""
        self._open_when_found = False
        self.list.foot = self.FOOT

    def show(self, metas: Sequence[Meta], *, now: datetime, states: Mapping[str, str] | None = None) -> None:
        """List these sessions. `states` says of some that they are `running`, `running elsewhere`, `read-only` …

        `now` decides what is today, in this machine's zone. The chosen session stays chosen.
        """
        self._known = {m.id: m for m in metas}
        self._metas = sorted((m for m in metas if not m.archived), key=lambda m: m.updated_at, reverse=True)
        self._now = now.astimezone()
        self._states = states or {}
        self.set_fact(counted(len(self._metas), "session"))
        self.rebuild()

    def show_states(self, states: Mapping[str, str]) -> None:
        """Only what runs has changed."""
        if dict(states) != dict(self._states):
            self._states = dict(states)
            self.rebuild()

    def show_answer(self, answer: Answer) -> None:
        """List what was found. An answer to what stands no longer in the box is left out."""
        if answer.text != self.filter_text:
            return
        again = self._answer is not None and self._answer.text == answer.text
        self._answer = answer
        if not again:
            self._at.clear()
        self.list.empty = "Nothing found"
        self.list.foot = " · ".join(answer.query.problems) or answer.ranker or self.FOOT
        self.list.foot_right = ""
        self.set_fact(f"{answer.ranker.partition(' (')[0]} · {duration(round(answer.ms))}")
        self.rebuild(keep=again)
        # The chosen row may be the same, but what was found there is not.
        self.post_message(self.Highlighted(self, self.cursor))
        if self._open_when_found:
            self._open_when_found = False
            self.list.action_open()

    @property
    def session(self) -> Meta | None:
        """The chosen session."""
        return self._known.get(self.cursor or "")

    @property
    def hit(self) -> HitRow | None:
        """The chosen session's row with its hits."""
        row = self.list.cursor_row
        return row if isinstance(row, HitRow) else None

    @property
    def place(self) -> str:
        """`found` while hits are listed; they have keys of their own."""
        return "found" if self.hit is not None else ""

    @property
    def answered(self) -> bool:
        """What is listed is what stands in the box."""
        text = self.filter_text
        return not self.searches or not text.strip() or (self._answer is not None and self._answer.text == text)

    def make_rows(self) -> Sequence[Row]:
        now = self._now
        if now is None:
            return []
        if not self.filter_text.strip():
            return self._by_day(self._metas, now)
        # While a newer answer is on its way, the one of before stays: rows that come and go cannot be read.
        if self.searches and self._answer is not None:
            return self._found(self._answer, now)
        return self._by_day([m for m in self._metas if matches(self._haystack(m), self.words)], now)

    def _by_day(self, found: Sequence[Meta], now: datetime) -> list[Row]:
        rows: list[Row] = []
        pinned = [m for m in found if m.pinned]
        rest = [m for m in found if not m.pinned]
        if pinned:
            self._add(rows, "Pinned", pinned, now)
        for title, start, end in groups([m.updated_at for m in rest], now):
            self._add(rows, title, rest[start:end], now)
        return rows

    def _found(self, answer: Answer, now: datetime) -> list[Row]:
        """Best hits first; when they are near misses only, after what the words are in."""
        found, words = answer.found, answer.query.words
        needles = found.needles
        hits: list[Row] = [
            HitRow(s.session, s.hits, now, needles, self._at.get(s.session, 0) % len(s.hits)) for s in found.sessions
        ]
        facts: list[Row] = [FactHitRow(f"{FACT}{f.number}", f, now, needles) for f in answer.facts]
        listed = {s.session for s in found.sessions}
        wanted = tuple(fold(words).split())
        named: list[Meta] = []
        if wanted and not answer.query.narrow:
            named = [m for m in self._metas if m.id not in listed and matches(self._haystack(m), wanted)]
        parts: list[list[Row]] = []
        if facts:
            parts.append([GroupHead("group:facts", "Facts", f"{len(facts):,}"), *facts])
        if named:
            rows: list[Row] = []
            self._add(rows, "Title, recap, folder", named, now, wanted)
            parts.append(rows)
        if hits:
            count = f"{counted(found.count, 'hit')} in {counted(len(hits), 'session')}"
            head = GroupHead("group:hits", "Near it" if found.near else "Best matches", count)
            alone: list[Row] = [TextRow("near", "Nothing is quite so")] if found.near and not parts else []
            parts.insert(len(parts) if found.near else 0, [*alone, head, *hits])
        return [row for part in parts for row in part]

    def _add(
        self, rows: list[Row], title: str, metas: Sequence[Meta], now: datetime, words: tuple[str, ...] = ()
    ) -> None:
        rows.append(GroupHead(f"group:{title}", title, f"{len(metas):,}"))
        states, words = self._states, words or self.words
        rows += [SessionRow(m.id, m, now, states.get(m.id, ""), words, title) for m in metas]

    def _haystack(self, meta: Meta) -> str:
        known = self._folded.get(meta.id)
        if known is None or known[0] is not meta:
            known = (meta, fold(haystack(meta)))
            self._folded[meta.id] = known
        return known[1]

    def _filter(self, text: str) -> None:
        self._open_when_found = False
        if not text.strip():
            self._answer = None
            self.list.foot, self.list.foot_right = self.FOOT, ""
            self.set_fact(counted(len(self._metas), "session"))
            self.post_message(self.Highlighted(self, self.cursor))
        super()._filter(text)

    def opened(self, key: str) -> None:
        if key.startswith(FACT):
            self.post_message(self.FactOpened(int(key.removeprefix(FACT))))
            return
        row = self.hit
        self.post_message(self.Opened(key, row.hit if row is not None and row.key == key else None))

    def submitted(self) -> None:
        if self.answered:
            super().submitted()
        else:
            self._open_when_found = True

    def tabbed(self) -> None:
        if self.hit is not None:
            self.action_next_hit()
        else:
            super().tabbed()

    def action_next_hit(self) -> None:
        """The next place in the chosen session; without hits tab goes to the next pane."""
        row = self.hit
        if row is None:
            self.screen.focus_next()
            return
        self._at[row.key] = (row.at + 1) % len(row.hits)
        self.list.update_row(replace(row, at=self._at[row.key]))
        self.post_message(self.Highlighted(self, row.key))

    def action_detail(self) -> None:
        if self.cursor is not None and not self.cursor.startswith(FACT):
            self.post_message(self.Detail(self.cursor))
