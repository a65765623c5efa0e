"""The end of a log, read from its last byte upwards: a long one costs no more than a short one.

What is read begins at a whole turn and can be understood by itself: all lines that a later line in it names are there,
where a `rewound` goes back to and where a `compaction` begins to keep. What it must hold for that is read as well.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from sessions.messages import AssistantMessage, Marker, Record, ToolMessage, UserMessage
from sessions.store.lines import Line, LineProblem, decode, is_whole
from sessions.store.log import LogRead, unreadable

TAIL = 128 << 10
"""Bytes that are read at least."""
STAYS = frozenset({"session", "meta", "imported"})
"""Markers that say something about the session, not about the conversation: going back does not take them back."""
_BLOCK = 256 << 10
_SEARCHED = 4 << 20


def read_tail(
    path: Path, end: int | None = None, *, least: int = TAIL, until: Callable[[Record], bool] | None = None
) -> LogRead:
    """The last turns of a log, or those before byte `end`, which is the `start` of an earlier read.

    At least `least` bytes; with `until`, on to a record that passes as well. The log from its beginning when it has no
    more than that. Raises StoreError only when the file cannot be read at all.
    """
    try:
        with path.open("rb") as file:
            fd = file.fileno()
            found = os.fstat(fd)
            upwards = _Upwards(fd, found.st_size if end is None else end, least, until)
            return upwards.read(found.st_ino)
    except OSError as e:
        raise unreadable(path, e) from e


def find_line(path: Path, id_: str, end: int | None = None) -> int | None:
    """The byte where the line of a record begins, looked for before byte `end`; None without one."""
    try:
        with path.open("rb") as file:
            return _find(file.fileno(), id_, os.fstat(file.fileno()).st_size if end is None else end)
    except OSError as e:
        raise unreadable(path, e) from e


def lines_back(fd: int, end: int) -> Iterator[tuple[int, bytes, bool]]:
    """(offset, bytes without the line feed, whether there was one) of the lines before byte `end`, the last first."""
    parts: list[bytes] = []
    """Of the line whose beginning is not read yet, the last part first."""
    at, closed = end, False
    while at > 0:
        size = min(_BLOCK, at)
        at -= size
        block = os.pread(fd, size, at)
        stop = len(block)
        while (feed := block.rfind(b"\n", 0, stop)) >= 0:
            data = block[feed + 1 : stop]
            if parts:
                data = b"".join((data, *reversed(parts)))
                parts.clear()
            if data or closed:
                yield at + feed + 1, data, closed
            stop, closed = feed, True
        parts.append(block[:stop])
    data = b"".join(reversed(parts))
    if data or closed:
        yield 0, data, closed


def names(record: Record) -> str | None:
    """Id of an earlier line without which the record cannot be understood; empty for all lines, None for none."""
    if not isinstance(record, Marker):
        return None
    if record.kind == "rewound":
        to = record.data.get("to")
        return "" if to is None else to if isinstance(to, str) else None
    first = record.data.get("first_kept")
    if (
        record.kind != "compaction"
        or record.data.get("results_only")
        or not isinstance(record.data.get("content"), str)
    ):
        return None
    return first if isinstance(first, str) and first else None


def is_prompt(record: Record) -> bool:
    return isinstance(record, UserMessage) and record.parent is None


def ends_before(record: Record) -> bool | None:
    """What a line right before a prompt says of it: True = a turn can begin there, False = a `rewound` and the prompt
    that follows it belong together, None = the line before that one tells."""
    if isinstance(record, Marker):
        return {"rewound": False, "turn_end": True}.get(record.kind)
    return True if isinstance(record, UserMessage | AssistantMessage | ToolMessage) else None


class _Upwards:
    def __init__(self, fd: int, end: int, least: int, until: Callable[[Record], bool] | None) -> None:
        self._fd = fd
        self._end = end
        self._least = least
        self._until = until
        self._lines: list[tuple[int, Line]] = []
        """The newest first."""
        self._missing: dict[str, bool] = {}
        """Ids named by what was read and not met yet -> whether it is known that they are there."""
        self._whole = False
        """Everything is needed."""
        self._cut: int | None = None
        """How many lines make a whole, should the ones before them not belong to it."""

    def read(self, inode: int) -> LogRead:
        out = LogRead(size=self._end, file=inode)
        torn: LineProblem | None = None
        for offset, data, closed in lines_back(self._fd, self._end):
            if not closed and not is_whole(data):
                torn = LineProblem(1, offset, "the last line is unfinished")
                out.size = offset
                continue
            line = decode(data)
            if self._cut is not None and self._is_end(line):
                break
            self._lines.append((offset, line))
            self._take(line, offset)
        else:
            self._cut = None
        if self._cut is not None:
            del self._lines[self._cut :]
            out.start = self._lines[-1][0]
        for number, (offset, line) in enumerate(reversed(self._lines), 1):
            out.take(number, offset, line)
        if torn is not None:
            out.problems.append(LineProblem(len(self._lines) + 1, torn.offset, torn.why))
        return out

    def _is_end(self, line: Line) -> bool:
        """Whether the whole turns that were read end above the line; forgets the cut when they do not."""
        for record in reversed(line.records):
            ends = ends_before(record)
            if ends is False:
                self._cut = None
            if ends is not None:
                return ends
        return False

    def _take(self, line: Line, offset: int) -> None:
        for record in reversed(line.records):
            self._missing.pop(record.id, None)
            name = names(record)
            if name:
                self._missing.setdefault(name, False)
            self._whole = self._whole or name == ""
            if self._until is not None and self._until(record):
                self._until = None
        first = line.records[0] if line.records else None
        if first is not None and is_prompt(first) and self._enough(offset):
            self._cut = len(self._lines)

    def _enough(self, offset: int) -> bool:
        if self._whole or self._until is not None or self._end - offset < self._least:
            return False
        for id_, known in [*self._missing.items()]:
            # What is named and is nowhere takes nothing back, and is not waited for.
            if not known and _find(self._fd, id_, offset) is None:
                del self._missing[id_]
            else:
                self._missing[id_] = True
        return not self._missing


def _find(fd: int, id_: str, end: int) -> int | None:
    needle = json.dumps(id_, ensure_ascii=False).encode("utf-8", "replace")
    at, rest = 0, b""
    while at < end:
        block = rest + os.pread(fd, min(_SEARCHED, end - at), at)
        start = at - len(rest)
        at = start + len(block)
        hit = block.find(needle)
        while hit >= 0:
            offset, data = _line_at(fd, start + hit, end)
            if any(record.id == id_ for record in decode(data).records):
                return offset
            hit = block.find(needle, max(hit + 1, offset + len(data) - start))
        if not block or len(block) == len(rest):
            break
        rest = block[1 - len(needle) :]
    return None


def _line_at(fd: int, at: int, end: int) -> tuple[int, bytes]:
    """The line that holds byte `at`."""
    start = next((offset for offset, _, _ in lines_back(fd, at)), 0)
    parts: list[bytes] = []
    here = start
    while here < end:
        block = os.pread(fd, min(_BLOCK, end - here), here)
        feed = block.find(b"\n")
        if feed >= 0 or not block:
            parts.append(block[: max(feed, 0)])
            break
        parts.append(block)
        here += len(block)
    return start, b"".join(parts)
