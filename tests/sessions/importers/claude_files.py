"""Small Claude Code sessions, written line by line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sessions.importers.base import Known, Reading
from sessions.importers.claude_code import READER
from sessions.importers.telling import ENDED
from sessions.messages import AssistantMessage, Marker, Record, ToolMessage, Unknown, UserMessage

SESSION = "5b1d0c3e-7a51-4a53-9d4e-1f2e3d4c5b6a"
CWD = "/home/ada/atlas"


class Chain:
    """Lines that each hang on the one before, unless told otherwise; a line's uuid is the name it is given."""

    def __init__(self, *, start: int = 0, above: str | None = None, **common: Any) -> None:
        self.lines: list[str] = []
        self.above = above
        self._second = start
        self._common = {"isSidechain": False, "sessionId": SESSION, "cwd": CWD, "version": "2.1.7"} | common

    def add(self, type_: str, uuid: str, *, under: str | None = "", **more: Any) -> str:
        self._second += 1
        parent = self.above if under == "" else under
        at = f"2026-03-02T08:{self._second // 60:02}:{self._second % 60:02}.000Z"
        line = {"parentUuid": parent, **self._common, "type": type_, "uuid": uuid, "timestamp": at} | more
        self.lines.append(json.dumps(line))
        self.above = uuid
        return uuid

    def user(self, uuid: str, content: Any = "Hello", **more: Any) -> str:
        return self.add("user", uuid, message={"role": "user", "content": content}, **more)

    def answer(
        self, uuid: str, *blocks: Any, id: str | None = None, usage: Any = None, stop: Any = None, **more: Any
    ) -> str:
        content = [text(b) if isinstance(b, str) else b for b in blocks]
        message = {"role": "assistant", "model": "claude-opus", "content": content, "stop_reason": stop}
        message |= ({"id": id} if id is not None else {}) | ({"usage": usage} if usage is not None else {})
        return self.add("assistant", uuid, message=message, **more)

    def result(self, uuid: str, *results: Any, **more: Any) -> str:
        return self.user(uuid, [result(*r) if isinstance(r, tuple) else r for r in results], **more)

    def system(self, uuid: str, subtype: str, **more: Any) -> str:
        return self.add("system", uuid, subtype=subtype, **more)

    def about(self, type_: str, **more: Any) -> None:
        """A line outside the chain."""
        self.lines.append(json.dumps({"type": type_, "sessionId": SESSION} | more))

    def write(self, folder: Path, name: str = f"{SESSION}.jsonl") -> Path:
        return put(folder, "".join(line + "\n" for line in self.lines).encode(), name)


def put(folder: Path, data: bytes, name: str = f"{SESSION}.jsonl") -> Path:
    """A session's file where that program would keep it."""
    path = folder / "projects" / "-home-ada-atlas" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def thinking(said: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": said, "signature": "c2ln"}


def call(id_: Any, name: Any = "Bash", **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": name, "input": given or {"command": "ls"}}


def result(id_: Any, content: Any = "done", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id_, "content": content} | more


def read(path: Path, known: Known | None = None) -> tuple[list[Record], Reading]:
    source = READER.at(path)
    assert source is not None
    reading = READER.read(source, known)
    return list(reading.records), reading


def told(path: Path, known: Known | None = None) -> list[str]:
    return shape(read(path, known)[0])


def shape(records: list[Record]) -> list[str]:
    """One short line for each record: who, its id, what it says, and its calls."""
    out = []
    for record in records:
        match record:
            case UserMessage():
                one = f"user {record.id}: {record.content}"
            case AssistantMessage():
                calls = "".join(f" +{c.id}" for c in record.tool_calls)
                one = f"answer {record.id}: {record.content}".rstrip() + calls
            case ToolMessage():
                one = f"result {record.id} of {record.tool_call_id}: {record.content}" + (
                    "" if record.ok else " (failed)"
                )
            case Marker():
                one = f"{record.kind} {record.id}" + (f" {record.data['stop']}" if "stop" in record.data else "")
            case _:
                one = f"unknown {record!r}"
        parent = getattr(record, "parent", None)
        out.append(f"  {one} ({parent})" if parent else one)
    return out


def known_after(records: list[Record], reading: Reading, before: Known | None = None) -> Known:
    """What is kept of a reading, as the one who takes sessions over keeps it."""
    calls: dict[str, tuple[str, str]] = dict(before.open_calls) if before is not None and reading.after else {}
    turn = before.turn if before is not None and reading.after else 0
    for record in records:
        if isinstance(record, AssistantMessage):
            calls |= {c.provider_id or c.id: (c.id, c.name) for c in record.tool_calls}
        if isinstance(record, ToolMessage):
            calls = {there: ours for there, ours in calls.items() if ours[0] != record.tool_call_id}
        if isinstance(record, UserMessage | AssistantMessage | ToolMessage):
            turn = max(turn, record.turn)
    last = records[-1].id if records else before.last if before is not None else ""
    told = {r.id.removesuffix(ENDED) for r in records if not isinstance(r, Unknown)}
    told |= {
        id_ for r in records if isinstance(r, AssistantMessage) for c in r.tool_calls for id_ in (c.id, c.provider_id)
    }
    told |= reading.report.named
    earlier = before.told if before is not None and reading.after else lambda _: False
    return Known(
        reading.size, reading.leaf, last, turn, calls, reading.mark, lambda name: name in told or earlier(name)
    )


def report_of(path: Path) -> Mapping[str, Any]:
    return read(path)[1].report.json()
