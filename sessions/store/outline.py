"""What a log holds, turn by turn, without its texts: where each begins, what was asked, how it ended.

Answers and results are passed over and not decoded, so that 100 MB take a fraction of a second.
"""

from __future__ import annotations

import os
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sessions.messages import AssistantMessage, Marker, Record, ToolMessage, Unknown, UserMessage
from sessions.store.lines import decode
from sessions.store.log import lines_of, unreadable
from sessions.store.tail import ends_before, find_line, is_prompt, names
from sessions.typed import Typed, typed_parts

_PASSED = re.compile(rb'\{"v": ?1, ?"id": ?"[^"\\]*", ?"role": ?"(?:assistant|tool)"')
_NEXT = b'{"v":'
_NAMING = re.compile(rb'"kind": ?"(?:rewound|compaction)"')
TEXT = 1000
"""Characters of a prompt that are kept."""


@dataclass(slots=True)
class TurnLine:
    """A turn that counts."""

    number: int
    text: str
    at: str
    message: str
    start: int
    """The byte where it begins; the next turn of the log begins at `end`."""
    end: int = 0
    messages: int = 1
    ended: dict[str, Any] | None = None
    """The data of its `turn_end`."""
    distilled: dict[str, Any] | None = None
    """What was learned of it."""
    typed: Typed | None = None
    off: bool = False
    """Said while memory was off."""
    inside: bool = False
    """Its line holds something before it."""


@dataclass(slots=True)
class Outline:
    """The turns of a log in order, as the conversation stands at its end."""

    turns: list[TurnLine] = field(default_factory=list)
    taken_back: list[TurnLine] = field(default_factory=list)
    bounds: array[int] = field(default_factory=lambda: array("q", [0]))
    """Bytes where the log can be cut so that both parts can be understood, in order."""
    size: int = 0
    file: int = 0
    """The inode."""

    def before(self, byte: int, least: int) -> int:
        """Where to begin to read so that `least` bytes, at least one, end at `byte`."""
        at = bisect_left(self.bounds, byte - least + 1) - 1
        return self.bounds[max(at, 0)]

    def after(self, byte: int, least: int, end: int) -> int:
        """Where to end after `least` bytes, at least one, from `byte` on; at most `end`."""
        at = bisect_left(self.bounds, byte + least)
        return min(self.bounds[at], end) if at < len(self.bounds) else end

    def span(self, byte: int, end: int) -> tuple[int, int]:
        """The smallest part that holds this byte; it ends at most at `end`."""
        at = bisect_left(self.bounds, byte + 1)
        return self.bounds[at - 1], min(self.bounds[at], end) if at < len(self.bounds) else end


def outline(path: Path, end: int | None = None) -> Outline:
    """The outline of a log up to byte `end`. Raises StoreError when it cannot be read."""
    try:
        with path.open("rb") as file:
            fd = file.fileno()
            found = os.fstat(fd)
            size = found.st_size if end is None else min(end, found.st_size)
            spans = _spans(path, fd, size)
            fold = _Fold(Outline(size=size, file=found.st_ino), spans)
            for offset, data, _ in lines_of(fd, 0, size):
                fold.feed(offset, data)
            return fold.done()
    except OSError as e:
        raise unreadable(path, e) from e


def _spans(path: Path, fd: int, end: int) -> dict[int, tuple[int, bool]]:
    """Byte of a line that names an earlier one -> where that begins, and whether it is a `rewound`."""
    found: dict[int, tuple[int, bool]] = {}
    for offset, data in _naming_lines(fd, end):
        for record in decode(data).records:
            name = names(record)
            if name is None or not isinstance(record, Marker):
                continue
            low = find_line(path, name, offset) if name else 0
            if low is not None:
                found[offset] = (low, record.kind == "rewound")
    return found


def _naming_lines(fd: int, end: int) -> Iterator[tuple[int, bytes]]:
    for offset, data, _ in lines_of(fd, 0, end):
        if b'"rewound"' in data or b'"compaction"' in data:
            if _NAMING.search(data):
                yield offset, data


class _Fold:
    def __init__(self, out: Outline, spans: dict[int, tuple[int, bool]]) -> None:
        self._out = out
        self._spans = spans
        self._open = False
        """A turn is under way."""
        self._joint = True
        """A turn that begins here can be cut off from what is above."""
        self._gone: tuple[int, str] | None = None
        """Where a line was erased that may have been a prompt, and its id."""
        self._by_number: dict[int, TurnLine] = {}

    def feed(self, offset: int, data: bytes) -> None:
        if _PASSED.match(data) and data.find(_NEXT, 1) < 0 and data.endswith(b"}") and self._gone is None:
            self._joint = True
            if self._out.turns and self._open:
                self._out.turns[-1].messages += 1
            return
        for i, record in enumerate(decode(data).records):
            self._record(offset, record, first=i == 0)

    def done(self) -> Outline:
        out = self._out
        if out.turns:
            out.turns[-1].end = out.turns[-1].end or out.size
        blocked = sorted((low, offset) for offset, (low, _) in self._spans.items())
        if blocked:
            out.bounds = _outside(out.bounds, blocked)
        return out

    def _record(self, offset: int, record: Record, *, first: bool) -> None:
        ends = ends_before(record)
        match record:
            case UserMessage() if is_prompt(record):
                parts = typed_parts(record.content, record.typed)
                off = record.memory == "off"
                typed = Typed(record.id, record.at, parts, off) if parts else None
                turn = TurnLine(record.turn, record.content[:TEXT], record.at, record.id, offset)
                turn.typed, turn.off, turn.inside = typed, off, not first
                if first and self._joint and offset:
                    self._out.bounds.append(offset)
                self._begin(turn)
            case AssistantMessage() | ToolMessage() if record.parent is None:
                self._erased_prompt(record.turn)
                if self._open:
                    self._out.turns[-1].messages += 1
            case Marker(kind="turn_end"):
                self._erased_prompt(_number(record.data.get("turn")))
                if self._open:
                    self._out.turns[-1].ended = record.data
                self._open = False
            case Marker(kind="distilled"):
                turn_line = self._by_number.get(_number(record.data.get("turn")))
                if turn_line is not None:
                    turn_line.distilled = record.data
            case Marker(kind="rewound"):
                self._rewound(offset, record)
            case Unknown() if record.erased and not self._open:
                self._gone = self._gone or (offset, record.id)
            case _:
                pass
        if ends is not None:
            self._joint = ends

    def _begin(self, turn: TurnLine) -> None:
        if self._out.turns:
            self._out.turns[-1].end = self._out.turns[-1].end or turn.start
        self._out.turns.append(turn)
        self._by_number[turn.number] = turn
        self._open, self._gone = True, None

    def _erased_prompt(self, number: int) -> None:
        gone, self._gone = self._gone, None
        if gone is not None and not self._open:
            self._begin(TurnLine(number, "", "", gone[1], gone[0], messages=0))

    def _rewound(self, offset: int, marker: Marker) -> None:
        low, is_rewound = self._spans.get(offset, (0, False))
        if not is_rewound:
            return
        out = self._out
        if out.turns:
            out.turns[-1].end = out.turns[-1].end or offset
        keep = 0 if marker.data.get("to") is None else bisect_left(out.turns, low + 1, key=lambda t: t.start + t.inside)
        for turn in out.turns[keep:]:
            self._by_number.pop(turn.number, None)
        out.taken_back += out.turns[keep:]
        del out.turns[keep:]
        self._open, self._gone = False, None


def _outside(bounds: array[int], blocked: list[tuple[int, int]]) -> array[int]:
    """The bounds that no span goes over; a span may begin at one."""
    out = array("q")
    spans = iter(blocked)
    span = next(spans, None)
    high = -1
    for bound in bounds:
        while span is not None and span[0] < bound:
            high = max(high, span[1])
            span = next(spans, None)
        if bound == 0 or bound > high:
            out.append(bound)
    return out


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
