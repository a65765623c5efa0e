from __future__ import annotations

import os

import pytest

from sessions.importers.base import Head
from sessions.importers.claude_code import READER
from tests.sessions.importers.claude_files import CWD, SESSION, Chain, put, read, text


@pytest.fixture
def chain():
    return Chain()


def test_roots_are_what_the_variable_names_or_both_usual_folders(tmp_path):
    for name in ("one", ".claude", ".config/claude"):
        (tmp_path / name / "projects").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "one")
    assert READER.roots({}, tmp_path) == [tmp_path / ".claude", tmp_path / ".config" / "claude"]
    named = {"CLAUDE_CONFIG_DIR": f"{tmp_path}/one, {tmp_path}/link,~/nowhere"}
    assert READER.roots(named, tmp_path) == [tmp_path / "one"]


def test_folders_named_like_sessions_and_empty_files_are_none(chain, tmp_path):
    chain.user("u1")
    path = chain.write(tmp_path)
    (path.parent / "folder.jsonl").mkdir()
    put(tmp_path, b"", "empty.jsonl")
    assert [s.path for s in READER.find([tmp_path, tmp_path / "nowhere"])] == [path]
    assert READER.at(path.parent / "folder.jsonl") is None
    assert READER.at(path.parent / "empty.jsonl") is None
    assert READER.at(put(tmp_path, b'{"role":"user","content":"x"}\n', "ours.jsonl")) is None


def test_the_folder_is_told_by_the_first_line_of_the_conversation(chain, tmp_path):
    chain.user("s1", "x", isSidechain=True, under=None, cwd="/elsewhere")
    chain.user("u1", under=None, cwd="/home/ada/my_app.x")
    chain.answer("a1", "Hi", cwd="/home/ada/later")
    path = chain.write(tmp_path)
    _, reading = read(path)
    source = READER.at(path)
    assert source is not None
    assert (reading.cwd, READER.head(source).cwd) == ("/home/ada/my_app.x",) * 2
    assert (
        READER.resume_command(source.uuid, "/home/ada/my app") == f"cd '/home/ada/my app' && claude --resume {SESSION}"
    )
    assert READER.resume_command(source.uuid, "") == f"claude --resume {SESSION}"


def test_the_head_tells_title_folder_time_words_and_model(chain, tmp_path):
    chain.about("file-history-snapshot", messageId="x", snapshot={})
    chain.user("u1", "Build it\nnow")
    chain.answer("a1", "Yes")
    source = READER.at(chain.write(tmp_path))
    assert source is not None
    assert READER.head(source) == Head("Build it now", CWD, "2026-03-02T08:00:01.000Z", "Build it\nnow", "claude-opus")
    chain.about("custom-title", customTitle="Mine")
    for _ in range(3_000):
        chain.about("progress", data="x" * 100)
    chain.about("ai-title", aiTitle="The model's")
    path = chain.write(tmp_path)
    source = READER.at(path)
    assert source is not None
    assert READER.head(source).title == "The model's"
    assert read(path)[1].title == "Mine"


def test_the_head_of_a_session_that_begins_with_a_large_line(chain, tmp_path):
    chain.user("u1", [{"type": "image", "source": {"type": "base64", "data": "A" * 1_000_000}}, text("What is it?")])
    source = READER.at(chain.write(tmp_path))
    assert source is not None and READER.head(source).first.endswith("What is it?")


def test_a_file_that_is_gone_cannot_be_opened(chain, tmp_path):
    chain.user("u1")
    path = chain.write(tmp_path)
    source = READER.at(path)
    os.unlink(path)
    assert source is not None
    with pytest.raises(FileNotFoundError):
        READER.read(source)
