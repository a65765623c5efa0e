"""What a log holds, turn by turn, without its texts: where each begins, what was asked, how it ended.

Answers and results are passed over and not decoded, so that 100 MB take a fraction of a second.
"""

from __future__ import annotations

import os
import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sessions.messages import AssistantMessage, Marker, Record, ToolMessage, Unknown, UserMessage
from sessions.store.lines import decode
from sessions.store.log import unreadable
from sessions.store.tail import STAYS, ends_before, is_prompt, names
from sessions.typed import Typed, typed_of

_PASSED = re.compile(rb'\{"v": ?1, ?"id": ?"([^"\\]*)", ?"role": ?"(?:assistant|tool)"')
_ENDED = re.compile(rb'\{"v": ?1, ?"id": ?"([^"\\]*)", ?"role": ?"marker", ?"at": ?"[^"\\]*", ?"kind": ?"turn_end"')
_NEXT = b'{"v":'
_NAMING = re.compile(rb'"kind": ?"(?:rewound|compaction)"')
_BLOCK = 512 << 10
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
    """The byte where it begins; the next turn of the log begins at `stop`."""
    stop: int = 0
    messages: int = 1
    ended: bytes | None = None
    """The line with its `turn_end`."""
    distilled: dict[str, Any] | None = None
    """What was learned of it."""
    typed: Typed | None = None
    off: bool = False
    """Said while memory was off."""
    inside: bool = False
    """Its line holds something before it."""
    made: object = None
    """What was made of it, in place of its words."""

    def end(self) -> dict[str, Any] | None:
        """The data of its `turn_end`; None when it was cut off."""
        for record in decode(self.ended).records if self.ended is not None else ():
            if isinstance(record, Marker) and record.kind == "turn_end":
                return record.data
        return None


@dataclass(slots=True)
class Short:
    """What stands for all that was said before it: a compaction's summary, or, `cleared`, nothing."""

    at: int
    """The byte of its line."""
    kept: int | None = None
    """The byte of the first line that it does not stand for."""
    content: str = ""
    off: bool = False
    """Made while memory was off."""
    cleared: bool = False


@dataclass(slots=True)
class Outline:
    """The turns of a log in order, as the conversation stands at its end."""

    turns: list[TurnLine] = field(default_factory=list)
    taken_back: list[TurnLine] = field(default_factory=list)
    shorts: list[Short] = field(default_factory=list)
    """Those that were not taken back."""
    bounds: array[int] = field(default_factory=lambda: array("q", [0]))
    """Bytes where the log can be cut so that both parts can be understood, in order."""
    size: int = 0
    file: int = 0
    """The inode."""

    def forget(self) -> None:
        """Drop what was made of the turns, and those that were taken back."""
        self.taken_back.clear()
        for turn in self.turns:
            turn.made = turn.distilled = None

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


def outline(path: Path, end: int | None = None, make: Callable[[TurnLine], object] | None = None) -> Outline:
    """The outline of a log up to byte `end`. Raises StoreError when it cannot be read.

    With `make` turns lose their words as soon as something was made of them: of a long log not all are there at once.
    """
    try:
        with path.open("rb") as file:
            fd = file.fileno()
            found = os.fstat(fd)
            size = found.st_size if end is None else min(end, found.st_size)
            fold = _Fold(Outline(size=size, file=found.st_ino), _named(fd, size), make)
            for offset, block in _blocks(fd, size):
                fold.feed(offset, block)
            return fold.done()
    except OSError as e:
        raise unreadable(path, e) from e


def _named(fd: int, end: int) -> set[str]:
    """Ids of the lines that later ones name."""
    out: set[str] = set()
    for block in (block for _, block in _blocks(fd, end)):
        for found in _NAMING.finditer(block):
            start = block.rfind(b"\n", 0, found.start()) + 1
            stop = block.find(b"\n", found.end())
            line = block[start : stop if stop >= 0 else len(block)]
            for record in decode(line).records:
                out.update(id_ for id_ in (names(record), _first_kept(record)) if id_)
    return out


def _blocks(fd: int, end: int) -> Iterator[tuple[int, bytes]]:
    """The bytes before `end` in blocks of whole lines, each with where it begins."""
    start = at = 0
    parts: list[bytes] = []
    while at < end:
        block = os.pread(fd, min(_BLOCK, end - at), at)
        if not block:
            break
        at += len(block)
        stop = block.rfind(b"\n") + 1
        if stop:
            whole = b"".join((*parts, block[:stop]))
            yield start, whole
            start += len(whole)
            parts.clear()
        parts.append(block[stop:])
    if rest := b"".join(parts):
        yield start, rest


class _Fold:
    def __init__(self, out: Outline, named: set[str], make: Callable[[TurnLine], object] | None) -> None:
        self._out = out
        self._make = make
        self._named = named
        self._named_bytes = {name.encode("utf-8", "replace") for name in named}
        self._at: dict[str, tuple[int, bool]] = {}
        """Id of a line that is named -> where it begins, and whether going back lets it be."""
        self._spans: list[tuple[int, int]] = []
        """From a line that is named to the one that names it."""
        self._dead: list[tuple[int, int]] = []
        """From the last line that was kept to the `rewound`."""
        self._open = False
        """A turn is under way."""
        self._joint = True
        """A turn that begins here can be cut off from what is above."""
        self._gone: tuple[int, str] | None = None
        """Where a line was erased that may have been a prompt, and its id."""
        self._by_number: dict[int, TurnLine] = {}

    def feed(self, offset: int, block: bytes) -> None:
        """Take the next lines of the log."""
        passed, ended = _PASSED.match, _ENDED.match
        named = self._named_bytes
        for line in block.split(b"\n"):
            if self._gone is None and (found := passed(line)) is not None and line.find(_NEXT, 1) < 0:
                self._joint = True
                if self._open:
                    self._out.turns[-1].messages += 1
                if named and found[1] in named:
                    self._at[found[1].decode()] = offset, False
            elif self._gone is None and (found := ended(line)) is not None and line.find(_NEXT, 1) < 0:
                self._end(offset, found[1].decode(), line)
            elif line:
                for i, record in enumerate(decode(line).records):
                    self._record(offset, record, line, first=i == 0)
            offset += len(line) + 1

    def done(self) -> Outline:
        out = self._out
        self._over(out.size)
        if self._spans:
            out.bounds = _outside(out.bounds, sorted(self._spans))
        return out

    def _end(self, offset: int, id_: str, line: bytes) -> None:
        if id_ in self._named:
            self._at[id_] = offset, False
        if self._open:
            self._out.turns[-1].ended = line
        self._open, self._joint = False, True

    def _record(self, offset: int, record: Record, line: bytes, *, first: bool) -> None:
        ends = ends_before(record)
        if record.id in self._named:
            self._at[record.id] = offset, isinstance(record, Marker) and record.kind in STAYS
        if name := names(record):
            if name in self._at:
                self._spans.append((self._at[name][0], offset))
        elif name is not None:
            self._spans.append((0, offset))
        match record:
            case UserMessage() if is_prompt(record):
                turn = TurnLine(record.turn, record.content[:TEXT], record.at, record.id, offset)
                turn.typed, turn.off, turn.inside = typed_of(record), record.memory == "off", not first
                if first and self._joint and offset:
                    self._out.bounds.append(offset)
                self._begin(turn)
            case AssistantMessage() | ToolMessage() if record.parent is None:
                self._erased_prompt(record.turn)
                if self._open:
                    self._out.turns[-1].messages += 1
            case Marker(kind="turn_end"):
                self._erased_prompt(_number(record.data.get("turn")))
                self._end(offset, record.id, line)
            case Marker(kind="distilled"):
                turn_line = self._by_number.get(_number(record.data.get("turn")))
                if turn_line is not None:
                    turn_line.distilled = record.data
            case Marker(kind="rewound"):
                self._rewound(offset, record)
            case Marker(kind="cleared"):
                self._out.shorts.append(Short(offset, cleared=True))
            case Marker(kind="compaction") if isinstance(content := record.data.get("content"), str):
                kept = self._at.get(_first_kept(record))
                off = record.data.get("memory") == "off"
                self._out.shorts.append(Short(offset, kept[0] if kept else None, content, off))
            case Unknown() if record.erased and not self._open:
                self._gone = self._gone or (offset, record.id)
            case _:
                pass
        if ends is not None:
            self._joint = ends

    def _begin(self, turn: TurnLine) -> None:
        self._over(turn.start)
        self._out.turns.append(turn)
        self._by_number[turn.number] = turn
        self._open, self._gone = True, None

    def _over(self, stop: int) -> None:
        """Nothing more comes of the newest turn."""
        turn = self._out.turns[-1] if self._out.turns else None
        if turn is None or turn.stop:
            return
        turn.stop = stop
        if self._make is not None:
            turn.made = self._make(turn)
            turn.text = turn.at = turn.message = ""
            turn.ended = None

    def _erased_prompt(self, number: int) -> None:
        gone, self._gone = self._gone, None
        if gone is not None and not self._open:
            self._begin(TurnLine(number, "", "", gone[1], gone[0], messages=0))

    def _rewound(self, offset: int, marker: Marker) -> None:
        to = marker.data.get("to")
        if to is not None and to not in self._at:
            return
        low, stays = (-1, True) if to is None else self._at[to]
        if not stays and any(start < low < end for start, end in self._dead):
            return
        self._dead.append((low, offset))
        out = self._out
        self._over(offset)
        keep = 0 if to is None else bisect_left(out.turns, low + 1, key=lambda t: t.start + t.inside)
        first = out.turns[keep].start if keep < len(out.turns) else -1
        out.shorts = [
            s for s in out.shorts if s.at <= low or (s.kept is not None and (s.kept <= low or s.kept == first))
        ]
        for turn in out.turns[keep:]:
            self._by_number.pop(turn.number, None)
        out.taken_back += out.turns[keep:]
        del out.turns[keep:]
        self._open, self._gone = False, None


def _first_kept(record: Record) -> str:
    first = record.data.get("first_kept") if isinstance(record, Marker) and record.kind == "compaction" else None
    return first if isinstance(first, str) else ""


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
