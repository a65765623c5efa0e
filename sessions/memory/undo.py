"""Taking back a change: a new entry of the journal, and only while the files are as the change left them."""

from __future__ import annotations

import difflib
from dataclasses import replace

from sessions.errors import FactError
from sessions.memory.changes import Changes
from sessions.memory.entries import FileChange, JournalEntry, Row
from sessions.memory.fact import By, Fact
from sessions.memory.files import FactFiles
from sessions.memory.reconcile import Change

_PASSED_OVER = {"confirmed", "completed", "undone", "proposed", "rebased", "closed"}
"""Changes that take nothing from the fact: an undo goes to the one before."""


class Undo:
    """Finds the change to take back. Used with the lock of the store held."""

    def __init__(self, changes: Changes, files: FactFiles) -> None:
        self.changes = changes
        self.files = files
        self.journal = changes.journal

    def run(self, fact_id: str | None, by: By, *, op: str = "") -> Change:
        """Undo the newest change (of this fact) that was not undone, or the change `op`.

        Raises FactError with a diff when it cannot.
        """
        entry = self._of(op) if op else self.newest(fact_id)
        after, before = entry.after, entry.before
        shown = after or before
        if shown is None:
            raise FactError("There is nothing to undo")
        if shown.locked and by.origin != "user":
            raise FactError(f"#{shown.number} {shown.name} is locked", "Only the person changes it, by hand")
        files = [self._back(file, entry) for file in entry.files if file.before != file.after]
        self.changes.commit("undone", before or shown, files, by, undoes=entry.op)
        now = self._now_there(entry, before or shown)
        return Change("undone", now, after, entry.action, self._back_too(files, now))

    def _of(self, op: str) -> JournalEntry:
        row = next((r for r in self.journal.rows if r.op == op and op not in self.journal.undone), None)
        if row is None:
            raise FactError("There is nothing to undo")
        return self.journal.load(row)

    def newest(self, fact_id: str | None) -> JournalEntry:
        """The change that an undo (of this fact) takes back. Raises FactError when there is none."""
        rows = self.journal.rows if fact_id is None else self.journal.rows_about(fact_id)
        undone = self.journal.undone
        rows = [r for r in rows if r.action not in _PASSED_OVER and r.op not in undone]
        if not rows:
            raise FactError("There is nothing to undo")
        newest: Row = max(enumerate(rows), key=lambda pair: (pair[1].at, pair[0]))[1] if fact_id is None else rows[-1]
        return self.journal.load(newest)

    def _back(self, file: FileChange, entry: JournalEntry) -> FileChange:
        """The change that takes one file back. A confirmation in between does not count as moving on."""
        path = self.files.paths.memory / file.path
        try:
            text: str | None = path.read_bytes().decode("utf-8")
        except FileNotFoundError:
            text = None
        except UnicodeDecodeError as e:
            raise FactError(f"{file.path} was changed since and cannot be read", "Mend it by hand") from e
        if text != file.after and not self._only_confirmed(file, text, entry):
            diff = difflib.unified_diff(
                (file.after or "").splitlines(),
                (text or "").splitlines(),
                "as it was left",
                "as it is now",
                "",
                "",
                2,
                "",
            )
            raise FactError(f"{file.path} was changed since, so this is not undone:\n" + "\n".join(diff))
        return FileChange(file.path, text, file.before)

    def _only_confirmed(self, file: FileChange, text: str | None, entry: JournalEntry) -> bool:
        if text is None or self.journal.text_after(file.path) != text:
            return False
        later = [r for r in self.journal.rows_of(entry.id) if file.path in r.hashes]
        after = [r for r in later[[r.op for r in later].index(entry.op) + 1 :]] if later else []
        return bool(after) and all(r.action in _PASSED_OVER or r.op in self.journal.undone for r in after)

    def _back_too(self, files: list[FileChange], fact: Fact) -> tuple[Fact, ...]:
        """The other facts in use that were not while the change held."""
        there = [self.files.read(f.path) for f in files if f.before is None and f.after is not None]
        found = [f.fact for f in there if f and f.fact and not f.rel.startswith("proposed/")]
        return tuple(f for f in found if f.id != fact.id and f.status in {"active", "off"})

    def _now_there(self, entry: JournalEntry, fact: Fact) -> Fact:
        for file in entry.files:
            there = self.files.read(file.path) if file.before is not None else None
            if there and there.fact and there.fact.id == fact.id:
                return there.fact
        return replace(fact, status="forgotten")
