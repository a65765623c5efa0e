from __future__ import annotations

import json
import random
import sys

import pytest

from sessions.errors import StoreError
from sessions.importers import zst
from sessions.importers.base import Head
from sessions.importers.codex import READER
from sessions.messages import AssistantMessage
from tests.sessions.importers.codex_files import CWD, NAME, SESSION, Tape, read

LONG = "call_0123456789abcdef"


@pytest.fixture
def tape():
    return Tape()


def test_sessions_in_use_archived_and_compressed_are_found_once(tape, tmp_path):
    tape.user("One")
    path = tape.write(tmp_path)
    packed = tmp_path / "archived_sessions" / f"{NAME}.zst"
    packed.parent.mkdir()
    packed.write_bytes(b"x")
    other = packed.with_name(NAME.replace("6666", "7777"))
    other.write_bytes(tape.data())
    (tmp_path / "sessions" / "history.jsonl").write_text("{}\n")
    (tmp_path / "sessions" / NAME).mkdir()
    assert READER.roots({"CODEX_HOME": str(tmp_path)}, tmp_path / "ada") == [tmp_path]
    assert READER.roots({}, tmp_path) == []
    assert sorted(s.path for s in READER.find([tmp_path])) == sorted([path, other])
    assert READER.at(tmp_path / "sessions" / "history.jsonl") is None
    assert READER.at(tmp_path / "sessions" / NAME) is None
    path.write_text('{"role":"user"}\n' * 2 + "no\n")
    assert READER.at(tape.write(tmp_path)) is not None


def test_the_head_and_the_last_title_of_the_index(tape, tmp_path):
    tape.user("Build it")
    path = tape.write(tmp_path)
    source = READER.at(path)
    assert source is not None
    assert READER.head(source) == Head("Build it", CWD, "2026-03-02T08:00:00.000Z", "Build it", "gpt-5-codex")
    lines = [{"id": SESSION, "thread_name": name, "updated_at": "x"} for name in ("First", "Last", "  ", None)]
    (tmp_path / "session_index.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines) + "broken")
    assert READER.head(source).title == read(path)[1].title == "Last"
    (tmp_path / "session_index.jsonl").write_text(json.dumps({"id": SESSION, "thread_name": "Later"}))
    assert READER.head(source).title == "Later"
    assert READER.resume_command(source.uuid, CWD) == f"codex resume {SESSION}"


def test_a_compressed_session_is_read_like_any_other(tape, tmp_path):
    packer = pytest.importorskip("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    tape.user("One")
    for seed in range(40):
        tape.answer(random.Random(seed).randbytes(50_000).hex())
    path = tape.write(tmp_path)
    records, reading = read(path)
    packed = path.with_name(f"{NAME}.zst")
    halves = path.read_bytes()[:3_000_000], path.read_bytes()[3_000_000:]
    data = b"".join(map(packer.compress, halves))
    packed.write_bytes(data)
    path.unlink()
    assert [s.path for s in READER.find([tmp_path])] == [packed]
    again, same = read(packed)
    assert again == records and (same.size, same.leaf) == (reading.size, reading.leaf)
    assert READER.head(same.source).first == "One"
    steps: list[int] = []
    list(READER.read(same.source, None, steps.append).records)
    assert steps[-1] == len(data)
    packed.write_bytes(data[: len(data) // 2])
    cut = read(packed)[0]
    assert cut[0] == records[0] and isinstance(cut[1], AssistantMessage)
    assert len(cut[1].content) > 1_000_000
    packed.write_bytes(b"not zstandard")
    assert READER.at(packed) is None


def test_without_the_package_a_compressed_session_names_the_file_and_what_to_install(tape, tmp_path, monkeypatch):
    packed = tape.write(tmp_path).with_name(f"{NAME}.zst")
    packed.write_bytes(b"x")
    monkeypatch.setattr(zst, "_MODULES", ("there_is_none",))
    source = READER.at(packed)
    assert source is not None and READER.head(source) == Head()
    with pytest.raises(StoreError, match=r"(?s)zst\).*memagent-tui\[zstd\]"):
        READER.read(source)


# Sessions that grow.
