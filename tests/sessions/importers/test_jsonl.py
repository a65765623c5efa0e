from __future__ import annotations

import json
import time

import pytest

from sessions.importers.base import Report
from sessions.importers.claude_lines import is_record
from sessions.importers.jsonl import Lines
from sessions.messages import Marker
from tests.sessions.importers import claude_files, codex_files


def said(text):
    content = [{"type": "text", "text": text}]
    return {"type": "user", "parentUuid": None, "uuid": "u1", "message": {"content": content}}


ONE = said("Grüße\u2028東")
TWO = {"type": "user", "parentUuid": "u1", "uuid": "u2", "message": {"content": "Two", "type": "message"}}


def line(raw) -> bytes:
    return json.dumps(raw, ensure_ascii=False).encode()


def all_of(tmp_path, data: bytes, start: int = 0):
    path = tmp_path / "x.jsonl"
    path.write_bytes(data)
    report = Report()
    lines = Lines(path, is_record)
    found = [(offset, length, part, raw) for offset, length, part, raw in lines.each(start, report)]
    for offset, length, part, raw in found:
        assert lines.again(offset, length, part) == raw
    lines.close()
    return [raw for *_, raw in found], report, lines.size


def test_half_a_character_in_what_is_nested_very_deeply_raises_nothing(tmp_path):
    deep = json.dumps(ONE | {"more": "@", "half": "\ud83d"}).replace('"@"', "[" * 700 + "]" * 700).encode()
    found, report, _ = all_of(tmp_path, deep + b"\n" + line(TWO) + b"\n")
    assert found == [TWO] and report.bad_lines == 1


@pytest.mark.parametrize(
    ("data", "found", "why"),
    [
        (line(ONE), [ONE], None),
        (line(ONE) + b"\r", [ONE], None),
        (b"", [], None),
        (b"\0" * 5_000, [], "a run of NUL bytes"),
        (b"\0" * 5_000 + line(ONE), [ONE], "a run of NUL bytes beside a record"),
        (line(ONE) + line(TWO), [ONE, TWO], "several records, or parts of records, on one line"),
        (line(ONE)[:90] + line(TWO), [TWO], "several records, or parts of records, on one line"),
        (line(ONE)[:20] + line(TWO), [TWO], "several records, or parts of records, on one line"),
        (line(ONE)[40:] + line(TWO), [TWO], "several records, or parts of records, on one line"),
        (line(ONE)[:90], [], "no JSON object"),
        (b"[1, 2]", [], "no JSON object"),
        (b"[" * 100_000, [], "no JSON object"),
        (line(ONE).replace("東".encode(), b"\xff"), [said("Grüße\u2028\ufffd")], "bytes that are not UTF-8"),
    ],
)  # fmt: skip
def test_a_damaged_line_gives_what_is_whole_in_it_and_the_next_line_is_read(tmp_path, data, found, why):
    got, report, size = all_of(tmp_path, data + b"\n" + line(TWO) + b"\n")
    assert got == [*found, TWO]
    assert [(n, w) for _, n, w in report.bad] == ([(1, why)] if why else [])
    assert size == len(data) + 2 + len(line(TWO))


def test_half_a_surrogate_pair_is_replaced_so_that_it_can_be_written(tmp_path):
    found, _, _ = all_of(tmp_path, b'{"type":"user","uuid":"\\ud83d","parentUuid":"\\uDE00 \\ud83d\\ude00"}\n')
    assert found == [{"type": "user", "uuid": "\ufffd", "parentUuid": "\ufffd 😀"}]
    json.dumps(found, ensure_ascii=False).encode()


def test_an_unfinished_last_line_belongs_to_the_next_reading(tmp_path):
    first = line(ONE) + b"\n"
    found, report, size = all_of(tmp_path, first + line(TWO)[:-1])
    assert (found, size, report.bad_lines, report.lines) == ([ONE], len(first), 0, 1)
    found, _, size = all_of(tmp_path, first + line(TWO), size)
    assert (found, size) == ([TWO], len(first) + len(line(TWO)))


def test_what_is_written_while_the_file_is_read_belongs_to_the_next_reading(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(line(ONE) + b"\n")
    lines = Lines(path, is_record)
    with path.open("ab") as file:
        file.write(line(TWO) + b"\n")
    assert [raw for *_, raw in lines.each()] == [ONE]
    lines.close()


def test_a_line_of_many_megabytes_is_read_and_a_torn_one_does_not_hold_the_reader(tmp_path):
    long = {**ONE, "data": "x" * 12_800_000}
    torn = b"".join(b'{"a":' for _ in range(3_000)) + b'"' + b"x" * 3_000_000
    start = time.monotonic()
    found, report, _ = all_of(tmp_path, line(long) + b"\n" + torn + b"\n" + line(TWO) + b"\n")
    assert found == [long, TWO] and report.bad_lines == 1
    assert time.monotonic() - start < 20


def test_lines_are_found_backwards_with_their_place(tmp_path):
    path = tmp_path / "x.jsonl"
    data = line(ONE) + b"\n" + line(TWO) + b"\n"
    path.write_bytes(data + b"more")
    lines = Lines(path, is_record)
    assert [(len(data) - back, raw) for back, raw in lines.back(len(data))] == [(len(line(ONE)) + 1, TWO), (0, ONE)]
    lines.close()


def test_a_bad_line_of_what_was_added_is_counted_from_the_top_of_the_file(tmp_path):
    first = (line(ONE) + b"\n\n") * 9_000
    for start, more in ((first, b""), (first[:-1], b""), (first, line(TWO) + b"\n")):
        _, report, _ = all_of(tmp_path, first + more + b"{torn\n" + line(TWO) + b"\n", len(start))
        assert report.bad == [("x.jsonl", 18_001 + bool(more), "no JSON object")]


def test_a_line_separator_inside_a_text_ends_no_line(tmp_path):
    said = "One\u2028two\u2029three\x85four"
    chain, tape = claude_files.Chain(), codex_files.Tape()
    chain.user("u1", said)
    tape.user(said)
    chain.answer("a1", said, stop="end_turn")
    tape.answer(said)
    for made, files in ((chain, claude_files), (tape, codex_files)):
        made.lines[:] = [json.dumps(json.loads(line), ensure_ascii=False) for line in made.lines]
        records, reading = files.read(made.write(tmp_path))
        assert [r.content for r in records if not isinstance(r, Marker)] == [said, said]
        assert reading.report.lines == len(made.lines) and not reading.report.bad
