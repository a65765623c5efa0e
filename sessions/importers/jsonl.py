"""A foreign file of JSON Lines, read twice: once for what its lines are, then the lines that count. No bytes raise."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from sessions.importers.base import Known, Progress, Report
from sessions.importers.plain import open_plain
from sessions.messages import Json, Record
from sessions.store.lines import Objects, objects
from sessions.store.log import lines_of
from sessions.store.tail import lines_back

_START = '{"'
_PROBED = 64 << 10
_COUNTED = 1 << 20
TOLD = 4 << 20
"""Bytes between two words on how far it is."""
IsOne: TypeAlias = Callable[[Json], bool]
"""Whether an object inside a damaged line is one of the records of the format, and not a part of one."""


class Lines:
    """The lines of a file, as long as it was when it was opened: what is written meanwhile belongs to the next time."""

    def __init__(self, path: Path, is_one: IsOne, opened: BinaryIO | None = None) -> None:
        self.name = path.name
        self._file = open_plain(path) if opened is None else opened
        self._fd = self._file.fileno()
        self._is_one = is_one
        self.length = os.fstat(self._fd).st_size
        self.size = 0
        """Bytes of whole lines that were read."""

    def close(self) -> None:
        self._file.close()

    def each(self, start: int = 0, report: Report | None = None) -> Iterator[tuple[int, int, int, Json]]:
        """(offset, bytes, which of the line's objects, the object), from a byte where a line begins.

        An unfinished last line is left alone.
        """
        self.size = start
        above: int | None = None
        for number, (offset, data, closed) in enumerate(lines_of(self._fd, start, self.length), 1):
            line = objects(data, _START, self._is_one)
            if not closed and (line.why is not None or len(line.found) != 1):
                return
            self.size = offset + len(data) + closed
            if report is not None:
                report.lines += bool(data)
                if line.why is not None:
                    above = self._lines_above(start) if above is None else above
                    report.cannot(self.name, above + number, line.why)
            for part, found in enumerate(line.found):
                yield offset, len(data), part, found

    def torn(self, report: Report) -> None:
        """Report an unfinished last line that `each` left alone: of a file that nobody goes on with, it is lost."""
        if os.pread(self._fd, _PROBED, self.size).strip():
            report.cannot(self.name, self._lines_above(self.size) + 1, "the file ends in the middle of it")

    def _lines_above(self, end: int) -> int:
        """How many lines end before a byte; the file is gone through for it."""
        return sum(os.pread(self._fd, min(_COUNTED, end - at), at).count(b"\n") for at in range(0, end, _COUNTED))

    def goes_on(self, known: Known) -> bool:
        """Whether a line begins or ends where it was read to, and what was read is the same."""
        at = known.size
        begins = at in {0, self.length} or b"\n" in os.pread(self._fd, 2, at - 1)
        return begins and known.mark in {"", self.mark(at)}

    def mark(self, end: int) -> str:
        """A digest of how the bytes before `end` begin and end; another one when what was read there was changed."""
        parts = [os.pread(self._fd, min(_PROBED, end), 0), os.pread(self._fd, min(_PROBED, end), max(0, end - _PROBED))]
        return sha256(b"".join(parts)).hexdigest()[:16]

    def back(self, end: int) -> Iterator[tuple[int, Json]]:
        """(bytes from the line's beginning to `end`, object) of the lines before byte `end`, the last first."""
        for offset, data, _ in lines_back(self._fd, min(end, self.length)):
            for found in reversed(self._objects(data).found):
                yield end - offset, found

    def again(self, offset: int, length: int, part: int = 0) -> Json | None:
        """An object that was met before; None when the file is no longer what it was."""
        try:
            found = self._objects(os.pread(self._fd, length, offset)).found
        except OSError:
            return None
        return found[part] if part < len(found) else None

    def first(self, limit: int) -> Iterator[Json]:
        """The objects of the lines that begin in the first `limit` bytes."""
        end = min(limit, self.length)
        for offset, data, closed in lines_of(self._fd, 0, end):
            whole = data if closed or end == self.length else self._finished(offset, data)
            yield from self._objects(whole).found

    def last(self, limit: int) -> Iterator[Json]:
        """The objects of whole lines in the last `limit` bytes, the last first."""
        for back, found in self.back(self.length):
            if back > limit:
                return
            yield found

    def _finished(self, offset: int, data: bytes) -> bytes:
        """A line whose beginning was read, as far as it is not longer than some megabytes."""
        parts, at = [data], offset + len(data)
        while at < self.length and at - offset < _LONGEST:
            block = os.pread(self._fd, _PROBED, at)
            feed = block.find(b"\n")
            parts.append(block if feed < 0 else block[:feed])
            at += len(block)
            if feed >= 0 or not block:
                break
        return b"".join(parts)

    def _objects(self, data: bytes) -> Objects:
        return objects(data, _START, self._is_one)


_LONGEST = 4 << 20


def text_of(value: Any) -> str:
    """The value if it is a text, else an empty one."""
    return value if isinstance(value, str) else ""


def dict_of(value: Any) -> Json:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """The value if it is an array, else an empty one."""
    return value if isinstance(value, list) else []


def told_on(
    lines: Lines, records: Callable[[Callable[[int], None]], Iterator[Record]], progress: Progress | None
) -> Iterator[Record]:
    """The records of the second way through a file, which is closed at their end; `progress` hears the bytes of both
    ways together. `records` is given what to call with the offset that it is at."""
    told = 0

    def on_the_way(offset: int) -> None:
        nonlocal told
        if progress is not None and offset - told >= TOLD:
            told = offset
            progress((lines.length + offset) // 2)

    try:
        yield from records(on_the_way)
        if progress is not None:
            progress(lines.length)
    finally:
        lines.close()
