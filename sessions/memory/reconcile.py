"""What a person did to the files with an editor: journaled as theirs, and completed once the file rests.

Nothing of theirs is written over: a file made by hand only gets the lines that it lacks, and only after two seconds
without a change.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from sessions.clock import Clock
from sessions.errors import FactError
from sessions.ids import uuid4
from sessions.memory.changes import Changes
from sessions.memory.entries import FileChange, JournalEntry
from sessions.memory.fact import By, Fact, parse_fact
from sessions.memory.files import VANISHED_S, FactFile, FactFiles
from sessions.memory.front_matter import with_keys
from sessions.memory.rules import is_name, slug

REST_S = 2.0
"""A file made by hand is completed when it was left alone for so long."""
_PERSON = By("user")

Op: TypeAlias = Literal["created", "updated", "confirmed", "restored", "forgotten", "undone"]


@dataclass(frozen=True, slots=True)
class Change:
    """What happened to a fact."""

    op: Op
    fact: Fact
    """As it is now; as it last was when it is gone."""
    before: Fact | None = None
    """None = it is new."""
    undid: str = ""
    """What an undo took back: the action of that change."""
    back: tuple[Fact, ...] = ()
    """Other facts that an undo brought back: those in whose place this one was."""


class Reconciler:
    """Compares the files with the journal. All methods are called with the lock of the store held."""

    def __init__(self, changes: Changes, files: FactFiles, clock: Clock) -> None:
        self.changes = changes
        self.files = files
        self.clock = clock
        self.journal = changes.journal
        self.look_again_s: float | None = None
        """Seconds after which `run` has more to do without any file changing; None = nothing waits."""

    def run(self) -> list[Change]:
        """Journal all that was done by hand since; complete what rests."""
        self.look_again_s = None
        found = self._scan()
        on_disk = {f.rel for f in found}
        gone = [rel for rel in self.journal.live() if rel not in on_disk and not _proposed(rel)]
        gone = [rel for rel in gone if not self.files.unseen(rel)]
        for rel in self.files.absent():
            row = self.journal.last(rel)
            if row and row.hashes[rel][1] is None:
                self.files.drop(rel)  # another program removed it, and said so
            else:
                self._wait(VANISHED_S)
        copies = _copies(found)
        out: list[Change] = []
        seen: list[JournalEntry] = []
        for file in found:
            if file.fact is None or self._known(file):
                continue
            moved = self._moved_from(file.fact, gone)
            if moved:
                gone.remove(moved)
                out.append(self._renamed(file, file.fact, moved))
            elif file.fact.id and file.fact.number and (self.journal.last(file.rel) or file.rel not in copies):
                change, entry = self._adoption(file)
                out.append(change)
                seen.append(entry)
            elif self._rests(file):
                out.append(self.complete(file))
        self.changes.note(seen)
        for rel in gone:
            away = self.files.missing_s(rel)
            if away >= VANISHED_S:
                out += self._deleted(rel)
            else:
                self._wait(VANISHED_S - away)
        if out:
            found = self._scan()
        return out + self._renumber(found) + self._follow_names(found)

    def _adoption(self, file: FactFile) -> tuple[Change, JournalEntry]:
        """What to journal of a file that a person changed or put here; it is not written."""
        fact = _fact(file)
        text = self.changes.text(file)
        before = self.journal.text_after(file.rel)
        old = _parsed(before, file.path)
        op: Literal["created", "updated"] = "updated" if old else "created"
        entry = self.changes.entry(op, fact, [FileChange(file.rel, before, text)], _PERSON)
        return Change(op, fact, old), entry

    def complete(self, file: FactFile) -> Change:
        """Give a file made by hand the keys that it lacks. All else in it stays as it is."""
        fact = _fact(file)
        text = self.changes.text(file)
        journaled = self.journal.text_after(file.rel)
        old = _parsed(journaled, file.path)
        copied = self._id_elsewhere(fact, file.rel)
        id_ = fact.id if fact.id and not copied else old.id if old and old.id else uuid4()
        number = 0 if copied else fact.number or (old.number if old else 0)
        number = number or self.changes.next_number()
        stem = file.path.stem
        name = fact.name if not copied else stem if is_name(stem) else slug(stem) or f"fact-{number}"
        name = name or f"fact-{number}"
        now = self.clock.now().replace(microsecond=0)
        values: dict[str, str | int] = {"id": id_, "number": number, "name": name}
        values |= {"summary": fact.summary, "kind": fact.kind, "scope": fact.scope}
        full = with_keys(text, values)
        if fact.created_at.year == 1970:
            at = f"{now:%Y-%m-%dT%H:%M:%SZ}"
            fence = full.index("\n") + 1
            full = f"{full[:fence]}created_at = {at}\n{full[fence:]}"
        whole = _parsed(full, file.path)
        if whole is None or whole.id != id_ or whole.number != number:
            raise FactError(f"{file.rel} cannot be completed", "Give it an id and a number by hand")
        op: Op = "updated" if old else "created"
        files = [FileChange(file.rel, text, full)]
        if journaled is not None:
            # The person's text first, so that the versions show it as theirs.
            self.changes.commit("updated", whole, [FileChange(file.rel, journaled, text)], _PERSON)
            self.changes.commit("completed", whole, files, _PERSON)
        else:
            self.changes.commit("created", whole, files, _PERSON)
        return Change(op, whole, old)

    def current(self, file: FactFile) -> FactFile:
        """The file as the journal knows it: what a person did to it is journaled, and it has an id."""
        fact = _fact(file)
        if not fact.id or not fact.number or self._id_elsewhere(fact, file.rel):
            self.complete(file)
        elif not self._known(file):
            self.changes.note([self._adoption(file)[1]])
        again = self.files.read(file.rel)
        if again is None or again.fact is None:
            raise FactError(f"{file.rel} changed just now", "Try again")
        return again

    def _scan(self) -> list[FactFile]:
        return self.files.scan(*self.files.live_folders(), self.files.paths.archive, settled=True)

    def _rests(self, file: FactFile) -> bool:
        left = REST_S - file.rested_s()
        if left > 0:
            self._wait(left)
        return left <= 0

    def _wait(self, seconds: float) -> None:
        self.look_again_s = min(seconds, self.look_again_s or seconds)

    def _known(self, file: FactFile) -> bool:
        row = self.journal.last(file.rel)
        return row is not None and row.hashes[file.rel][1] == file.sha

    def _id_elsewhere(self, fact: Fact, rel: str) -> bool:
        """Whether another file has this id and had it first: then this one is a copy."""
        if not fact.id or self.journal.last(rel) is not None:
            return False
        return any(f.fact and f.fact.id == fact.id and f.rel != rel for f in self._scan())

    def _moved_from(self, fact: Fact, gone: list[str]) -> str | None:
        if not fact.id:
            return None
        ours = {rel for row in self.journal.rows_of(fact.id) for rel in row.hashes}
        return next((rel for rel in gone if rel in ours), None)

    def _renamed(self, file: FactFile, fact: Fact, old_rel: str) -> Change:
        text = self.changes.text(file)
        before = self.journal.text_after(old_rel)
        old = _parsed(before, self.files.paths.memory / old_rel)
        stem = slug(file.path.stem)
        # The file's name counts when only that was changed.
        after = with_keys(text, {"name": stem}) if stem and (old is None or old.name == fact.name) else text
        new = _parsed(after, file.path) or fact
        files = [FileChange(old_rel, before, None), FileChange(file.rel, text, after)]
        self.changes.commit("renamed", new, files, _PERSON)
        return Change("updated", new, old)

    def _deleted(self, rel: str) -> list[Change]:
        before = self.journal.text_after(rel)
        old = _parsed(before, self.files.paths.memory / rel)
        if old is None:
            return []
        self.changes.commit("forgotten", old, [FileChange(rel, before, None)], _PERSON)
        return [Change("forgotten", replace(old, status="forgotten"), old)]

    def _renumber(self, found: list[FactFile]) -> list[Change]:
        """Give the younger of two facts with one number another one."""
        out = []
        seen: dict[int, str] = {}
        files = [f for f in found if f.fact and f.fact.number and f.fact.id]
        for file in sorted(files, key=lambda f: (_fact(f).created_at, f.rel)):
            fact = _fact(file)
            if seen.setdefault(fact.number, fact.id) == fact.id or not self._rests(file):
                continue
            text = self.changes.text(file)
            after = with_keys(text, {"number": self.changes.next_number()})
            new = _parsed(after, file.path)
            if new and new.number != fact.number:
                self.changes.commit("updated", new, [FileChange(file.rel, text, after)], _PERSON)
                out.append(Change("updated", new, fact))
        return out

    def _follow_names(self, found: list[FactFile]) -> list[Change]:
        """Rename the file of a fact whose name was changed inside it."""
        out = []
        for file in found:
            fact = file.fact
            if fact is None or not fact.id or fact.name == file.path.stem or file.rel.startswith("archive/"):
                continue
            target = file.path.with_name(fact.name + ".md")
            if target.exists() or not self._known(file) or not self._rests(file):
                continue
            text = self.changes.text(file)
            new_rel = self.files.rel(target)
            files = [FileChange(file.rel, text, None), FileChange(new_rel, None, text)]
            new = replace(fact, path=target)
            self.changes.commit("renamed", new, files, _PERSON)
            out.append(Change("updated", new, fact))
        return out


def _copies(files: list[FactFile]) -> set[str]:
    """The files whose id stands in another file too."""
    by_id: dict[str, list[str]] = {}
    for file in files:
        if file.fact and file.fact.id:
            by_id.setdefault(file.fact.id, []).append(file.rel)
    return {rel for rels in by_id.values() if len(rels) > 1 for rel in rels}


def _fact(file: FactFile) -> Fact:
    if file.fact is None:
        raise FactError(f"{file.rel} cannot be read", "Mend it by hand")
    return file.fact


def _parsed(text: str | None, path: Path) -> Fact | None:
    if text is None:
        return None
    try:
        return parse_fact(text, path)
    except FactError:
        return None


def _proposed(rel: str) -> bool:
    return rel.startswith("proposed/")
