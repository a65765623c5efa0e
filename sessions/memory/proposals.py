"""Changes that wait for the person's yes, each a file under `proposed/` with the fact as it would be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sessions.clock import Clock
from sessions.ids import uuid4
from sessions.memory.changes import Changes
from sessions.memory.entries import FileChange
from sessions.memory.fact import By, Draft, Fact, Proposal, Source, render_fact
from sessions.memory.files import FactFile, FactFiles, as_proposal
from sessions.memory.near import says_the_same
from sessions.memory.rules import PINNED_KINDS, check_kind, slug
from sessions.memory.view import find
from sessions.memory.wording import fold

NEW, UPDATE, SUPERSEDE, FORGET, MERGE = "new", "update", "supersede", "forget", "merge"


class Proposals:
    """The folder of proposals. What writes is called with the lock of the store held."""

    def __init__(self, changes: Changes, files: FactFiles, clock: Clock) -> None:
        self.changes = changes
        self.files = files
        self.clock = clock
        self._rejected: dict[str, Proposal] = {}
        """`op` of a rejection -> what was rejected."""

    def files_now(self) -> list[FactFile]:
        return [f for f in self.files.scan(self.files.paths.proposed, settled=True) if f.fact]

    def all(self) -> list[Proposal]:
        """All that waits, oldest first."""
        found = [as_proposal(f.fact) for f in self.files_now() if f.fact]
        return sorted(found, key=lambda p: (p.fact.created_at, p.number))

    def add(
        self, fact: Fact, proposes: str, targets: Sequence[Fact], by: By, why: str, *, returns: bool = False
    ) -> Proposal:
        """Write a proposal and journal it; `fact` is as it would be, `targets` are the facts that it changes."""
        now = self.clock.now().replace(microsecond=0)
        id_ = uuid4()
        fact = replace(
            fact,
            id=id_,
            number=self.changes.next_number(),
            status="active",
            locked=fact.locked and proposes == NEW,
            created_at=now,
            updated_at=now,
            confirmed_at=now,
            path=self.files.paths.proposed / f"{id_}.md",
        )
        aims = ",".join(str(t.number) for t in targets)
        proposal = Proposal(fact, proposes, aims, self.base(targets), why, returns)
        text = render_proposal(proposal)
        self.changes.commit("proposed", fact, [FileChange(self.files.rel(fact.path), None, text)], by)
        return proposal

    def base(self, targets: Sequence[Fact]) -> str:
        """The hashes of the files of these facts as they are now."""
        found = (self.files.read(self.files.rel(t.path)) for t in targets)
        return ",".join(f.sha if f else "" for f in found)

    def waiting(self, fact: Fact, proposes: str, targets: Sequence[Fact], *, returns: bool = False) -> Proposal | None:
        """The proposal that already says so; for one that returns, under that name and in those words."""
        said = ("name", "scope", "summary", "body")
        for proposal in self.all():
            if _same(proposal, fact, proposes, targets) and not (
                returns and any(getattr(proposal.fact, f) != getattr(fact, f) for f in said)
            ):
                return proposal
        return None

    def rejected(self, fact: Fact, proposes: str, targets: Sequence[Fact]) -> Proposal | None:
        """The proposal that said so and was rejected by the person."""
        journal = self.changes.journal
        journal.refresh()
        for row in journal.rows:
            if row.action != "rejected" or row.op in journal.undone:
                continue
            if row.op not in self._rejected:
                before = journal.load(row).before
                if before is None:
                    continue
                self._rejected[row.op] = as_proposal(before)
            if _same(self._rejected[row.op], fact, proposes, targets):
                return self._rejected[row.op]
        return None


def _same(known: Proposal, fact: Fact, proposes: str, targets: Sequence[Fact]) -> bool:
    if FORGET in {known.proposes, proposes}:
        return known.proposes == proposes and known.targets == tuple(str(t.number) for t in targets)
    if known.fact.scope != fact.scope or (known.targets and targets and known.targets[0] != str(targets[0].number)):
        return False
    if fold(known.fact.summary) == fold(fact.summary) and fold(known.fact.body) == fold(fact.body):
        return True
    draft = Draft(fact.name, fact.summary, fact.kind, fact.body, fact.scope, due=fact.due)
    return says_the_same(draft, known.fact)


def as_now(proposal: Proposal, facts: Sequence[Fact]) -> Proposal:
    """The proposal; one to forget a fact in the words that the fact has now."""
    if proposal.proposes != FORGET or not proposal.targets or (fact := find(facts, proposal.targets[0])) is None:
        return proposal
    said = ("name", "summary", "kind", "body", "due", "scope")
    return replace(proposal, fact=replace(proposal.fact, **{f: getattr(fact, f) for f in said}))


def render_proposal(proposal: Proposal) -> str:
    """The file of a proposal."""
    about = {"proposes": proposal.proposes, "target": proposal.target, "base": proposal.base, "why": proposal.why}
    said: dict[str, object] = {k: v for k, v in about.items() if v}
    if proposal.returns:
        said["returns"] = True
    fact = proposal.fact
    return render_fact(replace(fact, extra=fact.extra | said))


def came_with(fact: Fact, source: Source) -> bool:
    """Whether a fact was taken over from the same place."""
    return fact.source.origin == source.origin == "import" and fact.source.client == source.client


def as_fact(draft: Draft, by: By, old: Fact | None) -> Fact:
    """The fact that a draft would make, of its own or out of an old one."""
    kind = check_kind(draft.kind)
    pinned = kind in PINNED_KINDS if draft.pinned is None else draft.pinned
    base = old or Fact(slug(draft.name), draft.summary)
    return replace(
        base,
        name=slug(draft.name) or base.name or slug(draft.summary),
        summary=draft.summary,
        kind=kind,
        body=draft.body,
        scope=draft.scope,
        pinned=old.pinned if old and old.kind == kind and draft.pinned is None else pinned,
        related=base.related if draft.related is None else tuple(slug(r) for r in draft.related if slug(r)),
        supersedes=(),
        due=draft.due or (base.due if kind == "open-thread" else None),
        locked=old.locked if old else draft.locked,
        source=draft.source or by.source(),
        extra={},
    )
