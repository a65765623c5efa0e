"""The list of all sessions, newest first, with the search box above it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from tui.history.rows import SessionRow, haystack
from tui.widgets.filterlist import FilterList
from tui.widgets.match import fold, matches
from tui.widgets.rows import GroupHead, Row
from tui.widgets.when import counted, groups

if TYPE_CHECKING:
    from sessions.store.catalog import Meta


class HistoryList(FilterList):
    """Sessions by day. The owner gives them, and hears which one is to be resumed or shown."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("right", "detail", "Detail", show=False)]

    class Opened(Message):
        """Take this session up again."""

        def __init__(self, session: str) -> None:
            super().__init__()
            self.session = session

    class Detail(Message):
        """Show what this session did."""

        def __init__(self, session: str) -> None:
            super().__init__()
            self.session = session

    TITLE = "History"
    HINT = "Search titles, recaps, folders"
    EMPTY = "No sessions yet"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._metas: list[Meta] = []
        self._states: Mapping[str, str] = {}
        self._now: datetime | None = None
        self._folded: dict[str, tuple[Meta, str]] = {}
        self.list.foot = "All folders"

    def show(self, metas: Sequence[Meta], *, now: datetime, states: Mapping[str, str] | None = None) -> None:
        """List these sessions. `states` says of some that they are `running`, `running elsewhere`, `read-only` …

        `now` decides what is today, in this machine's zone. The chosen session stays chosen.
        """
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

    @property
    def session(self) -> Meta | None:
        """The chosen session."""
        row = self.list.cursor_row
        return row.meta if isinstance(row, SessionRow) else None

    def make_rows(self) -> Sequence[Row]:
        now = self._now
        if now is None:
            return []
        found = [m for m in self._metas if matches(self._haystack(m), self.words)] if self.words else self._metas
        rows: list[Row] = []
        pinned = [m for m in found if m.pinned]
        rest = [m for m in found if not m.pinned]
        if pinned:
            self._add(rows, "Pinned", pinned, now)
        for title, start, end in groups([m.updated_at for m in rest], now):
            self._add(rows, title, rest[start:end], now)
        return rows

    def _add(self, rows: list[Row], title: str, metas: Sequence[Meta], now: datetime) -> None:
        rows.append(GroupHead(f"group:{title}", title, f"{len(metas):,}"))
        states, words = self._states, self.words
        rows += [SessionRow(m.id, m, now, states.get(m.id, ""), words, title) for m in metas]

    def _haystack(self, meta: Meta) -> str:
        known = self._folded.get(meta.id)
        if known is None or known[0] is not meta:
            known = (meta, fold(haystack(meta)))
            self._folded[meta.id] = known
        return known[1]

    def opened(self, key: str) -> None:
        self.post_message(self.Opened(key))

    def action_detail(self) -> None:
        if self.cursor is not None:
            self.post_message(self.Detail(self.cursor))
