"""A branch of a Claude Code session as records of ours, made line by line as they are asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sessions.importers import claude_blocks
from sessions.importers import claude_lines as line
from sessions.importers.base import Known, Report
from sessions.importers.claude_branch import Branch, Step, steps
from sessions.importers.claude_lines import Node, blocks, message_of
from sessions.importers.jsonl import Lines, dict_of, text_of
from sessions.importers.telling import Telling, record_id
from sessions.messages import (
    AssistantMessage,
    Json,
    Marker,
    Record,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from sessions.numbers import whole
from sessions.store.meta import time_text

KIND = "claude-code"
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


class Talk(Telling):
    """Tells one branch; while a sub-agent is `live`, not what it waits for."""

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
        super().__init__(shared.report, known, parent=parent, turn=turn, used=shared.used)
        self._lines = lines
        self._branch = branch
        self._shared = shared
        self._live = live
        self._told = told
        self._model = ""
        self._boundary: tuple[str, Json] | None = None
        self._kept: tuple[Node, Json | None] | None = None
        """The line with results that was read last: the next result is often in it, too."""

    def records(self) -> Iterator[Record]:
        """All records of the branch, in order."""
        for step in steps(self._branch):
            if self._told is not None:
                self._told(step.node.offset)
            if self._live and step.is_open and self._waits(step):
                return
            yield from self.passed(self._step(step))
        yield from self.passed(self._settle(final=False))

    def _step(self, step: Step) -> Iterator[Record]:
        node = step.node
        if node.kind not in {line.SUMMARY, line.RECAP}:
            yield from self._settle(final=True)
        match node.kind:
            case line.USER:
                yield from self._user(node)
            case line.ANSWER:
                yield from self._answer(step)
            case _ if self.parent is not None:
                pass
            case line.BOUNDARY:
                self._boundary = (node.uuid, self._raw(node) or {})
            case line.SUMMARY:
                yield from self._compaction(node)
            case line.RECAP:
                yield from self._recap(node)
            case line.STOPPED:
                self._raw(node)
                yield from self.end("cancelled")
            case line.ERROR if step.next != line.ANSWER:
                words = claude_blocks.words(blocks(self._raw(node) or {}))[0]
                yield from self.end("error", words or "The request failed")
            case _:
                self.report.skipped["api_error"] += 1

    def _raw(self, node: Node) -> Json | None:
        """The line again; None when the file was changed under our hands."""
        raw = self._lines.again(node.offset, node.length, node.part)
        if raw is None or raw.get("uuid", node.uuid) != node.uuid:
            self.report.cannot(self._lines.name, 0, "the file was changed while it was read")
            return None
        self.at = time_text(text_of(raw.get("timestamp"))) or self.at
        return raw

    def _user(self, node: Node) -> Iterator[Record]:
        yield from self.end("cancelled")
        raw = self._raw(node)
        if raw is None:
            return
        content, files = claude_blocks.spoken(raw)
        self.begin()
        self._boundary = None
        self.newest = record_id(node.uuid)
        yield UserMessage(self.newest, self.at, self.turn, content, typed=(), attachments=files, parent=self.parent)

    def _answer(self, step: Step) -> Iterator[Record]:
        found = [(node, raw) for node in step.lines if (raw := self._raw(node)) is not None]
        raws = [raw for _, raw in found]
        parts = [part for raw in raws for part in blocks(raw)]
        content, reasoning = claude_blocks.words(parts)
        segment = step.node.segment
        calls = self.own(claude_blocks.calls(parts), segment)
        if not calls and not content.strip():
            self.report.skipped["thinking"] += bool(raws)
            return
        self._boundary = None
        usage, stop = claude_blocks.usage(raws), claude_blocks.stop(raws, bool(calls))
        self.answered(usage)
        self._model = next((m for raw in reversed(raws) if (m := text_of(message_of(raw).get("model")))), self._model)
        self.newest = record_id(found[0][0].uuid)
        yield AssistantMessage(
            self.newest,
            time_text(text_of(raws[0].get("timestamp"))) or self.at,
            self.turn,
            content,
            reasoning,
            tuple(calls.values()),
            KIND,
            self._model,
            usage=usage,
            stop=stop,
            parent=self.parent,
        )
        for there, call in calls.items():
            waits = step.is_open and self._branch.result(segment, there) is None
            yield from self._shared.agent(there, call, self.turn, waits)
        for there, call in calls.items():
            node = self._branch.result(segment, there)
            yield from self._result(node, there, (call.id, call.name), may_come=step.is_open and self.parent is None)
        if not calls and step.next not in {line.ANSWER, line.ERROR, line.STOPPED}:
            yield from self.end(stop)

    def _result(self, node: Node | None, there: str, ours: tuple[str, str], *, may_come: bool) -> Iterator[ToolMessage]:
        """The result of a call; one that says that there is none, unless it may still come."""
        id_, name = ours
        if node is not None and (self._kept is None or self._kept[0] is not node):
            self._kept = node, self._raw(node)
        raw = self._kept[1] if node is not None and self._kept is not None else None
        block = claude_blocks.result_block(raw, there) if raw is not None else None
        if node is not None and raw is not None and block is not None:
            content = claude_blocks.result_text(raw, block, self._shared.folder, self.report)
            nth = node.results.index(there) if there in node.results else 0
            alone = node.kind is line.RESULTS and nth == 0
            message = record_id(node.uuid) + ("" if alone else f"-r{nth + 1}")
            at = time_text(text_of(raw.get("timestamp"))) or self.at
            ok = block.get("is_error") is not True
            self.newest = message
            yield ToolMessage(message, at, self.turn, id_, name, content, ok, parent=self.parent)
        elif not may_come:
            yield self.no_result(id_, name)

    def _settle(self, *, final: bool) -> Iterator[Record]:
        """Results of calls that were told at an earlier reading; `final`: the conversation has gone on without them."""
        waiting, self.waiting = self.waiting, ({} if final else self.waiting)
        for there, ours in waiting.items():
            yield from self._result(self._branch.result(0, there), there, ours, may_come=not final)

    def _waits(self, step: Step) -> bool:
        segment = step.node.segment
        return any(self._branch.result(segment, call) is None for node in step.lines for call in node.calls)

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
        yield Marker(self.marker_id(uuid), self.at, "compaction", data)

    def _recap(self, node: Node) -> Iterator[Marker]:
        text = _HINT.sub("", text_of((self._raw(node) or {}).get("content"))).strip()
        if text and self.newest:
            recap = {"text": text, "by": self._model or KIND, "at": self.at, "upto": self.newest}
            yield Marker(self.marker_id(node.uuid), self.at, "meta", {"recap": recap})
