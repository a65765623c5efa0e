from __future__ import annotations

import json
import os
import threading
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.clock import FixedClock, SystemClock, parse_iso
from sessions.errors import LockedError, StoreError
from sessions.messages import Marker, ToolCall, Unknown, UserMessage, to_json
from sessions.store.locks import FileLock
from sessions.store.log import LogWriter, append_meta, held_elsewhere, read_log
from sessions.store.sidefiles import full_content
from tests.sessions.store.records import AT, SESSION, answer, first, home, result, user


@pytest.fixture
def paths(tmp_path):
    return home(tmp_path / "home")


@pytest.fixture
def log(paths):
    writer = LogWriter.create(paths, SESSION, first())
    yield writer
    writer.close()


def line(record) -> bytes:
    return json.dumps(to_json(record), ensure_ascii=False).encode() + b"\n"


def ids_of(read) -> list[str]:
    return [r.raw.get("id", "?") if isinstance(r, Unknown) else r.id for r in read.records]


def test_what_is_appended_is_read_back_with_the_offset_of_its_line(log):
    written = [log.append(user("u1", "Grüße, 東京 \u2028 next")), log.append(answer("a1", "Hi"), sync=True)]
    read = read_log(log.path)
    assert read.records[1:] == written
    assert read.problems == [] and read.size == log.path.stat().st_size
    raw = log.path.read_bytes()
    assert [json.loads(raw[o:].split(b"\n")[0])["id"] for o in read.offsets] == ["first", "u1", "a1"]


def test_files_and_folders_are_private(log, paths):
    log.append(result("t1", "x" * 70_000))
    assert log.path.stat().st_mode & 0o777 == 0o600
    assert paths.session_files(SESSION).stat().st_mode & 0o777 == 0o700


def test_a_log_appears_with_its_first_line_in_it_and_never_twice(log, paths):
    assert ids_of(read_log(log.path)) == ["first"]
    log.close()
    with pytest.raises(StoreError, match="exists already"):
        LogWriter.create(paths, SESSION, first())


def test_a_missing_session_is_named_and_not_made(paths):
    for call in (
        lambda: LogWriter.open(paths, SESSION),
        lambda: append_meta(paths, SESSION, {"title": "x"}, SystemClock()),
    ):
        with pytest.raises(StoreError, match=r"no such session.*7f3a9c\.jsonl"):
            call()
    assert list(paths.sessions.iterdir()) == []


def test_a_second_writer_waits_and_is_told_that_the_session_is_held(log, paths):
    with pytest.raises(LockedError):
        LogWriter.open(paths, SESSION, wait_s=0.05)
    log.close()
    LogWriter.open(paths, SESSION).close()


def test_a_session_held_by_this_program_is_not_held_elsewhere(log, paths):
    assert not held_elsewhere(paths, SESSION)
    assert not held_elsewhere(paths, "20261129-171408-000000")


def test_a_closed_writer_refuses_and_closes_twice(log):
    log.close()
    log.close()
    with pytest.raises(StoreError, match="closed"):
        log.append(user("u1", "late"))


def test_a_torn_tail_is_closed_before_the_next_line_and_reported(log, paths):
    log.append(user("u1", "kept"))
    log.close()
    with log.path.open("ab") as file:
        file.write(b'{"v":1,"id":"torn","role":"us')
    before = read_log(log.path)
    assert ids_of(before) == ["first", "u1"]
    assert [(p.line, p.why) for p in before.problems] == [(3, "the last line is unfinished")]
    assert before.size == before.problems[0].offset
    again = LogWriter.open(paths, SESSION)
    again.append(user("u2", "fresh"))
    again.close()
    after = read_log(log.path)
    assert ids_of(after) == ["first", "u1", "u2"]
    assert [(p.line, p.why) for p in after.problems] == [(3, "no JSON object")]


def test_a_follower_takes_what_is_new_and_waits_for_the_rest_of_a_line(log):
    read = read_log(log.path)
    whole = line(user("u1", "half now, half later"))
    with log.path.open("ab", buffering=0) as file:
        file.write(whole[:20])
        half = read_log(log.path, read.size)
        file.write(whole[20:-1])
        nearly = read_log(log.path, half.size)
        file.write(whole[-1:])
    assert (half.records, half.problems, half.size) == ([], [], read.size)
    assert ids_of(nearly) == ["u1"]
    rest = read_log(log.path, nearly.size)
    assert (rest.records, rest.problems) == ([], [])
    log.append(user("u2", "x"))
    assert ids_of(read_log(log.path, rest.size)) == ["u2"]


def test_a_limited_read_stops_after_a_whole_line_and_goes_on_from_there(log):
    for n in range(5):
        log.append(user(f"u{n}", "x" * 100))
    seen, at = [], 0
    while at < log.path.stat().st_size:
        part = read_log(log.path, at, limit=150)
        assert 0 < len(part.records) <= 2
        seen += ids_of(part)
        at = part.size
    assert seen == ["first", "u0", "u1", "u2", "u3", "u4"]


ONE, TWO = line(user("one", "1")), line(user("two", "2"))


@pytest.mark.parametrize(
    ("data", "ids", "problems"),
    [
        (ONE + b"garbage\n" + TWO, ["one", "two"], 1),
        (ONE + b"\0" * 5000 + TWO, ["one", "two"], 1),
        (ONE + b"\0" * 5000 + b"\n" + TWO, ["one", "two"], 1),
        (ONE[:-1] + TWO, ["one", "two"], 1),
        (ONE[:30] + TWO, ["two"], 1),
        (ONE[:-8] + b"\0" * 9 + TWO + ONE, ["two", "one"], 1),
        (b"\n\n" + ONE + b"  \r\n" + TWO, ["one", "two"], 0),
        (ONE[:-1] + b"\r\n" + TWO, ["one", "two"], 0),
        (b"[" * 100_000 + b"\n" + TWO, ["two"], 1),
        (b'{"v":1,"id":"x","n":' + b"9" * 5000 + b"}\n" + TWO, ["two"], 1),
        (b"[1]\n3\nnull\n" + TWO, ["two"], 3),
        (ONE.replace(b'"1"', b'"\xff\xfe"') + TWO, ["one", "two"], 1),
        (b'{"v":' * 30_000 + b"\n" + TWO, ["two"], 1),
        (ONE.replace(b'"1"', b'"a\tb\0c"') + TWO, ["one", "two"], 0),
        (b"", [], 0),
        (b"\0" * 4096, [], 1),
    ],
)
def test_damage_is_survived_counted_and_reported(tmp_path, data, ids, problems):
    path = tmp_path / "log.jsonl"
    path.write_bytes(data)
    read = read_log(path)
    assert ids_of(read) == ids
    assert len(read.problems) == problems


def test_a_record_inside_another_ones_arguments_is_not_taken_for_a_line(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"v":1,"id":"a","tool_calls":[{"arguments":{"v":1,"id":"x","n":1}}],"content":"to' + TWO)
    assert ids_of(read_log(path)) == ["two"]


def test_a_line_is_json_for_every_reader_also_with_numbers_that_json_does_not_have(log):
    call = ToolCall("c1", "sum", {"a": float("inf"), "b": [float("nan"), 1.5]})
    kept = log.append(replace(answer("a1", "Adds."), tool_calls=(call,)))

    def refuse(name: str) -> None:
        raise AssertionError(name)

    line = json.loads(log.path.read_text().splitlines()[-1], parse_constant=refuse)
    assert line["tool_calls"][0]["arguments"] == {"a": "Infinity", "b": ["NaN", 1.5]}
    assert kept.tool_calls[0].arguments == line["tool_calls"][0]["arguments"], "as a reader gets it"


def test_lone_surrogates_are_replaced_on_the_way_in_and_on_the_way_out(log):
    written = log.append(user("u1", "bad \ud83d end"))
    assert written.content == "bad \ufffd end"
    with log.path.open("ab") as file:
        file.write(
            b'{"v":1,"id":"u2","at":"%s","role":"user","turn":1,"content":"\\ud800 \\ud83d\\ude00"}\n' % AT.encode()
        )
    read = read_log(log.path)
    assert [r.content for r in read.records[1:]] == ["bad \ufffd end", "\ufffd \U0001f600"]


def test_a_line_of_twelve_megabytes_is_written_and_read(log):
    log.append(user("big", "é" * 6_000_000))
    log.append(user("next", "small"))
    read = read_log(log.path)
    assert ids_of(read) == ["first", "big", "next"]
    assert len(read.records[1].content) == 6_000_000


def test_a_write_that_the_system_cuts_short_is_continued(log, monkeypatch):
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, bytes(data)[:7]))
    log.append(user("u1", "a line longer than seven bytes"))
    assert ids_of(read_log(log.path)) == ["first", "u1"]


def test_a_full_disk_is_said_with_the_files_name_and_the_next_line_is_whole(log, monkeypatch):
    real = os.write

    def full(fd, data):
        real(fd, bytes(data)[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StoreError, match=r"No space left on device.*7f3a9c\.jsonl"):
        log.append(user("u1", "lost"))
    monkeypatch.undo()
    log.append(user("u2", "kept"))
    assert ids_of(read_log(log.path)) == ["first", "u2"]


def test_a_large_result_is_kept_beside_the_log_with_its_beginning_in_the_line(log, paths):
    content = "起" * 40_000
    written = log.append(result("t1", content))
    assert read_log(log.path).records[1] == written
    assert content.startswith(written.content) and 0 < len(written.content.encode()) <= 8192
    assert written.file["bytes"] == 120_000
    assert (paths.session_files(SESSION) / written.file["path"]).read_text() == content
    assert full_content(paths, SESSION, written) == content


def test_a_result_of_64_kb_stays_in_its_line(log, paths):
    assert log.append(result("t1", "x" * 65_536)).file is None
    assert log.append(result("t2", "x" * 65_537)).file is not None


@pytest.mark.parametrize("path", ["../first.jsonl", "/etc/passwd", "a/b.txt", 7])
def test_a_side_file_is_never_read_from_outside_its_folder(paths, path):
    assert full_content(paths, SESSION, result("t1", "stub", file={"path": path})) == "stub"


def test_a_log_begun_by_a_newer_program_is_read_only(paths):
    path = paths.session_log(SESSION)
    path.write_bytes(b'{"v":2,"id":"first","role":"marker","at":"x","kind":"session"}\n' + ONE)
    read = read_log(path)
    assert read.newer and ids_of(read) == ["first", "one"]
    for call in (
        lambda: LogWriter.open(paths, SESSION),
        lambda: append_meta(paths, SESSION, {"title": "x"}, SystemClock()),
    ):
        with pytest.raises(StoreError, match="newer"):
            call()


def test_a_newer_line_in_the_middle_is_kept_and_noticed(log):
    with log.path.open("ab") as file:
        file.write(b'{"v":2,"id":"n","role":"user"}\n')
    log.append(user("u1", "still writable"))
    read = read_log(log.path)
    assert ids_of(read) == ["first", "n", "u1"] and not read.newer
    assert [p.why for p in read.problems] == ["written by a newer program (version 2)"]


def test_a_title_is_appended_while_the_session_is_held(log, paths):
    clock = FixedClock(parse_iso(AT))
    append_meta(paths, SESSION, {"title": "Tokyo"}, clock)
    log.append(user("u1", "goes on"))
    read = read_log(log.path)
    meta = read.records[1]
    assert isinstance(meta, Marker) and (meta.kind, meta.at, meta.data) == ("meta", AT, {"title": "Tokyo"})
    assert ids_of(read)[2:] == ["u1"]


def test_threads_append_whole_lines(log):
    def write(name: str) -> None:
        for n in range(50):
            log.append(user(f"{name}{n}", "x" * 500))

    threads = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    read = read_log(log.path)
    assert read.problems == [] and len(set(ids_of(read))) == 151


def test_the_lock_files_stay(log, paths):
    log.append(user("u1", "x"))
    log.close()
    assert sorted(p.name for p in paths.locks.iterdir()) == [f"append-{SESSION}.lock", f"session-{SESSION}.lock"]
    with FileLock(paths.locks / f"session-{SESSION}.lock"):
        pass
    assert len(list(paths.locks.iterdir())) == 2


LINES = [line(user(f"m{n}", text)) for n, text in enumerate(["a", '{"v":1,"id":"z"}', "\u2028 é", "x" * 300])]
SPLICE = st.binary(max_size=40) | st.sampled_from([b"\0" * 30, b"\n", b"{", b'{"v":', b'"', ONE[:20], TWO, b"\\ud800"])


@given(st.lists(st.tuples(st.integers(0, len(b"".join(LINES))), st.integers(0, 60), SPLICE), max_size=4))
def test_whatever_is_cut_out_or_spliced_in_intact_lines_are_kept(tmp_path_factory, wounds):
    data = b"".join(LINES)
    for at, gone, new in wounds:
        data = data[:at] + new + data[at + gone :]
    path = tmp_path_factory.getbasetemp() / "wounded.jsonl"
    path.write_bytes(data)
    read = read_log(path)
    kept = {r.id: r.content for r in read.records if isinstance(r, UserMessage)}
    for n, intact in enumerate(LINES):
        if intact in data and (data.startswith(intact) or b"\n" + intact in data):
            assert kept[f"m{n}"] == json.loads(intact)["content"]
    for record in read.records:
        json.dumps(to_json(record), ensure_ascii=False).encode()
