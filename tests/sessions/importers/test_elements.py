from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.importers import elements
from sessions.importers.base import Report
from sessions.importers.elements import Elements, UnreadableError

TEN: list[Any] = [{"title": f"T{i}", "mapping": {"a": {"id": "a", "n": i}}, "text": "x" * i} for i in range(10)]


def is_one(raw: dict[str, Any]) -> bool:
    return isinstance(raw.get("mapping"), dict)


def found(data: bytes) -> tuple[list[int], list[tuple[int, str]]]:
    """Numbers of those that were found; line and why of what cannot be read."""
    report = Report()
    got = [e.raw["mapping"]["a"]["n"] for e in Elements(io.BytesIO(data).read, "c.json", is_one, report)]
    return got, [(line, why) for _, line, why in report.bad]


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", b"\0\0 \n", b'{"conversations": '])
@pytest.mark.parametrize("block", [1, 7, 64, 1 << 20])
def test_each_comes_once_however_the_file_is_cut_into_blocks(
    monkeypatch: pytest.MonkeyPatch, indent: int | None, before: bytes, block: int
) -> None:
    monkeypatch.setattr(elements, "_BLOCK", block)
    data = before + json.dumps(TEN, indent=indent).encode() + (b"}" if b"{" in before else b"")
    assert found(data) == ([*range(10)], [])


@pytest.mark.parametrize(
    ("old", "new", "lost", "line"),
    [
        (b'"T4"', b'"T4', [4], 5),
        (b'"n": 4}}', b'"n": 4}', [4], 5),
        (b'"n": 4}}', b'"n": 4}}}}', [], 5),
        (b'"n": 4', b'"n": ', [4], 5),
        (b'"n": 4', b'"n": \0\0\0', [4], 5),
        (b'{"title": "T4"', b"{", [4], 5),
        (b'{"title": "T4"', b'{"title": "T4", "mapping": {"title": [', [4], 5),
        (b'"n": 4', b'"n": ' + b"[" * 100_000, [4], 5),
        (b'"n": 4', b'"n": ' + b"4" * 5_000, [4], 5),
        (b'{"title": "T4"', b'[{"title": "T4"', [], 5),
        (b'{"title": "T4"', b'7,\n null,\n {"title": "T4"', [], 5),
    ],
)
def test_of_a_damaged_file_all_others_come_and_the_place_is_named(
    old: bytes, new: bytes, lost: list[int], line: int
) -> None:
    data = json.dumps(TEN).replace("}, {", "},\n{").encode()
    assert data.count(old) == 1
    got, bad = found(data.replace(old, new))
    assert got == [n for n in range(10) if n not in lost] and bad[0][0] == line


def test_what_is_cut_at_any_byte_gives_what_is_whole_and_says_so() -> None:
    data = json.dumps(TEN[:4]).encode()
    for end in range(1, len(data)):
        got, bad = found(data[:end])
        assert got == [*range(len(got))] and len(bad) == 1, data[:end]
    assert found(b"") == ([], [(0, "the file is empty")]) and found(b"[]") == ([], [])


@pytest.mark.parametrize("data", [b"7", b'"x"', b"hello\n", b"\x89PNG\r\n\0\0", b'{"a": 1}', b"[" * 200_000])
def test_what_is_no_such_file_gives_nothing_and_says_where(data: bytes) -> None:
    got, bad = found(data)
    assert got == [] and bad[0][0] == 1


def test_odd_characters_are_no_damage_and_bytes_that_are_none_are_told() -> None:
    one = b'{"title": "a\\ud83d b\xe2\x80\xa8c\n\x01d", "x": NaN, "y": 1e999, "mapping": {"a": {"n": 1}}}'
    assert found(b"[" + one + b"]") == ([1], [])
    got, bad = found(b"[" + one.replace(b"\\ud83d", b"\xff") + b"]")
    assert got == [1] and bad == [(0, "bytes that are not UTF-8, after 1 that can be read")]


def test_where_the_bytes_cannot_be_had_what_came_before_is_kept() -> None:
    file = io.BytesIO(json.dumps(TEN).encode()[:300])

    def read(size: int) -> bytes:
        if data := file.read(min(size, 64)):
            return data
        raise UnreadableError("it cannot be read from here on: a bad sector")

    report = Report()
    got = [e.raw["title"] for e in Elements(read, "c.json", is_one, report)]
    assert got[0] == "T0" and "a bad sector" in report.bad[0][2]


def test_a_bracket_that_is_never_closed_takes_no_more_than_one_conversation_may_hold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(elements, "_BLOCK", 1_000)
    monkeypatch.setattr(elements, "_LONGEST", 20_000)
    many = [{"title": f"T{i}", "mapping": {"a": {"n": i}}, "text": "x" * 100} for i in range(1_000)]
    data = json.dumps(many).replace('{"title": "T4"', '[{"title": "T4"', 1).encode()
    got, bad = found(data)
    assert got == [*range(1_000)] and len(bad) == 1
    monkeypatch.setattr(elements, "_BUDGET", 10_000)
    got, bad = found(data)
    assert got == [0, 1, 2, 3] and "too damaged" in bad[-1][1]


@pytest.mark.parametrize(
    ("within", "why"),
    [
        ('"text": "' + "x" * 60_000 + '"', "it is longer than 0 MB, or not closed"),
        ('"parts": [' + "[]," * 9_000 + "[]]", "it has more than 5,000 lists and objects"),
        ('"parts": ' + "[" * 3_000 + "]" * 3_000, "it is nested too deeply"),
    ],
)
def test_what_is_too_much_for_one_conversation_is_left_out_by_its_number_and_the_rest_comes(
    monkeypatch: pytest.MonkeyPatch, within: str, why: str
) -> None:
    for name, most in {"_BLOCK": 1_000, "_STEP": 8_000, "_LONGEST": 50_000, "_VALUES": 5_000}.items():
        monkeypatch.setattr(elements, name, most)
    data = json.dumps(TEN).replace("}, {", "},\n{").replace('"text": "xxxx"', within).encode()
    got, bad = found(data)
    assert got == [n for n in range(10) if n != 4] and bad == [(5, f"conversation 5: {why}")]


def test_many_small_ones_are_not_taken_for_a_large_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, most in {"_BLOCK": 100_000, "_LONGEST": 3_000, "_VALUES": 100}.items():
        monkeypatch.setattr(elements, name, most)
    many = [{"title": f"T{i}", "mapping": {"a": {"n": i}}, "parts": [[]] * 20} for i in range(500)]
    assert found(json.dumps(many).encode()) == ([*range(500)], [])


def test_where_the_memory_ends_the_rest_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    real = elements._DECODER

    class Decoder:
        def raw_decode(self, text: str, at: int) -> tuple[Any, int]:
            if text.startswith('{"title": "T4"', at):
                raise MemoryError
            return real.raw_decode(text, at)

    monkeypatch.setattr(elements, "_DECODER", Decoder())
    got, bad = found(json.dumps(TEN).encode())
    assert got == [n for n in range(10) if n != 4]
    assert bad == [(1, "conversation 5: it needs more memory than there is")]


@given(st.lists(st.tuples(st.integers(0, 10_000), st.binary(max_size=6), st.integers(0, 40)), max_size=6))
def test_no_bytes_raise(changes: list[tuple[int, bytes, int]]) -> None:
    data = json.dumps(TEN).encode()
    for at, put, cut in changes:
        data = data[: at % len(data)] + put + data[at % len(data) + cut :] if data else put
    report = Report()
    got = [e.raw for e in Elements(io.BytesIO(data).read, "c.json", is_one, report)]
    assert all(is_one(raw) for raw in got)
