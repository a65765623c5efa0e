"""The journal: every change of a fact, before and after, in one append-only file a machine.

An entry is on the disk before the files change. So a file that still has the `before` of an entry tells that a
write was cut off, and one that has neither text was changed by somebody else.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sessions.memory.entries import VERSION, JournalEntry, Row, as_json, entry_of, erased_number, row_of
from sessions.messages import clean
from sessions.paths import HomePaths
from sessions.store.atomic import append_line, fsync_dir, make_folder, write_atomic
from sessions.store.machine import machine
from sessions.store.rewrite import rewrite_lines


@dataclass(frozen=True, slots=True)
class Mark:
    """The end of a journal before something was appended."""

    path: Path
    size: int


def lost(paths: HomePaths) -> str:
    """What there is to say of journals that were here, and are gone or shorter now; empty when all are as they were.

    With a journal goes what it knew of facts: their history, and those that were forgotten.
    """
    gone = []
    for name, size in Journal(paths).settled().items():
        path = paths.journal / name
        try:
            found = path.stat().st_size
        except OSError:
            found = 0
        if found < size:
            gone.append(f"{path.name} {'is shorter than it was' if found else 'is gone'}")
    if not gone:
        return ""
    # First what to do: a notice may have room for no more.
    return f"facts may be lost: bring {paths.memory} back, or write facts anew ({'; '.join(gone)})"


class Journal:
    """The entries of all machines; one program at a time appends, under the lock of the store."""

    def __init__(self, paths: HomePaths) -> None:
        self.folder = paths.journal
        self._paths = paths
        self._settled_file = paths.local / "memory-settled.json"
        self._read: dict[str, int] = {}
        self._inodes: dict[str, int] = {}
        self.rows: list[Row] = []
        self._last: dict[str, Row] = {}
        self._of_fact: dict[str, list[Row]] = {}
        self._about: dict[str, list[Row]] = {}
        self._newest: dict[str, Row] = {}
        """The last entry of each file."""
        self.undone: set[str] = set()
        self.top_number = 0

    def refresh(self, *, locked: bool = False) -> None:
        """Read what was appended. With the lock held, a last line without its end counts: nobody is writing it."""
        try:
            files = sorted(p for p in self.folder.iterdir() if p.suffix == ".jsonl")
        except OSError:
            return
        for path in files:
            start = self._read.get(path.name, 0)
            try:
                status = path.stat()
            except OSError:
                continue
            size, inode = status.st_size, self._inodes.setdefault(path.name, status.st_ino)
            if inode != status.st_ino or size < start or (size > start and not self._stands(path)):
                # Shortened or replaced by somebody: what we know of it no longer stands there.
                self._forget_all()
                self.refresh(locked=locked)
                return
            if size > start:
                self._read_file(path, start, locked)

    def _forget_all(self) -> None:
        self._read.clear()
        self._inodes.clear()
        self.rows.clear()
        self._last.clear()
        self._of_fact.clear()
        self._about.clear()
        self._newest.clear()
        self.undone.clear()

    def _stands(self, path: Path) -> bool:
        """Whether the newest entry that we know of this file is where it was."""
        known = self._newest.get(path.name)
        if known is None:
            return True
        with path.open("rb") as file:
            file.seek(known.offset)
            row = row_of(known.file, known.offset, file.read(known.length))
        return row is not None and row.op == known.op

    def _read_file(self, path: Path, start: int, locked: bool) -> None:
        with path.open("rb") as file:
            file.seek(start)
            data = file.read()
        at = 0
        while at < len(data):
            end = data.find(b"\n", at)
            torn = end < 0
            if torn and not locked:
                break
            end = len(data) if torn else end
            row = row_of(path.name, start + at, data[at:end])
            if row:
                self._add(row)
            elif number := erased_number(data[at:end]):
                self.top_number = max(self.top_number, number)
            elif torn:
                break
            at = end if torn else end + 1
        self._read[path.name] = start + at

    def _add(self, row: Row) -> None:
        self.rows.append(row)
        self._newest[row.file] = row
        self.top_number = max(self.top_number, row.number)
        if row.undoes:
            self.undone.add(row.undoes)
        if row.id:
            self._of_fact.setdefault(row.id, []).append(row)
        for id_ in {row.id, *row.others} - {""}:
            self._about.setdefault(id_, []).append(row)
        for path in row.hashes:
            known = self._last.get(path)
            # In one file the later line is the later change, whatever the clock said.
            if known is None or known.file == row.file or known.at <= row.at:
                self._last[path] = row

    def append(self, entries: list[JournalEntry]) -> Mark:
        """Write the entries through to the disk, or none of them. The lock of the store is held. Raises OSError."""
        path = self.folder / f"{machine(self._paths)}.jsonl"
        make_folder(self.folder)
        new = not path.exists()
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            mark = Mark(path, os.fstat(fd).st_size)
            try:
                for entry in entries:
                    line = json.dumps(as_json(entry), ensure_ascii=False, separators=(",", ":"))
                    append_line(fd, clean(line).encode())
                os.fsync(fd)
            except OSError:
                with suppress(OSError):
                    os.ftruncate(fd, mark.size)
                raise
        finally:
            os.close(fd)
        if new:
            fsync_dir(self.folder)
        self.refresh(locked=True)
        return mark

    def take_back(self, mark: Mark) -> None:
        """Remove what was just appended and could not be done. The lock is still held."""
        os.truncate(mark.path, mark.size)
        self.refresh(locked=True)

    def last(self, path: str) -> Row | None:
        """The newest entry about a file."""
        return self._last.get(path)

    def live(self) -> Iterator[str]:
        """The files that the journal believes to be there."""
        return (path for path, row in self._last.items() if row.hashes[path][1] is not None)

    def rows_of(self, fact_id: str) -> list[Row]:
        """The entries of a fact, oldest first."""
        return self._of_fact.get(fact_id, [])

    def rows_about(self, fact_id: str) -> list[Row]:
        """The same, and those of facts that took its place."""
        return self._about.get(fact_id, [])

    def load(self, row: Row) -> JournalEntry:
        """The whole entry, with its texts."""
        with (self.folder / row.file).open("rb") as file:
            file.seek(row.offset)
            raw = json.loads(file.read(row.length))
        return entry_of(raw)

    def text_after(self, path: str) -> str | None:
        """The file as its newest entry left it."""
        row = self._last.get(path)
        if row is None:
            return None
        return next((f.after for f in self.load(row).files if f.path == path), None)

    def unsettled(self) -> list[Row]:
        """Entries whose files were not yet seen as the entry wants them.

        Whoever takes the lock settles first, so only the last entry of a journal can be one.
        """
        settled = self.settled()
        newest = {row.file: row for row in self.rows}
        return [row for row in newest.values() if row.offset >= settled.get(row.file, 0)]

    def pending(self) -> bool:
        """Whether there may be entries to settle. Compares sizes only."""
        settled = self.settled()
        try:
            return any(
                p.suffix == ".jsonl" and p.stat().st_size > settled.get(p.name, 0) for p in self.folder.iterdir()
            )
        except OSError:
            return False

    def erase(self, change: Callable[[dict[str, Any]], dict[str, Any] | None]) -> int:
        """Put entries otherwise than they were written; how many there were. The lock of the store is held.

        `change` gets an entry as JSON and gives what stands in its place: the same object for the same, None for an
        entry that is erased, of which only its place and its number remain. Raises OSError.
        """

        def line(data: bytes) -> bytes:
            try:
                raw = json.loads(data)
            except (ValueError, RecursionError):
                return data
            if not isinstance(raw, dict) or raw.get("erased"):
                return data
            new = change(raw)
            if new is raw:
                return data
            if new is None:
                new = {"v": VERSION, "op": raw.get("op"), "erased": True, "number": raw.get("number")}
            return clean(json.dumps(new, ensure_ascii=False, separators=(",", ":"))).encode()

        files = sorted(self.folder.glob("*.jsonl")) if self.folder.is_dir() else []
        # What is settled is told in bytes of the file: until it is told anew, nothing counts as settled.
        self._settled_file.unlink(missing_ok=True)
        found = sum(rewrite_lines(path, line) for path in files)
        self._forget_all()
        self.refresh(locked=True)
        self.settle()
        return found

    def settle(self) -> None:
        """Note that every file was seen as its newest entry wants it, or changed by somebody since."""
        text = json.dumps(self._read)
        make_folder(self._settled_file.parent)
        write_atomic(self._settled_file, text.encode(), durable=False)

    def settled(self) -> dict[str, int]:
        """Journal file -> the bytes of it that were seen through to the facts."""
        try:
            raw = json.loads(self._settled_file.read_bytes())
        except (OSError, ValueError):
            return {}
        return {k: v for k, v in raw.items() if isinstance(v, int)} if isinstance(raw, dict) else {}
