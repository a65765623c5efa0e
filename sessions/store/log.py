"""A session's log: JSON Lines that only grow.

Rules that other programs rely on: one line is written at once and starts on a fresh line, so a kill at any byte loses
at most the line being written; a reader skips what it cannot read and says so.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from sessions import ids
from sessions.clock import Clock, iso
from sessions.errors import StoreError
from sessions.messages import (
    Json,
    Marker,
    Record,
    ToolMessage,
    Unknown,
    clean,
    clean_json,
    erased_line,
    from_json,
    to_json,
)
from sessions.paths import HomePaths
from sessions.store.atomic import append_line, make_folder, write_atomic
from sessions.store.lines import Line, LineProblem, decode, is_whole
from sessions.store.locks import FileLock, locked_elsewhere
from sessions.store.rewrite import ChangeLine, rewrite_lines
from sessions.store.sidefiles import keep_beside

_CHUNK = 1 << 20
Wanted: TypeAlias = Callable[[bytes, tuple[Record, ...]], bool]
"""Whether a line goes, told by its bytes and the records in them."""
_NEWER = "Read it with the newer memagent-tui that wrote it"


@dataclass(slots=True)
class LogRead:
    """What a log holds, as far as it could be read."""

    records: list[Record] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    """Byte offset of the line of each record."""
    problems: list[LineProblem] = field(default_factory=list)
    """An unfinished last line is named here when reading began at 0; for a follower it is only not there yet."""
    start: int = 0
    """Where reading began, in bytes."""
    size: int = 0
    """Where to go on reading: the bytes of whole lines."""
    newer: bool = False
    """The first line has a higher version than this program knows: nothing may be written."""
    file: int = 0
    """The inode, by which it is told whether lines were erased since; 0 = was not looked at."""

    def take(self, number: int, offset: int, line: Line) -> None:
        """Add the records of a line, the `number`-th from where reading began."""
        if line.why:
            self.problems.append(LineProblem(number, offset, line.why))
        for record in line.records:
            if offset == 0 and not self.records and _is_newer(record):
                self.newer = True
            self.records.append(record)
            self.offsets.append(offset)


class LogWriter:
    """A session open for writing; no other program can write its messages meanwhile. Thread-safe."""

    def __init__(self, paths: HomePaths, session: str, lock: FileLock) -> None:
        self.session = session
        self.path = paths.session_log(session)
        self._paths = paths
        self._lock = lock
        self._guard = threading.Lock()
        self._short = FileLock(_short_lock(paths, session))
        self._fd: int | None = _open_to_append(self.path)

    @classmethod
    def create(cls, paths: HomePaths, session: str, first: Marker) -> LogWriter:
        """Start a session. The log appears with its first line in it, or not at all. StoreError if it exists."""
        lock = FileLock(session_lock(paths, session))
        lock.acquire(0)
        path = paths.session_log(session)
        try:
            if path.exists():
                raise StoreError("The session exists already", path=path)
            try:
                make_folder(paths.sessions)
                write_atomic(path, line_of(first)[0])
            except OSError as e:
                raise _failed("The session cannot be created", path, e) from e
            return cls(paths, session, lock)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def open(cls, paths: HomePaths, session: str, *, wait_s: float = 5.0) -> LogWriter:
        """Take up a session. LockedError when another program keeps it longer than `wait_s` seconds.

        StoreError when there is no such session or when a newer program began it.
        """
        path = paths.session_log(session)
        _may_write(path)
        lock = FileLock(session_lock(paths, session))
        lock.acquire(wait_s)
        try:
            _may_write(path)
            return cls(paths, session, lock)
        except BaseException:
            lock.release()
            raise

    def append(self, record: Record, *, sync: bool = False) -> Record:
        """Write one record and return it as written; with `sync` it is on the disk when this returns.

        A tool result over 64 KB is kept beside the log, its line has the beginning. Raises StoreError.
        """
        with self._guard:
            fd = self._open_fd()
            try:
                if isinstance(record, ToolMessage):
                    record = keep_beside(self._paths, self.session, record)
                line, record = line_of(record)
                with self._short:
                    append_line(fd, line)
                if sync:
                    os.fsync(fd)
            except OSError as e:
                raise _failed("The session's log cannot be written", self.path, e) from e
        return record

    def sync(self) -> None:
        """Wait until all that was appended is on the disk. Raises StoreError."""
        with self._guard:
            try:
                os.fsync(self._open_fd())
            except OSError as e:
                raise _failed("The session's log cannot be written", self.path, e) from e

    def erase(self, wanted: Wanted) -> int:
        """Replace lines by `{"v":1,"id":…,"erased":true}`, all at once; how many there were.

        Raises StoreError; then the log is as it was.
        """
        with self._guard:
            fd = self._open_fd()
            try:
                with self._short:
                    found = erase_lines(self.path, wanted)
                    if found:
                        os.close(fd)
                        self._fd = None
                        self._fd = _open_to_append(self.path)
            except OSError as e:
                raise _failed("The session's log cannot be written", self.path, e) from e
        return found

    def close(self) -> None:
        """Give the session free. Closing twice is harmless."""
        with self._guard:
            fd, self._fd = self._fd, None
            if fd is not None:
                os.close(fd)
        self._lock.release()

    def _open_fd(self) -> int:
        if self._fd is None:
            raise StoreError("The session was closed", path=self.path)
        return self._fd


def erase_lines(path: Path, wanted: Wanted) -> int:
    """Replace lines of a log that nobody can write to meanwhile; how many. Its first line stays. Raises OSError."""
    seen: dict[bytes, bytes] = {}

    def change(line: bytes) -> bytes:
        if line in seen:
            return seen[line]
        records = decode(line).records
        head = any(isinstance(r, Marker) and r.kind == "session" for r in records)
        erased = any(isinstance(r, Unknown) and r.erased for r in records)
        if head or erased or not wanted(line, records):
            return line
        gone = [r.id for r in records if r.id] or [ids.message_id()]
        lines = [json.dumps(erased_line(id_), separators=(",", ":")).encode() for id_ in gone]
        return seen.setdefault(line, b"\n".join(lines))

    return rewrite_lines(path, change)


def rewrite_log(paths: HomePaths, session: str, path: Path, change: ChangeLine) -> int:
    """Put the lines of a session's log, which may be in the trash, as `change` gives them; how many are others now.

    Raises LockedError when another program has the session open, StoreError when it cannot be written.
    """
    try:
        with FileLock(session_lock(paths, session), wait_s=0.2), FileLock(_short_lock(paths, session)):
            return rewrite_lines(path, change)
    except OSError as e:
        raise _failed("The session's log cannot be written", path, e) from e


def read_log(path: Path, start: int = 0, *, limit: int | None = None) -> LogRead:
    """Read from byte `start`, which is 0 or the `size` of an earlier read, to the end as it is now.

    `limit` stops after the line in which so many bytes are reached. Raises StoreError only when the file cannot be
    read at all; whatever its bytes are, they become records, problems, or both.
    """
    read = LogRead(start=start, size=start)
    try:
        with path.open("rb") as file:
            # The size is fixed first: what is written meanwhile belongs to the next read.
            end = os.fstat(file.fileno()).st_size
            for number, (offset, data, closed) in enumerate(lines_of(file.fileno(), start, end), 1):
                if not closed and not is_whole(data):
                    if start == 0:
                        read.problems.append(LineProblem(number, offset, "the last line is unfinished"))
                    break
                read.take(number, offset, decode(data))
                read.size = offset + len(data) + closed
                if limit is not None and read.size - start >= limit:
                    break
    except OSError as e:
        raise unreadable(path, e) from e
    return read


def source_of(path: Path) -> dict[str, Any]:
    """The file of another agent of which a log is a copy: `kind`, `path`, `uuid`; empty for a session of ours.

    Raises StoreError when it cannot be read.
    """
    for record in read_log(path, limit=1).records:
        source = record.data.get("source") if isinstance(record, Marker) and record.kind == "session" else None
        if isinstance(source, dict):
            return source
    return {}


def append_meta(paths: HomePaths, session: str, data: dict[str, Any], clock: Clock) -> None:
    """Append a `meta` marker (title, pinned, archived …), also while another program holds the session.

    Raises StoreError when there is no such session or it cannot be written.
    """
    path = paths.session_log(session)
    _may_write(path)
    line, _ = line_of(Marker(ids.message_id(), iso(clock.now()), "meta", data))
    try:
        # Opened under the lock: a log that is being erased from is another file afterwards.
        with FileLock(_short_lock(paths, session)):
            fd = _open_to_append(path)
            try:
                append_line(fd, line)
                os.fsync(fd)
            finally:
                os.close(fd)
    except OSError as e:
        raise _failed("The session's log cannot be written", path, e) from e


def held_elsewhere(paths: HomePaths, session: str) -> bool:
    """Whether another program has the session open for writing now."""
    return locked_elsewhere(session_lock(paths, session))


def lines_of(fd: int, start: int, end: int) -> Iterator[tuple[int, bytes, bool]]:
    """(offset, bytes without the line feed, whether there was one), split on line feeds only."""
    parts: list[bytes] = []
    offset, at = start, start
    while at < end:
        chunk = os.pread(fd, min(_CHUNK, end - at), at)
        if not chunk:
            break
        at += len(chunk)
        *whole, rest = chunk.split(b"\n")
        for piece in whole:
            data = b"".join((*parts, piece)) if parts else piece
            parts.clear()
            yield offset, data, True
            offset += len(data) + 1
        if rest:
            parts.append(rest)
    if parts:
        yield offset, b"".join(parts), False


def _is_newer(record: Record) -> bool:
    return isinstance(record, Unknown) and record.why.startswith("version")


def _may_write(path: Path) -> None:
    try:
        first = read_log(path, limit=1)
    except StoreError as e:
        raise (e if path.exists() else StoreError("There is no such session", path=path)) from e
    if first.newer:
        raise StoreError("The session was begun by a newer program and is only read", _NEWER, path=path)


def line_of(record: Record) -> tuple[bytes, Record]:
    """The record's line, and the record as a reader of that line gets it."""
    try:
        text = _dumped(to_json(record))
    except ValueError:  # NaN and Infinity, which only Python reads and writes
        line = clean_json(to_json(record))
        text, record = _dumped(line), from_json(line)
    safe = clean(text)
    if safe != text:
        record = from_json(json.loads(safe))
    return safe.encode() + b"\n", record


def _dumped(line: Json) -> str:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":"), default=str, allow_nan=False)


def _open_to_append(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_APPEND)
    except OSError as e:
        raise _failed("The session's log cannot be opened", path, e) from e


def unreadable(path: Path, e: OSError) -> StoreError:
    """What to raise when a log cannot be read."""
    return _failed("The session's log cannot be read", path, e)


def _failed(what: str, path: Path, e: OSError) -> StoreError:
    return StoreError(f"{what}: {e.strerror or e}", path=path)


def session_lock(paths: HomePaths, session: str) -> Path:
    """The file that the program which writes a session has locked."""
    return paths.locks / f"session-{session}.lock"


def _short_lock(paths: HomePaths, session: str) -> Path:
    return paths.locks / f"append-{session}.lock"
