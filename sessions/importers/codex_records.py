"""A Codex rollout as records of ours, made line by line as they are asked for."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from sessions.importers import codex_lines as line
from sessions.importers.base import Known, Report
from sessions.importers.codex_lines import Conversation, Item, Step, contents, item_of, said, thoughts
from sessions.importers.jsonl import Lines, dict_of, list_of, text_of
from sessions.importers.places import place_id
from sessions.importers.telling import Telling
from sessions.messages import AssistantMessage, Json, Marker, Record, ToolCall, ToolMessage, UserMessage
from sessions.store.meta import time_text

KIND = "codex"
_GOES_ON = frozenset({line.REPLY, line.ABORTED, line.ERROR, line.COMPLETE})
_DATA_URL = re.compile(r"data:([\w.+/-]{0,100});base64,")
_EXIT = re.compile(r"^(?:Exit code:|Process exited with code) (-?\d{1,6})\b", re.M)


class Tale(Telling):
    """Tells one rollout. An item's id is the session's `stem` and the byte where its line begins."""

    def __init__(
        self,
        lines: Lines,
        stem: str,
        conversation: Conversation,
        report: Report,
        *,
        says_ends: bool,
        known: Known | None = None,
        told: Callable[[int], None] | None = None,
    ) -> None:
        super().__init__(report, known)
        self._lines = lines
        self._stem = stem
        self._conversation = conversation
        self._says_ends = says_ends
        self._told = told

    def records(self) -> Iterator[Record]:
        """All records, in order."""
        for step in self._conversation.steps:
            if self._told is not None:
                self._told(step.items[0].offset)
            yield from self.passed(self._step(step))
        yield from self.passed(self._settle(final=False))

    def _step(self, step: Step) -> Iterator[Record]:
        yield from self._settle(final=True)
        item = step.items[0]
        match step.kind:
            case line.REPLY:
                yield from self._reply(step)
            case line.USER:
                yield from self._user(item)
            case line.COMPACTED:
                content = text_of(dict_of((self._raw(item) or {}).get("payload")).get("message"))
                if content.strip():
                    id_ = self.marker_id(item_id(self._stem, item))
                    yield Marker(id_, self.at, "compaction", {"content": content, "first_kept": None})
            case line.ABORTED:
                self._raw(item)
                yield from self.end("cancelled")
            case line.ERROR if step.next != line.REPLY:
                message = text_of(dict_of((self._raw(item) or {}).get("payload")).get("message"))
                yield from self.end("error", message or "The request failed")
            case line.COMPLETE:
                self._raw(item)
                yield from self.end("stop")
            case _:
                self.report.skipped["error"] += 1

    def _raw(self, item: Item) -> Json | None:
        """The line again; None when the file was changed under our hands."""
        raw = self._lines.again(item.offset, item.length, item.part)
        if raw is None:
            self.report.cannot(self._lines.name, 0, "the file was changed while it was read")
            return None
        self.at = time_text(text_of(raw.get("timestamp"))) or self.at
        return raw

    def _user(self, item: Item) -> Iterator[Record]:
        yield from self.end("cancelled")
        raw = self._raw(item)
        if raw is None:
            return
        texts: list[str] = []
        files: list[Json] = []
        for block in said(item_of(raw)):
            if block.get("type") == "input_image":
                files.append(attachment(block, len(files) + 1))
                texts.append(f"[image: {files[-1]['name']}]")
            else:
                texts.append(text_of(block.get("text")))
        self.begin()
        self.newest = item_id(self._stem, item)
        yield UserMessage(self.newest, self.at, self.turn, "\n".join(texts), typed=(), attachments=tuple(files))

    def _reply(self, step: Step) -> Iterator[Record]:
        texts: list[str] = []
        reasons: list[str] = []
        found: dict[str, ToolCall] = {}
        first = ""
        for item in step.items:
            raw = item_of(self._raw(item) or {})
            first = first or self.at
            if item.kind is line.WORDS:
                texts.append("\n".join(t for b in contents(raw) if (t := text_of(b.get("text"))).strip()))
            elif item.kind is line.THOUGHT:
                reasons.append(thoughts(raw))
            elif item.call not in found:
                found[item.call] = call_of(raw, item.call)
        calls = self.own(found, step.segment)
        content = "\n\n".join(text for text in texts if text)
        if not calls and not content:
            self.report.skipped["reasoning"] += 1
            return
        self.answered(step.usage)
        self.newest = item_id(self._stem, step.items[0])
        reasoning = "\n\n".join(filter(None, reasons)) or None
        stop = "tool_calls" if calls else "stop"
        model = step.items[0].model
        yield AssistantMessage(
            self.newest, first, self.turn, content, reasoning, tuple(calls.values()), KIND, model,
            usage=step.usage, stop="tool_calls" if calls else "stop",
        )  # fmt: skip
        for there, call in calls.items():
            result = self._conversation.results[step.segment].get(there)
            yield from self._result(result, call.id, call.name, may_come=step.is_open)
        over = step.next not in _GOES_ON if step.next else not self._says_ends
        if stop == "stop" and over:
            yield from self.end("stop")

    def _result(self, item: Item | None, id_: str, name: str, *, may_come: bool) -> Iterator[ToolMessage]:
        raw = self._raw(item) if item is not None else None
        if item is not None and raw is not None:
            content, ok, ms = output(item_of(raw))
            self.newest = item_id(self._stem, item)
            yield ToolMessage(self.newest, self.at, self.turn, id_, name, content, ok, ms)
        elif not may_come:
            yield self.no_result(id_, name)

    def _settle(self, *, final: bool) -> Iterator[Record]:
        """Results of calls that were told at an earlier reading; `final`: the conversation has gone on without them."""
        waiting, self.waiting = self.waiting, ({} if final else self.waiting)
        for there, (id_, name) in waiting.items():
            result = self._conversation.results[0].get(there)
            yield from self._result(result, id_, name, may_come=not final)


def item_id(stem: str, item: Item) -> str:
    return place_id(stem, item.offset, item.part)


def call_of(raw: Json, there: str) -> ToolCall:
    """A call: of a function its JSON text, of a custom tool its input, of a shell its action."""
    type_ = text_of(raw.get("type"))
    name = text_of(raw.get("name")) or type_.removesuffix("_call") or "tool"
    given = raw.get("arguments", raw.get("action", raw.get("input")))
    if isinstance(given, str) and type_ != "custom_tool_call":
        try:
            parsed = json.loads(given)
        except (ValueError, RecursionError):
            parsed = None
        if isinstance(parsed, dict):
            return ToolCall(there, name, parsed, None, there)
        return ToolCall(there, name, None, given, there)
    return ToolCall(there, name, given if isinstance(given, dict) else {"input": given}, None, there)


def output(raw: Json) -> tuple[str, bool, int]:
    """(text, whether it went well, ms) of a result: a text, a text that is JSON, an object, or blocks."""
    given = raw.get("output")
    if isinstance(given, str) and given.startswith('{"output"'):
        try:
            given = dict_of(json.loads(given)) or given
        except (ValueError, RecursionError):
            pass
    if isinstance(given, dict):
        told = dict_of(given.get("metadata"))
        text = _text(given.get("output", given.get("content", given)))
        code, seconds = told.get("exit_code"), told.get("duration_seconds")
        ok = given.get("success") is not False and code in {0, None} if not isinstance(code, list | dict) else False
        timed = isinstance(seconds, int | float) and 0 <= seconds < 10**7
        return text, ok, round(seconds * 1000) if timed and seconds is not None else 0
    text = _text(given)
    exited = _EXIT.search(text[:500])
    return text, exited is None or exited[1] == "0", 0


def attachment(block: Json, number: int) -> Json:
    """`{kind, name, mime, bytes, sha256}` of an image; the last two when its bytes can be read."""
    url = text_of(block.get("image_url"))
    named = _DATA_URL.match(url)
    mime = named[1] if named else ""
    suffix = re.sub(r"[^a-z0-9]", "", mime.rpartition("/")[2].partition("+")[0].lower())
    out: Json = {"kind": "image", "name": f"image-{number}" + (f".{suffix}" if suffix else ""), "mime": mime}
    if named:
        try:
            data = base64.b64decode(url[named.end() :], validate=True)
            out |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        except (binascii.Error, ValueError):
            pass
    return out


def _text(given: Any) -> str:
    if isinstance(given, str):
        return given
    if given is None:
        return ""
    if isinstance(given, list):
        return "\n".join(_part(part) for part in list_of(given))
    return json.dumps(given, ensure_ascii=False, default=str)


def _part(part: Any) -> str:
    text = dict_of(part).get("text")
    if isinstance(text, str):
        return text
    kind = text_of(dict_of(part).get("type"))
    return "[image]" if kind == "input_image" else part if isinstance(part, str) else json.dumps(part, default=str)
