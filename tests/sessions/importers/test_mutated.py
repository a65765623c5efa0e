"""Whatever becomes of the files: reading ends, never raises, and gives sessions that are well-formed."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.agent.repair import repair
from sessions.importers.base import Reader, Reading, Source
from sessions.messages import AssistantMessage, Message, Record, ToolMessage, from_json, to_json
from sessions.store.line import messages_of
from tests.sessions.importers import claude_files, codex_files
from tests.sessions.importers.claude_files import Chain, call, known_after, thinking
from tests.sessions.importers.codex_files import Tape


def claude_session() -> list[str]:
    """Two turns with all that a session can hold."""
    chain = Chain()
    chain.about("summary", summary="Before", leafUuid="a9")
    chain.user("u1", [{"type": "text", "text": "Hello"}, {"type": "image", "source": {"data": "AAAA"}}])
    chain.answer("a1", thinking("Hm."), id="m1", usage={"input_tokens": 1, "output_tokens": 2})
    chain.answer("a2", call("c1"), id="m1")
    chain.answer("a3", call("c2", "Task", prompt="Count"), id="m1")
    chain.add("progress", "p1", data={}, under="a2")
    chain.user("xu", "Count", under=None, isSidechain=True)
    chain.answer("xa", call("x1"), isSidechain=True)
    chain.result("xr", ("x1",), isSidechain=True)
    chain.answer("xb", "Three", isSidechain=True)
    chain.result("r2", ("c2", "Three"), under="a3")
    chain.result("r1", ("c1", "one"), under="a2")
    chain.answer("a4", "Done", id="m2", under="r2")
    chain.system("w1", "away_summary", content="A recap")
    chain.system("b1", "compact_boundary", under=None, logicalParentUuid="w1", compactMetadata={"preTokens": 9})
    chain.user("s1", "In short.", isCompactSummary=True)
    chain.user("u2", "More")
    chain.answer("a5", call("c1"), call("c3"), id="m2")
    chain.result("r3", ("c3", "x"), ("c1", [{"type": "text", "text": "y"}]))
    chain.answer("e1", "API Error", isApiErrorMessage=True)
    chain.user("i1", "[Request interrupted by user]")
    chain.user("u2b", "Other", under="s1")
    chain.answer("a6", call("c4"))
    chain.about("last-prompt", leafUuid="a5")
    return chain.lines


def codex_session() -> list[str]:
    """Two turns with all that a rollout can hold."""
    tape = Tape()
    tape.event("task_started")
    tape.user("<environment_context>x</environment_context>", "Hello", {"type": "input_image", "image_url": "data:,"})
    tape.event("user_message", message="Hello")
    tape.thought("Hm.")
    tape.answer("Let me see.")
    tape.call("c1")
    tape.call("c2", {"a": 1})
    tape.tokens(5, 6, 1)
    tape.output("c2", {"content": "two", "success": True})
    tape.output("c1", json.dumps({"output": "one", "metadata": {"exit_code": 0, "duration_seconds": 0.5}}))
    tape.item("custom_tool_call", name="apply_patch", input="x", call_id="c3")
    tape.item("custom_tool_call_output", call_id="c3", output=[{"type": "input_text", "text": "ok"}])
    tape.answer("Done")
    tape.event("task_complete")
    tape.add("compacted", message="In short.", replacement_history=[])
    tape.user("More")
    tape.item("local_shell_call", call_id="c1", action={"command": ["ls"]})
    tape.output("c1")
    tape.event("turn_aborted", reason="interrupted")
    tape.user("Gone")
    tape.event("thread_rolled_back", num_turns=1)
    tape.user("Other")
    tape.event("error", message="Limit")
    tape.call("c4")
    return tape.lines


FORMATS: dict[str, tuple[Callable[[], list[str]], Reader, str]] = {
    "codex": (codex_session, codex_files.READER, codex_files.NAME),
    "claude-code": (claude_session, claude_files.READER, f"{claude_files.SESSION}.jsonl"),
}
NONE: list[Any] = [None, True, 7, -1.5, "", "x", [], {}, ["x", None, {"type": "text"}], {"type": 3}, "\ud83d"]
LINE = st.integers(0, 200)
CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("drop"), LINE),
        st.tuples(st.just("twice"), LINE, LINE),
        st.tuples(st.just("move"), LINE, LINE),
        st.tuples(st.just("cut"), LINE, st.floats(0, 1)),
        st.tuples(st.just("splice"), LINE, LINE, st.floats(0, 1), st.floats(0, 1)),
        st.tuples(st.just("join"), LINE),
        st.tuples(st.just("noise"), LINE, st.binary(max_size=8)),
        st.tuples(st.just("set"), LINE, st.integers(0, 60), st.sampled_from(NONE)),
        st.tuples(st.just("same"), LINE, LINE, st.integers(0, 60)),
    ),
    max_size=8,
)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Ways to all values inside a JSON value."""
    found = [at] if at else []
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        found += places(inner, (*at, key))
    return found


def changed(lines: list[bytes], change: tuple[Any, ...]) -> list[bytes]:
    """The lines after one mishap."""
    if not lines:
        return lines
    out = list(lines)
    kind, i = change[0], change[1] % len(lines)
    match change:
        case ("drop", _):
            del out[i]
        case ("twice", _, j):
            out.insert(j % (len(out) + 1), out[i])
        case ("move", _, j):
            line = out.pop(i)
            out.insert(j % (len(out) + 1), line)
        case ("cut", _, part):
            out[i] = out[i][: int(len(out[i]) * part)]
        case ("splice", _, j, part, other):
            end = out[j % len(out)]
            out[i] = out[i][: int(len(out[i]) * part)] + end[int(len(end) * other) :]
        case ("join", _) if i + 1 < len(out):
            out[i : i + 2] = [out[i] + out[i + 1]]
        case ("noise", _, noise):
            out[i] += noise.replace(b"\n", b"\0")
        case ("set" | "same", _, *rest):
            out[i] = edited(out, i, kind, rest)
        case _:
            pass
    return out


def edited(lines: Sequence[bytes], i: int, kind: str, rest: list[Any]) -> bytes:
    """A line with another value somewhere: any, or the one that another line has there."""
    try:
        raw = json.loads(lines[i])
        where = places(raw)
        way = where[(rest[0] if kind == "set" else rest[1]) % len(where)]
        value = rest[1]
        if kind == "same":
            value = json.loads(lines[rest[0] % len(lines)])
            for key in way:
                value = value[key]
        inner = raw
        for key in way[:-1]:
            inner = inner[key]
        inner[way[-1]] = value
        return json.dumps(raw).encode()
    except (ValueError, LookupError, TypeError, ZeroDivisionError):
        return lines[i]


def well_formed(records: list[Record], *, follows: bool = False) -> None:
    """Messages as a request needs them; calls without a result are the last ones. Lines can be written and read."""
    messages: list[Message] = messages_of(records)
    answered = {m.tool_call_id for m in messages if isinstance(m, ToolMessage)}
    made = [m for m in repair(messages) if m.id not in {one.id for one in messages}]
    assert all(isinstance(m, ToolMessage) and m.tool_call_id not in answered for m in made)
    if not follows:
        assert [m for m in repair(messages) if m not in made] == messages
    assert repair(repair(messages)) == repair(messages)
    last = next((m for m in reversed(messages) if isinstance(m, AssistantMessage)), None)
    assert (
        {m.tool_call_id for m in made if isinstance(m, ToolMessage)} <= {c.id for c in last.tool_calls}
        if last
        else not made
    )
    ids = [record.id for record in records]
    assert all(ids) and len(set(ids)) == len(ids)
    calls = [c.id for r in records if isinstance(r, AssistantMessage) for c in r.tool_calls]
    assert len(set(calls)) == len(calls)
    inner = {r.parent for r in records if getattr(r, "parent", None)}
    assert inner <= set(calls)
    turns = [m.turn for m in messages]
    assert turns == sorted(turns)
    for record in records:
        line = json.dumps(to_json(record), ensure_ascii=False).encode()
        assert from_json(json.loads(line)) == record


def read(reader: Reader, path: Path, *known: Any) -> tuple[list[Record], Reading]:
    found = path.stat()
    reading = reader.read(Source(reader.kind, path.stem[-36:], path, found.st_size, found.st_mtime_ns), *known)
    return list(reading.records), reading


@pytest.mark.parametrize("format_", FORMATS)
def test_no_value_of_a_wrong_type_raises_or_spoils_the_session(format_: str, tmp_path: Path) -> None:
    make, reader, name = FORMATS[format_]
    lines = [line.encode() for line in make()]
    path = tmp_path / name
    for i, line in enumerate(lines):
        for at in range(len(places(json.loads(line)))):
            for value in ([], {"type": []}, 7, None):
                other = edited(lines, i, "set", [at, value])
                path.write_bytes(b"\n".join([*lines[:i], other, *lines[i + 1 :]]) + b"\n")
                well_formed(read(reader, path)[0])
                if i == 1 and (source := reader.at(path)) is not None:
                    reader.head(source)


@pytest.mark.parametrize("format_", FORMATS)
@given(CHANGES, st.integers(0, 40))
def test_mutated_files_always_give_a_well_formed_session(
    format_: str, changes: list[tuple[Any, ...]], first: int
) -> None:
    make, reader, name = FORMATS[format_]
    lines = [line.encode() for line in make()]
    for change in changes:
        lines = changed(lines, change)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(b"\n".join(lines[:first]) + b"\n")
        begun, reading = read(reader, path)
        well_formed(begun)
        known = known_after(begun, reading)
        path.write_bytes(b"\n".join(lines) + b"\n")
        whole, _ = read(reader, path)
        well_formed(whole)
        assert read(reader, path)[0] == whole
        more, reading = read(reader, path, known)
        if reading.after is None:
            assert more == whole
        else:
            well_formed(begun + more, follows=True)
        source = reader.at(path)
        if source is not None:
            reader.head(source)
