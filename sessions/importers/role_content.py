"""Messages as programs keep them that call models: `{"role", "content"}`, with calls in the ways that these have."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from sessions.importers.base import Report
from sessions.importers.jsonl import dict_of, list_of, text_of
from sessions.importers.spoken import Called, Said, digest, stamp
from sessions.messages import Json

EARLIER = "## Previous Conversation Summary"
"""Begins a first message that stands in the place of those before."""
_TIMES = ("timestamp", "created_at", "at", "time", "date")
_CALLS, _RESULTS = {"tool_use", "function_call"}, {"tool_result", "function_call_output"}


def is_message(raw: Json) -> bool:
    """Whether an object is one of these."""
    return (isinstance(raw.get("role"), str) and ("content" in raw or "tool_calls" in raw)) or (
        text_of(raw.get("type")) in _CALLS | _RESULTS and isinstance(raw.get("call_id"), str)
    )


@dataclass(slots=True)
class _Pending:
    """An answer whose calls wait for their results."""

    said: Said
    calls: list[Called] = field(default_factory=list)


def said_of(raws: Iterable[Json], session: str, report: Report) -> Iterator[Said]:
    """What was said. Without an id of its own a message is known by its words, also when others come before it."""
    yield from _Telling(session, report).all(raws)


class _Telling:
    def __init__(self, session: str, report: Report) -> None:
        self._session = session
        self._report = report
        self._pending: _Pending | None = None
        self._first = True

    def all(self, raws: Iterable[Json]) -> Iterator[Said]:
        for raw in raws:
            yield from self._one(raw)
        yield from self._settle()

    def _one(self, raw: Json) -> Iterator[Said]:
        role, kind = text_of(raw.get("role")), text_of(raw.get("type"))
        if kind in _CALLS:
            self._call(raw)
        elif kind in _RESULTS or role in {"tool", "function"}:
            self._result(text_of(raw.get("tool_call_id")) or text_of(raw.get("call_id")), raw)
        elif role in {"user", "assistant", "human", "ai", "system", "developer", "model"}:
            yield from self._message({"human": "user", "ai": "assistant", "model": "assistant"}.get(role, role), raw)
        else:
            self._report.skipped[role or kind or "unknown"] += 1

    def _message(self, role: str, raw: Json) -> Iterator[Said]:
        blocks = [one for one in list_of(raw.get("content")) if isinstance(one, dict)]
        for block in blocks:
            if block.get("type") == "tool_result":
                self._result(text_of(block.get("tool_use_id")), block)
        text = _text(raw.get("content"))
        first, self._first = self._first, self._first and role in {"system", "developer"}
        earlier = first or role in {"system", "developer"}
        if earlier and text.lstrip().startswith(EARLIER):
            yield from self._settle()
            self._first = False
            yield self._said("earlier", raw, text.lstrip().removeprefix(EARLIER).strip() or text.strip())
            return
        if role in {"system", "developer"}:
            self._report.skipped[role] += 1
            return
        thought = text_of(raw.get("reasoning_content")) or text_of(raw.get("reasoning"))
        thought = thought or "\n\n".join(text_of(b.get("thinking")) for b in blocks if b.get("type") == "thinking")
        calls = [dict_of(one) for one in list_of(raw.get("tool_calls"))] if role == "assistant" else []
        calls += [one for one in blocks if one.get("type") == "tool_use"] if role == "assistant" else []
        if not text.strip() and not calls:
            if not any(block.get("type") == "tool_result" for block in blocks):
                self._report.skipped["empty"] += 1
            return
        yield from self._settle()
        said = self._said("user" if role == "user" else "assistant", raw, text)
        if role == "user":
            yield said
            return
        self._pending = _Pending(replace(said, reasoning=thought, model=text_of(raw.get("model"))))
        for call in calls:
            self._call(call)

    def _said(self, role: Any, raw: Json, text: str) -> Said:
        own = text_of(raw.get("id")) or text_of(raw.get("uuid"))
        calls = json.dumps(raw.get("tool_calls") or [], default=str, sort_keys=True) if not text else ""
        at = next((at for key in _TIMES if (at := stamp(raw.get(key)))), "")
        return Said(role, digest(f"{self._session}\0{own or role}\0{'' if own else text}\0{calls}"), at, text)

    def _call(self, raw: Json) -> None:
        function = dict_of(raw.get("function")) or raw
        there = text_of(raw.get("call_id")) or text_of(raw.get("id"))
        arguments = function.get("arguments", function.get("input"))
        if isinstance(arguments, str):
            try:
                arguments = json.loads(arguments)
            except (ValueError, RecursionError):
                pass
        if self._pending is None:
            self._pending = _Pending(Said("assistant", digest(f"{self._session}\0call\0{there}"), "", ""))
        text = arguments if isinstance(arguments, dict) else text_of(function.get("arguments"))
        self._pending.calls.append(Called(there, text_of(function.get("name")), text))

    def _result(self, there: str, raw: Json) -> None:
        calls = self._pending.calls if self._pending is not None else []
        n = next((i for i, call in enumerate(calls) if call.id == there and call.result is None), None)
        if n is None:
            if any(call.id == there for call in calls):
                self._report.duplicate_results += 1
            else:
                self._report.orphan_results += 1
            return
        content = raw.get("output") if raw.get("type") == "function_call_output" else raw.get("content")
        calls[n] = replace(calls[n], result=_text(content), ok=raw.get("is_error") is not True)

    def _settle(self) -> Iterator[Said]:
        if self._pending is not None:
            said, calls = self._pending.said, tuple(self._pending.calls)
            self._pending = None
            yield replace(said, calls=calls)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = []
    for part in list_of(content):
        one = dict_of(part)
        if isinstance(part, str):
            parts.append(part)
        elif isinstance(one.get("text"), str):
            parts.append(one["text"])
        elif "image" in text_of(one.get("type")):
            parts.append("[image]")
    return "\n".join(part for part in parts if part.strip())
