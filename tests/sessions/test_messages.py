from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.messages import (
    Again,
    AssistantMessage,
    Marker,
    ToolCall,
    ToolMessage,
    Unknown,
    Usage,
    UserMessage,
    from_json,
    to_json,
)

AT = "2026-11-29T17:14:08.123Z"
CALLS = (
    ToolCall("call-7", "recall_memory", {"query": "Tokyo"}, None, "toolu_1"),
    ToolCall("call-8", "get_weather", None, "{not json", None),
)
RECORDS = [
    UserMessage("a", AT, 3, "I live in Tokyo", "Sarah", ((0, 15),), ({"kind": "file", "name": "x"},), "off", "p"),
    UserMessage("b", AT, 3, "pasted", typed=()),
    UserMessage("f", AT, 3, "I live in Tokyo", again=(Again("a", AT, 0, 15),)),
    AssistantMessage(
        "c", AT, 3, "Hi", "hm", CALLS, "guide", "guide", {"x": 1}, Usage(4, 5, 1), 812, 230, 99, "tool_calls"
    ),
    ToolMessage("d", AT, 3, "call-7", "recall_memory", "text", False, 2, ("lives-in-tokyo",), (7,), {"path": "p"}),
    Marker("e", AT, "turn_end", {"turn": 3, "stop": "stop", "usage": {"input": 1, "output": 2}, "ms": 3}),
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.id)
def test_a_record_survives_its_own_line(record):
    assert from_json(json.loads(json.dumps(to_json(record)))) == record


@pytest.mark.parametrize("record", RECORDS[:5], ids=lambda r: r.id)
def test_keys_of_a_newer_program_are_kept(record):
    line = to_json(record) | {"mood": {"deep": [1, 2]}}
    assert to_json(from_json(line)) == line


@pytest.mark.parametrize(
    "line",
    [
        {"v": 2, "id": "x", "role": "user", "at": AT, "turn": 1, "content": "from the future"},
        {"v": 1, "id": "x", "erased": True},
        {"v": 1, "id": "x", "role": "dream", "at": AT},
        {"role": "user"},
        {"v": 1, "id": "x", "role": "tool", "at": AT, "turn": 1, "content": "no call id"},
    ],
)
def test_what_it_does_not_know_is_kept_byte_for_byte(line):
    record = from_json(line)
    assert isinstance(record, Unknown)
    assert to_json(record) == line


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
keys = st.sampled_from([*to_json(RECORDS[0]), *to_json(RECORDS[2]), *to_json(RECORDS[3]), "kind", "erased"])
roles = st.sampled_from(["user", "assistant", "tool", "marker", "x", [], {}, None])


@given(st.dictionaries(keys, json_values), roles)
def test_no_value_of_any_type_makes_a_line_unreadable(values, role):
    record = from_json({"v": 1, "id": "x", "at": AT} | values | {"role": role})
    json.dumps(to_json(record))
