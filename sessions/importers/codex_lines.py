"""What the lines of a Codex rollout are, and the steps that they make. Every field is checked before it is used."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from sessions.importers.base import Progress, Report
from sessions.importers.jsonl import TOLD, Lines, dict_of, list_of, text_of
from sessions.messages import Json, Usage
from sessions.numbers import whole
from sessions.store.meta import time_text

USER, REPLY, OUTPUT = "user", "reply", "output"
COMPACTED, ABORTED, ERROR, COMPLETE = "compacted", "aborted", "error", "complete"
THOUGHT, WORDS, CALL = "thought", "words", "call"
"""Parts of a reply."""
USAGE, OTHER = "usage", "other"
"""Between two replies."""

_PARTS = frozenset({THOUGHT, WORDS, CALL})
_ENDS = frozenset({USER, COMPACTED, ABORTED, ERROR, COMPLETE})
_EVENTS = {
    "turn_aborted": ABORTED,
    "error": ERROR,
    "task_complete": COMPLETE,
    "turn_complete": COMPLETE,
    "token_count": USAGE,
}
_NOT_SAID = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|turn_aborted|subagent_notification|collaboration_mode|skills?"
    r"|model_switch|user_shell_command|INSTRUCTIONS|[a-z_]+ ?instructions|[a-z_]+_context)>|# AGENTS\.md instructions)"
)
_FRAME = re.compile(r"\s*</?image[^>\n]{0,300}>\s*")
_REQUEST = "## My request for Codex:"
_CONTEXT = re.compile(r"\s*# Context from my IDE setup:")


@dataclass(slots=True, eq=False)
class Item:
    """A line that is told, without its words."""

    kind: str
    offset: int
    length: int
    part: int
    call: str = ""
    usage: Usage | None = None
    model: str = ""


@dataclass(slots=True, eq=False)
class Step:
    """What becomes one message with the results of its calls, or one marker."""

    kind: str
    items: list[Item]
    segment: int
    next: str = ""
    """The kind of the next step; empty at the end."""
    is_open: bool = False
    """Results of its calls may still come."""
    usage: Usage | None = None


@dataclass(slots=True)
class Conversation:
    """The steps in order, and where the results are."""

    steps: list[Step]
    results: list[dict[str, Item]] = field(default_factory=lambda: [{}])
    """For each stretch between two compactions: call -> the line with its result."""


class Rollout:
    """The lines of one file, and what it says of itself."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.cwd = self.at = self.model = self.title = ""
        self.says_ends = False
        """Whether a line tells where a turn ends; older versions have none."""
        self.rolled_back = False

    def read(self, lines: Lines, start: int, report: Report, progress: Progress | None = None) -> None:
        """Take all lines from a byte on."""
        told = start
        for offset, length, part, raw in lines.each(start, report):
            self.take(raw, offset, length, part, report)
            if progress is not None and offset - told >= TOLD:
                told = offset
                progress(told // 2)

    def take(self, raw: Json, offset: int, length: int, part: int, report: Report) -> None:
        """One line."""
        type_, payload = text_of(raw.get("type")), dict_of(raw.get("payload"))
        if not self.at:
            self.at = time_text(text_of(raw.get("timestamp"))) or ""
        if type_ in {"session_meta", "turn_context"}:
            # Only the first counts: a fork repeats its source's.
            self.cwd = self.cwd or text_of(payload.get("cwd"))
        if type_ == "turn_context":
            self.model = text_of(payload.get("model")) or self.model
        kind, why = kind_of(raw)
        if why == "thread_rolled_back":
            self._roll_back(whole(payload.get("num_turns")) or 0, report)
        if why == "thread_name_updated":
            self.title = text_of(payload.get("thread_name"))
        self.says_ends = self.says_ends or kind is COMPLETE or why in {"task_started", "turn_started"}
        if kind is OTHER:
            report.skipped[why] += 1
        item = Item(kind, offset, length, part)
        if kind in {CALL, OUTPUT}:
            item.call = sys.intern(item_of(raw)["call_id"])
        elif kind is USAGE:
            item.usage = usage_of(payload)
        if kind in _PARTS:
            item.model = sys.intern(self.model)
        if kind is not OTHER or why == "turn_context":
            self.items.append(item)

    def _roll_back(self, turns: int, report: Report) -> None:
        """The newest turns were taken back there."""
        self.rolled_back = True
        while turns > 0 and self.items:
            item = self.items.pop()
            turns -= item.kind is USER
            report.other_ways += item.kind in _PARTS or item.kind in {USER, OUTPUT}


def is_record(raw: Json) -> bool:
    """Whether an object inside a damaged line is a line of its own, and not a part of one."""
    return isinstance(raw.get("type"), str) and "timestamp" in raw and isinstance(raw.get("payload"), dict)


def kind_of(raw: Json) -> tuple[str, str]:
    """(kind, what it is counted as when it is not told)."""
    type_, payload = text_of(raw.get("type")), dict_of(raw.get("payload"))
    if type_ == "compacted":
        return (COMPACTED, "") if text_of(payload.get("message")).strip() else (OTHER, type_)
    if type_ == "event_msg":
        event = text_of(payload.get("type"))
        return _EVENTS.get(event, OTHER), event or type_
    item = item_of(raw)
    kind = text_of(item.get("type"))
    if not item:
        return OTHER, type_ or "unknown"
    if kind == "message":
        return _message_kind(item)
    if kind == "reasoning":
        return (THOUGHT, "") if thoughts(item) else (OTHER, kind)
    if isinstance(item.get("call_id"), str) and item["call_id"]:
        if kind.endswith("_call"):
            return CALL, ""
        if kind.endswith("_output"):
            return OUTPUT, ""
    return OTHER, kind or "unknown"


def item_of(raw: Json) -> Json:
    """The item of the conversation in a line; the oldest versions had it without an envelope."""
    if raw.get("type") == "response_item":
        return dict_of(raw.get("payload"))
    return raw if "payload" not in raw and ("role" in raw or "call_id" in raw or "summary" in raw) else {}


def said(item: Json) -> list[Json]:
    """The blocks of a user's message that the person gave: texts and images, without what Codex put beside them."""
    found: list[Json] = []
    for block in contents(item):
        text = text_of(block.get("text"))
        if block.get("type") == "input_image":
            found.append(block)
        elif text.strip() and not _NOT_SAID.match(text) and not _FRAME.fullmatch(text):
            asked = text.partition(_REQUEST)[2].strip() if _CONTEXT.match(text) else ""
            found.append(block | {"text": asked or text})
    return found


def contents(item: Json) -> list[Json]:
    """The blocks of a message; a plain text is one block."""
    content = item.get("content")
    if isinstance(content, str):
        return [{"type": "input_text", "text": content}]
    return [block for block in list_of(content) if isinstance(block, dict)]


def thoughts(item: Json) -> str:
    """What a reasoning item tells; the rest of it is encrypted."""
    parts = [text_of(dict_of(part).get("text")) for part in list_of(item.get("summary"))]
    if not any(part.strip() for part in parts):
        parts = [text_of(dict_of(part).get("text")) for part in list_of(item.get("content"))]
    return "\n\n".join(part for part in parts if part.strip())


def usage_of(payload: Json) -> Usage | None:
    """The tokens of the newest request."""
    last = dict_of(dict_of(payload.get("info")).get("last_token_usage"))
    numbers = [whole(last.get(key)) for key in ("input_tokens", "output_tokens", "cached_input_tokens")]
    if numbers[0] is None and numbers[1] is None:
        return None
    return Usage(*(number or 0 for number in numbers))


def arrange(items: Sequence[Item], report: Report, known: Mapping[str, object] = {}) -> Conversation:
    """The steps that items make; `known` calls stand before them. Pure."""
    steps = [*_steps(items)]
    for step, later in pairwise(steps):
        step.next = later.kind
    if steps and steps[-1].kind is REPLY:
        steps[-1].is_open = True
    segments = (steps[-1].segment if steps else 0) + 1
    calls: list[set[str]] = [set() for _ in range(segments)]
    calls[0].update(known)
    for step in steps:
        calls[step.segment].update(item.call for item in step.items if item.kind is CALL)
    out = Conversation(steps, [{} for _ in range(segments)])
    segment = 0
    for item in items:
        segment += item.kind is COMPACTED
        if item.kind is not OUTPUT:
            continue
        if item.call not in calls[segment]:
            report.orphan_results += 1
            report.named.add(item.call)
        elif item.call in out.results[segment]:
            report.duplicate_results += 1
        else:
            out.results[segment][item.call] = item
    return out


def goes_on(before: Sequence[Item], new: Sequence[Item]) -> bool:
    """Whether the first of the new lines are a part of the reply that stands before them."""
    first = next((item for item in new if item.kind is not USAGE), None)
    if first is None or not before or before[-1].kind not in _PARTS or first is not new[0]:
        return False
    return first.kind is CALL or (first.kind in _PARTS and before[-1].kind is not CALL)


def _steps(items: Sequence[Item]) -> Iterator[Step]:
    reply: Step | None = None
    closed = True
    segment = 0
    for item in items:
        if item.kind in _PARTS:
            called = reply is not None and reply.items[-1].kind is CALL
            if reply is None or closed or (called and item.kind is not CALL):
                if reply is not None:
                    yield reply
                reply, closed = Step(REPLY, [], segment), False
            reply.items.append(item)
            continue
        closed = True
        if item.kind is USAGE and reply is not None:
            reply.usage = item.usage or reply.usage
        if item.kind in _ENDS:
            if reply is not None:
                yield reply
            reply = None
            segment += item.kind is COMPACTED
            yield Step(item.kind, [item], segment)
    if reply is not None:
        yield reply


def _message_kind(item: Json) -> tuple[str, str]:
    role = text_of(item.get("role"))
    if role == "assistant":
        texts = any(text_of(block.get("text")).strip() for block in contents(item))
        return (WORDS, "") if texts else (OTHER, "empty")
    if role == "user":
        return (USER, "") if said(item) else (OTHER, "context")
    return OTHER, role if role in {"developer", "system"} else "message"
