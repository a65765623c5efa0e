from __future__ import annotations

import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.errors import FactError
from sessions.memory.fact import GROUPS, KINDS, Fact, Source, parse_fact, render_fact, slug
from sessions.memory.front_matter import load_front, split_front, with_keys
from sessions.memory.rules import check_summary, is_name, one_line

AT = datetime(2026, 11, 29, 17, 14, 8, tzinfo=UTC)
DESIGN = """+++
schema = 1
id = "9b2e"            # uuid, never changes
number = 7              # small
name = "lives-in-tokyo"
summary = "Lives in Tokyo"          # one line
kind = "preference"
scope = "user"
status = "active"
pinned = true
locked = false
created_at = 2026-11-29T17:14:08Z
updated_at = 2026-11-29T17:14:08Z
confirmed_at = 2026-11-29T17:14:08Z
related = ["prefers-celsius"]
supersedes = []
[source]
origin = "user"
session = "20261129-171408-7f3a9c"
message = "m1"
quote = "I live in Tokyo"
+++
The user lives in Tokyo. See [[prefers-celsius]].
"""


def test_the_file_of_the_design_is_read_and_written_back_with_the_same_meaning():
    fact = parse_fact(DESIGN, Path("lives-in-tokyo.md"))
    assert (fact.number, fact.name, fact.kind, fact.pinned) == (7, "lives-in-tokyo", "preference", True)
    assert fact.created_at == AT
    assert fact.source == Source("user", "20261129-171408-7f3a9c", "m1", "I live in Tokyo")
    assert fact.body == "The user lives in Tokyo. See [[prefers-celsius]]."
    text = render_fact(fact)
    assert parse_fact(text, fact.path) == fact
    assert "created_at = 2026-11-29T17:14:08Z\n" in text
    assert list(tomllib.loads(split_front(text)[0]))[:5] == ["schema", "id", "number", "name", "summary"]


def test_keys_of_a_newer_program_survive_reading_and_writing():
    text = DESIGN.replace("[source]\n", 'mood = "calm"\n[source]\nweight = 3\n').replace(
        "+++\nThe", "[later]\nx = 1\n+++\nThe"
    )
    fact = parse_fact(text, Path("a.md"))
    again = tomllib.loads(split_front(render_fact(fact))[0])
    assert (again["mood"], again["source"]["weight"], again["later"]) == ("calm", 3, {"x": 1})
    assert parse_fact(render_fact(fact), Path("a.md")) == fact


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("just a note\n", "line 1, no +++"),
        ("", "line 1, no +++"),
        ('+++\nname = "a"\n', "line 2, no closing +++"),
        ('+++\nname = "a"\nsummary = "b"\nkind preference\n+++\n', "line 4, not TOML"),
        ('+++\r\nname = "a"\r\nkind preference\r\n+++\r\n', "line 3, not TOML"),
        ('+++\nname = "a"\nname = "b"\n+++\n', "line 3, not TOML"),
        ('+++\nsummary = "b"\nkind = "mood"\n+++\n', "line 3, kind 'mood' is unknown"),
        ('+++\nsummary = "b"\n\npinned = "yes"\n+++\n', "line 4, pinned is not true or false"),
        ('+++\nnumber = "7"\n+++\n', "line 2, number is not a whole number"),
        ("+++\ncreated_at = 7\n+++\n", "line 2, created_at is not a time"),
        ('+++\nname = "Not A Name"\n+++\n', "line 2, not a name"),
        ("+++\nx = [[[" + "[" * 3000 + "\n+++\n", "line 2"),
    ],
)
def test_what_cannot_be_read_names_its_line(text, why):
    with pytest.raises(FactError, match="line") as caught:
        parse_fact(text, Path("a.md"))
    assert caught.value.message.startswith(why)


def test_a_file_made_by_hand_may_leave_out_all_but_its_text():
    fact = parse_fact("+++\n+++\n# Likes green tea\n\nIn the morning.\n", Path("green tea.md"))
    assert (fact.name, fact.summary, fact.number, fact.id) == ("green-tea", "Likes green tea", 0, "")
    assert (fact.status, fact.source.origin) == ("active", "user")
    assert parse_fact('\ufeff+++\r\nkind = "self"\r\n+++\r\nBe brief\r\n', Path("a.md")).pinned


def test_keys_are_added_without_touching_what_a_person_wrote():
    text = '+++\n# my note\nname = "old"  # why\nkind  =  "self"\n[source]\nname = "inner"\n+++\nbody\nname = "x"\n'
    full = with_keys(text, {"id": "i-1", "number": 4, "name": 'a"b'})
    assert full == (
        '+++\nid = "i-1"\nnumber = 4\n# my note\nname = "a\\"b"\nkind  =  "self"\n[source]\nname = "inner"\n'
        '+++\nbody\nname = "x"\n'
    )


FACTS = st.builds(
    Fact,
    name=st.from_regex(r"[a-z0-9][a-z0-9-]{0,20}", fullmatch=True),
    summary=st.text(min_size=1).map(one_line).map(lambda s: s[:120].strip()).filter(bool),
    kind=st.sampled_from(KINDS),
    body=st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t")).map(
        lambda s: s.strip("\n")
    ),
    number=st.integers(0, 9999),
    id=st.uuids().map(str),
    pinned=st.booleans(),
    related=st.lists(st.sampled_from(["a", "b-2"])).map(tuple),
    due=st.none() | st.dates(),
    created_at=st.just(AT),
    source=st.builds(Source, quote=st.text(st.characters(exclude_categories=["Cs"]))),
)


@given(FACTS)
def test_any_fact_is_read_back_as_it_was_written(fact):
    text = render_fact(fact)
    assert parse_fact(text, fact.path) == fact
    front = split_front(text)[0]
    assert load_front(front) == tomllib.loads(front)


@given(st.text())
def test_a_summary_is_one_line_of_visible_characters_or_refused(text):
    try:
        line = check_summary(text)
    except FactError:
        return
    assert 0 < len(line) <= 120
    assert not any(ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u200b\u200d\u2028\u202e\u2066\ufeff" for c in line)


@given(st.text(max_size=200))
def test_a_slug_is_a_name_or_nothing(text):
    assert slug(text) == "" or is_name(slug(text))


def test_names_fold_case_and_accents():
    assert slug("Café in Zürich — 2026!") == "cafe-in-zurich-2026"
    assert slug("東京") == ""


def test_every_kind_has_its_group_on_the_screen():
    assert sorted(k for kinds in GROUPS.values() for k in kinds) == sorted(KINDS)
