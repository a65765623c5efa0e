from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.lending.json_edit import change, find, put, take
from sessions.lending.json_text import read
from sessions.lending.unfit import Unfit

ENTRY = {"command": "/opt/memagent-tui", "args": ["mcp"]}
WAYS = [(("mcpServers",), "memagent"), ((), "memagent"), (("hooks", "SessionStart"), None), (("a", "b"), "memagent")]


@st.composite
def gaps(draw: st.DrawFn, newline: str) -> str:
    """What may stand between two signs."""
    n = newline
    some = ["", "", " ", "  ", n, n + "  ", n + "\t", n + n, f" // hi }}{{,{n}", "/* , } */", f" // memagent{n}   "]
    return draw(st.sampled_from(some))


@st.composite
def values(draw: st.DrawFn, newline: str, depth: int = 0) -> str:
    kind = draw(st.sampled_from("sssoa" if depth else "oooa"))
    if kind == "s" or depth > 3:
        odd = ['{"x": "}"}', "{}", "[]", "{" + newline + "}", "{ }", "[ /* x */ ]", '"a\\"}"', '"\u2028é"', "-2.5e3"]
        return draw(st.sampled_from(["1", "true", "null", *odd]))
    text = ("{" if kind == "o" else "[") + draw(gaps(newline))
    count = draw(st.integers(0, 3))
    for i in range(count):
        if kind == "o":
            name = draw(st.sampled_from(["a", "b", "mcpServers", "hooks", "SessionStart", "x"]))
            text += json.dumps(name) + draw(gaps(newline)) + ":" + draw(gaps(newline))
        text += draw(values(newline, depth + 1)) + draw(gaps(newline))
        if i < count - 1 or draw(st.integers(0, 5)) == 0:
            text += "," + draw(gaps(newline))
    return text + ("}" if kind == "o" else "]")


@st.composite
def documents(draw: st.DrawFn) -> str:
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    return draw(gaps(newline)) + draw(values(newline)) + draw(gaps(newline))


@given(documents(), st.sampled_from(WAYS))
def test_what_is_put_in_and_taken_out_leaves_the_text_as_it_was_byte_for_byte(text, where) -> None:
    way, key = where
    try:
        new, made = put(text, way, key, ENTRY)
    except Unfit as e:
        assert e.line > 0 and e.column > 0 and "belongs here" in e.why
        return
    box = find(new, way)
    assert box is not None and box.items[-1].value.python() == ENTRY
    assert take(new, way, lambda item: item.key == key and item.value.python() == ENTRY, made) == text


@given(documents(), documents())
def test_what_others_put_behind_ours_stays_when_ours_goes(text, other) -> None:
    try:
        ours, made = put(text, ("mcpServers",), "memagent", ENTRY)
        both, _ = put(ours, ("mcpServers",), "theirs", json.loads(json.dumps({"theirs": [1]})))
    except Unfit:
        return
    left = take(both, ("mcpServers",), lambda item: item.key == "memagent", made)
    servers = find(left, ("mcpServers",))
    assert servers is not None and servers.get("memagent") is None
    theirs = servers.get("theirs")
    assert theirs is not None and theirs.value.python() == {"theirs": [1]}


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ),
    st.sampled_from([None, 2, "\t"]),
)
def test_json_is_read_as_python_reads_it(value, indent) -> None:
    for ascii_only in (True, False):
        found = read(json.dumps(value, indent=indent, ensure_ascii=ascii_only))
        assert found is not None and found.python() == value


@given(st.text(alphabet='{}[]",:/*\\ \n\r1ntruea', max_size=30))
def test_broken_text_is_refused_with_its_place_and_never_crashes(text) -> None:
    try:
        found = read(text)
    except Unfit as e:
        assert e.line >= 1 and e.column >= 1 and e.why
    else:
        assert found is None or text[found.start : found.end].strip()


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', 3, 3),
        ('{"a": }', 1, 7),
        ('{"a": 1', 1, 8),
        ('{"a": "x\n"}', 1, 7),
        ("{} x", 1, 4),
        ("[1, /* ]", 1, 5),
        ("{'a': 1}", 1, 2),
        ("[" * 500, 1, 202),
    ],
)
def test_the_place_of_a_mistake_is_named(text, line, column) -> None:
    with pytest.raises(Unfit) as caught:
        read(text)
    assert (caught.value.line, caught.value.column) == (line, column)


def test_a_new_member_stands_as_the_file_is_indented() -> None:
    text = '{\r\n\t"numStartups": 3,\r\n\t"mcpServers": {},\r\n\t"z": [1] // last\r\n}'
    new, made = put(text, ("mcpServers",), "memagent", {"args": ["mcp"]})
    opened = '"mcpServers": {\r\n\t\t"memagent": {\r\n\t\t\t"args": [\r\n\t\t\t\t"mcp"\r\n\t\t\t]\r\n\t\t}\r\n\t}'
    assert new == text.replace('"mcpServers": {}', opened) and made == []
    new, made = put(text, ("hooks",), "Stop", 1)
    assert new == text.replace("[1] // last", '[1], // last\r\n\t"hooks": {\r\n\t\t"Stop": 1\r\n\t}')
    assert made == [("hooks",)]
    assert put('{"a":1}', (), "b", 2)[0] == '{"a":1, "b": 2}'
    assert put('{"a": 1,\n}', (), "b", 2)[0] == '{"a": 1,\n"b": 2,\n}'


def test_a_value_is_changed_in_its_place() -> None:
    text = '{\n  "a": {\n    "x": 1\n  }, // why\n  "b": 2\n}\n'
    root = read(text)
    assert root is not None
    item = root.get("a")
    assert item is not None
    assert change(text, item, {"x": 2}) == text.replace("1", "2")


def test_of_two_members_with_one_name_the_last_counts_and_both_go() -> None:
    text = '{"mcpServers": {"memagent": 1, "x": 2, "memagent": 3}}'
    servers = find(text, ("mcpServers",))
    assert servers is not None
    item = servers.get("memagent")
    assert item is not None and item.value.python() == 3
    assert take(text, ("mcpServers",), lambda i: i.key == "memagent") == '{"mcpServers": { "x": 2}}'
