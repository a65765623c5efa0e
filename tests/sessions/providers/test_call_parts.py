from __future__ import annotations

from typing import Any

import pytest

from sessions.providers.call_parts import CallParts


def put_together(*deltas: Any) -> list[tuple[str, dict | None, str | None]]:
    parts = CallParts()
    for delta in deltas:
        parts.feed(delta)
    return [(c.name, c.arguments, c.provider_id) for c in parts.calls()]


def piece(name: str | None = None, arguments: Any = None, **more: Any) -> dict[str, Any]:
    function = {k: v for k, v in {"name": name, "arguments": arguments}.items() if v is not None}
    return {"function": function} | more


AB = [("a", {"x": 1}, "1"), ("b", {"y": "z"}, "2")]
NO_IDS = [("a", {"x": 1}, None), ("b", {"y": "z"}, None)]


@pytest.mark.parametrize(
    ("deltas", "calls"),
    [
        pytest.param(
            [
                [piece("a", "", index=0, id="1")],
                [piece(None, '{"x"', index=0)],
                [piece(None, ": 1}", index=0)],
                [piece("b", "", index=1, id="2")],
                [piece(None, '{"y": "z"}', index=1)],
            ],
            AB,
            id="as OpenAI sends them",
        ),
        pytest.param(
            [
                [piece("a", "", index=0, id="1"), piece("b", "", index=1, id="2")],
                [piece(None, '{"y": ', index=1), piece(None, '{"x": ', index=0)],
                [piece(None, "1}", index=0), piece(None, '"z"}', index=1)],
            ],
            AB,
            id="interleaved",
        ),
        pytest.param(
            [[piece("a", '{"x": 1}', id="1"), piece("b", '{"y": "z"}', id="2")]], AB, id="whole, in one delta, no index"
        ),
        pytest.param([[piece("a", '{"x": 1}')], [piece("b", '{"y": "z"}')]], NO_IDS, id="no index and no id"),
        pytest.param(
            [[piece("a", '{"x": 1}', id="")], [piece("b", '{"y": "z"}', id="")]], NO_IDS, id="no index and empty ids"
        ),
        pytest.param(
            [
                [piece("a", "", id="1")],
                [piece(None, '{"x": 1}')],
                [piece("b", "", id="2")],
                [piece(None, '{"y": "z"}')],
            ],
            AB,
            id="no index, pieces follow their call",
        ),
        pytest.param(
            [
                [piece("a", "", id="1")],
                [piece("b", "", id="2")],
                [piece(None, '{"x": 1}', id="1")],
                [piece(None, '{"y": "z"}', id="2")],
            ],
            AB,
            id="no index, pieces name their id",
        ),
        pytest.param(
            [[piece("a", '{"x":', id="1")], [piece("a", " 1}", id="1")], [piece("b", '{"y": "z"}', id="2")]],
            AB,
            id="name and id repeated with each piece",
        ),
        pytest.param(
            [[piece("a", '{"x": 1}', index=0, id="1")], [piece("b", '{"y": "z"}', index=0, id="2")]],
            AB,
            id="index 0 for every call",
        ),
        pytest.param(
            [[piece("a", '{"x": 1}', index=0)], [piece("b", '{"y": "z"}', index=0)]],
            NO_IDS,
            id="index 0 for every call and no ids",
        ),
        pytest.param(
            [[piece("a", '{"x": 1}', index=0, id="1"), piece("b", '{"y": "z"}', index=1, id="1")]],
            [("a", {"x": 1}, "1"), ("b", {"y": "z"}, "1")],
            id="one id for two calls",
        ),
        pytest.param(
            [[piece("a", {"x": 1}, index=0, id="1"), piece("b", {"y": "z"}, index="1", id="2")]],
            AB,
            id="arguments as objects, index as text",
        ),
        pytest.param(
            [[{"name": "a", "arguments": '{"x": 1}', "id": "1"}], [piece("b", '"{\\"y\\": \\"z\\"}"', id="2")]],
            AB,
            id="no function object, arguments encoded twice",
        ),
        pytest.param(
            [[piece("get_", "", index=0, id="1")], [piece("weather", "{}", index=0)]],
            [("get_weather", {}, "1")],
            id="a name in pieces",
        ),
        pytest.param(
            [[piece("a", '{"x": 1}', index=0, id="1")], [piece("a", '{"x": 1}', index=0, id="")]],
            [("a", {"x": 1}, "1"), ("a", {"x": 1}, None)],
            id="the same call twice at index 0",
        ),
        pytest.param(
            [[piece("a", "", index=0, id="1")], [piece("a", '{"x": 1}', index=0, id="2")]],
            [("a", {}, "1"), ("a", {"x": 1}, "2")],
            id="index 0 for two calls of one tool, the first without arguments",
        ),
        pytest.param([[piece("a", "", index=0)]], [("a", {}, None)], id="no arguments"),
        pytest.param([[piece("a", None, index=0)], [piece("a", "null")]], [("a", {}, None)], id="null arguments"),
        pytest.param([[piece("a", "{not json", index=0)]], [("a", None, None)], id="arguments that are not JSON"),
        pytest.param([[piece("a", "[1]", index=0)]], [("a", None, None)], id="arguments that are no object"),
        pytest.param([None, "x", 3, [None, 3, "x"], [{}]], [], id="no calls at all"),
    ],
)
def test_calls_are_put_together(deltas, calls):
    assert put_together(*deltas) == calls


def test_arguments_that_are_not_json_are_kept_as_text():
    parts = CallParts()
    parts.feed([piece("a", '{"x": ', index=0)])
    assert parts.calls()[0].arguments_text == '{"x": '


def test_an_emoji_sent_as_two_escapes_stays_one():
    assert put_together([piece("a", '{"x": "\\ud83d', index=0)], [piece(None, '\\udc4d \\ud83d"}', index=0)]) == [
        ("a", {"x": "👍 \ufffd"}, None)
    ]
    assert put_together([piece("a", '{"x": "\ud83d', index=0)], [piece(None, '\udc4d"}', index=0)]) == [
        ("a", {"x": "👍"}, None)
    ]
