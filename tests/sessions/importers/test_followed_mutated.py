"""Whatever becomes of a file that is followed in pieces: its log is well-formed, and says what it says read at once."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.clock import FixedClock, parse_iso
from sessions.importers.base import Reader
from sessions.importers.claude_code import READER as CLAUDE
from sessions.importers.taking import Taking
from sessions.messages import AssistantMessage, Marker, Record, ToolMessage, Unknown, UserMessage
from sessions.paths import HomePaths, make_home
from sessions.store.line import main_line
from sessions.store.log import read_log
from tests.sessions.importers import codex_files
from tests.sessions.importers.test_mutated import CHANGES, FORMATS, changed, well_formed

CLOCK = FixedClock(parse_iso("2026-11-30T10:00:00Z"))  # type: ignore[arg-type]
SHORT = re.compile(r'"([cx])(\d)"')


def longer(line: str) -> bytes:
    """With ids of calls as long as those that these programs give."""
    return SHORT.sub(r'"toolu_01ABCDEFGHIJK\1\2"', line).encode()


class Kept:
    """A home that follows one file."""

    def __init__(self, folder: Path, reader: Reader, path: Path) -> None:
        self.paths = HomePaths(folder, folder / "config.toml")
        make_home(self.paths)
        self._reader, self._path, self._times = reader, path, 0
        self.session = ""

    def holds(self, data: bytes) -> list[Record]:
        """The file holds this now: what the log says then."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_bytes(data)
        self._times += 1
        os.utime(self._path, ns=(10**18, 10**18 + self._times * 10**9))
        source = self._reader.at(self._path)
        if source is not None and source.size:
            self.session = Taking(self.paths, CLOCK).take(self._reader, source).session or self.session
        return read_log(self.paths.session_log(self.session)).records if self.session else []


def is_well_formed(log: list[Record]) -> None:
    ids = Counter(r.id for r in log if not isinstance(r, Unknown))
    assert not [id_ for id_, n in ids.items() if n > 1], "an id stands in a log once"
    well_formed(main_line(log), follows=True)


def told(log: list[Record]) -> dict[str | None, list[str]]:
    """What the conversation and each sub-agent say now, without ids. That a turn seemed to have ended is not taken
    back; results that come one after another may be in any order."""
    out: dict[str | None, list[str]] = {}
    results: dict[str | None, int] = {}
    """How many stand at the end."""
    for record in main_line(log):
        match record:
            case UserMessage():
                said = f"user: {record.content}"
            case AssistantMessage():
                calls = [(c.provider_id, c.name, c.arguments, c.arguments_text) for c in record.tool_calls]
                said = f"answer: {record.content} {calls}"
            case ToolMessage():
                said = f"result of {record.tool_call_id}: {record.content} {record.ok}"
            case Marker() if record.kind == "compaction":
                said = f"compaction: {record.data}"
            case _:
                continue
        parent = None if isinstance(record, Marker) else record.parent
        lines = out.setdefault(parent, [])
        lines.append(said)
        results[parent] = results.get(parent, 0) + 1 if isinstance(record, ToolMessage) else 0
        if n := results[parent]:
            lines[-n:] = sorted(lines[-n:])
    return out


@pytest.mark.parametrize("format_", FORMATS)
@given(CHANGES, st.lists(st.floats(0, 1), max_size=5), st.booleans())
def test_a_file_that_grows_in_pieces_gives_what_it_gives_at_once(
    format_: str, changes: list[tuple[Any, ...]], cuts: list[float], whole_lines: bool
) -> None:
    make, reader, name = FORMATS[format_]
    lines = [longer(line) for line in make()]
    for change in changes:
        lines = changed(lines, change)
    data = b"".join(line + b"\n" for line in lines)
    ends = sorted(int(len(data) * cut) for cut in cuts)
    if whole_lines:
        ends = [data.rfind(b"\n", 0, end) + 1 for end in ends]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sessions" / "projects" / "-w" / name
        followed = Kept(Path(folder) / "followed", reader, path)
        for end in [*ends, len(data)]:
            log = followed.holds(data[:end])
            is_well_formed(log)
        at_once = Kept(Path(folder) / "once", reader, path).holds(data)
        is_well_formed(at_once)
        assert told(log) == told(at_once)


def test_a_result_that_was_met_before_its_call_is_found_when_that_comes(tmp_path: Path) -> None:
    tape = codex_files.Tape()
    tape.user("One")
    tape.output("call_1", "one")
    path = tmp_path / "sessions" / codex_files.NAME
    followed = Kept(tmp_path / "followed", codex_files.READER, path)
    followed.holds(tape.data())
    tape.call("call_1")
    followed.holds(tape.data())
    tape.output("call_1", "two")
    tape.user("Two")
    log = followed.holds(tape.data())
    is_well_formed(log)
    assert told(log) == told(Kept(tmp_path / "once", codex_files.READER, path).holds(tape.data()))


def _line(kind: str, uuid: str, above: str | None, text: str) -> bytes:
    message = {"role": kind, "content": text if kind == "user" else [{"type": "text", "text": text}]}
    raw = {"type": kind, "uuid": uuid, "parentUuid": above, "cwd": "/w", "timestamp": "2026-03-02T08:01:00.000Z"}
    return json.dumps(raw | {"isSidechain": False, "message": message}).encode() + b"\n"


@pytest.mark.parametrize("together", [True, False])
def test_a_question_that_was_written_behind_its_answer_is_not_lost(tmp_path: Path, together: bool) -> None:
    asked = _line("user", "u1", None, "Ask 1") + _line("assistant", "a1", "u1", "Answer 1")
    early = asked + _line("assistant", "a2", "u2", "Answer 2")
    late = early + _line("user", "u2", "a1", "Ask 2")
    whole = late + _line("user", "u3", "a2", "Ask 3")
    path = tmp_path / "projects" / "-w" / "11111111-0000-4000-8000-000000000001.jsonl"
    followed = Kept(tmp_path / "followed", CLAUDE, path)
    for data in [early, whole] if together else [early, late, whole]:
        log = followed.holds(data)
        assert told(log) == told(Kept(tmp_path / f"once-{len(data)}", CLAUDE, path).holds(data))
    said = [line.partition(": ")[2].partition(" [")[0] for line in told(log)[None]]
    assert said == ["Ask 1", "Answer 1", "Ask 2", "Answer 2", "Ask 3"]
