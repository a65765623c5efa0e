"""The list of sessions, newest first, with the search box and the filters above it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message

from tui.history.answer_rows import FACT, NOTHING, answer_rows
from tui.history.filters import EMPTY, READING, FilterBar, counts, places
from tui.history.hit_rows import HitRow
from tui.history.opened import OpenedAt
from tui.history.rows import SessionRow, haystack
from tui.widgets.filterlist import FilterList
from tui.widgets.match import fold, matches
from tui.widgets.rows import GroupHead, Row
from tui.widgets.when import duration, groups

if TYPE_CHECKING:
    from sessions.hub.search import Answer, Scope
    from sessions.store.catalog import Meta


class HistoryList(FilterList):
    """Sessions by day. The owner gives them, and hears which one is to be resumed or shown.

    An owner that `searches` answers what is typed, with what was said anywhere; until it does, titles, recaps, folders
    and sources are looked through here.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "detail", "Detail", show=False),
        Binding("tab", "next_hit(1)", "Next hit", show=False),
        Binding("shift+tab", "next_hit(-1)", "Previous hit", show=False),
    ]

    class Opened(OpenedAt):
        """Take this session up again, at the hit when there is one; the words found it, by these needles."""

    class FilterTurned(Message):
        """Other sessions are listed now; those of the trash are yet to be given."""

        def __init__(self, choice: str) -> None:
            super().__init__()
            self.choice = choice

    class Restored(Message):
        """Bring this session back from the trash."""

        def __init__(self, session: str) -> None:
            super().__init__()
            self.session = session

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
    EMPTY = READING

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.bar = FilterBar()
        self.searches = False
        """The owner answers what is typed."""
        self.here = ""
        """The folder that is meant by this one."""
        self._all: list[Meta] = []
        self._trash: list[Meta] | None = None
        """None until it was read."""
        self._metas: list[Meta] = []
        """Those that the filter leaves."""
        self._known: dict[str, Meta] = {}
        self._scope: Scope | None = None
        self._states: Mapping[str, str] = {}
        self._now: datetime | None = None
        self._folded: dict[str, tuple[Meta, str]] = {}
        self._answer: Answer | None = None
        self._pending = ""
        """Why something may be found later that is not found now."""
        self._at: dict[str, int] = {}
        """Session -> which of its hits is shown."""
        self._open_when_found = False
        self._taking = ""

    def compose(self) -> ComposeResult:
        yield self.title
        yield self.box
        yield self.bar
        yield self.list

    def show(self, metas: Sequence[Meta], *, now: datetime, states: Mapping[str, str] | None = None) -> None:
        """List these sessions. `states` says of some that they are `running`, `running elsewhere`, `read-only` …

        `now` decides what is today, in this machine's zone. The chosen session stays chosen.
        """
        self._all = sorted(metas, key=lambda m: m.updated_at, reverse=True)
        self._now = now.astimezone()
        self._states = states or {}
        self._listed()

    def show_trash(self, metas: Sequence[Meta]) -> None:
        """What is in the trash, for as long as that is listed."""
        self._trash = [*metas]
        if self.choice == "trash":
            self._listed()

    @property
    def choice(self) -> str:
        """Which sessions are listed: a key of `CHOICES`."""
        return self.bar.choice

    def choose_filter(self, choice: str) -> None:
        """List others."""
        if choice == self.choice:
            return
        self.bar.choice = choice
        self._answer = None
        self._listed(keep=False)
        self.post_message(self.FilterTurned(choice))

    def turn_order(self) -> None:
        """What is found best first, or by date."""
        self.bar.by_date = not self.bar.by_date
        self._scope = None
        self._ask_again()

    @property
    def scope(self) -> Scope:
        """Where the search looks, and in which order it tells."""
        from sessions.hub.search import Scope

        if self._scope is None:
            narrow = self.choice in {"folder", "archived"}
            only = frozenset(m.id for m in self._belonging()) if narrow else None
            self._scope = Scope(only, self.choice == "trash", self.bar.by_date)
        return self._scope

    def _belonging(self) -> list[Meta]:
        """The sessions that belong to what is chosen; what was put away is found in its folder, too."""
        match self.choice:
            case "folder":
                return [m for m in self._all if m.cwd == self.here]
            case "archived":
                return [m for m in self._all if m.archived]
            case _:
                return self._all

    def _listed(self, *, keep: bool = True) -> None:
        """List what is known, through the filter."""
        before, self._scope = self._scope, None
        put_away = self.choice == "archived"
        if self.choice == "trash":
            self._metas = self._trash or []
        else:
            self._metas = [m for m in self._belonging() if m.archived == put_away]
        self._known = {m.id: m for m in (self._metas if self.choice == "trash" else self._all)}
        if not self.filter_text.strip():
            self._tell_all()
        self.rebuild(keep=keep)
        if before is None or before != self.scope:
            self._ask_again()
        self._open_if_asked()

    def _ask_again(self) -> None:
        if self.filter_text.strip():
            self.post_message(self.Filtered(self, self.filter_text))

    def _tell_all(self) -> None:
        """How many there are, and which."""
        # In a low terminal the list has no last line.
        busy = self._taking if self.has_class("-compact") else ""
        self.set_fact(busy or counts(self.choice, self._metas, self._all))
        self.list.foot = places(self.choice, self.here)
        self.list.foot_right, self.list.busy = "", self._taking

    @property
    def taking(self) -> str:
        """How far sessions of other agents are taken over; shown while nothing is searched."""
        return self._taking

    @taking.setter
    def taking(self, text: str) -> None:
        self._taking = text
        if not self.filter_text.strip():
            self._tell_all()

    def show_states(self, states: Mapping[str, str]) -> None:
        """Only what runs has changed."""
        if dict(states) != dict(self._states):
            self._states = dict(states)
            self.rebuild()

    def show_answer(self, answer: Answer, pending: str = "") -> None:
        """List what was found. An answer to what is no longer asked for is left out.

        `pending` says why something may be found later that is not found now.
        """
        if answer.text != self.filter_text or answer.scope != self.scope:
            return
        before = self._answer
        again = before is not None and (before.text, before.scope) == (answer.text, answer.scope)
        same = pending == self._pending
        self._answer, self._pending = answer, pending
        if not again:
            self._at.clear()
        self.list.foot = answer.ranker or places(self.choice, self.here)
        self.list.foot_right = self.list.busy = ""
        if again and same and before is not None and replace(answer, ms=before.ms) == before:
            return
        self.set_fact(f"{answer.ranker.partition(' (')[0]} · {duration(round(answer.ms))}")
        self.rebuild(keep=again)
        # The chosen row may be the same, but what was found there is not.
        self.post_message(self.Highlighted(self, self.cursor))
        self._open_if_asked()

    def _open_if_asked(self) -> None:
        """Enter was pressed before there was something to open."""
        if self._open_when_found and self.answered:
            self._open_when_found = False
            if self.box.has_focus:
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
        """`trash` while that is listed, `found` while hits are: they have keys of their own."""
        return "trash" if self.choice == "trash" else "found" if self.hit is not None else ""

    @property
    def answered(self) -> bool:
        """What is listed is what stands in the box."""
        text = self.filter_text
        if self._now is None or not self.searches or not text.strip():
            return self._now is not None
        return self._answer is not None and (self._answer.text, self._answer.scope) == (text, self.scope)

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
        if self.choice == "trash":
            if found:
                self._add(rows, "In the trash", found, now)
            return rows
        pinned = [m for m in found if m.pinned]
        rest = [m for m in found if not m.pinned]
        if pinned:
            self._add(rows, "Pinned", pinned, now)
        for title, start, end in groups([m.updated_at for m in rest], now):
            self._add(rows, title, rest[start:end], now)
        return rows

    def _found(self, answer: Answer, now: datetime) -> list[Row]:
        """What was found by the search, and in titles, recaps, folders and sources."""
        # What was deleted or came back meanwhile is not there any more.
        sessions = [s for s in answer.found.sessions if s.session in self._known]
        listed = {s.session for s in sessions}
        wanted = tuple(fold(answer.query.words).split())
        rows: list[Row] = []
        if wanted and not answer.query.narrow and self.choice != "trash":
            named = [m for m in self._belonging() if m.id not in listed]
            named = [m for m in named if matches(self._haystack(m), wanted)]
            if named:
                self._add(rows, "Title, recap, folder", named, now, wanted)
        needles, words = answer.found.needles, answer.query.words
        hits = [
            HitRow(
                s.session, s.hits, now, needles, self._at.get(s.session, 0) % len(s.hits), words, self._note(s.session)
            )
            for s in sessions
        ]
        return answer_rows(answer, hits, rows, now, self._pending)

    def _note(self, session: str) -> str:
        meta = self._known.get(session)
        return "archived" if meta is not None and meta.archived and self.choice != "archived" else ""

    def _add(
        self, rows: list[Row], title: str, metas: Sequence[Meta], now: datetime, words: tuple[str, ...] = ()
    ) -> None:
        rows.append(GroupHead(f"group:{title}", title, f"{len(metas):,}"))
        states, words = self._states, words or self.words
        put_away = "" if self.choice == "archived" else "archived"
        known = self._known
        rows += [
            SessionRow(
                m.id, m, now, states.get(m.id) or (put_away if m.archived and m.id in known else ""), words, title
            )
            for m in metas
        ]

    def _haystack(self, meta: Meta) -> str:
        known = self._folded.get(meta.id)
        if known is None or known[0] is not meta:
            known = (meta, fold(haystack(meta)))
            self._folded[meta.id] = known
        return known[1]

    def _filter(self, text: str) -> None:
        self._open_when_found = False
        self.bar.searching = bool(text.strip())
        if not text.strip():
            self._answer = None
            self._tell_all()
            self.post_message(self.Highlighted(self, self.cursor))
        super()._filter(text)

    def why_empty(self) -> str:
        if self._now is None or (self.choice == "trash" and self._trash is None):
            return READING
        if not self.words:
            return EMPTY[self.choice]
        return (self._pending or NOTHING) if self.answered else "Looking for it"

    def action_back(self) -> None:
        if not self.filter_text and self.choice != "all":
            self.choose_filter("all")
        else:
            super().action_back()

    def on_filter_bar_chosen(self, event: FilterBar.Chosen) -> None:
        event.stop()
        self.choose_filter(event.choice)

    def on_filter_bar_order_turned(self, event: FilterBar.OrderTurned) -> None:
        event.stop()
        self.turn_order()

    def opened(self, key: str) -> None:
        if key.startswith(FACT):
            self.post_message(self.FactOpened(int(key.removeprefix(FACT))))
            return
        if self.choice == "trash":
            self.post_message(self.Restored(key))
            return
        row = self.hit
        self.post_message(self.Opened(key, row if row is not None and row.key == key else None))

    def submitted(self) -> None:
        if self.answered:
            super().submitted()
        else:
            self._open_when_found = True

    def tabbed(self) -> None:
        if self.hit is not None:
            self.action_next_hit(1)
        else:
            super().tabbed()

    def action_next_hit(self, by: int) -> None:
        """The next or the previous place in the chosen session; without hits to the next pane."""
        row = self.hit
        if row is None:
            self.screen.focus_next() if by > 0 else self.screen.focus_previous()
            return
        self._at[row.key] = (row.at + by) % len(row.hits)
        self.list.update_row(replace(row, at=self._at[row.key]))
        self.post_message(self.Highlighted(self, row.key))

    def action_detail(self) -> None:
        if self.cursor is not None and not self.cursor.startswith(FACT):
            self.post_message(self.Detail(self.cursor))
