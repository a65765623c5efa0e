"""All places of one session in which something stands, in the order of the conversation."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sessions.messages import AssistantMessage, Marker, Message, Record, ToolCall, ToolMessage, Unknown, UserMessage
from sessions.store.hits import Hit
from sessions.store.lines import decode
from sessions.store.log import lines_of, unreadable
from sessions.store.meta import Meta
from sessions.store.spans import fold
from sessions.store.wording import Wording, sieve, wordings
from sessions.store.words import snippet

_RESULT = 1 << 20
"""Characters of a result that are looked through."""
_KEPT = 64
"""Lines with calls that are remembered, should a result of one be found."""
_LOOK = 256
"""Lines after which it is asked whether anybody still waits."""
_PROMPT = re.compile(rb'\{"v": ?1, ?"id": ?"([^"\\]*)", ?"role": ?"user", ?"at": ?"[^"\\]*", ?"turn": ?(\d+)')
"""The head of a line with a prompt: its id and turn."""
THOUGHT, SUMMARY = "thought", "summary"
"""Roles of what stands beside the messages: the reasoning before an answer, what a compaction leaves."""


@dataclass(slots=True)
class Spot:
    """Where it stands: in a prompt, an answer, a thought, a tool's call or result, a summary."""

    message: str
    """Id of the line."""
    turn: int
    role: str
    """user, assistant, tool, thought, summary."""
    at: str
    count: int
    """How many places of it there are."""
    tool: str = ""
    call: str = ""
    """Id of the tool call that it belongs to."""
    text: str = ""
    """The line that matches, one before and one after; only when it was asked for."""


@dataclass(frozen=True, slots=True)
class Finds:
    """What was found, and by which wording."""

    text: str = ""
    wording: Wording | None = None
    """None = nothing was looked for."""
    spots: tuple[Spot, ...] = ()
    count: int = 0
    """Places in all of them."""

    def hits(self, meta: Meta) -> Iterator[Hit]:
        """The same as hits of a search in the session; they have a text when the lines were kept."""
        return (hit_of(meta, spot) for spot in self.spots)


def hit_of(meta: Meta, spot: Spot) -> Hit:
    """A place as a hit in its session."""
    kind = (meta.source or {}).get("kind")
    source = kind if isinstance(kind, str) else None
    return Hit(
        *(meta.id, spot.message, spot.turn, spot.role, spot.at, spot.text, meta.title, meta.cwd, source, 0.0),
        tool=spot.tool,
    )


class GaveUpError(Exception):
    """Nobody waits for the answer any more."""


@dataclass(slots=True)
class Finder:
    """Takes the records of a session and keeps where it stands. `full` gives a tool's whole result."""

    text: str
    needles: tuple[str, ...] = ()
    texts: bool = False
    """Keep the lines that match, too."""
    full: Callable[[ToolMessage], str] = lambda message: message.content
    wanted: Callable[[], bool] = lambda: True
    _ways: tuple[Wording, ...] = ()
    _found: list[list[tuple[tuple[int, int, int], Spot]]] = field(default_factory=list)
    _calls: dict[str, tuple[int, int]] = field(default_factory=dict)
    _number: int = 0
    """Of the record, or of a line that is passed over."""
    _prompts: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Number of the line and turn of every prompt: a summary is read above the one with which it ends."""
    _turn: int = 0
    """Of the newest prompt."""
    _unread: deque[tuple[int, bytes]] = field(default_factory=lambda: deque(maxlen=_KEPT))
    """Lines with calls in which it does not stand, and their numbers."""

    def __post_init__(self) -> None:
        self._ways = wordings(self.text, self.needles)
        self._found = [[] for _ in self._ways]

    def feed(self, records: Iterable[Record]) -> None:
        """Look through these."""
        if not self._ways:
            return
        for record in records:
            self._number += 1
            if isinstance(record, Marker) or (not isinstance(record, Unknown) and record.parent is None):
                for place, text, spot in self._parts(record):
                    self._look(place, text, spot)

    def read(self, path: Path, end: int | None = None, kept: Sequence[tuple[int, int]] | None = None) -> None:
        """Look through the lines of a log up to byte `end`; only those that begin in the spans `kept`, when given.

        Raises StoreError when it cannot be read, and GaveUpError.
        """
        may_hold = sieve(self._ways)
        spans, at = sorted(kept or ()), 0
        try:
            with path.open("rb") as file:
                fd = file.fileno()
                size = os.fstat(fd).st_size
                for number, (offset, data, _) in enumerate(lines_of(fd, 0, size if end is None else min(end, size))):
                    if not number % _LOOK and not self.wanted():
                        raise GaveUpError
                    while at < len(spans) and spans[at][1] <= offset:
                        at += 1
                    away = kept is not None and not (at < len(spans) and spans[at][0] <= offset)
                    if away:
                        continue
                    # A result beside the log is not in its line.
                    if may_hold(data) or b'"file"' in data:
                        self.feed(decode(data).records)
                    elif b'"tool_calls"' in data:
                        self._number += 1
                        self._unread.append((self._number, data))
                    elif prompt := _PROMPT.match(data):
                        self._number += 1
                        self._begins(prompt[1].decode(), int(prompt[2]))
        except OSError as e:
            raise unreadable(path, e) from e

    def finds(self) -> Finds:
        """The places by the strictest wording by which there are any."""
        for way, found in zip(self._ways, self._found, strict=True):
            if found:
                found.sort(key=lambda row: row[0])
                spots = tuple(spot for _, spot in found)
                return Finds(self.text, way, spots, sum(spot.count for spot in spots))
        return Finds(self.text, self._ways[0] if self._ways else None)

    def _parts(self, record: Message | Marker) -> Iterator[tuple[tuple[int, int, int], str, Spot]]:
        """(place in the order of the conversation, text, what it would be found as)."""
        here, id_, at = self._number, record.id, record.at
        turn = self._turn if isinstance(record, Marker) else record.turn
        match record:
            case UserMessage():
                self._begins(id_, turn)
                yield (here, 0, 0), record.content, Spot(id_, turn, "user", at, 0)
            case Marker(kind="compaction", data={"content": str(text)}) if not record.data.get("results_only"):
                upto = record.data.get("first_kept")
                if isinstance(upto, str) and upto in self._prompts:
                    here, turn = self._prompts[upto]
                yield (here, -1, 0), text, Spot(id_, turn, SUMMARY, at, 0)
            case AssistantMessage():
                yield (here, -1, 0), record.reasoning or "", Spot(id_, turn, THOUGHT, at, 0)
                yield (here, 0, 0), record.content, Spot(id_, turn, "assistant", at, 0)
                for n, call in enumerate(record.tool_calls, 1):
                    self._calls[call.id] = (here, n)
                    yield (here, n, 0), called(call), Spot(id_, turn, "assistant", at, 0, call.name, call.id)
            case ToolMessage():
                call_id = record.tool_call_id
                text = self.full(record)[:_RESULT]
                yield (*self._call(call_id), here), text, Spot(id_, turn, "tool", at, 0, record.name, call_id)

    def _begins(self, prompt: str, turn: int) -> None:
        self._turn = turn
        self._prompts[prompt] = self._number, turn

    def _call(self, id_: str) -> tuple[int, int]:
        """Where the call of a result stands; where the result does, when it is far away."""
        needle = id_.encode("utf-8", "replace")
        for number, data in () if id_ in self._calls else reversed(self._unread):
            if needle in data:
                calls = [c.id for r in decode(data).records if isinstance(r, AssistantMessage) for c in r.tool_calls]
                self._calls |= {call: (number, n) for n, call in enumerate(calls, 1)}
                break
        return self._calls.get(id_, (self._number, 0))

    def _look(self, place: tuple[int, int, int], text: str, spot: Spot) -> None:
        if not text:
            return
        folded = fold(text)
        for way, found in zip(self._ways, self._found, strict=True):
            count = len(way.places_in(folded))
            if count:
                told = snippet(text, way.needles) if self.texts else ""
                found.append((place, replace(spot, count=count, text=told)))


def called(call: ToolCall) -> str:
    """A call as a text: its tool and what it was given."""
    return "\n".join([call.name, *_leaves(call.arguments if call.arguments is not None else call.arguments_text)])


def _leaves(value: Any) -> Iterator[str]:
    match value:
        case dict():
            for inner in value.values():
                yield from _leaves(inner)
        case list():
            for inner in value:
                yield from _leaves(inner)
        case str():
            yield value
        case None:
            pass
        case _:
            yield str(value)
