"""A conversation that was read whole, as records of ours: what exports and small files have in common."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from sessions.clock import iso, parse_iso
from sessions.importers.base import Report
from sessions.importers.telling import Telling, record_id
from sessions.messages import AssistantMessage, Json, Marker, Record, ToolCall, ToolMessage, UserMessage, clean

_UNIQUE = 16
"""Characters of a message's id from which on it is taken for unique in the world."""
_MILLISECONDS = 1e11
"""Seconds are less than that until the year 5138."""


@dataclass(frozen=True, slots=True)
class Called:
    """A call of a tool, with what came of it; None when that was not recorded."""

    id: str
    """Empty when it has none."""
    name: str
    arguments: Any
    result: str | None = None
    ok: bool = True


@dataclass(frozen=True, slots=True)
class Said:
    """One message of the source."""

    role: Literal["user", "assistant", "earlier"]
    """`earlier`: what stands in the place of older messages, in short."""
    id: str
    at: str
    """As in our logs; empty when it does not say."""
    text: str
    reasoning: str = ""
    model: str = ""
    calls: tuple[Called, ...] = ()
    files: tuple[Json, ...] = ()


def tell(said: Iterable[Said], session: str, kind: str, report: Report, *, at: str) -> Iterator[Record]:
    """The records, in order. `session` is the source's id of the conversation, `at` when it began."""
    return _Tale(session, kind, report, at).records(said)


class _Tale(Telling):
    def __init__(self, session: str, kind: str, report: Report, at: str) -> None:
        super().__init__(report)
        self.at = at
        self._session = session
        self._kind = kind
        self._ids: set[str] = set()
        self._replied = False
        self._made = 0
        """Calls so far."""

    def records(self, said: Iterable[Said]) -> Iterator[Record]:
        for one in said:
            yield from self.passed(self._one(one))
        if self._replied:
            yield from self.passed(self.end("stop"))

    def _one(self, one: Said) -> Iterator[Record]:
        id_ = self._id(one.id)
        if one.role != "assistant":
            yield from self.end("stop" if self._replied else "cancelled")
        self.at = one.at or self.at
        if one.role == "earlier":
            yield Marker(self.marker_id(id_), self.at, "compaction", {"content": clean(one.text), "first_kept": None})
        elif one.role == "user":
            self._replied = False
            self.begin()
            yield UserMessage(id_, self.at, self.turn, clean(one.text), typed=(), attachments=one.files)
        else:
            self._replied = True
            self.answered(None)
            yield from self._reply(one, id_)

    def _reply(self, one: Said, id_: str) -> Iterator[Record]:
        own: list[tuple[ToolCall, Called]] = []
        for number, called in enumerate(one.calls, 1):
            there = clean(called.id) or f"{id_}-c{number}"
            name = clean(called.name) or "tool"
            arguments = called.arguments if isinstance(called.arguments, dict) else None
            text = None if arguments is not None else clean(str(called.arguments or ""))
            # Each is one of its own, also under an id that was there before.
            self._made += 1
            given = self.own({there: ToolCall(there, name, arguments, text)}, self._made)
            own.append((given[there], called))
        calls = tuple(call for call, _ in own)
        stop: Literal["tool_calls", "stop"] = "tool_calls" if calls else "stop"
        reasoning = clean(one.reasoning) or None
        yield AssistantMessage(
            id_, self.at, self.turn, clean(one.text), reasoning, calls, self._kind, one.model, stop=stop
        )
        for number, (call, called) in enumerate(own, 1):
            if called.result is None:
                yield self.no_result(call.id, call.name)
                continue
            result = clean(called.result)
            yield ToolMessage(f"{id_}-r{number}", self.at, self.turn, call.id, call.name, result, called.ok)

    def _id(self, there: str) -> str:
        """Of the message's own id alone, when that tells it from every other one; unique in the session."""
        known = len(there) >= _UNIQUE
        base = record_id(there) if known else digest(f"{self._session} {there}")
        id_, n = base, 2
        while id_ in self._ids:
            id_, n = f"{base}-{n}", n + 1
        self._ids.add(id_)
        return id_


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def stamp(value: object) -> str:
    """A time as in our logs, of seconds or milliseconds since 1970 or of an ISO text; empty for what is none."""
    at: datetime | None = None
    if isinstance(value, str):
        at = parse_iso(value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        try:
            at = datetime.fromtimestamp(value / 1000 if value > _MILLISECONDS else value, UTC)
        except (ValueError, OverflowError, OSError):
            return ""
    return iso(at) if at is not None and 1970 <= at.year < 9999 else ""
