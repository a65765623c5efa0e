from __future__ import annotations

import json
from contextlib import closing

from sessions.messages import AssistantMessage, Marker, ToolMessage, Unknown, UserMessage, from_json
from sessions.paths import HomePaths, make_home
from sessions.store.export import export, file_name
from sessions.store.log import LogWriter, read_log
from sessions.store.meta import derive

ID = "20261129-171408-7f3a9c"
AT = "2026-11-29T17:14:08.000Z"


def exported(tmp_path, *records):
    paths = HomePaths(tmp_path, tmp_path / "config.toml")
    make_home(paths)
    with closing(LogWriter.create(paths, ID, Marker("m0", AT, "session", {"cwd": "/work", "model": "m1"}))) as log:
        for record in records:
            log.append(record)
    return paths


def test_a_session_reads_as_a_document(tmp_path):
    paths = exported(
        tmp_path,
        UserMessage("u1", AT, 1, "What's\nthe weather?", name="Ann"),
        AssistantMessage("a1", AT, 1, "", model="m1"),
        ToolMessage("t1", AT, 1, "c1", "get_weather", "```\n21\n```", ok=False),
        AssistantMessage("a2", AT, 1, "It is **21**.", model="m1"),
        Marker("m1", AT, "compaction", {"content": "Short."}),
    )
    text = export(paths, ID, "md")
    assert text.startswith("# What's\n") or text.startswith("# What's the weather?\n")
    assert "Sunday 29 November 2026 · /work · m1 · session " + ID in text
    assert "## Ann · " in text and "What's\nthe weather?" in text
    assert "**get_weather** (failed)\n\n````\n```\n21\n```\n````\n" in text
    assert "## Answer" in text and "It is **21**." in text
    assert "*Earlier, in short:*\n\nShort." in text


def test_erased_lines_are_named(tmp_path):
    paths = exported(tmp_path, Unknown({"v": 1, "id": "u1", "erased": True}, "erased"))
    assert "*erased*" in export(paths, ID, "md")


def test_lines_come_back_as_the_same_records_with_large_results_whole(tmp_path):
    big = "long " * 20_000
    paths = exported(tmp_path, UserMessage("u1", AT, 1, "Hi \u2028 there"), ToolMessage("t1", AT, 1, "c1", "read", big))
    lines = export(paths, ID, "jsonl").split("\n")
    records = [from_json(json.loads(line)) for line in lines if line]
    log = read_log(paths.session_log(ID)).records
    assert records[:2] == log[:2]
    assert records[2].content == big and records[2].file is None


def test_the_name_of_the_file_says_when_and_what(tmp_path):
    paths = exported(tmp_path, UserMessage("u1", AT, 1, "What's the weather in Köln?"))
    meta = derive(ID, read_log(paths.session_log(ID)).records)
    assert file_name(meta, "md") == "2026-11-29-what-s-the-weather-in-köln.md"
