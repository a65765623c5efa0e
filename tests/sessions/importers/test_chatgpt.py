from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sessions.errors import MemagentError
from sessions.importers.chatgpt import READER, path_of
from sessions.importers.claude_ai import READER as CLAUDE
from sessions.importers.conversations import sniff
from sessions.messages import AssistantMessage, UserMessage
from tests.sessions.importers.export_files import (
    GPT,
    START,
    Chat,
    Tree,
    records,
    talks,
    tea,
    told,
    uuid,
    written,
    zipped,
)


def one(folder: Path, tree: Tree) -> tuple[list[str], Any]:
    """The shape of what is told of one conversation, and the report."""
    (talk,), _ = talks(READER, written(folder, tree.raw))
    return told(talk), talk.report


def test_a_conversation_is_told_with_times_title_model_and_turns(tmp_path: Path) -> None:
    tree = tea()
    tree.add("3", "user", "And in Kyoto?")
    tree.add("4", "assistant", "Matcha.")
    (talk,), report = talks(READER, written(tmp_path, tree.raw))
    assert (talk.title, talk.at, talk.model) == ("Tea in Tokyo", "2026-03-02T08:00:00.500Z", "gpt-5")
    assert talk.source.uuid == GPT and not report.bad
    assert told(talk) == [
        "user 1: Which tea is drunk in Tokyo?",
        "answer 2: Sencha, mostly.",
        "turn_end 2-end stop",
        "user 3: And in Kyoto?",
        "answer 4: Matcha.",
        "turn_end 4-end stop",
    ]
    first, answer, *_ = records(talk)
    assert isinstance(first, UserMessage) and first.typed == () and first.at == "2026-03-02T08:00:01.000Z"
    assert isinstance(answer, AssistantMessage) and (answer.model, answer.profile) == ("gpt-5", "chatgpt")


def test_the_branch_is_the_one_of_current_node_and_not_the_first_child(tmp_path: Path) -> None:
    tree = tea()
    tree.add("3", "user", "And in Kyoto?")
    tree.add("4", "assistant", "Old answer")
    tree.add("5", "assistant", "Matcha.", under="3")
    lines, report = one(tmp_path, tree)
    assert [line for line in lines if "answer" in line] == ["answer 2: Sencha, mostly.", "answer 5: Matcha."]
    assert report.other_ways == 1
    tree.raw["current_node"] = uuid("4")
    assert "answer 4: Old answer" in one(tmp_path, tree)[0], "also when it is not the newest"


@pytest.mark.parametrize("leaf", [None, "gone", 7, [], {}])
def test_without_a_current_node_the_newest_end_is_taken(tmp_path: Path, leaf: Any) -> None:
    tree = tea()
    tree.add("3", "assistant", "Newer", under="1", create_time=START + 500)
    tree.add("4", "assistant", "Older", under="1", create_time=START + 400)
    tree.raw["current_node"] = leaf
    assert one(tmp_path, tree)[0][1] == "answer 3: Newer"
    del tree.raw["current_node"]
    assert one(tmp_path, tree)[0][1] == "answer 3: Newer"


def test_cycles_and_very_long_ways_end() -> None:
    nodes: dict[str, Any] = {"a": {"parent": "c"}, "b": {"parent": "a"}, "c": {"parent": "b"}}
    assert sorted(path_of(nodes, "b")) == ["a", "b", "c"] and sorted(path_of(nodes, None)) == ["a", "b", "c"]
    long: dict[str, Any] = {str(n): {"parent": str(n - 1)} for n in range(50_000)}
    assert path_of(long, "49999") == [str(n) for n in range(50_000)]
    assert path_of({"a": {"parent": "a"}}, "a") == ["a"] and path_of({}, "a") == []
    assert path_of({"a": None, "b": {"parent": ["a"]}, "c": {"parent": "gone"}}, "c") == ["c"]


def test_what_is_hidden_of_the_system_or_meant_for_a_tool_is_no_part_of_it(tmp_path: Path) -> None:
    tree = Tree()
    tree.add("1", "system", "You are ChatGPT")
    tree.add("2", "user", content={"content_type": "user_editable_context", "user_profile": "x"})
    tree.add("3", "user", "secret", metadata={"is_visually_hidden_from_conversation": True})
    tree.add("4", "user", "Plot it")
    tree.add("5", "assistant", content={"content_type": "code", "text": "plot()"}, recipient="python")
    tree.add("6", "tool", content={"content_type": "execution_output", "text": "done"})
    tree.add("7", "assistant", content={"content_type": "reasoning_recap", "content": "Thought for 9 s"})
    tree.add("8", "assistant", "Here it is.", recipient=None)
    lines, report = one(tmp_path, tree)
    assert lines == ["user 4: Plot it", "answer 8: Here it is.", "turn_end 8-end stop"]
    assert report.skipped == {
        "system": 1, "user_editable_context": 1, "hidden": 1, "to a tool": 1, "tool": 1, "reasoning_recap": 1
    }  # fmt: skip


def test_parts_may_be_null_or_objects_and_files_are_named(tmp_path: Path) -> None:
    image = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://x", "size_bytes": 512, "width": 1}
    spoken = {"content_type": "audio_transcription", "text": "Said aloud", "direction": "in"}
    tree = Tree()
    files = [{"id": "f", "name": "plan.pdf", "mime_type": "application/pdf", "size": 9}, {"name": None}, "x"]
    content = {"content_type": "multimodal_text", "parts": [None, image, spoken, 7, {"text": None}, "Look"]}
    tree.add("1", "user", content=content, metadata={"attachments": files})
    tree.add("2", "user", None)
    tree.add("3", "assistant", content={"content_type": "text", "parts": None})
    tree.add(
        "4", "assistant", content={"content_type": "thoughts", "thoughts": [{"summary": "Hm", "content": "So"}, 3]}
    )
    tree.add("5", "assistant", content={"content_type": "code", "language": "json", "text": "{}"})
    tree.add("6", "assistant", content={"content_type": "never_seen", "parts": ["New"]})
    tree.add("7", "assistant", content=None)
    (talk,), _ = talks(READER, written(tmp_path, tree.raw))
    first, code, new, _ = records(talk)
    assert isinstance(first, UserMessage) and isinstance(code, AssistantMessage) and isinstance(new, AssistantMessage)
    assert first.content == "[image: image-1]\nSaid aloud\nLook\n[file: plan.pdf]"
    assert first.attachments == (
        {"kind": "image", "name": "image-1", "mime": "", "bytes": 512},
        {"kind": "file", "name": "plan.pdf", "mime": "application/pdf", "bytes": 9},
    )
    assert (code.content, code.reasoning, new.content, new.reasoning) == ("{}", "Hm\nSo", "New", None)
    assert talk.report.skipped == {"text": 2, "empty": 1}


@pytest.mark.parametrize("time", [None, "soon", -1, 1e30, float("nan"), True, [], "0001-01-01T00:00:00Z"])
def test_times_that_are_none_are_those_of_before(tmp_path: Path, time: Any) -> None:
    tree = tea()
    tree.nodes[uuid("2")]["message"]["create_time"] = time
    (talk,), _ = talks(READER, written(tmp_path, tree.raw))
    assert {r.at for r in records(talk)} == {"2026-03-02T08:00:01.000Z"}
    tree.raw["create_time"] = time
    (talk,), _ = talks(READER, written(tmp_path, tree.raw))
    assert talk.at >= "2026-03", "the file's time, which the next reading finds again"


def test_half_pairs_and_separators_inside_of_texts_are_no_trouble(tmp_path: Path) -> None:
    tree = tea()
    tree.add("3", "user", "half \ud83d and\u2028more")
    lines, _ = one(tmp_path, tree)
    assert lines[3] == "user 3: half \ufffd and\u2028more" and lines[3].encode()


def test_shards_a_folder_and_the_zip_are_the_same_export(tmp_path: Path) -> None:
    other = Tree(uuid("other"), "Rain")
    other.add("9", "user", "Rain?")
    both = [GPT, uuid("other")]
    written(tmp_path / "a", tea().raw, name="conversations-000.json")
    written(tmp_path / "a", other.raw, tea().raw, name="conversations-001.json")
    written(tmp_path / "a", {"title": "x"}, name="shared_conversations.json")
    found, report = talks(READER, tmp_path / "a")
    assert [t.source.uuid for t in found] == both and report.skipped == {"the same conversation again": 1}
    inside = {"export/conversations-001__json": [other.raw], "export/conversations-000__json": [tea().raw]}
    packed = zipped(tmp_path / "export.zip", **inside, __MACOSX=b"x", user__json={"id": "x"})
    found, report = talks(READER, packed)
    assert [t.source.uuid for t in found] == both and {t.source.path for t in found} == {packed}
    named = written(tmp_path, tea().raw, name="chats.json")
    assert [t.source.uuid for t in talks(READER, named)[0]] == [GPT], "a file that is named may be called anything"
    assert {sniff(p) for p in (tmp_path / "a", packed, named)} == {"chatgpt"}


def test_what_is_no_export_is_said_with_what_to_do(tmp_path: Path) -> None:
    chat = Chat()
    chat.add("1", "human", "Hello")
    path = written(tmp_path, chat.raw)
    with pytest.raises(
        MemagentError, match=r"conversations.json is an export of Claude.ai, not of ChatGPT.*import claude-ai"
    ):
        talks(READER, path)
    (tmp_path / "empty").mkdir()
    for bad, said in (
        (tmp_path / "empty", "There is no conversations.json in"),
        (tmp_path / "gone.zip", "There is no file"),
        (zipped(tmp_path / "photos.zip", photo__png=b"x"), "There is no conversations.json in"),
    ):
        with pytest.raises(MemagentError, match=said):
            talks(READER, bad)
    (tmp_path / "torn.zip").write_bytes(zipped(tmp_path / "x.zip", conversations__json=[tea().raw]).read_bytes()[:200])
    with pytest.raises(MemagentError, match=r"torn\.zip is damaged"):
        talks(READER, tmp_path / "torn.zip")


def test_of_a_zip_that_is_damaged_inside_what_can_be_unpacked_comes(tmp_path: Path) -> None:
    trees = []
    for n in range(300):
        tree = Tree(uuid(str(n)), f"T{n}")
        tree.add(f"a{n}", "user", " ".join(str(n * i * i) for i in range(900)))
        trees.append(tree.raw)
    path = zipped(tmp_path / "export.zip", conversations__json=trees)
    data = bytearray(path.read_bytes())
    for i in range(len(data) * 3 // 4, len(data) * 3 // 4 + 40):
        data[i] ^= 0x5A
    path.write_bytes(data)
    found, report = talks(READER, path)
    assert 50 < len(found) < 300
    assert {name for name, *_ in report.bad} == {"export.zip: conversations.json"}
    assert any("cannot be read from here on" in why for *_, why in report.bad)


def test_a_short_id_tells_no_message_from_that_of_another_conversation(tmp_path: Path) -> None:
    raws = []
    for name in ("x", "y"):
        tree = Tree(uuid(name))
        key = tree.add("1", "user", "Hi")
        tree.nodes[key]["message"]["id"] = "1"
        raws.append(tree.raw)
    found, _ = talks(READER, written(tmp_path, *raws))
    assert len({records(talk)[0].id for talk in found}) == 2


def test_a_zip_under_a_password_is_said(tmp_path: Path) -> None:
    data = bytearray(zipped(tmp_path / "x.zip", conversations__json=[tea().raw]).read_bytes())
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + at] |= 1
    (tmp_path / "locked.zip").write_bytes(data)
    with pytest.raises(OSError, match=r"locked\.zip: conversations\.json cannot be unpacked.*encrypted"):
        talks(READER, tmp_path / "locked.zip")


def test_a_folder_of_zips_is_one_export_and_that_of_another_beside_it_is_left(tmp_path: Path) -> None:
    chat, other = Chat(), Tree(uuid("other"), "Rain")
    chat.add("1", "human", "Hello")
    other.add("9", "user", "Rain?")
    zipped(tmp_path / "a.zip", conversations__json=[tea().raw])
    zipped(tmp_path / "b.zip", conversations__json=[other.raw, chat.raw])
    zipped(tmp_path / "c.zip", conversations__json=[chat.raw])
    zipped(tmp_path / "photos.zip", photo__png=b"x")
    found, report = talks(READER, tmp_path)
    assert [t.title for t in found] == ["Tea in Tokyo", "Rain"]
    assert [why for *_, why in report.bad] == ["a conversation of Claude.ai"]
    assert [t.title for t in talks(CLAUDE, tmp_path)[0]] == ["Tea in Tokyo"]


def test_a_folder_that_is_named_like_a_file_and_an_empty_file_are_survived(tmp_path: Path) -> None:
    (tmp_path / "conversations.json").mkdir()
    with pytest.raises(MemagentError, match=r"There is no conversations\.json in"):
        talks(READER, tmp_path)
    written(tmp_path / "conversations.json", tea().raw, name="conversations-000.json")
    (tmp_path / "conversations.json" / "conversations-001.json").write_bytes(b"")
    assert len(talks(READER, tmp_path)[0]) == len(talks(READER, tmp_path / "conversations.json")[0]) == 1


def test_a_message_of_many_million_characters_is_one(tmp_path: Path) -> None:
    tree = tea()
    tree.add("3", "user", "x\n" * 6_400_000)
    tree.add("4", "assistant", "Long.")
    (talk,), report = talks(READER, written(tmp_path, tree.raw, tree.raw | {"id": "b" * 20, "conversation_id": GPT}))
    assert [len(r.content) for r in records(talk) if isinstance(r, UserMessage)] == [28, 12_800_000]
    assert not report.bad and report.skipped == {"the same conversation again": 1}
