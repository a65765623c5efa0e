from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sessions.messages import AssistantMessage, Marker, UserMessage
from sessions.store import tail
from sessions.store.log import lines_of, read_log
from sessions.store.tail import find_line, lines_back, read_tail
from tests.sessions.store.records import AT, answer, first, result, user
from tests.sessions.store.talks import STEPS, counting, line, talked

quickly = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def ids_of(records) -> list[str]:
    return [r.id for r in records]


@quickly
@given(data=st.lists(st.sampled_from([b"\n", b"a", b"bb", b"\r", "é".encode(), b"c" * 9])).map(b"".join))
def test_lines_from_the_end_are_the_lines_from_the_beginning(tmp_path, monkeypatch, data):
    monkeypatch.setattr(tail, "_BLOCK", 4)
    path = tmp_path / "log"
    path.write_bytes(data)
    with path.open("rb") as file:
        onward = [(o, d, c) for o, d, c in lines_of(file.fileno(), 0, len(data))]
        assert [*lines_back(file.fileno(), len(data))][::-1] == onward
        for offset, _, _ in onward:
            assert [*lines_back(file.fileno(), offset)][::-1] == [x for x in onward if x[0] < offset]


@quickly
@given(steps=STEPS, least=st.integers(0, 4000))
def test_any_part_read_from_the_end_is_a_whole_of_its_own_and_all_parts_are_the_log(tmp_path, steps, least):
    path = tmp_path / "log"
    path.write_bytes(talked(steps))
    whole = read_log(path)
    end, parts = None, []
    while end != 0:
        read = read_tail(path, end, least=least)
        parts.insert(0, read)
        if read.start:
            assert isinstance(read.records[0], UserMessage) and read.records[0].parent is None
        if end is None:
            # What counts is known without what is above.
            line_ = counting(read.records)
            assert line_ == counting(whole.records)[-len(line_) :] if line_ else not read.start
            assert read.size == whole.size
        assert end is None or read.start < end
        end = read.start
    assert [r for read in parts for r in read.records] == whole.records
    assert [o for read in parts for o in read.offsets] == whole.offsets
    assert sum(len(read.problems) for read in parts) == len(whole.problems)


@quickly
@given(steps=STEPS)
def test_what_goes_back_or_keeps_from_somewhere_is_read_with_that(tmp_path, steps):
    path = tmp_path / "log"
    path.write_bytes(talked(steps))
    read = read_tail(path, least=0)
    ids = set(ids_of(read_log(path).records))
    named = {name for r in read.records if (name := tail.names(r))} & ids
    assert named <= set(ids_of(read.records))
    if any(tail.names(r) == "" for r in read.records):
        assert read.start == 0


def test_a_torn_tail_is_reported_and_left_for_later(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(talked([("turn", 1), ("turn", 2)]) + b'{"v":1,"id":"half')
    read = read_tail(path, least=0)
    assert ids_of(read.records)[0].startswith("u2") and [p.why for p in read.problems] == [
        "the last line is unfinished"
    ]
    assert read.size == read_log(path).size and read.problems[-1].offset == read.size


def test_a_whole_last_line_without_its_line_feed_counts(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(talked([("turn", 1), ("turn", 2)])[:-1])
    read = read_tail(path, least=0)
    assert isinstance(read.records[-1], Marker) and read.size == path.stat().st_size and not read.problems


def test_reading_goes_on_to_what_was_asked_for(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(talked([("turn", 1)] * 3 + [("learned", 0)] + [("turn", 1)] * 3))
    read = read_tail(path, least=0, until=lambda r: isinstance(r, Marker) and r.kind == "distilled")
    assert [r.turn for r in read.records if isinstance(r, UserMessage)] == [3, 4, 5, 6]


def test_a_record_is_found_by_its_id_and_not_where_it_is_only_named(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(
        line(first())
        + line(Marker("m1", AT, "rewound", {"to": "a2"}))
        + line(user("u1", 'he said "a2"'))
        + line(answer("a2", "here"))
        + line(answer("a3", "x" * 100_000))
    )
    at = find_line(path, "a2")
    assert at is not None and path.read_bytes()[at:].startswith(b'{"v":1,"id":"a2"')
    assert find_line(path, "a2", at) is None
    assert find_line(path, "gone") is None
    assert find_line(path, "a3") == read_log(path).offsets[-1]


@pytest.mark.parametrize("last", [True, False])
def test_a_line_of_12_mb_costs_no_more_than_its_bytes(tmp_path, last):
    path = tmp_path / "log"
    huge = line(answer("huge", "Zürich\n" * 1_700_000, 2))
    start = talked([("turn", 1)]) + line(user("u", "all of it", 2))
    path.write_bytes(start + huge + (b"" if last else talked([("turn", 1)] * 3)))
    began = time.perf_counter()
    read = read_tail(path, least=0)
    assert time.perf_counter() - began < 2
    assert any(isinstance(r, AssistantMessage) and r.id == "huge" for r in read.records) == last


def test_the_end_of_a_large_log_is_read_without_the_rest(tmp_path: Path):
    path = tmp_path / "log"
    turn = line(user("u", "q")) + line(result("r", "x" * 60_000)) + line(Marker("e", AT, "turn_end", {"turn": 1}))
    with path.open("wb") as file:
        file.write(line(first()))
        file.truncate(1 << 30)
        file.seek(0, os.SEEK_END)
        file.write(b"\n" + turn * 30)
    read = read_tail(path)
    assert len(read.records) == 9 and read.start > 1 << 30
