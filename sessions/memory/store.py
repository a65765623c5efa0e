"""The facts of a home: read at once, changed in steps that a kill cannot spoil, every change journaled."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sessions.clock import Clock
from sessions.errors import FactError
from sessions.memory.changes import Changes
from sessions.memory.entries import Action, FileChange, JournalEntry
from sessions.memory.fact import By, Draft, Fact, Proposal, render_fact
from sessions.memory.fields import (
    changed_fields,
    check_open,
    check_unchanged,
    checked,
    differs,
    is_meant,
    made,
    repeats,
    updated,
)
from sessions.memory.files import FactFile, FactFiles, as_proposal
from sessions.memory.memory_md import render_list, write_list
from sessions.memory.reconcile import Change, Reconciler
from sessions.memory.rules import (
    USER,
    check_body,
    check_kind,
    check_scope,
    check_summary,
    same_text,
    slug,
)
from sessions.memory.scopes import Scopes
from sessions.memory.undo import Undo
from sessions.memory.view import Counts, Snapshot, facts_of, find, number_of, read_counts, write_counts
from sessions.paths import HomePaths

if TYPE_CHECKING:
    from sessions.memory.eraser import Eraser
    from sessions.memory.review import Review

__all__ = ["Change", "Counts", "FactStore", "Snapshot"]


class FactStore:
    """The memory. Safe in threads and beside other programs on the same home; calls that write wait for a lock."""

    def __init__(self, paths: HomePaths, clock: Clock) -> None:
        self.paths = paths
        self.clock = clock
        self.scopes = Scopes(paths)
        self._files = FactFiles(paths)
        self._changes = Changes(paths, clock, self._files)
        self._reconciler = Reconciler(self._changes, self._files, clock)
        self._snapshot: Snapshot | None = None
        self._snapshot_key: tuple[int, int] | None = None

    @property
    def revision(self) -> int:
        """Grows with every change of a file that was seen."""
        return self._files.revision

    @property
    def look_again_s(self) -> float | None:
        """Seconds after which `reconcile` has more to do though no file changes: one rests, one may be gone."""
        return self._reconciler.look_again_s

    def snapshot(self) -> Snapshot:
        """All facts as the files are now. Quick when nothing changed: one stat a file."""
        self._changes.settle_if_pending()
        found = self._scan()
        # Programs write these: one that is gone was decided on, and no editor is about to bring it back.
        waiting = self._files.scan(self.paths.proposed, settled=True)
        key = (self._files.revision, len(found) + len(waiting))
        if self._snapshot is None or key != self._snapshot_key:
            self._snapshot, self._snapshot_key = self._together(found, waiting), key
            self._note_counts(self._snapshot.counts)
        return self._snapshot

    def visible(self, cwd: Path | None) -> list[Fact]:
        """The active facts for work in this folder: the person's, and those of its project."""
        scopes = {USER, self.scopes.existing(cwd) if cwd else None}
        return [f for f in self.snapshot().facts if f.active and f.scope in scopes]

    def _scan(self) -> list[FactFile]:
        """The files in use. What another program took away, as the journal says, is gone at once."""
        found = self._files.scan(*self._files.live_folders())
        if absent := self._files.absent():
            journal = self._changes.journal
            journal.refresh()
            known = {rel: row for rel in absent if (row := journal.last(rel))}
            gone = {rel for rel, row in known.items() if row.hashes[rel][1] is None}
            for rel in gone:
                self._files.drop(rel)
            found = [file for file in found if file.rel not in gone]
        return found

    def archived(self) -> list[Fact]:
        """Facts that were forgotten or replaced, by number."""
        facts = [f.fact for f in self._files.scan(self.paths.archive) if f.fact]
        return sorted(facts, key=lambda f: f.number)

    def get(self, ref: str | int) -> Fact | None:
        """The fact in use of this number (7, "7", "#7") or name; a name in several scopes is first the person's."""
        return find(self.snapshot().facts, ref)

    def counts(self) -> Counts:
        return self.snapshot().counts

    def quick_counts(self) -> Counts:
        """The counts as they were last seen, from one small file: for the first paint."""
        return read_counts(self.paths)

    def locked(self) -> AbstractContextManager[None]:
        """Hold the lock over several calls: nobody else writes in between. Reentrant; raises LockedError."""
        return self._changes.locked()

    def proposals(self) -> list[Proposal]:
        """What waits for the person's yes, oldest first. `review` decides on it."""
        from sessions.memory.proposals import as_now

        known = self.snapshot()
        waiting = (as_now(p, known.facts) for p in known.proposed)
        return sorted(waiting, key=lambda p: (p.fact.created_at, p.number))

    @cached_property
    def review(self) -> Review:
        """The person's decisions on proposals."""
        from sessions.memory.review import Review

        return Review(self, self._changes, self._files)

    @cached_property
    def eraser(self) -> Eraser:
        """What takes facts away for good."""
        from sessions.memory.eraser import Eraser

        return Eraser(self, self._changes, self._files)

    def save(self, draft: Draft, *, by: By, instead_of: Sequence[Fact] = ()) -> Change:
        """Remember: a new fact, a new text of the fact of that name, one brought back or switched on, the same again.

        `instead_of` are facts, beside the one that the draft replaces, that cannot hold any more. Of two facts that
        want one name the new one gets another. Raises FactError with the rule that the draft breaks.
        """
        kind, summary, scope = check_kind(draft.kind), check_summary(draft.summary), check_scope(draft.scope)
        if draft.due and kind != "open-thread":
            raise FactError("due belongs to the kind open-thread only")
        body = check_body(draft.body)
        draft = replace(draft, summary=summary, body="" if same_text(body, summary) else body, scope=scope)
        with self._changes.locked():
            files = self._files.scan(*self._files.live_folders(), settled=True)
            facts = facts_of(files)
            replaced = self._replaced(facts, draft)
            gone = [f for f in facts if f.path in {r.path for r in (replaced, *instead_of) if r}]
            for fact in gone:
                check_open(fact)
            name = slug(draft.name or summary)
            old = next((f for f in facts if f.scope == scope and f.name == name and is_meant(draft, f)), None)
            if old is None:
                old = next((f for f in facts if f.scope == scope and f.kind == kind and repeats(draft, f)), None)
            if old and (replaced is None or replaced.path == old.path or repeats(draft, old)):
                return self._save_over(old, draft, by, [f for f in gone if f.path != old.path])
            return self._save_new(name, draft, by, gone)

    def edit(self, ref: str | int, *, by: By, was: Fact | None = None, **fields: Any) -> Change:
        """Change fields of a fact: summary, name, kind, body, pinned, locked, status, due, related, scope.

        With `was`, the fact as it was shown, what somebody else has made of these fields since is not written over:
        FactChangedError gives the fact as it is now.
        """
        with self._changes.locked():
            fact, file = self._target(ref, by)
            values = checked(fact, fields)
            if was is not None:
                check_unchanged(was, fact, {k: values[k] for k in fields})
            new = replace(fact, **values)
            words = changed_fields(fact, new)
            if not words:
                return Change("confirmed", fact, fact)
            now = self._now()
            if words & {"summary", "body", "kind"} and fact.source.origin != by.origin:
                new = replace(new, source=replace(new.source, origin=by.origin))
            new = replace(new, updated_at=now, confirmed_at=now, path=self._path(new, fact))
            return self._write("updated", new, by, file)

    def forget(self, ref: str | int, *, by: By) -> Change:
        """Move a fact to the archive. An undo, or the same said again, brings it back."""
        with self._changes.locked():
            fact, file = self._target(ref, by)
            return self._write("forgotten", self.retired(fact, "forgotten"), by, file)

    def undo(self, *, by: By, ref: str | int | None = None, op: str = "") -> Change:
        """Take back the last change (of one fact), or the change `op`. FactError has a diff when the file moved on."""
        with self._changes.locked():
            id_ = self._id(ref) if ref is not None else None
            change = Undo(self._changes, self._files).run(id_, by, op=op)
            self.derive()
            return change

    def to_undo(self, ref: str | int | None = None) -> JournalEntry:
        """The change that `undo` would take back. Raises FactError when there is none."""
        self._changes.journal.refresh()
        return Undo(self._changes, self._files).newest(self._id(ref) if ref is not None else None)

    def history(self, ref: str | int) -> list[JournalEntry]:
        """All changes of a fact, oldest first; of a forgotten or replaced one too."""
        journal, id_ = self._changes.journal, self._id(ref)
        journal.refresh()
        return [journal.load(row).seen_from(id_) for row in journal.rows_about(id_)]

    def changes_since(self, at: str) -> list[JournalEntry]:
        """All changes of facts after an ISO time, oldest first."""
        journal = self._changes.journal
        journal.refresh()
        return [journal.load(row) for row in journal.rows if row.at > at]

    def changed_by(self, id_: str) -> str:
        """The origin of a fact's last change; empty for one that the journal does not know."""
        journal = self._changes.journal
        journal.refresh()
        rows = journal.rows_of(id_) if id_ else []
        return journal.load(rows[-1]).by.origin if rows else ""

    def reconcile(self, *, wait_s: float | None = None) -> list[Change]:
        """Journal what a person did to the files, and complete those made by hand that rest.

        Raises LockedError when another program changes the memory for longer than `wait_s` seconds.
        """
        if not self.paths.memory.is_dir():
            return []
        with self._changes.locked(wait_s):
            changes = self._reconciler.run()
            if self._files.scan(self.paths.proposed, settled=True):
                self.review.refresh()
            if changes or not self.paths.memory_md.exists():
                self.derive()
            return changes

    def _save_over(self, old: Fact, draft: Draft, by: By, gone: Sequence[Fact]) -> Change:
        if repeats(draft, old) and not differs(draft, old) and old.active and not gone:
            if old.locked:
                return Change("confirmed", old, old)
            return self._write("confirmed", replace(old, confirmed_at=self._now()), by, self.file_of(old))
        check_open(old)
        new = updated(old, draft, by, self._now())
        new = replace(new, path=old.path, supersedes=tuple(dict.fromkeys((*old.supersedes, *(f.name for f in gone)))))
        return self._write("updated", new, by, self.file_of(old), gone)

    def _save_new(self, name: str, draft: Draft, by: By, gone: Sequence[Fact]) -> Change:
        for fact in reversed(self.archived()):
            if name and fact.scope == draft.scope and fact.name == name and not gone and is_meant(draft, fact):
                if by.origin in {"distilled", "import"} and fact.status == "forgotten":
                    raise FactError(f"{name} was forgotten by the person", "It is not learned again")
                new = updated(fact, draft, by, self._now())
                path = self.free_path(new, None)
                return self._write("restored", replace(new, path=path, name=path.stem), by, self.file_of(fact))
        new = made(name, draft, by, self._changes.next_number(), self._now(), gone)
        path = self.free_path(new, None)
        return self._write("created", replace(new, path=path, name=path.stem), by, None, gone)

    def _replaced(self, facts: list[Fact], draft: Draft) -> Fact | None:
        if draft.replaces in {None, ""}:
            return None
        fact = find(facts, draft.replaces or "")
        if fact is None:
            raise FactError(f"replaces {str(draft.replaces)[:64]!r} names no fact")
        return fact

    def _target(self, ref: str | int, by: By) -> tuple[Fact, FactFile]:
        """The fact to change, as the journal knows it. Raises FactError for none, and for a locked one."""
        found = self._files.scan(*self._files.live_folders(), settled=True)
        fact = find(facts_of(found), ref)
        if fact is None:
            raise FactError(f"There is no fact {str(ref)[:64]}")
        if fact.locked and by.origin != "user":
            raise FactError(f"#{fact.number} {fact.name} is locked", "Only the person changes it, by hand")
        file = self.file_of(fact)
        return file.fact or fact, file

    def file_of(self, fact: Fact) -> FactFile:
        """The file of a fact as the journal knows it. Raises FactError when it is gone. The lock is held."""
        file = self._files.read(self._files.rel(fact.path))
        if file is None:
            raise FactError(f"#{fact.number} {fact.name} was removed just now")
        return self._reconciler.current(file)

    def _id(self, ref: str | int) -> str:
        """The id behind a number or name, of a fact in use, an archived one, or one that only the journal knows."""
        fact = self.get(ref) or find(list(reversed(self.archived())), ref)
        if fact and fact.id:
            return fact.id
        journal = self._changes.journal
        journal.refresh()
        number = number_of(ref)
        for row in reversed(journal.rows):
            if row.number == number if number else any(Path(p).stem == ref for p in row.hashes):
                return row.id
        if fact:
            return ""
        raise FactError(f"There is no fact {str(ref)[:64]}")

    def free_path(self, new: Fact, old: Fact | None, going: Iterable[Path] = ()) -> Path:
        """Where the fact belongs; under another name when its own is taken by a file that is not `going` away."""
        if old and (old.scope, old.name) == (new.scope, new.name):
            return old.path
        folder, name = self.scopes.prepare(new.scope), new.name or f"fact-{new.number}"
        for n in count(2):
            path = folder / f"{name}.md"
            if path in going or not (path.exists() or path.is_symlink()):
                return path
            name = f"{new.name[:58]}-{n}"
        raise AssertionError("unreachable")

    def _path(self, new: Fact, old: Fact | None) -> Path:
        """Where the fact belongs. Raises FactError when that name is taken there."""
        if old and (old.scope, old.name) == (new.scope, new.name):
            return old.path
        path = self.scopes.prepare(new.scope) / f"{new.name}.md"
        if path.exists() or path.is_symlink():
            taken = self._files.read(self._files.rel(path))
            who = f"#{taken.fact.number}" if taken and taken.fact else "a file that cannot be read"
            raise FactError(f"name {new.name} is taken by {who}", "Choose another name")
        return path

    def retired(self, fact: Fact, status: Any) -> Fact:
        """The fact as it goes to the archive."""
        path = self.paths.archive / f"{fact.name}.md"
        if path.exists() or path.is_symlink():
            path = self.paths.archive / f"{fact.name}-{fact.number}.md"
        return replace(fact, status=status, updated_at=self._now(), path=path)

    def _write(self, action: Action, new: Fact, by: By, file: FactFile | None, gone: Sequence[Fact] = ()) -> Change:
        changes = []
        old = file.fact if file else None
        if file and old:
            # What a person did by hand a moment ago may have given it the id and the number.
            new = replace(new, id=old.id, number=old.number, created_at=old.created_at)
        rel, text = self._files.rel(new.path), render_fact(new)
        if file and file.rel == rel:
            changes.append(FileChange(rel, self._changes.text(file), text))
        else:
            changes.append(FileChange(rel, None, text))
            if file:
                changes.append(FileChange(file.rel, self._changes.text(file), None))
        for fact in gone:
            was = self.file_of(fact)
            retired = self.retired(was.fact or fact, "superseded")
            changes.append(FileChange(self._files.rel(retired.path), None, render_fact(retired)))
            changes.append(FileChange(was.rel, self._changes.text(was), None))
        self._changes.commit(action, new, changes, by)
        self.derive()
        written = self._files.read(rel)
        now = written.fact if written and written.fact else new
        op = "updated" if action not in {"created", "confirmed", "restored", "forgotten"} else action
        return Change(op, now, old or next(iter(gone), None))

    def _together(self, found: list[FactFile], waiting: list[FactFile]) -> Snapshot:
        broken = [f.content for f in [*found, *waiting] if f.fact is None]
        return Snapshot(
            tuple(facts_of(found)),
            tuple(b for b in broken if not isinstance(b, Fact)),
            tuple(as_proposal(f.fact) for f in waiting if f.fact),
            self._files.revision,
        )

    def derive(self) -> None:
        """Make anew what is made from the facts: the list and the counts."""
        found = self._files.scan(*self._files.live_folders(), settled=True)
        now = self._together(found, self._files.scan(self.paths.proposed, settled=True))
        with suppress(OSError):  # the facts are written: the list, made from them, comes with the next change
            write_list(self.paths.memory_md, render_list((f for f in now.facts if f.active), self.paths.memory))
        self._note_counts(now.counts)

    def _note_counts(self, counts: Counts) -> None:
        try:
            write_counts(self.paths, counts)
        except OSError:
            return  # a home that cannot be written to can still be read

    def _now(self) -> datetime:
        return self.clock.now().replace(microsecond=0)
