from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sessions.clock import FixedClock, parse_iso
from sessions.errors import MemagentError
from sessions.importers.base import Report
from sessions.importers.memory_json import READER
from sessions.importers.proposing import Proposing
from sessions.memory.export import export
from sessions.memory.fact import By, Draft
from tests.sessions.memory.homes import store_of

CLOCK = FixedClock(parse_iso("2026-11-30T10:00:00Z"))  # type: ignore[arg-type]


def put(folder: Path, text: Any) -> Path:
    path = folder / "memory.json"
    path.write_bytes(
        text if isinstance(text, bytes) else (text if isinstance(text, str) else json.dumps(text)).encode()
    )
    return path


def found(path: Path) -> tuple[list[tuple[str, str, str]], list[str]]:
    report = Report()
    facts = [(f.name, f.kind, f.body or f.summary) for f in READER.remembered(path, report)]
    return facts, [why for *_, why in report.bad]


def test_each_key_is_a_fact_and_the_kind_is_that_of_its_category(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        {
            "preferences": {"location": "Tokyo, Japan", "temperature_unit": "celsius"},
            "contacts": {"Sarah Chen": "Engineering manager\nowns the Q3 roadmap", "location": "The office is in Ueno"},
            "open_threads": {"staffing": "Sarah needs my answer by Friday"},
            "user": {"age": 41, "tags": ["a", "b"]},
            "misc stuff": {"x": "Something else"},
        },
    )
    assert found(path)[0] == [
        ("location", "preference", "location: Tokyo, Japan"),
        ("temperature-unit", "preference", "temperature unit: celsius"),
        ("sarah-chen", "contact", "Engineering manager\nowns the Q3 roadmap"),
        ("contact-location", "contact", "location: The office is in Ueno"),
        ("staffing", "open-thread", "staffing: Sarah needs my answer by Friday"),
        ("age", "user", "age: 41"),
        ("tags", "user", 'tags: ["a", "b"]'),
        ("x", "reference", "x: Something else"),
    ]
    assert found(tmp_path) == found(path), "or its folder"


def test_keys_that_hold_nothing_are_named(tmp_path: Path) -> None:
    path = put(tmp_path, {"preferences": {"a": None, "b": " ", "c": [], "d": "Drinks tea"}, "flat": "text", "n": 7})
    facts, bad = found(path)
    assert [name for name, *_ in facts] == ["d"] and bad == [
        "preferences.a: null, which says nothing",
        "preferences.b: a text, which says nothing",
        "preferences.c: a list, which says nothing",
        "flat: no keys with values, but a text",
        "n: no keys with values, but a number",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{\n"preferences": {\n"a" "x",\n}}', r"memory.json, line 3: Expecting ':' delimiter"),
        (b'{"preferences":\n{"a": "\xff"}}', "line 2: bytes that are not UTF-8"),
        ("[1]", "line 1: a list"),
        ("null", "line 1: null"),
        ("[" * 100_000, "line 1: Expecting '{' delimiter"),
        ('{"a": {"b": ' + "[" * 100_000, "RecursionError"),
    ],
)
def test_what_breaks_it_is_named_with_its_line(tmp_path: Path, text: Any, said: str) -> None:
    with pytest.raises(MemagentError, match=said):
        found(put(tmp_path, text))


def test_of_a_damaged_file_all_comes_that_stands_before(tmp_path: Path) -> None:
    whole = '{"flat": 7, "user": {"a": "One",\n"b": "Two"}, "empty": {},\n"contacts": {"c": "Three", "d": "Four"}}'
    path = put(tmp_path, whole[:-4])
    report = Report()
    assert [f.summary for f in READER.remembered(path, report)] == ["a: One", "b: Two", "c: Three"]
    assert report.bad[0][1:] == (3, "Unterminated string starting at; what stands behind is not taken over")
    path = put(tmp_path, whole.encode().replace(b"Two", b"T\xffo"))
    report = Report()
    assert [f.summary for f in READER.remembered(path, report)] == ["a: One", "c: Three", "d: Four"]
    assert report.bad[0] == ("memory.json", 2, "user.b: bytes that are not UTF-8")


def test_odd_files_are_survived(tmp_path: Path) -> None:
    assert found(put(tmp_path, "")) == ([], ["the file is empty"]) and found(put(tmp_path, b"\xef\xbb\xbf{}")) == (
        [],
        [],
    )
    assert found(put(tmp_path, '{"user": {"\\ud83d": "half \\ud83d pair"}}'))[0][0][2] == "half \ufffd pair"
    (tmp_path / "memory.json").unlink()
    with pytest.raises(MemagentError, match="There is no file"):
        found(tmp_path)


def test_they_wait_for_review_once_and_what_was_written_out_here_is_known(tmp_path: Path) -> None:
    store = store_of(tmp_path / "home")
    proposing = Proposing(store.paths, store, CLOCK)
    path = put(tmp_path, {"preferences": {"home": "Lives in Tokyo", "units": "Prefers Celsius"}})
    assert proposing.propose(READER.remembered(path, Report())).statuses == {"waits": 2}
    assert proposing.propose(READER.remembered(path, Report())).statuses == {"same": 2}
    assert not store.snapshot().facts and {p.fact.source.origin for p in store.proposals()} == {"import"}
    for proposal in store.proposals():
        store.review.accept(proposal.number, by=By("user"))
    path.write_text(export(store.snapshot().facts, "memory-json"))
    other = store_of(tmp_path / "other")
    again = Proposing(other.paths, other, CLOCK).propose(READER.remembered(path, Report()))
    assert again.statuses == {"waits": 2}, "what goes out comes in elsewhere"


def test_what_a_key_and_a_short_value_say_together_is_the_fact_and_keeps_the_name(tmp_path: Path) -> None:
    store = store_of(tmp_path / "home")
    proposing = Proposing(store.paths, store, CLOCK)
    given = {
        "open_threads": {"visa": "waiting for embassy", "q3 staffing": "waiting on Sarah for the decision"},
        "contacts": {"Sarah": "manager", "Tom": "dentist", "Eva Braun": "Eva Braun is the plumber"},
        "preferences": {"favourite_color": "blue"},
    }
    proposing.propose(READER.remembered(put(tmp_path, given), Report()))
    assert {p.fact.name: p.fact.summary for p in store.proposals()} == {
        "visa": "visa: waiting for embassy",
        "q3-staffing": "q3 staffing: waiting on Sarah for the decision",
        "sarah": "Sarah: manager",
        "tom": "Tom: dentist",
        "eva-braun": "Eva Braun is the plumber",
        "favourite-color": "favourite color: blue",
    }


def test_what_is_left_out_is_named_by_its_key_and_in_few_words(tmp_path: Path) -> None:
    store = store_of(tmp_path / "home")
    path = put(
        tmp_path, {"user": {"long": "x" * 100_000, "pass": "The password is hunter22", "y" * 9_000: "z" * 30_000}}
    )
    done = Proposing(store.paths, store, CLOCK).propose(READER.remembered(path, Report()))
    names = [text for _, text, _ in done.refused]
    assert names[:2] == ["user.long", "user.pass"] and names[2].startswith("user.yyy") and len(names[2]) <= 120
    assert not any("xxx" in why or "hunter22" in why or "zzz" in why for *_, why in done.refused)


def test_a_value_that_was_written_out_from_here_is_known_here(tmp_path: Path) -> None:
    store = store_of(tmp_path / "home")
    store.save(Draft("location", "Tokyo", "preference"), by=By("user"))
    path = put(tmp_path, export(store.snapshot().facts, "memory-json"))
    assert Proposing(store.paths, store, CLOCK).propose(READER.remembered(path, Report())).statuses == {"known": 1}
