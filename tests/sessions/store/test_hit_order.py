from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from sessions.messages import ToolCall
from sessions.store.corpus import Place
from sessions.store.hits import said_first
from sessions.store.index import Index
from sessions.store.log import LogWriter
from sessions.store.query import parse
from tests.sessions.store.records import answer, first, home, result, user
from tests.sessions.store.test_search import CLOCK

NOW = datetime(2026, 11, 29, 17, 14, tzinfo=UTC)
DAYS = ("2026-03-12", "2026-08-24", "2026-11-20")


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> Iterator[Index]:
    paths = home(tmp_path_factory.mktemp("order") / "home")
    for n, day in enumerate(DAYS):
        at = f"{day}T10:00:00.000Z"
        log = LogWriter.create(paths, f"{day.replace('-', '')}-100000-{n:06x}", first(f"/code/{n}", at))
        # The oldest speaks of it most.
        log.append(user("u1", "the roadmap " * (3 - n) + "and other things " * n, 1, at))
        call = ToolCall(
            "c1", "save_memory", {"summary": "Sarah owns the Q3 budget", "quote": "Sarah owns the Q3 budget"}
        )
        log.append(answer("a1", "", 1, at, tool_calls=(call,)))
        log.append(result("t1", "Saved: Sarah owns the Q3 budget", 1, "save_memory", at))
        log.append(answer("a2", "Noted.", 1, at))
        log.append(
            user("u2", "By the way, and that is what I wanted to say all the time: Sarah owns the Q3 budget.", 2, at)
        )
        log.close()
    index = Index(paths, CLOCK)
    index.catch_up()
    yield index
    index.close()


def sessions(index: Index, text: str, **more: object) -> list[str]:
    return [s.session[:8] for s in index.find(parse(text, NOW), **more).sessions]  # type: ignore[arg-type]


def test_what_was_found_is_told_best_first_or_by_date(index: Index) -> None:
    assert sessions(index, "roadmap") == ["20260312", "20260824", "20261120"]
    assert sessions(index, "roadmap", by_date=True) == ["20261120", "20260824", "20260312"]


def test_only_the_sessions_that_are_asked_for_are_found(index: Index) -> None:
    some = frozenset({"20260824-100000-000001"})
    assert sessions(index, "roadmap", only=some) == ["20260824"]
    assert sessions(index, "roadmap last march", only=some) == ["20260824"]
    assert sessions(index, "after:2026-01", only=some) == ["20260824"]
    assert sessions(index, "roadmap", only=frozenset()) == []


def test_when_nothing_was_said_then_the_answer_says_so(index: Index) -> None:
    assert not index.find(parse("roadmap last march", NOW)).timeless
    found = index.find(parse("roadmap last april", NOW))
    assert found.timeless and found.near


def test_what_was_said_stands_before_the_calls_and_results_that_repeat_it(index: Index) -> None:
    for found in index.find(parse("sarah q3 budget", NOW)).sessions:
        assert found.hits[0].message == "u2"
    alone = index.find(parse("sarah q3 budget tool:save", NOW)).sessions
    assert {hit.message for found in alone for hit in found.hits} == {"a1", "t1"}


def test_only_a_message_that_holds_as_much_goes_before_a_call() -> None:
    talk, tools = 5 << 2, 5 << 2 | 1
    call, less, same, other = Place(9, tools, 0, 3), Place(8, talk, 0, 1), Place(7, talk, 1, 3), Place(6, 6 << 2, 0, 3)
    assert said_first([call, less, same, other]) == [same, call, less, other]
    assert said_first([call, less, other]) == [call, less, other]
    assert said_first([same, call]) == [same, call]


@pytest.fixture(scope="module")
def many(tmp_path_factory) -> Iterator[Index]:
    """1,200 sessions of three years, each with the same frequent word, and the last ones indexed in one go."""
    paths = home(tmp_path_factory.mktemp("many") / "home")
    for n in range(1_200):
        at = f"{2024 + n // 400}-{1 + n % 400 // 34:02}-{1 + n % 28:02}T10:00:00.000Z"
        log = LogWriter.create(paths, f"{at[:10].replace('-', '')}-100000-{n:06x}", first("/code/atlas", at))
        for turn in range(1, 4):
            log.append(user(f"u{turn}", f"the parser of part {n}, {turn}", turn, at))
            log.append(answer(f"a{turn}", f"the parser is as it was, {turn}", turn, at))
        log.close()
    index = Index(paths, CLOCK)
    index.catch_up()
    yield index
    index.close()


def test_of_a_word_that_is_everywhere_the_newest_sessions_are_found_however_the_index_was_made(many: Index) -> None:
    newest = sessions(many, "parser", by_date=True)
    assert newest and all(day >= "202610" for day in newest) and newest == sorted(newest, reverse=True), newest
    hits = many.search("parser", limit=10)
    assert all(hit.at >= "2026-06" for hit in hits)


def test_a_frequent_word_is_found_in_the_time_that_is_asked_for(many: Index) -> None:
    for text, start, end in (
        ("parser before:2024-03-01", "2024", "202403"),
        ("parser after:2026-11-01", "202611", "2027"),
    ):
        found = sessions(many, text)
        assert len(found) > 5 and all(start <= day < end for day in found), (text, found)


def test_a_time_alone_finds_many_sessions_and_not_all_of_a_few(many: Index) -> None:
    found = sessions(many, "march 2025")
    assert len(found) >= 30 and all(day.startswith("202503") for day in found), found
