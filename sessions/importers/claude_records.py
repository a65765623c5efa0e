"""A branch of a Claude Code session as records of ours, made line by line as they are asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from sessions.clock import parse_iso
from sessions.importers import claude_blocks
from sessions.importers import claude_lines as line
from sessions.importers.base import Known, Report
from sessions.importers.claude_branch import Branch, Step, steps
from sessions.importers.claude_lines import Node, blocks, message_of
from sessions.importers.jsonl import Lines, dict_of, text_of
from sessions.messages import (
    AssistantMessage,
    Json,
    Marker,
    Record,
    Stop,
    ToolCall,
    ToolMessage,
    Usage,
    UserMessage,
)
from sessions.numbers import whole
from sessions.store.meta import time_text

KIND = "claude-code"
NO_RESULT = "No result of this call was recorded."
ENDED = "-end"
"""Ends the id of a turn's end and of a marker after it: so the last id tells whether the turn has its end."""
_SAFE = re.compile(r"[A-Za-z0-9_-]{1,80}")
_HINT = re.compile(r"\s*\(disable recaps in /config\)\s*$")


@dataclass(slots=True)
class Shared:
    """What a conversation and its sub-agents have in common."""

    folder: Path
    """Beside the session's file, where its large results are."""
    report: Report
    agent: Callable[[str, ToolCall, int, bool], Iterator[Record]]
    """The records of the sub-agent that a call started: its id there, ours, the turn, whether it may be at work."""
    used: set[str] = field(default_factory=set)
    """Ids of calls."""


class Talk:
    """Tells one branch. A sub-agent's has a `parent` and no markers; while it is `live`, not what it waits for."""

    def __init__(
        self,
        lines: Lines,
        branch: Branch,
        shared: Shared,
        *,
        known: Known | None = None,
        parent: str | None = None,
        turn: int = 0,
        live: bool = False,
        told: Callable[[int], None] | None = None,
    ) -> None:
        self._lines = lines
        self._branch = branch
        self._shared = shared
        self._parent = parent
        self._live = live
        self._told = told
        self._turn = known.turn if known is not None else turn
        self._last = known.last if known is not None else ""
        self._open: Mapping[str, tuple[str, str]] = known.open_calls if known is not None else {}
        self._ended = known is None or known.last.endswith(ENDED)
        self._at = ""
        self._began: str | None = None
        """When the turn began; None when that is not told here."""
        self._usage: Usage | None = None
        self._model = ""
        self._newest = self._last.removesuffix(ENDED)
        self._boundary: tuple[str, Json] | None = None
        self._calls: dict[str, int] = {}
        """Call there -> the stretch it was last met in."""
        self._kept: tuple[Node, Json | None] | None = None
        """The line with results that was read last: the next result is often in it, too."""

    def records(self) -> Iterator[Record]:
        """All records of the branch, in order."""
        for step in steps(self._branch):
            if self._told is not None:
                self._told(step.node.offset)
            if self._live and step.is_open and self._waits(step):
                return
            for record in self._step(step):
                self._last = record.id
                yield record
        for record in self._settle(final=False):
            self._last = record.id
            yield record

    def _step(self, step: Step) -> Iterator[Record]:
        node = step.node
        if node.kind not in {line.SUMMARY, line.RECAP}:
            yield from self._settle(final=True)
        match node.kind:
            case line.USER:
                yield from self._user(node)
            case line.ANSWER:
                yield from self._answer(step)
            case _ if self._parent is not None:
                pass
            case line.BOUNDARY:
                self._boundary = (node.uuid, self._raw(node) or {})
            case line.SUMMARY:
                yield from self._compaction(node)
            case line.RECAP:
                yield from self._recap(node)
            case line.STOPPED:
                self._raw(node)
                yield from self._end("cancelled")
            case line.ERROR if step.next != line.ANSWER:
                words = claude_blocks.words(blocks(self._raw(node) or {}))[0]
                yield from self._end("error", words or "The request failed")
            case _:
                self._shared.report.skipped["api_error"] += 1

    def _raw(self, node: Node) -> Json | None:
        """The line again; None when the file was changed under our hands."""
        raw = self._lines.again(node.offset, node.length, node.part)
        if raw is None or raw.get("uuid", node.uuid) != node.uuid:
            self._shared.report.cannot(self._lines.name, 0, "the file was changed while it was read")
            return None
        self._at = time_text(text_of(raw.get("timestamp"))) or self._at
        return raw

    def _user(self, node: Node) -> Iterator[Record]:
        yield from self._end("cancelled")
        raw = self._raw(node)
        if raw is None:
            return
        content, files = claude_blocks.spoken(raw)
        if self._parent is None:
            self._turn += 1
            self._ended, self._began, self._usage, self._boundary = False, self._at, None, None
        self._newest = record_id(node.uuid)
        yield UserMessage(self._newest, self._at, self._turn, content, typed=(), attachments=files, parent=self._parent)

    def _answer(self, step: Step) -> Iterator[Record]:
        found = [(node, raw) for node in step.lines if (raw := self._raw(node)) is not None]
        raws = [raw for _, raw in found]
        parts = [part for raw in raws for part in blocks(raw)]
        content, reasoning = claude_blocks.words(parts)
        segment = step.node.segment
        calls = self._own(claude_blocks.calls(parts), segment)
        if not calls and not content.strip():
            self._shared.report.skipped["thinking"] += bool(raws)
            return
        self._boundary = None
        usage, stop = claude_blocks.usage(raws), claude_blocks.stop(raws, bool(calls))
        if usage is not None:
            self._usage = usage if self._usage is None else self._usage + usage
        self._model = next((m for raw in reversed(raws) if (m := text_of(message_of(raw).get("model")))), self._model)
        self._newest = record_id(found[0][0].uuid)
        self._ended = self._ended and self._turn == 0
        yield AssistantMessage(
            self._newest,
            time_text(text_of(raws[0].get("timestamp"))) or self._at,
            self._turn,
            content,
            reasoning,
            tuple(calls.values()),
            KIND,
            self._model,
            usage=usage,
            stop=stop,
            parent=self._parent,
        )
        for there, call in calls.items():
            waits = step.is_open and self._branch.result(segment, there) is None
            yield from self._shared.agent(there, call, self._turn, waits)
        for there, call in calls.items():
            node = self._branch.result(segment, there)
            yield from self._result(node, there, (call.id, call.name), may_come=step.is_open and self._parent is None)
        if not calls and step.next not in {line.ANSWER, line.ERROR, line.STOPPED}:
            yield from self._end(stop)

    def _own(self, calls: dict[str, ToolCall], segment: int) -> dict[str, ToolCall]:
        """The calls with ids that no other call of the session has; a call that was told already is not told again."""
        out: dict[str, ToolCall] = {}
        for there, call in calls.items():
            if self._calls.get(there) == segment:
                continue
            self._calls[there] = segment
            id_, n = there, 2
            while id_ in self._shared.used:
                id_, n = f"{there}~{n}", n + 1
            self._shared.used.add(id_)
            out[there] = call if id_ == there else replace(call, id=id_)
        return out

    def _result(self, node: Node | None, there: str, ours: tuple[str, str], *, may_come: bool) -> Iterator[ToolMessage]:
        """The result of a call; one that says that there is none, unless it may still come."""
        id_, name = ours
        if node is not None and (self._kept is None or self._kept[0] is not node):
            self._kept = node, self._raw(node)
        raw = self._kept[1] if node is not None and self._kept is not None else None
        block = claude_blocks.result_block(raw, there) if raw is not None else None
        if node is not None and raw is not None and block is not None:
            content = claude_blocks.result_text(raw, block, self._shared.folder)
            nth = node.results.index(there) if there in node.results else 0
            alone = node.kind is line.RESULTS and nth == 0
            message = record_id(node.uuid) + ("" if alone else f"-r{nth + 1}")
            at = time_text(text_of(raw.get("timestamp"))) or self._at
            ok = block.get("is_error") is not True
            self._newest = message
            yield ToolMessage(message, at, self._turn, id_, name, content, ok, parent=self._parent)
        elif not may_come:
            self._shared.report.missing_results += 1
            self._newest = id_.replace("~", ".") + "-none"
            extra = {"synthetic": True}
            yield ToolMessage(
                self._newest, self._at, self._turn, id_, name, NO_RESULT, False, parent=self._parent, extra=extra
            )

    def _settle(self, *, final: bool) -> Iterator[Record]:
        """Results of calls that were told at an earlier reading; `final`: the conversation has gone on without them."""
        waiting, self._open = self._open, ({} if final else self._open)
        for there, ours in waiting.items():
            yield from self._result(self._branch.result(0, there), there, ours, may_come=not final)

    def _waits(self, step: Step) -> bool:
        segment = step.node.segment
        return any(self._branch.result(segment, call) is None for node in step.lines for call in node.calls)

    def _end(self, stop: Stop, error: str = "") -> Iterator[Marker]:
        """The turn's end, unless it has one."""
        if self._ended or self._parent is not None:
            return
        self._ended = True
        data: Json = {"turn": self._turn, "stop": stop}
        if error:
            data["error"] = error
        if self._began is not None:
            if self._usage is not None:
                usage = self._usage
                data["usage"] = {"input": usage.input, "output": usage.output, "cached": usage.cached}
            began, ended = parse_iso(self._began), parse_iso(self._at)
            if began is not None and ended is not None and ended >= began:
                data["ms"] = round((ended - began).total_seconds() * 1000)
        yield Marker(self._last + ENDED, self._at, "turn_end", data)

    def _compaction(self, node: Node) -> Iterator[Marker]:
        raw = self._raw(node)
        content = claude_blocks.spoken(raw)[0] if raw is not None else ""
        uuid, boundary = self._boundary or (node.uuid, {})
        self._boundary = None
        if not content.strip():
            return
        told = dict_of(boundary.get("compactMetadata"))
        tokens = {"tokens_before": whole(told.get("preTokens")), "tokens_after": whole(told.get("postTokens"))}
        data = {"content": content, "first_kept": None} | {key: n for key, n in tokens.items() if n is not None}
        yield Marker(self._marker_id(uuid), self._at, "compaction", data)

    def _recap(self, node: Node) -> Iterator[Marker]:
        text = _HINT.sub("", text_of((self._raw(node) or {}).get("content"))).strip()
        if text and self._newest:
            recap = {"text": text, "by": self._model or KIND, "at": self._at, "upto": self._newest}
            yield Marker(self._marker_id(node.uuid), self._at, "meta", {"recap": recap})

    def _marker_id(self, uuid: str) -> str:
        return record_id(uuid) + (ENDED if self._ended else "")


def record_id(uuid: str) -> str:
    """A record's id, made of the line's uuid alone and safe as a name."""
    return uuid if _SAFE.fullmatch(uuid) else sha256(uuid.encode("utf-8", "replace")).hexdigest()[:32]
