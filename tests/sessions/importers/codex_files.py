"""Small Codex rollouts, written line by line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sessions.importers.base import Known, Reading
from sessions.importers.codex import READER
from sessions.importers.places import stem_of
from sessions.messages import Record
from tests.sessions.importers.claude_files import shape

SESSION = "0199a3c1-1111-7222-8333-444455556666"
NAME = f"rollout-2026-03-02T08-00-00-{SESSION}.jsonl"
CWD = "/home/ada/atlas"


class Tape:
    """Lines one after another. Ids of messages tell the byte where a line begins: `names` gives them as `1`, `2` …"""

    def __init__(self, *, head: bool = True) -> None:
        self.lines: list[str] = []
        if head:
            self.add("session_meta", id=SESSION, cwd=CWD, cli_version="0.60.0", originator="codex_cli_rs")
            self.add("turn_context", cwd=CWD, model="gpt-5-codex", summary="auto")

    def add(self, type_: str, **payload: Any) -> None:
        second = len(self.lines)
        at = f"2026-03-02T08:{second // 60:02}:{second % 60:02}.000Z"
        self.lines.append(json.dumps({"timestamp": at, "type": type_, "payload": payload}))

    def item(self, type_: str, **payload: Any) -> None:
        self.add("response_item", type=type_, **payload)

    def event(self, type_: str, **payload: Any) -> None:
        self.add("event_msg", type=type_, **payload)

    def user(self, *blocks: Any) -> None:
        content = [{"type": "input_text", "text": b} if isinstance(b, str) else b for b in blocks]
        self.item("message", role="user", content=content)

    def answer(self, text: str) -> None:
        self.item("message", role="assistant", content=[{"type": "output_text", "text": text}])

    def thought(self, text: str) -> None:
        self.item("reasoning", summary=[{"type": "summary_text", "text": text}], encrypted_content="gAAAA")

    def call(self, id_: Any, arguments: Any = '{"command": ["ls"]}', name: str = "shell") -> None:
        self.item("function_call", name=name, arguments=arguments, call_id=id_)

    def output(self, id_: Any, output: Any = "done") -> None:
        self.item("function_call_output", call_id=id_, output=output)

    def tokens(self, input_: int, output: int, cached: int = 0) -> None:
        last = {"input_tokens": input_, "cached_input_tokens": cached, "output_tokens": output}
        self.event("token_count", info={"last_token_usage": last, "total_token_usage": last})

    def data(self) -> bytes:
        return "".join(line + "\n" for line in self.lines).encode()

    def write(self, folder: Path, name: str = NAME) -> Path:
        path = folder / "sessions" / "2026" / "03" / "02" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.data())
        return path

    def names(self) -> dict[str, str]:
        """Id of the message that begins at a line -> the number of the line, from 0."""
        out, at = {}, 0
        for number, line in enumerate(self.lines):
            out[f"{stem_of(SESSION)}-{at}"] = str(number)
            at += len(line.encode()) + 1
        return out


def read(path: Path, known: Known | None = None) -> tuple[list[Record], Reading]:
    source = READER.at(path)
    assert source is not None
    reading = READER.read(source, known)
    return list(reading.records), reading


def named(tape: Tape, records: list[Record]) -> list[str]:
    """The shape of records with numbers of lines for ids."""
    lines = shape(records)
    for id_, number in sorted(tape.names().items(), key=lambda pair: -len(pair[0])):
        lines = [line.replace(id_, number) for line in lines]
    return lines


def told(tape: Tape, folder: Path, known: Known | None = None) -> list[str]:
    return named(tape, read(tape.write(folder), known)[0])
