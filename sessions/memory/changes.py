"""Changes of fact files in three steps, so that a kill at any point leaves the old fact or the new one.

First the journal says what will be (through to the disk), then the files are replaced, then what is made from them.
What a kill cut off is finished by the next program that takes the lock.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from sessions.clock import Clock, iso
from sessions.errors import FactError, LockedError, StoreError
from sessions.ids import uuid4
from sessions.memory.entries import Action, FileChange, JournalEntry, Row
from sessions.memory.fact import By, Fact
from sessions.memory.files import FactFile, FactFiles, sha256
from sessions.memory.journal import Journal
from sessions.paths import HomePaths
from sessions.store.atomic import fsync_dir, make_folder, write_atomic
from sessions.store.locks import FileLock

_WAIT_S = 15.0


class Changes:
    """The only writer of fact files. Reentrant and thread-safe; programs exclude each other by a lock file."""

    def __init__(self, paths: HomePaths, clock: Clock, files: FactFiles) -> None:
        self.paths = paths
        self.clock = clock
        self.files = files
        self.journal = Journal(paths)
        self._guard = threading.RLock()
        self._lock = FileLock(paths.locks / "memory.lock")
        self._depth = 0
        self._number_file = paths.local / "memory-number.json"

    @contextmanager
    def locked(self, wait_s: float | None = None) -> Iterator[None]:
        """Hold the lock of the store; what an earlier program left unfinished is finished first.

        Raises LockedError, and StoreError when the disk refuses.
        """
        wait_s = _WAIT_S if wait_s is None else wait_s
        if not self._guard.acquire(timeout=wait_s):
            raise LockedError("The memory is being changed", "Try again", path=self.paths.memory)
        try:
            if self._depth == 0:
                self._lock.acquire(wait_s)
            self._depth += 1
            try:
                if self._depth == 1:
                    self._recover()
                yield
            except OSError as e:
                raise StoreError(f"The memory could not be written: {e.strerror or e}", path=self.paths.memory) from e
            finally:
                self._depth -= 1
                if self._depth == 0:
                    self._lock.release()
        finally:
            self._guard.release()

    def entry(self, action: Action, fact: Fact, changes: list[FileChange], by: By, *, undoes: str = "") -> JournalEntry:
        """The entry of a change that happens now."""
        head = (uuid4(), iso(self.clock.now()), action, fact.id, fact.number, fact.name)
        return JournalEntry(*head, by, tuple(changes), undoes)

    def commit(self, action: Action, fact: Fact, changes: list[FileChange], by: By, *, undoes: str = "") -> None:
        """Journal the change, then make it. A file that already is as it should be is left alone.

        When the disk refuses before anything was changed, nothing of it stays in the journal: what was said to have
        failed does not happen later.
        """
        with self.locked():
            mark = self.journal.append([self.entry(action, fact, changes, by, undoes=undoes)])
            try:
                self._apply(changes)
            except OSError:
                if all(self._hash(c.path) == _sha256(c.before) for c in changes if c.before != c.after):
                    self.journal.take_back(mark)
                raise
            self._note_number()
            self.journal.settle()

    def note(self, entries: list[JournalEntry]) -> None:
        """Journal changes that the files already have."""
        if entries:
            with self.locked():
                self.journal.append(entries)
                self._note_number()
                self.journal.settle()

    def next_number(self) -> int:
        """A number that no fact of this home ever had."""
        files = self.files.scan(*self.files.live_folders(), self.paths.archive, self.paths.proposed, settled=True)
        top = max((f.fact.number for f in files if f.fact), default=0)
        return max(top, self.journal.top_number, self._noted_number()) + 1

    def text(self, file: FactFile) -> str:
        """The file's text. Raises FactError when it changed since it was read."""
        data = file.path.read_bytes()
        if sha256(data) != file.sha:
            raise FactError(f"{file.rel} changed just now", "Try again")
        return data.decode("utf-8")

    def settle_if_pending(self) -> None:
        """Finish what a killed program left, if the lock is free; costs next to nothing when there is nothing."""
        if self.journal.pending():
            with suppress(LockedError, StoreError), self.locked(wait_s=0):
                pass

    def _recover(self) -> None:
        self.journal.refresh(locked=True)
        rows = self.journal.unsettled()
        if not rows:
            return
        for row in rows:
            self._finish(row)
        self.journal.settle()

    def _finish(self, row: Row) -> None:
        cut_off = {
            path
            for path, (before, after) in row.hashes.items()
            if self.journal.last(path) is row and before != after and self._hash(path) == before
        }
        if cut_off:
            entry = self.journal.load(row)
            self._apply([f for f in entry.files if f.path in cut_off])

    def _apply(self, changes: list[FileChange]) -> None:
        # Texts before removals: a fact that moves is in two places for a moment, never in none.
        for change in sorted(changes, key=lambda c: c.after is None):
            path = self.paths.memory / change.path
            if change.after is None:
                with suppress(FileNotFoundError):
                    path.unlink()
                    fsync_dir(path.parent)
                self.files.drop(change.path)
                continue
            data = change.after.encode()
            if self._hash(change.path) != sha256(data):
                make_folder(path.parent)
                write_atomic(path, data)
            self.files.read(change.path)

    def _hash(self, rel: str) -> str | None:
        try:
            return sha256((self.paths.memory / rel).read_bytes())
        except FileNotFoundError:
            return None
        except OSError:
            return ""  # a folder, a link in a circle, a file that may not be read: neither text

    def _noted_number(self) -> int:
        try:
            raw = json.loads(self._number_file.read_bytes())
        except (OSError, ValueError):
            return 0
        return raw if isinstance(raw, int) else 0

    def _note_number(self) -> None:
        if self.journal.top_number > self._noted_number():
            write_atomic(self._number_file, json.dumps(self.journal.top_number).encode(), durable=False)


def _sha256(text: str | None) -> str | None:
    return None if text is None else sha256(text.encode())
