from __future__ import annotations

import json

import pytest

from sessions.providers.sse import EventReader

EVENTS = [{"a": "é 東京 👍"}, {"b": [1, {"c": "\n\\n"}]}, {"d": "data: x"}]


def sse(end: bytes = b"\n", prefix: bytes = b"data: ") -> bytes:
    lines = [prefix + json.dumps(e, ensure_ascii=False).encode() + end + end for e in EVENTS]
    return b": hello" + end + end + b"event: message" + end + b"".join(lines) + b"data: [DONE]" + end + end


def read(*pieces: bytes) -> tuple[list, EventReader]:
    reader = EventReader()
    events = [e for piece in pieces for e in reader.feed(piece)]
    return events + reader.close(), reader


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("prefix", [b"data: ", b"data:", b"data:   "])
def test_a_stream_split_at_any_byte_gives_the_same_objects(end, prefix):
    whole = sse(end, prefix)
    for at in range(len(whole) + 1):
        events, reader = read(whole[:at], whole[at:])
        assert events == EVENTS, at
        assert reader.done
    assert read(*(bytes([b]) for b in whole))[0] == EVENTS


def test_the_last_line_needs_no_line_end():
    assert read(b'data: {"a": 1}\n\ndata: {"b": 2}')[0] == [{"a": 1}, {"b": 2}]
    assert read(b'data: {"a": 1}\ndata: {"b": 2}\n')[0] == [{"a": 1}, {"b": 2}]


def test_an_object_over_several_data_lines_is_one():
    assert read(b'data: {"a":\ndata: [1,\ndata: 2]}\n\n')[0] == [{"a": [1, 2]}]


def test_a_broken_object_costs_only_itself():
    assert read(b'data: {"a": 1\n\ndata: {"b": 2}\n\ndata: 7\n\ndata: "x"\n\n')[0] == [{"b": 2}]


def test_broken_utf8_costs_only_its_letters():
    assert read(b'data: {"a": "x\xff\xe6y"}\n\n')[0] == [{"a": "x\ufffd\ufffdy"}]


def test_a_byte_order_mark_is_skipped():
    assert read(b'\xef\xbb\xbfdata: {"a": 1}\n\n')[0] == [{"a": 1}]


def test_an_event_named_error_is_an_error():
    assert read(b'event: error\ndata: {"message": "full"}\n\ndata: {"a": 1}\n\n')[0] == [
        {"error": {"message": "full"}},
        {"a": 1},
    ]
    assert read(b"event: error\ndata: out of memory\n\n")[0] == [{"error": {"message": "out of memory"}}]
    assert read(b'error: {"code": 500, "message": "slot"}\n\n')[0] == [{"error": {"code": 500, "message": "slot"}}]


def test_a_document_instead_of_a_stream_is_one_object():
    assert read(b'{"a": 1}')[0] == [{"a": 1}]
    assert read(b'{\n  "a": {\n "b": 1}\n}\n')[0] == [{"a": {"b": 1}}]


def test_what_is_no_event_is_told():
    events, reader = read(b"<html>\n<body>Sign in</body>\n")
    assert events == []
    assert reader.stray == "<html>\n<body>Sign in</body>"


def test_a_line_of_megabytes_in_small_pieces_is_read_once():
    text = "x" * 3_000_000
    line = b"data: " + json.dumps({"a": text}).encode() + b"\n"
    events, _ = read(*(line[i : i + 1000] for i in range(0, len(line), 1000)))
    assert events == [{"a": text}]


def test_an_object_nested_too_deep_is_skipped():
    assert read(b"data: " + b'{"a":' * 200_000 + b"\n\ndata: {}\n\n")[0] == [{}]
