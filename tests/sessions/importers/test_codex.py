from __future__ import annotations

import base64
import hashlib
import json

import pytest

from sessions.importers.telling import NO_RESULT
from sessions.messages import AssistantMessage, Marker, ToolMessage, Usage, UserMessage
from tests.sessions.importers.claude_files import known_after
from tests.sessions.importers.codex_files import CWD, SESSION, Tape, named, read, told

LONG = "call_0123456789abcdef"


@pytest.fixture
def tape():
    return Tape()


def test_messages_that_stand_twice_in_the_file_come_once(tape, tmp_path):
    tape.item("message", role="developer", content=[{"type": "input_text", "text": "Be brief"}])
    tape.user("# AGENTS.md instructions for /home/ada/atlas\n\n<INSTRUCTIONS>Be kind</INSTRUCTIONS>")
    tape.user("<environment_context>\n  <cwd>/home/ada/atlas</cwd>\n</environment_context>")
    tape.user("Hello")
    tape.event("user_message", message="Hello")
    tape.thought("**Greeting**")
    tape.event("agent_reasoning", text="**Greeting**")
    tape.answer("Hi")
    tape.event("agent_message", message="Hi")
    tape.tokens(900, 30, 500)
    records, reading = read(tape.write(tmp_path))
    assert named(tape, records) == ["user 5: Hello", "answer 7: Hi", "turn_end 7-end stop"]
    said, reply, end = records
    assert isinstance(said, UserMessage) and (said.typed, said.turn) == ((), 1)
    assert isinstance(reply, AssistantMessage) and isinstance(end, Marker)
    assert (reply.reasoning, reply.profile, reply.model) == ("**Greeting**", "codex", "gpt-5-codex")
    assert reply.usage == Usage(900, 30, 500)
    assert end.data == {
        "turn": 1, "stop": "stop", "usage": {"input": 900, "output": 30, "cached": 500}, "ms": 4000,
    }  # fmt: skip
    assert reading.report.skipped == {
        "session_meta": 1, "turn_context": 1, "developer": 1, "context": 2, "user_message": 1, "agent_reasoning": 1,
        "agent_message": 1,
    }  # fmt: skip
    assert (reading.cwd, reading.at, reading.model) == (CWD, "2026-03-02T08:00:00.000Z", "gpt-5-codex")


def test_parallel_calls_are_one_reply_and_their_outputs_stand_in_call_order(tape, tmp_path):
    tape.user("Look")
    tape.thought("Both.")
    tape.answer("Let me see.")
    tape.call("c1")
    tape.call("c2")
    tape.tokens(100, 10)
    tape.output("c2", "two")
    tape.output("c1", "one")
    tape.thought("Good.")
    tape.answer("Done.")
    assert told(tape, tmp_path) == [
        "user 2: Look",
        "answer 3: Let me see. +c1 +c2",
        "result 9 of c1: one",
        "result 8 of c2: two",
        "answer 10: Done.",
        "turn_end 10-end stop",
    ]


@pytest.mark.parametrize(
    ("given", "arguments", "text"),
    [
        ('{"command": ["ls"]}', {"command": ["ls"]}, None),
        ("{broken", None, "{broken"),
        ("[1]", None, "[1]"),
        ({"a": 1}, {"a": 1}, None),
    ],
)
def test_arguments_are_a_text_with_json_in_it(tape, tmp_path, given, arguments, text):
    tape.user("Look")
    tape.call("c1", given)
    reply = read(tape.write(tmp_path))[0][1]
    assert isinstance(reply, AssistantMessage)
    assert (reply.tool_calls[0].arguments, reply.tool_calls[0].arguments_text) == (arguments, text)


@pytest.mark.parametrize(
    ("given", "content", "ok", "ms"),
    [
        ("plain", "plain", True, 0),
        (json.dumps({"output": "x", "metadata": {"exit_code": 1, "duration_seconds": 0.2}}), "x", False, 200),
        ({"content": "x", "success": False}, "x", False, 0),
        ([{"type": "input_text", "text": "x"}, {"type": "input_image", "image_url": "data:"}], "x\n[image]", True, 0),
        (
            "Exit code: 2\nWall time: 1 seconds\nOutput:\nno",
            "Exit code: 2\nWall time: 1 seconds\nOutput:\nno",
            False,
            0,
        ),
        ("Process exited with code 0\nOutput:", "Process exited with code 0\nOutput:", True, 0),
        ('{"output": broken', '{"output": broken', True, 0),
        (None, "", True, 0),
    ],
)
def test_an_output_is_a_text_an_object_or_blocks(tape, tmp_path, given, content, ok, ms):
    tape.user("Look")
    tape.call("c1")
    tape.output("c1", given)
    result = read(tape.write(tmp_path))[0][2]
    assert isinstance(result, ToolMessage) and (result.content, result.ok, result.ms) == (content, ok, ms or 1000)


def test_other_kinds_of_calls_are_calls_too(tape, tmp_path):
    tape.user("Look")
    tape.item("custom_tool_call", name="apply_patch", input="*** Begin Patch", call_id="c1", status="completed")
    tape.item("local_shell_call", call_id="c2", status="completed", action={"type": "exec", "command": ["ls"]})
    tape.item("web_search_call", status="completed", action={"type": "search", "query": "x"})
    tape.item("custom_tool_call_output", call_id="c1", output="ok")
    tape.output("c2", "a b")
    records, reading = read(tape.write(tmp_path))
    reply = records[1]
    assert isinstance(reply, AssistantMessage)
    assert [(c.name, c.arguments) for c in reply.tool_calls] == [
        ("apply_patch", {"input": "*** Begin Patch"}),
        ("local_shell", {"type": "exec", "command": ["ls"]}),
    ]
    assert [r.content for r in records[2:] if isinstance(r, ToolMessage)] == ["ok", "a b"]
    assert reading.report.skipped["web_search_call"] == 1


def test_calls_and_outputs_without_their_other_half(tape, tmp_path):
    tape.output("c0", "lost")
    tape.user("Look")
    tape.call("c1")
    tape.event("turn_aborted", reason="interrupted")
    tape.user("<turn_aborted>\nThe user interrupted.\n</turn_aborted>")
    tape.user("Again")
    tape.call("c2")
    tape.output("c2", "two")
    tape.output("c2", "twice")
    tape.call("c3")
    records, reading = read(tape.write(tmp_path))
    assert named(tape, records) == [
        "user 3: Look",
        "answer 4: +c1",
        f"result c1-none of c1: {NO_RESULT} (failed)",
        "turn_end c1-none-end cancelled",
        "user 7: Again",
        "answer 8: +c2",
        "result 9 of c2: two",
        "answer 11: +c3",
    ]
    report = reading.report
    assert (report.orphan_results, report.duplicate_results, report.missing_results) == (1, 1, 1)


def test_turns_that_were_taken_back_are_gone(tape, tmp_path):
    for turn in ("One", "Two", "Three"):
        tape.user(turn)
        tape.answer(f"{turn}!")
    tape.event("thread_rolled_back", num_turns=2)
    tape.user("Other")
    records, reading = read(tape.write(tmp_path))
    assert named(tape, records) == ["user 2: One", "answer 3: One!", "turn_end 3-end stop", "user 9: Other"]
    assert reading.report.other_ways == 4 and [r.turn for r in records if isinstance(r, UserMessage)] == [1, 2]


def test_more_turns_taken_back_than_there_are(tape, tmp_path):
    tape.user("One")
    tape.event("thread_rolled_back", num_turns=9)
    tape.event("thread_rolled_back", num_turns="many")
    assert told(tape, tmp_path) == []


def test_a_compaction_and_ids_that_begin_anew_after_it(tape, tmp_path):
    tape.user("One")
    tape.call("c1")
    tape.output("c1", "one")
    tape.add("compacted", message="They looked.", replacement_history=[])
    tape.call("c1")
    tape.output("c1", "two")
    tape.add("compacted", message="", replacement_history=[{"type": "compaction", "encrypted_content": "x"}])
    records, _ = read(tape.write(tmp_path))
    assert named(tape, records)[1:] == [
        "answer 3: +c1", "result 4 of c1: one", "compaction 5", "answer 6: +c1~2", "result 7 of c1~2: two",
    ]  # fmt: skip
    assert isinstance(records[3], Marker) and records[3].data == {"content": "They looked.", "first_kept": None}


def test_turns_end_where_the_file_says_so_when_it_does(tape, tmp_path):
    tape.event("task_started", turn_id="t1")
    tape.user("One")
    tape.answer("Let me see.")
    assert told(tape, tmp_path)[1:] == ["answer 4: Let me see."]
    tape.tokens(1, 1)
    tape.call("c1")
    tape.output("c1")
    tape.answer("Done.")
    tape.event("task_complete", turn_id="t1", last_agent_message="Done.")
    tape.user("Two")
    tape.event("error", message="Usage limit reached")
    records, _ = read(tape.write(tmp_path))
    assert named(tape, records)[1:] == [
        "answer 4: Let me see.", "answer 6: +c1", "result 7 of c1: done", "answer 8: Done.", "turn_end 8-end stop",
        "user 10: Two", "turn_end 10-end error",
    ]  # fmt: skip
    assert isinstance(records[-1], Marker) and records[-1].data["error"] == "Usage limit reached"


def test_only_the_first_session_meta_counts_and_a_fork_repeats_its_sources(tape, tmp_path):
    tape.add("session_meta", id="other", cwd="/elsewhere")
    tape.add("turn_context", cwd="/elsewhere", model="gpt-5-codex")
    tape.user("One")
    _, reading = read(tape.write(tmp_path))
    assert (reading.cwd, reading.source.uuid) == (CWD, SESSION)


def test_what_an_editor_puts_before_the_request_is_left_out_and_images_are_attachments(tape, tmp_path):
    data = base64.b64encode(b"png").decode()
    tape.user(
        "# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nWhat is it?",
        "<image name=[Image #1]>",
        {"type": "input_image", "image_url": f"data:image/png;base64,{data}"},
        "</image>",
    )
    records, _ = read(tape.write(tmp_path))
    said = records[0]
    assert isinstance(said, UserMessage) and said.content == "What is it?\n[image: image-1.png]"
    sha = hashlib.sha256(b"png").hexdigest()
    image = {"kind": "image", "name": "image-1.png", "mime": "image/png", "bytes": 3, "sha256": sha}
    assert said.attachments == (image,)


def test_the_oldest_files_have_items_without_an_envelope(tmp_path):
    tape = Tape(head=False)
    tape.lines = [
        json.dumps({"id": SESSION, "timestamp": "2025-04-02T08:00:00Z", "instructions": None}),
        json.dumps({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello"}]}),
        json.dumps({"record_type": "state"}),
        json.dumps({"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"}),
        json.dumps({"type": "function_call_output", "call_id": "c1", "output": "x"}),
        json.dumps({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]}),
    ]
    assert told(tape, tmp_path) == [
        "user 1: Hello", "answer 3: +c1", "result 4 of c1: x", "answer 5: Hi", "turn_end 5-end stop",
    ]  # fmt: skip


def test_damaged_lines_are_counted_and_the_rest_is_read(tape, tmp_path):
    tape.user("One")
    tape.answer("Lost")
    tape.answer("Two\u2028lines")
    tape.lines[3] = tape.lines[3][:60] + tape.lines[4]
    tape.lines[4] = "\0" * 300
    records, reading = read(tape.write(tmp_path))
    assert [r.content for r in records if isinstance(r, AssistantMessage)] == ["Two\u2028lines"]
    assert [(line, why) for _, line, why in reading.report.bad] == [
        (4, "several records, or parts of records, on one line"),
        (5, "a run of NUL bytes"),
    ]


# Where sessions are, and what their heads tell.


def grown(tape, folder, more):
    """(records before, new records, whether they go on) of a session that `more` adds to."""
    before, reading = read(tape.write(folder))
    known = known_after(before, reading)
    more()
    new, after = read(tape.write(folder), known)
    assert after.after == (known.last if after.after is not None else None)
    return before, new, after.after is not None


def test_a_grown_session_is_read_on(tape, tmp_path):
    tape.user("One")
    tape.call(LONG)

    def more():
        tape.output(LONG, "one")
        tape.answer("Hi")
        tape.user("Two")

    before, new, went_on = grown(tape, tmp_path, more)
    assert went_on and named(tape, before + new) == told(tape, tmp_path)
    assert named(tape, new) == [f"result 4 of {LONG}: one", "answer 5: Hi", "turn_end 5-end stop", "user 6: Two"]
    assert [r.model for r in new if isinstance(r, AssistantMessage)] == ["gpt-5-codex"]


def test_a_call_that_comes_again_is_not_told_again(tape, tmp_path):
    tape.user("One")
    tape.call(LONG)

    def more():
        tape.output(LONG, "one")
        tape.answer("Hm.")
        tape.call(LONG)
        tape.output(LONG, "two")

    _, new, went_on = grown(tape, tmp_path, more)
    assert not went_on and named(tape, new) == told(tape, tmp_path)
    assert sum(len(r.tool_calls) for r in new if isinstance(r, AssistantMessage)) == 1


def test_a_line_that_was_changed_to_another_as_long_makes_all_be_read(tape, tmp_path):
    tape.user("One")
    tape.answer("Hi")

    def more():
        tape.lines[:] = [line.replace("Hi", "Ho") for line in tape.lines]
        tape.user("Two")

    _, new, went_on = grown(tape, tmp_path, more)
    assert not went_on and any("Ho" in said for said in named(tape, new))


def test_thoughts_alone_wait_for_what_follows_them(tape, tmp_path):
    tape.user("One")
    tape.thought("Hm.")
    before, new, went_on = grown(tape, tmp_path, lambda: tape.answer("Hi"))
    assert went_on and len(before) == 1 and named(tape, new) == ["answer 3: Hi", "turn_end 3-end stop"]


def test_thoughts_alone_end_no_wait_for_a_result(tape, tmp_path):
    tape.user("One")
    tape.call(LONG)
    tape.thought("Hm.")
    before, new, went_on = grown(tape, tmp_path, lambda: tape.output(LONG, "one"))
    assert named(tape, before) == ["user 2: One", f"answer 3: +{LONG}"]
    assert went_on and named(tape, before + new) == told(tape, tmp_path)


def test_another_part_of_a_reply_and_turns_taken_back_make_all_be_read(tape, tmp_path):
    tape.user("One")
    tape.answer("Let me see.")
    *_, went_on = grown(tape, tmp_path, lambda: tape.call(LONG))
    assert not went_on
    tape.output(LONG)
    *_, went_on = grown(tape, tmp_path, lambda: tape.event("thread_rolled_back", num_turns=1))
    assert not went_on
    tape.user("Two")
    *_, went_on = grown(tape, tmp_path, lambda: tape.lines.pop())
    assert not went_on
    tape.user("Three")
    *_, went_on = grown(tape, tmp_path, lambda: tape.lines.insert(1, tape.lines[1]))
    assert not went_on
    *_, went_on = grown(tape, tmp_path, lambda: tape.add("compacted", message="In short."))
    assert not went_on


def test_a_rollout_followed_line_by_line_is_what_it_is_at_once(tmp_path):
    tape = Tape()
    tape.event("task_started")
    for turn in range(3):
        tape.user(f"Question {turn}")
        for step in range(3):
            tape.thought("Hm.")
            tape.answer(f"Step {step}")
            tape.call(f"{LONG}{turn}{step}")
            tape.tokens(1, 1)
            tape.output(f"{LONG}{turn}{step}")
        tape.answer("Done")
        tape.event("task_complete")
    lines, tape.lines = tape.lines, []
    records, known, went_on = [], None, 0
    for line in lines:
        tape.lines.append(line)
        new, reading = read(tape.write(tmp_path), known)
        known = known_after(new, reading, known)
        records = records + new if reading.after is not None else new
        went_on += reading.after is not None
    assert named(tape, records) == named(tape, read(tape.write(tmp_path))[0])
    assert went_on > len(lines) / 2
