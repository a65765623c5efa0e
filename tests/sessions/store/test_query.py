from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.store.query import Query, parse, start_of, without_time

NOW = datetime(2026, 11, 29, 17, 14, tzinfo=UTC)


def days(query: Query) -> tuple[str, str]:
    return tuple(f"{at:%Y-%m-%d}" if at else "" for at in (query.after, query.before))


@pytest.mark.parametrize(
    ("text", "words", "after", "before"),
    [
        ("roadmap last march", "roadmap", "2026-03-01", "2026-04-01"),
        ("Yesterday", "", "2026-11-28", "2026-11-29"),
        (
            "what did I say about the roadmap last March?",
            "what did I say about the roadmap?",
            "2026-03-01",
            "2026-04-01",
        ),
        ("weather 2 weeks ago", "weather", "2026-11-09", "2026-11-16"),
        ("roadmap since may", "roadmap", "2026-05-01", ""),
        ("march 2026 budget", "budget", "2026-03-01", "2026-04-01"),
        ("roadmap after:2026-03", "roadmap", "2026-03-01", ""),
        ("after:2026-03-05 before:2026-03-09 x", "x", "2026-03-05", "2026-03-09"),
        ('before:"last march" x', "x", "", "2026-03-01"),
        ("BEFORE:yesterday", "", "", "2026-11-28"),
        ("after:2026 yesterday", "yesterday", "2026-01-01", ""),
    ],
)
def test_days_narrow_and_are_no_words(text, words, after, before):
    query = parse(text, NOW)
    assert (query.words, *days(query)) == (words, after, before)


@pytest.mark.parametrize(
    "text", ["march", "spring boot", "may the force", "2026", "before the meeting", '"last march"', "in 3 weeks", "x:y"]
)
def test_what_can_be_a_word_is_one(text):
    assert parse(text, NOW) == Query(text)


def test_tool_folder_and_source_narrow_and_what_is_still_being_written_does_not():
    query = parse("tool:get_w folder:atlas from:claude-code rain", NOW)
    assert (query.words, query.tool, query.folder, query.source) == ("rain", "get_w", "atlas", "claude-code")
    assert parse('folder:"My Documents" x', NOW).folder == "My Documents"
    assert parse("rain tool: after: ", NOW) == Query("rain")
    assert parse("after:soon rain", NOW) == Query("rain", problems=("after: soon is no day",))


def test_words_that_were_taken_for_a_time_can_be_had_back():
    query = parse('roadmap last march "a b"', NOW)
    assert without_time(query) == Query('roadmap last march "a b"')
    assert parse("roadmap last march", NOW, times=False) == Query("roadmap last march")


@pytest.mark.parametrize(
    ("text", "day"),
    [
        *(("2026", "2026-01-01"), ("2026-3", "2026-03-01"), ("2026-03-14", "2026-03-14"), ("yesterday", "2026-11-28")),
        *(("last-march", "2026-03-01"), ("last march", "2026-03-01"), ("March", "2026-03-01")),
    ],
)
def test_a_day_may_be_named_in_many_ways(text, day):
    assert f"{start_of(text, NOW):%Y-%m-%d}" == day


@pytest.mark.parametrize("text", ["", "never", "2026-99", "2026-02-30", "20266"])
def test_what_is_no_day_is_none(text):
    assert start_of(text, NOW) is None


@given(text=st.text(max_size=40) | st.from_regex(r"(after|tool|from):\S{0,9} ?\S{0,9}", fullmatch=True))
def test_nothing_that_is_typed_breaks_it(text):
    parse(text, NOW)
