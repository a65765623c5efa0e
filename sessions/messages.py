"""The records of a session's log, as neutral as a file format: no provider, no screen.

One record is one line of JSON. Keys that this version does not know are kept in `extra`, roles that it does not
know become `Unknown`, so that a log survives a newer program writing to it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, assert_never

from sessions.numbers import amount, whole

VERSION = 1
THIS_MACHINE = "this machine"
"""The place of a model whose words stay here."""
_SURROGATE = re.compile("[\ud800-\udfff]")

Stop: TypeAlias = Literal["stop", "tool_calls", "length", "cancelled", "error"]
Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them."""

    input: int = 0
    output: int = 0
    cached: int = 0
    """Part of `input` that the provider had in its prompt cache."""
    usd: float | None = None
    """What it cost, as the provider tells; None where it does not."""

    def __add__(self, other: Usage) -> Usage:
        usd = None if self.usd is None and other.usd is None else (self.usd or 0.0) + (other.usd or 0.0)
        return Usage(self.input + other.input, self.output + other.output, self.cached + other.cached, usd)

    @property
    def as_json(self) -> Json:
        """As a log keeps it."""
        out: Json = {"input": self.input, "output": self.output, "cached": self.cached}
        return out if self.usd is None else out | {"usd": self.usd}

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Usage:
        """What a log's line says, whatever stands there."""
        sent, received, cached = (whole(raw.get(key)) or 0 for key in ("input", "output", "cached"))
        return cls(sent, received, cached, amount(raw.get("usd")))


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What the model asks for. Exactly one of `arguments` and `arguments_text` is set."""

    id: str
    """Ours, unique in the session."""
    name: str
    arguments: Json | None = None
    arguments_text: str | None = None
    """What the model wrote when it was not a JSON object."""
    provider_id: str | None = None
    provider_items: Json | None = None
    """What the provider wants to read again with this call, as it came; never sent to another."""


@dataclass(frozen=True, slots=True)
class Again:
    """Characters `start` to `end` of a message stood in one that was taken back, in whose place it is said."""

    message: str
    """Id of the message that was taken back."""
    at: str
    """When they were typed there."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class UserMessage:
    id: str
    at: str
    turn: int
    content: str
    name: str | None = None
    typed: tuple[tuple[int, int], ...] | None = None
    """Character spans that the person typed; None means all of it."""
    attachments: tuple[Json, ...] = ()
    memory: str | None = None
    """`off` or `read-only` when the message was said with memory so."""
    parent: str | None = None
    extra: Json = field(default_factory=dict)
    again: tuple[Again, ...] = ()
    """What of it is not new."""


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    id: str
    at: str
    turn: int
    content: str
    reasoning: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    profile: str = ""
    model: str = ""
    provider_items: Json | None = None
    """What only the same provider can read back; never sent to another."""
    usage: Usage | None = None
    ms: int = 0
    first_token_ms: int | None = None
    reasoning_ms: int | None = None
    stop: Stop = "stop"
    parent: str | None = None
    extra: Json = field(default_factory=dict)
    place: str = ""
    """Where the words went: a host, or THIS_MACHINE. A profile may lead elsewhere tomorrow."""


@dataclass(frozen=True, slots=True)
class ToolMessage:
    id: str
    at: str
    turn: int
    tool_call_id: str
    name: str
    content: str
    ok: bool = True
    ms: int = 0
    facts: tuple[str, ...] = ()
    """Names of the facts that the result showed to the model."""
    fact_numbers: tuple[int, ...] = ()
    """Their numbers, in the same order."""
    file: Json | None = None
    """`{path, bytes, sha256}` of a result kept beside the log; `content` is then its beginning."""
    parent: str | None = None
    extra: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Marker:
    """A line that is no message: the start of the session, the end of a turn, a compaction, a changed title …"""

    id: str
    at: str
    kind: str
    data: Json = field(default_factory=dict)
    """All keys of the line but `v`, `id`, `role`, `at`, `kind`."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A line that is kept and skipped: another role, a newer version, an erased message."""

    raw: Json
    why: str

    @property
    def id(self) -> str:
        """Empty when the line has none."""
        id_ = self.raw.get("id")
        return id_ if isinstance(id_, str) else ""

    @property
    def erased(self) -> bool:
        """Whether the person erased what stood here."""
        return self.why == "erased"


Message: TypeAlias = UserMessage | AssistantMessage | ToolMessage
Record: TypeAlias = Message | Marker | Unknown


def erased_line(id_: str) -> Json:
    """What stands in the place of a line that was erased."""
    return {"v": VERSION, "id": id_, "erased": True}


def clean(text: str) -> str:
    """The text without lone surrogates, which decode from JSON but cannot be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def clean_json(value: Any) -> Any:
    """The same of all texts and keys in a JSON value; numbers that JSON does not have become texts."""
    match value:
        case str():
            return clean(value)
        case float() if not math.isfinite(value):
            return json.dumps(value)
        case list():
            return [clean_json(item) for item in value]
        case dict():
            return {clean(key): clean_json(item) for key, item in value.items()}
        case _:
            return value


def to_json(record: Record) -> Json:
    """The line of a record as a JSON object; keys that are unset are left out."""
    out: Json
    match record:
        case UserMessage():
            out = _head(record, "user")
            _put(out, name=record.name, attachments=list(record.attachments) or None, memory=record.memory)
            if record.typed is not None:
                out["typed"] = [list(span) for span in record.typed]
            if record.again:
                out["again"] = [{"message": a.message, "at": a.at, "span": [a.start, a.end]} for a in record.again]
        case AssistantMessage():
            out = _head(record, "assistant")
            _put(out, reasoning=record.reasoning, tool_calls=[_call_json(c) for c in record.tool_calls] or None)
            out |= {"profile": record.profile, "model": record.model}
            _put(out, place=record.place or None)
            _put(out, provider_items=record.provider_items, usage=_usage_json(record.usage))
            out["ms"] = record.ms
            _put(out, first_token_ms=record.first_token_ms, reasoning_ms=record.reasoning_ms)
            out["stop"] = record.stop
        case ToolMessage():
            out = {"v": VERSION, "id": record.id, "role": "tool", "at": record.at, "turn": record.turn}
            out |= {"tool_call_id": record.tool_call_id, "name": record.name, "content": record.content}
            out |= {"ok": record.ok, "ms": record.ms}
            numbers = list(record.fact_numbers) or None
            _put(out, facts=list(record.facts) or None, fact_numbers=numbers, file=record.file)
        case Marker():
            return {"v": VERSION, "id": record.id, "role": "marker", "at": record.at, "kind": record.kind} | record.data
        case Unknown():
            return dict(record.raw)
        case _ as unreachable:
            assert_never(unreachable)
    _put(out, parent=record.parent)
    return out | record.extra


def from_json(raw: Mapping[str, Any]) -> Record:
    """The record of a line. Never raises: what has not the shape of a record becomes `Unknown`."""
    line = dict(raw)
    version = line.get("v", VERSION)
    if not isinstance(version, int) or version > VERSION:
        return Unknown(line, f"version {version}")
    if line.get("erased"):
        return Unknown(line, "erased")
    id_, at, role = line.get("id"), line.get("at"), line.get("role")
    if not (isinstance(id_, str) and isinstance(at, str)):
        return Unknown(line, "no id or time")
    if role == "marker" and isinstance(line.get("kind"), str):
        data = {k: v for k, v in line.items() if k not in {"v", "id", "role", "at", "kind"}}
        return Marker(id_, at, line["kind"], data)
    if not isinstance(role, str) or role not in _FIELDS:
        return Unknown(line, f"role {role!r}")
    turn = line.get("turn")
    content = line.get("content")
    head: tuple[str, str, int] = (id_, at, whole(turn) or 0)
    text = content if isinstance(content, str) else ""
    extra = {k: v for k, v in line.items() if k not in _FIELDS[role]}
    parent = _str(line.get("parent"))
    if role == "user":
        typed = line.get("typed")
        spans = _spans(typed) if isinstance(typed, list) else None
        name, memory = _str(line.get("name")), _str(line.get("memory"))
        attachments = tuple(a for a in _list(line.get("attachments")) if isinstance(a, dict))
        again = tuple(a for a in map(_again, _list(line.get("again"))) if a)
        return UserMessage(*head, text, name, spans, attachments, memory, parent, extra, again)
    if role == "assistant":
        calls = tuple(c for c in map(_call, _list(line.get("tool_calls"))) if c)
        items = line.get("provider_items")
        stop = line.get("stop")
        return AssistantMessage(
            *head,
            text,
            _str(line.get("reasoning")),
            calls,
            _str(line.get("profile")) or "",
            _str(line.get("model")) or "",
            items if isinstance(items, dict) else None,
            _usage(line.get("usage")),
            whole(line.get("ms")) or 0,
            whole(line.get("first_token_ms")),
            whole(line.get("reasoning_ms")),
            stop if stop in _STOPS else "stop",
            parent,
            extra,
            _str(line.get("place")) or "",
        )
    call = line.get("tool_call_id")
    if not isinstance(call, str):
        return Unknown(line, "a tool result without tool_call_id")
    file = line.get("file")
    return ToolMessage(
        *head,
        call,
        _str(line.get("name")) or "",
        text,
        line.get("ok") is not False,
        whole(line.get("ms")) or 0,
        tuple(f for f in _list(line.get("facts")) if isinstance(f, str)),
        tuple(n for n in _list(line.get("fact_numbers")) if _is_int(n)),
        file if isinstance(file, dict) else None,
        parent,
        extra,
    )


_STOPS = ("stop", "tool_calls", "length", "cancelled", "error")
_COMMON = {"v", "id", "role", "at", "turn", "content", "parent"}
_FIELDS = {
    "user": _COMMON | {"name", "typed", "attachments", "memory", "again"},
    "assistant": _COMMON
    | {"reasoning", "tool_calls", "profile", "model", "place", "provider_items", "usage", "ms"}
    | {"first_token_ms", "reasoning_ms", "stop"},
    "tool": _COMMON | {"tool_call_id", "name", "ok", "ms", "facts", "fact_numbers", "file"},
}


def _head(m: UserMessage | AssistantMessage, role: str) -> Json:
    return {"v": VERSION, "id": m.id, "role": role, "at": m.at, "turn": m.turn, "content": m.content}


def _put(out: Json, **values: Any) -> None:
    out.update((k, v) for k, v in values.items() if v is not None)


def _call_json(call: ToolCall) -> Json:
    out: Json = {"id": call.id}
    _put(out, provider_id=call.provider_id)
    out["name"] = call.name
    if call.arguments is not None:
        out["arguments"] = call.arguments
    else:
        out["arguments_text"] = call.arguments_text or ""
    _put(out, provider_items=call.provider_items)
    return out


def _call(raw: Any) -> ToolCall | None:
    if not isinstance(raw, dict) or not isinstance(raw.get("id"), str):
        return None
    arguments = raw.get("arguments")
    text = None if isinstance(arguments, dict) else (_str(raw.get("arguments_text")) or "")
    provider_id = _str(raw.get("provider_id"))
    name = _str(raw.get("name")) or ""
    items = raw.get("provider_items")
    kept = items if isinstance(items, dict) else None
    return ToolCall(raw["id"], name, arguments if isinstance(arguments, dict) else None, text, provider_id, kept)


def _usage_json(usage: Usage | None) -> Json | None:
    return usage.as_json if usage else None


def _usage(raw: Any) -> Usage | None:
    return Usage.of(raw) if isinstance(raw, dict) else None


def _spans(raw: Iterable[Any]) -> tuple[tuple[int, int], ...]:
    pairs = (p for p in raw if isinstance(p, list) and len(p) == 2 and all(map(_is_int, p)))
    return tuple((p[0], p[1]) for p in pairs)


def _again(raw: Any) -> Again | None:
    if not isinstance(raw, dict):
        return None
    message, at, span = raw.get("message"), raw.get("at"), _spans([raw.get("span")])
    return Again(message, at, *span[0]) if isinstance(message, str) and isinstance(at, str) and span else None


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _str(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
