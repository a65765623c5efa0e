"""The list of all facts in their groups, with the search box above it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import TypeAlias

from textual.message import Message

from sessions.memory.fact import BrokenFact, Fact, Proposal
from sessions.memory.review import group_of
from sessions.memory.rules import GROUPS
from sessions.memory.view import Snapshot
from tui.memory.fact_rows import BrokenRow, FactRow, ProposalRow
from tui.widgets.filterlist import FilterList
from tui.widgets.match import fold, matches
from tui.widgets.rows import GroupHead, Row, TextRow

Item: TypeAlias = Fact | BrokenFact | Proposal


def key_of(item: Item) -> str:
    """What the list knows an item by; a fact keeps it when it is renamed or moved."""
    if isinstance(item, Fact):
        return f"fact:{item.id or item.path}"
    if isinstance(item, BrokenFact):
        return f"broken:{item.path}"
    return f"proposal:{item.fact.id or item.fact.path}"


class MemoryList(FilterList):
    """Facts by kind, with what waits for review and what is broken first."""

    class Opened(Message):
        """Show this in the form, and go there."""

        def __init__(self, item: Item) -> None:
            super().__init__()
            self.item = item

    TITLE = "Memory"
    HINT = "Search facts"
    EMPTY = "Nothing remembered yet. n writes a fact"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.missed = False
        """There were facts whose files are not there any more."""
        self._snapshot: Snapshot | None = None
        self._now: datetime | None = None
        self._folded: dict[str, tuple[Fact, str]] = {}
        self._groups: list[tuple[str, list[Fact]]] = []
        self.list.foot = "All scopes"

    def why_empty(self) -> str:
        return "The facts are gone: bring memory/ back" if self.missed and not self.words else super().why_empty()

    def show(self, snapshot: Snapshot, *, now: datetime) -> None:
        """List these facts. The chosen one stays chosen, whatever became of its name and file."""
        self._snapshot = snapshot
        self._now = now.astimezone()
        self._groups = grouped(snapshot.facts)
        c = snapshot.counts
        words = [f"{c.active:,} active", f"{c.off:,} off" if c.off else "", f"{c.broken:,} broken" if c.broken else ""]
        self.set_fact(" · ".join(word for word in words if word))
        self.rebuild()

    @property
    def item(self) -> Item | None:
        """What is chosen."""
        row = self.list.cursor_row
        if isinstance(row, FactRow):
            return row.fact
        if isinstance(row, BrokenRow):
            return row.broken
        return row.proposal if isinstance(row, ProposalRow) else None

    @property
    def fact(self) -> Fact | None:
        """The chosen fact."""
        item = self.item
        return item if isinstance(item, Fact) else None

    @property
    def proposal(self) -> Proposal | None:
        """The chosen proposal."""
        item = self.item
        return item if isinstance(item, Proposal) else None

    @property
    def place(self) -> str:
        """A row that waits for review has keys of its own."""
        return "proposal" if self.proposal is not None and not self.box.has_focus else ""

    @property
    def waiting(self) -> list[Proposal]:
        """The proposals as they stand in the list."""
        return [row.proposal for row in self.list.rows if isinstance(row, ProposalRow)]

    def choose_proposal(self, number: int) -> bool:
        """Put the cursor on a proposal, or with 0 on the first one."""
        self.set_filter("") if self.filter_text else None
        found = next((p for p in self.waiting if number in {0, p.number}), None)
        return found is not None and self.list.choose(key_of(found))

    def choose(self, fact: Fact | str | int) -> bool:
        """Put the cursor on a fact, given itself, its name or its number; or on what waits under that."""
        for known in self._snapshot.facts if self._snapshot else ():
            if _is(known, fact):
                if self.filter_text and not self._wanted(known):
                    self.set_filter("")
                return self.list.choose(key_of(known))
        wanted = str(fact).lstrip("#")
        found = next((p for p in self.waiting if wanted in {str(p.number), p.fact.name}), None)
        return found is not None and self.choose_proposal(found.number)

    def make_rows(self) -> Sequence[Row]:
        snapshot, now = self._snapshot, self._now
        if snapshot is None or now is None:
            return []
        rows: list[Row] = []
        by_number = {str(f.number): f for f in snapshot.facts}
        proposed = [p for p in by_source(snapshot.proposed) if matches(fold(p.fact.summary), self.words)]
        waiting: list[Row] = []
        source = _only_chats(proposed)
        for p in proposed:
            if (of := group_of(p)) != source:
                waiting.append(TextRow(f"source:{of}", of))
                source = of
            waiting.append(ProposalRow(key_of(p), p, by_number.get(p.targets[0]) if p.targets else None))
        self._add(rows, "To review", waiting, count=len(proposed), warn=True)
        broken = [b for b in snapshot.broken if matches(fold(f"{b.path.name}\n{b.why}"), self.words)]
        self._add(rows, "Broken", [BrokenRow(key_of(b), b) for b in broken])
        for title, facts in self._groups:
            found = [f for f in facts if self._wanted(f)] if self.words else facts
            self._add(rows, title, [FactRow(key_of(f), f, now, self.words) for f in found])
        return rows

    def _add(
        self, rows: list[Row], title: str, items: Sequence[Row], *, count: int | None = None, warn: bool = False
    ) -> None:
        if items:
            rows.append(GroupHead(f"group:{title}", title, f"{len(items) if count is None else count:,}", warn))
            rows += items

    def _wanted(self, fact: Fact) -> bool:
        key = key_of(fact)
        known = self._folded.get(key)
        if known is None or known[0] is not fact:
            text = f"{fact.number} {fact.name}\n{fact.summary}\n{fact.body}\n{fact.kind}"
            text += "\nalways sent" if fact.pinned and fact.active else ""
            known = (fact, fold(text))
            self._folded[key] = known
        return matches(known[1], self.words)

    def opened(self, key: str) -> None:
        item = self.item
        if item is not None and key_of(item) == key:
            self.post_message(self.Opened(item))


def grouped(facts: Iterable[Fact]) -> list[tuple[str, list[Fact]]]:
    """The facts in the groups of the screen: always sent, others, switched off; what waits by its date."""
    titles = {kind: title for title, kinds in GROUPS.items() for kind in kinds}
    groups: dict[str, list[Fact]] = {title: [] for title in GROUPS}
    for fact in facts:
        groups[titles[fact.kind]].append(fact)
    for title, members in groups.items():
        waiting = title == "Waiting on"
        members.sort(key=lambda f: (not f.active, (f.due or date.max) if waiting else date.max, not f.pinned,
                                    f.number or 1 << 60, f.name))  # fmt: skip
    return [(title, members) for title, members in groups.items() if members]


def _only_chats(proposed: Sequence[Proposal]) -> str:
    """The one source of all, when that needs no word: the person's own talk."""
    groups = {group_of(p) for p in proposed}
    foreign = any(p.fact.source.origin in {"mcp", "import"} for p in proposed)
    return groups.pop() if len(groups) == 1 and not foreign else ""


def by_source(proposed: Iterable[Proposal]) -> list[Proposal]:
    """What waits, the oldest first; what comes from one source stands together."""
    groups: dict[str, list[Proposal]] = {}
    for proposal in sorted(proposed, key=lambda p: (p.fact.created_at, p.number)):
        groups.setdefault(group_of(proposal), []).append(proposal)
    return [proposal for group in groups.values() for proposal in group]


def _is(known: Fact, fact: Fact | str | int) -> bool:
    if isinstance(fact, Fact):
        return known.id == fact.id if known.id else known.path == fact.path
    return fact in {known.name, known.number}
