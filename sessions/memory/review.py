"""The person's gate: what waits, what accepting would do, and the yes, the no and the way back.

An accept never fails because the world moved on: a proposal whose target changed is put on the new text, one whose
target is gone becomes a fact of its own or is closed, and a name that is taken gives way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sessions.clock import iso
from sessions.errors import FactError
from sessions.memory.changes import Changes
from sessions.memory.entries import FileChange
from sessions.memory.fact import By, Draft, Fact, Proposal, Source, render_fact
from sessions.memory.fields import checked
from sessions.memory.files import FactFile, FactFiles, as_proposal
from sessions.memory.near import nearest, rivals, says_the_same
from sessions.memory.proposals import (
    FORGET,
    MERGE,
    NEW,
    SUPERSEDE,
    UPDATE,
    Proposals,
    as_now,
    came_with,
    render_proposal,
)
from sessions.memory.reconcile import Change
from sessions.memory.rules import USER
from sessions.memory.undo import Undo
from sessions.memory.view import find, number_of

if TYPE_CHECKING:
    from sessions.memory.store import FactStore

PERSON = By("user")
_UPKEEP = {"reflect": "From looking through the facts", "defragment": "From tidying the facts"}


@dataclass(frozen=True, slots=True)
class Item:
    """A proposal as a person decides on it."""

    proposal: Proposal
    now: tuple[Fact, ...]
    """The facts that accepting changes, as they are now: none for a new fact."""
    against: tuple[Fact, ...]
    """Facts that say something close to it and would stay."""
    does: str
    """What accepting does, in a sentence."""
    project: str
    """The project in which alone it holds; empty: everywhere."""

    @property
    def number(self) -> int:
        return self.proposal.number

    @property
    def fact(self) -> Fact:
        """The fact as it would be."""
        return self.proposal.fact

    @property
    def why(self) -> str:
        return self.proposal.why

    @property
    def group(self) -> str:
        return group_of(self.proposal)


@dataclass(frozen=True, slots=True)
class Group:
    """What waits from one source."""

    title: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class _Plan:
    """An accept: the fact that carries it, what happens to the files, and how to call it."""

    fact: Fact
    changes: list[FileChange]
    op: Any
    before: Fact | None


def group_of(proposal: Proposal) -> str:
    """Where a proposal comes from, as the title of its group."""
    source = proposal.fact.source
    match source.origin:
        case "mcp":
            return f"From {source.client or 'another agent'}"
        case "import":
            return f"Imported from {source.client}" if source.client else "Imported"
        case "distilled":
            return _UPKEEP.get(source.client, "Learned from chats")
        case "tool":
            return f"From {source.client or 'a tool'}"
        case "user":
            return "Edited by hand"
        case _:
            return "From the conversation"


class Review:
    """Decisions on proposals. Numbers are the proposals' own; every decision is journaled and can be undone."""

    def __init__(self, store: FactStore, changes: Changes, files: FactFiles) -> None:
        self.store = store
        self.changes = changes
        self.files = files
        self.proposals = Proposals(changes, files, store.clock)

    def groups(self) -> list[Group]:
        """All that waits, by source; the oldest group and item first."""
        found: dict[str, list[Item]] = {}
        for item in self.items():
            found.setdefault(item.group, []).append(item)
        return [Group(title, tuple(items)) for title, items in found.items()]

    def items(self) -> list[Item]:
        """All that waits, oldest first."""
        facts = self.store.snapshot().facts
        return [self._item(p, facts) for p in self.proposals.all()]

    def item(self, number: int | str) -> Item:
        """One proposal. Raises FactError when there is none of that number."""
        return self._item(self._found(number)[0], self.store.snapshot().facts)

    def accept(self, number: int | str, *, by: By = PERSON, **fields: Any) -> Change:
        """Make the change, with `fields` of the fact as the person wrote them (summary, name, kind, body …).

        Raises FactError for no such proposal and for fields that break a rule; never because a fact changed: one
        that has nothing left to do is closed, which is told as `confirmed`.
        """
        with self.changes.locked():
            proposal, file = self._settled(number)
            if proposal is None:
                closed = file.fact or Fact("", "")
                return Change("confirmed", closed, closed)
            if proposal.proposes != FORGET and not self._targets(proposal, self.store.snapshot().facts):
                proposal = replace(proposal, proposes=NEW, target="")
            fact = replace(proposal.fact, **checked(proposal.fact, fields)) if fields else proposal.fact
            plan = self._plan(replace(proposal, fact=fact))
            gone = FileChange(file.rel, self.changes.text(file), None)
            self.changes.commit("accepted", plan.fact, [*plan.changes, gone], by)
            self.store.derive()
            written = self.store.get(plan.fact.number)
            return Change(plan.op, written or plan.fact, plan.before)

    def accept_group(self, title: str, *, by: By = PERSON) -> list[Change]:
        """Accept all of a group; those that are closed meanwhile are left out."""
        out = []
        for proposal in self.proposals.all():
            if group_of(proposal) == title:
                with self.changes.locked():
                    settled, _ = self._settled(proposal.number)
                    if settled is not None:
                        out.append(self.accept(proposal.number, by=by))
        return out

    def reject(self, number: int | str, *, by: By = PERSON) -> Proposal:
        """Throw it away. The same is not proposed again."""
        with self.changes.locked():
            proposal, file = self._found(number)
            self.changes.commit("rejected", proposal.fact, [FileChange(file.rel, self.changes.text(file), None)], by)
            self.store.derive()
            return proposal

    def reject_group(self, title: str, *, by: By = PERSON) -> list[Proposal]:
        return [self.reject(p.number, by=by) for p in self.proposals.all() if group_of(p) == title]

    def undo(self, number: int | str, *, by: By = PERSON) -> Change:
        """Take back what was decided on this proposal: it waits again, and what accepting did is undone.

        Raises FactError, with a diff when a fact moved on since.
        """
        with self.changes.locked():
            wanted = number_of(number)
            journal = self.changes.journal
            journal.refresh(locked=True)
            made = next((r for r in journal.rows if r.action == "proposed" and r.number == wanted), None)
            path = next(iter(made.hashes), "") if made else ""
            for row in reversed(journal.rows):
                if row.action in {"accepted", "rejected"} and path in row.hashes and row.op not in journal.undone:
                    change = Undo(self.changes, self.files).run(None, by, op=row.op)
                    self.store.derive()
                    return change
            raise FactError(f"Nothing was decided on #{wanted}")

    def refresh(self) -> int:
        """Put proposals on the facts as they are now; close what has nothing left to do. How many were closed."""
        with self.changes.locked():
            return sum(self._settled(p.number)[0] is None for p in self.proposals.all())

    def _found(self, number: int | str) -> tuple[Proposal, FactFile]:
        wanted = number_of(number)
        for file in self.proposals.files_now():
            if file.fact and file.fact.number == wanted:
                return as_proposal(file.fact), file
        raise FactError(f"Nothing waits as #{str(number)[:20].lstrip('#')}")

    def _targets(self, proposal: Proposal, facts: Sequence[Fact]) -> list[Fact]:
        return [f for t in proposal.targets if (f := find(facts, t)) is not None]

    def _gone(self, proposal: Proposal) -> bool:
        """Whether a target is in the archive, and not merely unknown here."""
        return any(find(self.store.archived(), t) is not None for t in proposal.targets)

    def _settled(self, number: int | str) -> tuple[Proposal | None, FactFile]:
        """The proposal on the facts as they are now; None when it was closed because nothing is left of it."""
        proposal, file = self._found(number)
        facts = self.store.snapshot().facts
        targets = self._targets(proposal, facts)
        settled = _on(proposal, targets, facts)
        if settled is None and proposal.targets and not targets and not self._gone(proposal):
            return proposal, file  # its fact may still arrive with a synced folder
        if settled is None:
            self.changes.commit("closed", proposal.fact, [FileChange(file.rel, self.changes.text(file), None)], PERSON)
            self.store.derive()
            return None, file
        settled = replace(settled, base=self.proposals.base(self._targets(settled, facts)))
        if settled != proposal:
            text = render_proposal(settled)
            self.changes.commit("rebased", settled.fact, [FileChange(file.rel, self.changes.text(file), text)], PERSON)
            return self._found(number)
        return settled, file

    def _item(self, proposal: Proposal, facts: Sequence[Fact]) -> Item:
        targets = self._targets(proposal, facts)
        shown = _on(proposal, targets, facts) or proposal
        targets, fact = self._targets(shown, facts), shown.fact
        others = [f for f in facts if f.active and f not in targets and f.scope == fact.scope]
        draft = Draft(fact.name, fact.summary, fact.kind, fact.body, fact.scope, due=fact.due)
        near = nearest(draft, others) if shown.proposes != FORGET else None
        project = "" if fact.scope == USER else self.store.scopes.title(fact.scope)
        return Item(shown, tuple(targets), (near,) if near else (), _does(shown, targets), project)

    def _plan(self, proposal: Proposal) -> _Plan:
        facts = self.store.snapshot().facts
        targets = self._targets(proposal, facts)
        now = self.store.clock.now().replace(microsecond=0)
        source = _accepted(proposal.fact.source, iso(self.store.clock.now()))
        new = replace(proposal.fact, updated_at=now, confirmed_at=now, source=source, status="active", extra={})
        if proposal.proposes == FORGET and not targets:
            return _Plan(proposal.fact, [], "forgotten", None)
        if proposal.proposes == FORGET:
            old, out = self._retire(targets[0], "forgotten")
            return _Plan(old, out, "forgotten", targets[0])
        if proposal.proposes in {UPDATE, MERGE}:
            old = targets[0]
            file = self.store.file_of(old)
            old = file.fact or old
            taken = ("name", "summary", "kind", "body", "pinned", "due", "related", "scope", "source", "updated_at")
            changed = replace(old, **{f: getattr(new, f) for f in taken}, confirmed_at=now, status="active")
            path = self.store.free_path(changed, old)
            merged = (*old.supersedes, *(t.name for t in targets[1:]))
            changed = replace(changed, path=path, name=path.stem, supersedes=merged)
            rest = [part for t in targets[1:] for part in self._retire(t, "superseded")[1]]
            return _Plan(changed, [*self._moved(file, changed), *rest], "updated", old)
        retired = [part for t in targets for part in self._retire(t, "superseded")[1]]
        fresh = replace(new, created_at=now, supersedes=tuple(t.name for t in targets))
        path = self.store.free_path(fresh, None, going=[t.path for t in targets])
        fresh = replace(fresh, path=path, name=path.stem)
        made = self._moved(None, fresh)
        return _Plan(fresh, _joined([*made, *retired]), "created", targets[0] if targets else None)

    def _retire(self, fact: Fact, status: Any) -> tuple[Fact, list[FileChange]]:
        file = self.store.file_of(fact)
        retired = self.store.retired(file.fact or fact, status)
        text = self.changes.text(file)
        rel = self.files.rel(retired.path)
        return retired, [FileChange(rel, None, render_fact(retired)), FileChange(file.rel, text, None)]

    def _moved(self, file: FactFile | None, fact: Fact) -> list[FileChange]:
        rel, text = self.files.rel(fact.path), render_fact(fact)
        if file is None:
            return [FileChange(rel, None, text)]
        before = self.changes.text(file)
        if file.rel == rel:
            return [FileChange(rel, before, text)]
        return [FileChange(rel, None, text), FileChange(file.rel, before, None)]


def _joined(changes: list[FileChange]) -> list[FileChange]:
    """One change a file: a fact that takes the name of the one it replaces is written over its file."""
    out: dict[str, FileChange] = {}
    for change in changes:
        known = out.get(change.path)
        if known is None:
            out[change.path] = change
        else:
            before = known.before if known.before is not None else change.before
            out[change.path] = FileChange(change.path, before, known.after if known.after is not None else change.after)
    return list(out.values())


def _on(proposal: Proposal, targets: list[Fact], facts: Sequence[Fact]) -> Proposal | None:
    """The proposal as it stands on the facts of now; None when nothing is left to do."""
    fact = proposal.fact
    if proposal.returns:
        facts = [f for f in facts if not came_with(f, fact.source)]
    draft = Draft(fact.name, fact.summary, fact.kind, fact.body, fact.scope, due=fact.due)
    if proposal.proposes == FORGET:
        return as_now(proposal, targets) if targets else None
    if proposal.proposes == UPDATE and not targets:
        return None  # the person forgot it, which is their newest word
    if proposal.proposes in {UPDATE, MERGE}:
        if not targets or (len(targets) == 1 and _already(fact, targets[0])):
            return None
        # What the proposal does not speak of is as the person has it now.
        old = targets[0]
        fact = replace(fact, name=old.name, pinned=old.pinned, scope=old.scope)
        proposal = replace(proposal, fact=fact)
    if proposal.proposes == SUPERSEDE and not targets:
        proposal = replace(proposal, proposes=NEW, target="")
    if proposal.proposes in {NEW, SUPERSEDE}:
        others = (f for f in facts if f.scope == fact.scope and f.active)
        if any(says_the_same(draft, f) for f in others) and not targets:
            return None
        # Of what there is one of, a second value cannot stand beside the first.
        known = {t.path for t in targets}
        against = [
            f for f in rivals(fact.summary, fact.kind, fact.scope, facts) if f.path not in known and not f.locked
        ]
        if against:
            targets = [*targets, *against]
            proposal = replace(proposal, proposes=SUPERSEDE)
    return replace(proposal, target=",".join(str(t.number) for t in targets))


def _already(fact: Fact, now: Fact) -> bool:
    said = ("summary", "body", "kind", "due")
    return all(getattr(fact, f) == getattr(now, f) for f in said)


def _accepted(source: Source, at: str) -> Source:
    return replace(source, accepted=at)


def _does(proposal: Proposal, targets: Sequence[Fact]) -> str:
    named = ", ".join(f"#{t.number} {t.name}" for t in targets)
    match proposal.proposes:
        case "update":
            return f"Changes {named}"
        case "supersede":
            return f"Saves it in place of {named}, which goes to the archive"
        case "forget":
            return f"Forgets {named}"
        case "merge":
            return f"Makes one fact of {named}"
        case _:
            return "Saves it as a new fact" + (", locked" if proposal.fact.locked else "")
