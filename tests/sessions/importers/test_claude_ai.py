from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sessions.errors import UsageError
from sessions.importers.claude_ai import READER
from sessions.importers.conversations import sniff
from sessions.messages import AssistantMessage, ToolMessage, UserMessage
from tests.sessions.importers.export_files import AI, Chat, records, talks, tea, told, uuid, written, zipped


def one(folder: Path, chat: Chat) -> tuple[list[str], Any]:
    (talk,), _ = talks(READER, written(folder, chat.raw))
    return told(talk), talk.report


def use(name: str, id_: Any = None, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": name, "input": given}


def result(name: str, text: Any, of: Any = None, **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": text}] if isinstance(text, str) else text
    return {"type": "tool_result", "tool_use_id": of, "name": name, "content": content, "is_error": False} | more


def test_a_conversation_is_told_with_times_title_and_turns(tmp_path: Path) -> None:
    chat = Chat()
    chat.add("1", "human", "Which tea is drunk in Tokyo?")
    chat.add("2", "assistant", {"type": "thinking", "thinking": "Green."}, "Sencha, ", "mostly.")
    chat.add("3", "human", "Thanks")
    (talk,), report = talks(READER, written(tmp_path, chat.raw))
    assert (talk.title, talk.at, talk.source.uuid) == ("Tea in Tokyo", "2026-03-02T08:00:00.500Z", AI)
    assert told(talk) == [
        "user 1: Which tea is drunk in Tokyo?",
        "answer 2: Sencha,\n\nmostly.",
        "turn_end 2-end stop",
        "user 3: Thanks",
    ]
    first, answer, *_ = records(talk)
    assert isinstance(first, UserMessage) and first.typed == () and first.at == "2026-03-02T08:00:01.123Z"
    assert isinstance(answer, AssistantMessage) and answer.reasoning == "Green." and not report.bad


def test_calls_inside_an_answer_become_steps_with_their_results(tmp_path: Path) -> None:
    chat = Chat()
    chat.add("1", "human", "Look it up twice")
    chat.add(
        "2",
        "assistant",
        "Let me see.",
        use("web_search", query="tea"),
        use("web_search", query="rain"),
        result("web_search", [{"type": "x", "title": "Tea", "url": "http://t"}, "plain", {"type": "image"}, None]),
        result("web_search", "Rainy", is_error=True),
        {"type": "token_budget"},
        "Now a file.",
        use("write", "toolu_01abc", path="x"),
        {"type": "thinking", "thinking": "Alone"},
    )  # fmt: skip
    chat.add("3", "assistant", result("write", "late", "toolu_01abc"), result("other", "nobody's"), "Done.")
    lines, report = one(tmp_path, chat)
    assert lines == [
        "user 1: Look it up twice",
        "answer 2: Let me see. +2-c1 +2-c2",
        "result 2-r1 of 2-c1: Tea http://t\nplain\n[image]",
        "result 2-r2 of 2-c2: Rainy (failed)",
        "answer 2-s2: Now a file. +toolu_01abc",
        "result toolu_01abc-none of toolu_01abc: No result of this call was recorded. (failed)",
        "answer 3: Done.",
        "turn_end 3-end stop",
    ]
    assert (report.orphan_results, report.missing_results) == (2, 1)
    assert report.skipped == {"token_budget": 1, "thinking": 1}


def test_of_what_was_asked_again_the_newest_way_is_told(tmp_path: Path) -> None:
    chat = Chat()
    root = "00000000-0000-4000-8000-root"
    chat.add("1", "human", "Tea?", parent_message_uuid=root)
    chat.add("2", "assistant", "Old", parent_message_uuid=uuid("1"))
    chat.add("3", "human", "Old question", parent_message_uuid=uuid("2"))
    chat.add("4", "assistant", "New", parent_message_uuid=uuid("1"))
    lines, report = one(tmp_path, chat)
    assert lines[:2] == ["user 1: Tea?", "answer 4: New"] and report.other_ways == 2
    chat.raw["current_leaf_message_uuid"] = uuid("3")
    assert one(tmp_path, chat)[0][-1] == "user 3: Old question"
    chat.messages[0]["parent_message_uuid"] = uuid("3")
    assert len(one(tmp_path, chat)[0]) > 2, "a cycle ends"
    for message in chat.messages[1:]:
        message["parent_message_uuid"] = None
    assert [line.split(":")[0] for line in one(tmp_path, chat)[0] if "-end" not in line] == [
        "user 1", "answer 2", "user 3", "answer 4",
    ]  # fmt: skip


def test_what_was_attached_is_named_with_the_text_that_was_sent(tmp_path: Path) -> None:
    chat = Chat()
    pasted = {"file_name": "", "file_type": "txt", "file_size": 12, "extracted_content": "pasted words"}
    named = [{"file_name": "plan.pdf", "file_uuid": "x"}, {"file_name": "plan.pdf"}, None, {"file_name": 7}]
    chat.add("1", "human", "Read this", attachments=[pasted, 3], files=named)
    (talk,), _ = talks(READER, written(tmp_path, chat.raw))
    (said,) = records(talk)
    assert isinstance(said, UserMessage) and [f["name"] for f in said.attachments] == ["pasted text", "plan.pdf"]
    assert said.content == "Read this\n[file: pasted text]\npasted words\n[file: plan.pdf]"


@pytest.mark.parametrize(
    ("message", "lines"),
    [
        ({"content": []}, ["user 1: From text"]),
        ({"content": None}, ["user 1: From text"]),
        ({"content": [{"type": "text", "text": None}]}, ["user 1: From text"]),
        ({"content": "Plain"}, ["user 1: Plain"]),
        ({"content": None, "text": None}, []),
        ({"sender": "tool"}, []),
        ({"sender": 3}, []),
        ({"created_at": 5}, ["user 1: Said"]),
        ({"content": None, "sender": "assistant"}, ["answer 1: From text"]),
        ({"content": [use("x", 7, a="\ud83d")], "sender": "assistant"},
         ["answer 1: +1-c1", "result 1-c1-none of 1-c1: No result of this call was recorded. (failed)"]),
    ],
)  # fmt: skip
def test_what_is_missing_or_of_another_type_is_survived(tmp_path: Path, message: Any, lines: list[str]) -> None:
    chat = Chat()
    chat.add("1", "human", "Said", text="From text")
    chat.messages[0] |= message
    assert one(tmp_path, chat)[0] == lines


def test_a_result_has_no_second_one_and_odd_contents_are_text(tmp_path: Path) -> None:
    chat = Chat()
    chat.add("1", "assistant", use("a", "id-1"), result("a", "one", "id-1"), result("a", "two", "id-1"))
    chat.add("2", "assistant", use("b", "id-1"), result("b", None, "id-1"))
    lines, report = one(tmp_path, chat)
    assert lines == ["answer 1: +id-1", "result 1-r1 of id-1: one", "answer 2: +id-1~2", "result 2-r1 of id-1~2: "]
    assert report.duplicate_results == 1
    (talk,), _ = talks(READER, written(tmp_path, chat.raw))
    assert all(m.ok for m in records(talk) if isinstance(m, ToolMessage))


def test_the_same_file_name_is_told_apart_and_the_zip_is_read(tmp_path: Path) -> None:
    chat = Chat()
    chat.add("1", "human", "Hello")
    packed = zipped(tmp_path / "data.zip", conversations__json=[chat.raw], users__json=[])
    assert sniff(packed) == "claude-ai" and len(talks(READER, packed)[0]) == 1
    with pytest.raises(UsageError, match=r"is an export of ChatGPT, not of Claude.ai.*import chatgpt"):
        talks(READER, written(tmp_path, tea().raw))
