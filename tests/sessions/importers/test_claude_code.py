from __future__ import annotations

import base64
import hashlib

import pytest

from sessions.importers.telling import NO_RESULT
from sessions.messages import AssistantMessage, Marker, ToolMessage, Usage, UserMessage
from tests.sessions.importers.claude_files import (
    Chain,
    call,
    read,
    report_of,
    result,
    shape,
    text,
    thinking,
    told,
)

DONE = ["user u1: Hello", "answer a1: Hi", "turn_end a1-end stop"]


@pytest.fixture
def chain():
    return Chain()


# One reply over many lines; its calls and their results.


def test_one_reply_over_many_lines_is_one_message_with_all_its_calls(chain, tmp_path):
    chain.user("u1")
    for uuid, block in (("a1", thinking("Hm.")), ("a2", text("Look.")), ("a3", call("c1")), ("a4", call("c2"))):
        chain.answer(uuid, block, id="msg_1")
    chain.result("r1", ("c1", "one"))
    chain.result("r2", ("c2", "two"))
    chain.answer("a5", "Both.", id="msg_2")
    records, _ = read(chain.write(tmp_path))
    assert shape(records) == [
        "user u1: Hello",
        "answer a1: Look. +c1 +c2",
        "result r1 of c1: one",
        "result r2 of c2: two",
        "answer a5: Both.",
        "turn_end a5-end stop",
    ]
    reply = records[1]
    assert isinstance(reply, AssistantMessage)
    assert (reply.reasoning, reply.provider_items, reply.stop) == ("Hm.", None, "tool_calls")
    assert (reply.profile, reply.model, reply.turn) == ("claude-code", "claude-opus", 1)
    assert [(c.id, c.provider_id, c.name, c.arguments) for c in reply.tool_calls] == [
        ("c1", "c1", "Bash", {"command": "ls"}),
        ("c2", "c2", "Bash", {"command": "ls"}),
    ]


def test_lines_without_a_message_id_are_not_merged(chain, tmp_path):
    chain.user("u1")
    chain.answer("a1", "One.")
    chain.answer("a2", "Two.")
    assert told(chain.write(tmp_path))[1:] == ["answer a1: One.", "answer a2: Two.", "turn_end a2-end stop"]


def test_a_message_id_that_comes_again_after_a_users_turn_is_another_message(chain, tmp_path):
    for turn in (1, 2):
        chain.user(f"u{turn}")
        chain.answer(f"a{turn}", f"Answer {turn}", id="msg_1")
    answers = [line for line in told(chain.write(tmp_path)) if line.startswith("answer")]
    assert answers == ["answer a1: Answer 1", "answer a2: Answer 2"]


def test_the_last_usage_of_a_reply_counts_whether_there_is_a_request_id_or_not(chain, tmp_path):
    last = {"input_tokens": 3, "cache_creation_input_tokens": 40, "cache_read_input_tokens": 500, "output_tokens": 60}
    chain.user("u1")
    chain.answer("a1", thinking("Hm."), id="m", usage={"input_tokens": 3, "output_tokens": 1}, requestId="req_1")
    chain.answer("a2", "Yes.", id="m", usage=last, stop="end_turn")
    records, _ = read(chain.write(tmp_path))
    assert isinstance(records[1], AssistantMessage) and records[1].usage == Usage(543, 60, 500)
    assert isinstance(records[2], Marker)
    assert records[2].data == {
        "turn": 1, "stop": "stop", "usage": {"input": 543, "output": 60, "cached": 500}, "ms": 2000,
    }  # fmt: skip


def test_parallel_results_in_lines_of_their_own_and_out_of_order_stand_in_call_order(chain, tmp_path):
    chain.user("u1")
    chain.answer("a1", call("c1"), id="m")
    chain.answer("a2", call("c2"), id="m")
    chain.result("r2", ("c2", "two"))
    chain.result("r1", ("c1", "one"), under="a1")
    chain.answer("a3", "Done.", under="r2")
    assert told(chain.write(tmp_path)) == [
        "user u1: Hello",
        "answer a1: +c1 +c2",
        "result r1 of c1: one",
        "result r2 of c2: two",
        "answer a3: Done.",
        "turn_end a3-end stop",
    ]


def test_two_results_in_one_line_are_two_messages(chain, tmp_path):
    chain.user("u1")
    chain.answer("a1", call("c1"), call("c2"))
    chain.result("r1", ("c2", "two"), result("c1", "one", is_error=True))
    assert told(chain.write(tmp_path))[2:] == ["result r1-r2 of c1: one (failed)", "result r1 of c2: two"]


def test_calls_without_results_get_one_that_says_so_unless_they_are_the_last(chain, tmp_path):
    chain.user("u1")
    chain.answer("a1", call("c1"))
    chain.user("u2", "Go on")
    chain.answer("a2", call("c2"))
    records, reading = read(chain.write(tmp_path))
    assert shape(records) == [
        "user u1: Hello",
        "answer a1: +c1",
        f"result c1-none of c1: {NO_RESULT} (failed)",
        "turn_end c1-none-end cancelled",
        "user u2: Go on",
        "answer a2: +c2",
    ]
    made = records[2]
    assert isinstance(made, ToolMessage) and made.extra == {"synthetic": True}
    assert reading.report.missing_results == 1


def test_a_history_that_begins_with_a_result_of_nothing_and_repeats_another(chain, tmp_path):
    chain.result("r0", ("c0", "lost"), under=None)
    chain.user("u1")
    chain.answer("a1", call("c1"))
    chain.result("r1", ("c1", "one"))
    chain.result("r2", ("c1", "again"))
    path = chain.write(tmp_path)
    assert told(path) == ["user u1: Hello", "answer a1: +c1", "result r1 of c1: one"]
    report = report_of(path)
    assert (report["orphan_results"], report["duplicate_results"]) == (1, 1)


def test_ids_begin_anew_after_a_compaction(chain, tmp_path):
    chain.user("u1")
    chain.answer("a1", call("c1"), id="m")
    chain.result("r1", ("c1", "one"))
    chain.system("b1", "compact_boundary", under=None, logicalParentUuid="r1", compactMetadata={"preTokens": 9000})
    chain.user("s1", "They asked for a list.", isCompactSummary=True)
    chain.answer("a2", call("c1"), id="m")
    chain.result("r2", ("c1", "two"))
    records, _ = read(chain.write(tmp_path))
    assert shape(records) == [
        "user u1: Hello",
        "answer a1: +c1",
        "result r1 of c1: one",
        "compaction b1",
        "answer a2: +c1~2",
        "result r2 of c1~2: two",
    ]
    assert isinstance(records[3], Marker)
    assert records[3].data == {"content": "They asked for a list.", "first_kept": None, "tokens_before": 9000}
    assert isinstance(records[4], AssistantMessage) and records[4].tool_calls[0].provider_id == "c1"


def test_calls_of_the_servers_own_tools_have_their_results_in_the_reply(chain, tmp_path):
    found = [{"type": "web_search_result", "title": "Atlas", "url": "https://a.example"}]
    search = {"type": "server_tool_use", "id": "srv", "name": "web_search", "input": {"query": "atlas"}}
    chain.user("u1")
    chain.answer("a1", search, {"type": "web_search_tool_result", "tool_use_id": "srv", "content": found}, "Here.")
    records, _ = read(chain.write(tmp_path))
    assert shape(records)[1:] == ["answer a1: Here. +srv", "result a1-r1 of srv: Atlas\nhttps://a.example"]


# Which branch is the conversation.


def test_an_edited_prompt_leaves_its_first_form_behind(chain, tmp_path):
    chain.user("u1")
    chain.answer("a1", "Hi")
    chain.user("u2", "Fist form")
    chain.answer("a2", "What?")
    chain.user("u2b", "First form", under="a1")
    chain.answer("a2b", "I see")
    path = chain.write(tmp_path)
    assert told(path) == [*DONE, "user u2b: First form", "answer a2b: I see", "turn_end a2b-end stop"]
    assert report_of(path)["other_ways"] == 2


def test_the_leaf_that_the_file_names_counts_until_something_is_said_after_it(chain, tmp_path):
    chain.user("u1")
    chain.answer("a1", "Hi")
    chain.user("u2", "One way")
    chain.answer("a2", "Yes")
    chain.user("u3", "Another", under="a1")
    chain.about("last-prompt", lastPrompt="One way", leafUuid="u2")
    assert told(chain.write(tmp_path))[3:] == ["user u2: One way", "answer a2: Yes", "turn_end a2-end stop"]
    chain.answer("a3", "No")
    assert told(chain.write(tmp_path))[3:] == ["user u3: Another", "answer a3: No", "turn_end a3-end stop"]


def test_hooks_hang_lines_beside_the_branch_and_it_is_still_followed(chain, tmp_path):
    chain.user("u1")
    chain.answer("a1", call("c1"))
    chain.add("progress", "p1", data={"type": "hook_progress"}, under="a1")
    chain.result("r1", ("c1", "one"), under="a1")
    chain.add("progress", "p2", data={"type": "hook_progress"}, under="p1")
    chain.add("attachment", "t1", attachment={"type": "hook_success"}, under="r1")
    chain.answer("a2", "Done.", under="t1")
    chain.add("progress", "p3", data={}, under="p2")
    path = chain.write(tmp_path)
    assert told(path)[1:] == ["answer a1: +c1", "result r1 of c1: one", "answer a2: Done.", "turn_end a2-end stop"]
    assert report_of(path)["skipped"] == {"progress": 3, "attachment": 1}


def test_parents_that_go_round_in_a_circle_lose_nothing_that_was_said(tmp_path):
    chain = Chain()
    chain.user("u1", under=None)
    chain.answer("a1", "Hi", under="u2")
    chain.user("u2", "More", under="a1")
    chain.answer("a2", "Yes", under="u2")
    chain.user("u3", "Me", under="u3")
    assert [line.split(":")[0] for line in told(chain.write(tmp_path)) if "end" not in line] == [
        "user u1", "answer a1", "user u2", "answer a2", "user u3",
    ]  # fmt: skip


def test_a_chain_of_thousands_of_lines_is_followed(chain, tmp_path):
    for turn in range(3_000):
        chain.user(f"u{turn}")
        chain.add("progress", f"p{turn}", data={})
        chain.answer(f"a{turn}", "Hi")
    records, _ = read(chain.write(tmp_path))
    assert len(records) == 9_000 and records[-2].id == "a2999"


def test_a_torn_line_in_the_middle_does_not_cost_what_was_said_before(chain, tmp_path):
    chain.user("u1")
    chain.answer("a1", "Hi")
    chain.user("u2", "Lost")
    chain.answer("a2", "Here", under="u2")
    chain.lines[2] = chain.lines[2][:80]
    path = chain.write(tmp_path)
    assert told(path) == ["user u1: Hello", "answer a1: Hi", "answer a2: Here", "turn_end a2-end stop"]
    assert report_of(path)["bad"] == [{"file": path.name, "line": 3, "why": "no JSON object"}]


def test_a_boundary_is_crossed_to_the_line_that_it_names(chain, tmp_path):
    chain.user("u1")
    chain.answer("a1", "Hi")
    chain.user("u2", "Off the way")
    chain.system("b1", "compact_boundary", under=None, logicalParentUuid="a1")
    chain.user("s1", "In short.", isCompactSummary=True)
    chain.user("u3", "Go on")
    assert told(chain.write(tmp_path)) == [*DONE, "compaction b1-end", "user u3: Go on"]


def test_a_boundary_whose_parent_is_gone_goes_on_with_the_line_before(chain, tmp_path):
    chain.user("u1")
    chain.answer("a1", "Hi")
    chain.system("b1", "compact_boundary", under=None, logicalParentUuid="elsewhere")
    chain.user("s1", "In short.", isCompactSummary=True)
    chain.user("u2", "Go on")
    assert told(chain.write(tmp_path)) == [*DONE, "compaction b1-end", "user u2: Go on"]


# What is no user text, and how turns end.


def test_commands_their_output_and_what_is_meta_are_no_turns(chain, tmp_path):
    chain.user("m1", "Caveat: the messages below were made by commands", isMeta=True)
    chain.user("m2", "<command-name>/model</command-name>\n<command-message>model</command-message>")
    chain.user("m3", "<local-command-stdout>Set model</local-command-stdout>")
    chain.system("m4", "local_command", content="<command-name>/usage</command-name>")
    chain.user("u1", [text("<system-reminder>Be kind</system-reminder>"), text("Hello")])
    chain.answer("a1", "Hi")
    path = chain.write(tmp_path)
    assert told(path) == DONE
    assert report_of(path)["skipped"] == {"command": 2, "meta": 1, "local_command": 1}


def test_nothing_of_a_user_counts_as_typed_here(chain, tmp_path):
    chain.user("u1", "I live in Tokyo")
    records, _ = read(chain.write(tmp_path))
    assert isinstance(records[0], UserMessage) and records[0].typed == ()


def test_an_interruption_ends_the_turn_and_is_none(chain, tmp_path):
    chain.user("u1")
    chain.answer("a1", call("c1"))
    chain.result("r1", result("c1", "rejected", is_error=True))
    chain.user("i1", [text("[Request interrupted by user for tool use]")])
    chain.user("u2", "Another way")
    assert told(chain.write(tmp_path)) == [
        "user u1: Hello",
        "answer a1: +c1",
        "result r1 of c1: rejected (failed)",
        "turn_end r1-end cancelled",
        "user u2: Another way",
    ]


def test_an_interrupted_answer_ends_its_turn_once(chain, tmp_path):
    chain.user("u1")
    chain.answer("a1", "Half an")
    chain.user("i1", "[Request interrupted by user]")
    assert told(chain.write(tmp_path))[1:] == ["answer a1: Half an", "turn_end a1-end cancelled"]


def test_a_failed_request_ends_the_turn_with_its_words_and_a_later_try_takes_it_back(chain, tmp_path):
    chain.user("u1")
    chain.answer("e1", "API Error: 529 overloaded", isApiErrorMessage=True)
    chain.answer("a1", "Hi")
    chain.user("u2", "More")
    chain.answer("e2", "API Error: 500", isApiErrorMessage=True)
    records, reading = read(chain.write(tmp_path))
    assert shape(records) == [*DONE, "user u2: More", "turn_end u2-end error"]
    assert isinstance(records[-1], Marker) and records[-1].data["error"] == "API Error: 500"
    assert reading.report.skipped == {"api_error": 1}


def test_an_answer_cut_at_its_longest_says_so(chain, tmp_path):
    chain.user("u1")
    chain.answer("a1", "And then", stop="max_tokens")
    assert told(chain.write(tmp_path))[-1] == "turn_end a1-end length"


def test_a_recap_of_theirs_is_one_of_ours(chain, tmp_path):
    chain.user("u1")
    chain.answer("a1", "Hi")
    chain.system("w1", "away_summary", content="Said hello. (disable recaps in /config)")
    records, _ = read(chain.write(tmp_path))
    assert isinstance(records[-1], Marker) and (records[-1].kind, records[-1].id) == ("meta", "w1-end")
    at = "2026-03-02T08:00:03.000Z"
    assert records[-1].data == {"recap": {"text": "Said hello.", "by": "claude-opus", "at": at, "upto": "a1"}}


def test_synthetic_and_empty_lines_say_nothing(chain, tmp_path):
    chain.user("u1")
    chain.add("assistant", "x1", message={"model": "<synthetic>", "content": [text("No response requested.")]})
    chain.answer("a1", "Hi")
    chain.add("user", "x2", message={"role": "user", "content": None})
    chain.add("user", "x3", message=None)
    chain.answer("x4")
    assert told(chain.write(tmp_path)) == DONE


# Files, images, large results.


def test_images_become_attachments_without_their_bytes(chain, tmp_path):
    data = base64.b64encode(b"\x89PNG and more").decode()
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    broken = {"type": "image", "source": {"type": "base64", "media_type": 7, "data": "*"}}
    chain.user("u1", [text("Look:"), image, broken])
    chain.answer("a1", call("c1"))
    chain.result("r1", ("c1", [image, text("a dot")]), toolUseResult={"type": "image", "file": {"base64": data}})
    records, _ = read(chain.write(tmp_path))
    said = records[0]
    assert isinstance(said, UserMessage)
    assert said.content == "Look:\n[image: image-1.png]\n[image: image-2]"
    sha = hashlib.sha256(b"\x89PNG and more").hexdigest()
    whole = {"kind": "image", "name": "image-1.png", "mime": "image/png", "bytes": 13, "sha256": sha}
    assert said.attachments == (whole, {"kind": "image", "name": "image-2", "mime": ""})
    assert shape(records)[-1] == "result r1 of c1: [image: image/png]\na dot"
    assert data not in repr(records)


def test_a_large_result_is_read_from_its_own_file(chain, tmp_path):
    where = "/elsewhere/tool-results/toolu_1.txt"
    said = f"<persisted-output>\nOutput too large (70KB). Full output saved to: {where}\n\nPreview:\nrow 0\n"
    chain.user("u1")
    chain.answer("a1", call("c1"), call("c2"))
    chain.result("r1", ("c1", said))
    chain.result("r2", ("c2", said.replace("toolu_1", "../../secret")))
    path = chain.write(tmp_path)
    assert told(path)[2].startswith("result r1 of c1: <persisted-output>")
    folder = path.with_suffix("") / "tool-results"
    folder.mkdir(parents=True)
    (folder / "toolu_1.txt").write_text("row 0\nrow 1\n")
    assert told(path)[2] == "result r1 of c1: row 0\nrow 1\n"
    assert told(path)[3].startswith("result r2 of c2: <persisted-output>")


def test_how_long_it_took_is_told_by_the_times_of_the_lines(chain, tmp_path):
    chain.user("u1", "Where?")
    chain.answer("a1", "Looking.", call("t1"), id="m1")
    chain.answer("a2", call("t2"), id="m1")
    chain.result("r1", ("t1", "here"))
    chain.result("r2", ("t2", "there"))
    chain.answer("a3", "Here and there.", id="m2", stop="end_turn")
    records = read(chain.write(tmp_path))[0]
    told = [(type(r).__name__, r.ms) for r in records if isinstance(r, AssistantMessage | ToolMessage)]
    names = ("AssistantMessage", "ToolMessage", "ToolMessage", "AssistantMessage")
    assert told == [*zip(names, (2000, 1000, 2000, 1000), strict=True)]
