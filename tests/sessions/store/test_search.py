from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sessions.clock import SystemClock
from sessions.store.index import Index
from sessions.store.log import LogWriter, append_meta
from sessions.store.query import Query
from tests.sessions.store.records import answer, first, home, result, user

CLOCK = SystemClock()
SAID = {
    "jp": "明日の会議は三時からです",
    "cat": "黒猫がいる",
    "q3": "Q3会議の予定",
    "kr": "오늘은 회의가 있습니다",
    "zurich": "The Zürich café",
    "zoe": "Zoë bought the Straße map",
    "combining": "we met in the cafe\u0301 again",
    "camel": "call getUserName() twice",
    "server": "HTTPServer started",
    "snake": "save_memory was called",
    "kebab": "fact lives-in-tokyo",
    "path": "it stands in src/store/index.py here",
    "may": "all the meetings in May",
    "wide": "Ｔｏｋｙｏ　２０２６",
    "is": "it is what it is",
    "hello": 'say "hello world" now',
    "big": "hello big world",
    "cpp": "C++ and C#",
    "lease": "Der Mietvertrag wurde gekündigt",
    "water": "Das Trinkwasser schmeckt",
    "number": "Die Rechnungsnummer 4711",
    "bath": "Ein Badezimmer mit Fliesen",
    "tax": "Umsatzsteuer und Lagerfeuer",
    "teacher": "Unser Deutschlehrer am Dachfenster",
    "key": "Der Haustürschlüssel hängt am Brett",
    "plain": "Der Schlüssel ist weg",
    "spelt": "Die Raeucherstaebchen und Maerchenbuecher",
    "went": "Yesterday we went hiking with two children",
    "library": "The libraries were closed",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> Iterator[Index]:
    paths = home(tmp_path_factory.mktemp("search") / "home")
    for n, (id_, text) in enumerate(SAID.items()):
        log = LogWriter.create(paths, f"20261129-171408-{n:06x}", first())
        log.append(user(id_, text))
        log.close()
    index = Index(paths, CLOCK)
    index.catch_up()
    yield index
    index.close()


def found(index: Index, query: str) -> list[str]:
    return [hit.message for hit in index.search(query) if hit.message]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("会議", "jp"),
        ("会議は三時", "jp"),
        ("明日の会議はいつですか？", "jp"),
        ("黒猫", "cat"),
        ("猫", "cat"),
        ("Q3会議", "q3"),
        ("회의", "kr"),
        ("zurich cafe", "zurich"),
        ("café again", "combining"),
        ("zoe", "zoe"),
        ("ZOË", "zoe"),
        ("strasse", "zoe"),
        ("user", "camel"),
        ("getUserName", "camel"),
        ("getusername", "camel"),
        ("server", "server"),
        ("save_memory", "snake"),
        ("memory", "snake"),
        ("lives-in-tokyo", "kebab"),
        ("index.py", "path"),
        ("src/store", "path"),
        ("store/index.py", "path"),
        ("meeting", "may"),
        ("meetin", "may"),
        ("mee", "may"),
        ("tokyo 2026", "wide"),
        ("what is it", "is"),
        ('"hello world"', "hello"),
        ('"hello world', "hello"),
        ("c++", "cpp"),
        ("Vertrag", "lease"),
        ("miet", "lease"),
        ("go hike", "went"),
        ("2 kids", "went"),
        ("library", "library"),
        ("librar", "library"),
        ("mietvetrag", "lease"),
        ("Did anyone buy a map?", "zoe"),
        ("wasser", "water"),
        ("wasse", "water"),
        ("Wo ist wasser?", "water"),
        ("nummer", "number"),
        ("zimmer", "bath"),
        ("steuer", "tax"),
        ("feuer", "tax"),
        ("lehrer", "teacher"),
        ("fenster", "teacher"),
        ("tuerschluessel", "key"),
        ("schluessel", "plain"),
        ("schluess", "plain"),
        ("Räucherstäbchen", "spelt"),
        ("Märchenbücher", "spelt"),
    ],
)
def test_it_is_found(index, query, message):
    assert message in found(index, query)[:3]


@pytest.mark.parametrize(
    ("query", "message"),
    [("会場", "jp"), ("議明", "jp"), ('"hello world"', "big"), ('"meeting"', "may"), ("nothingness", "may")],
)
def test_it_is_not_found(index, query, message):
    assert message not in found(index, query)


@pytest.mark.parametrize("query", ["wasser", "schluessel", "Räucherstäbchen"])
def test_a_compound_and_a_written_out_umlaut_are_what_was_asked_for(index, query):
    assert not index.find(Query(query)).near


@pytest.mark.parametrize("query", ["", "   ", "?!", '""', '"', "- * ( ) :", "\0"])
def test_a_query_without_words_finds_nothing(index, query):
    assert index.search(query) == []


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(max_size=60))
def test_no_query_breaks_the_search(index, query):
    index.search(query)
    index.sessions(query + "?")


@pytest.fixture
def paths(tmp_path):
    return home(tmp_path / "home")


def talk(paths, *records, n: int = 1, at: str = "2026-11-29T17:14:08.123Z") -> str:
    name = f"20261129-171408-{n:06x}"
    log = LogWriter.create(paths, name, first(at=at))
    for record in records:
        log.append(record)
    log.close()
    return name


def searched(paths, query: str, **options) -> list[str]:
    index = Index(paths, CLOCK)
    index.catch_up()
    hits = index.search(query, **options)
    index.close()
    return [hit.message for hit in hits]


def test_the_answer_after_a_question_is_found_though_it_shares_no_word_with_it(paths):
    talk(
        paths,
        user("u1", "Hello there, how are things"),
        answer("a1", "All well."),
        user("u2", "Which city did Sarah choose for the offsite?", turn=2),
        answer("a2", "Lisbon, because of the weather.", turn=2),
    )
    talk(paths, *(user(f"x{n}", f"unrelated talk number {n}", turn=n) for n in range(20)), n=2)
    assert "a2" in searched(paths, "Where did Sarah want to have the offsite?")[:2]


def test_a_question_about_a_named_speaker_prefers_what_that_one_said(paths):
    talk(
        paths,
        user("m1", "My dog likes the beach", name="Mia"),
        user("b1", "My dog likes the beach", turn=2, name="Ben"),
    )
    assert searched(paths, "What does Ben's dog like?")[0] == "b1"
    assert searched(paths, "What does Mia's dog like?")[0] == "m1"


def test_i_means_the_user_and_you_suggested_the_assistant(paths):
    talk(paths, user("u1", "The red bicycle is a good choice"), answer("a1", "The red bicycle is a good choice"))
    assert searched(paths, "What did I say about the bicycle?")[0] == "u1"
    assert searched(paths, "What have you suggested about the bicycle?")[0] == "a1"


def test_a_name_that_nobody_else_mentions_is_still_a_word_to_look_for(paths):
    talk(paths, user("m1", "It rained", name="Mia"), user("b1", "Mia called", turn=2, name="Ben"))
    assert searched(paths, "mia") == ["b1"]


def test_the_month_that_a_question_names_is_preferred(paths):
    for n in range(1, 5):
        at = f"2026-0{n}-10T12:00:00.000Z"
        talk(paths, user(f"u{n}", "We talked about the budget", at=at), n=n, at=at)
    assert searched(paths, "What did we say about the budget in March 2026?")[0] == "u3"


def test_a_long_message_is_found_by_its_part_and_comes_once(paths):
    filler = "Some words about nothing in particular that go on and on. " * 30
    talk(paths, user("u1", f"{filler}The tortoise is called Rosalind.\n{filler}tortoise"), user("u2", "hi", turn=2))
    index = Index(paths, CLOCK)
    index.catch_up()
    (hit,) = index.search("tortoise Rosalind")
    index.close()
    assert hit.message == "u1" and "Rosalind" in hit.text


def test_a_frequent_word_does_not_hide_a_rare_one(paths):
    for n in range(1, 60):
        talk(paths, *(user(f"u{k}", f"weather report {k}", turn=k) for k in range(100)), n=n)
    talk(paths, user("rare", "weather in Reykjavik"), n=60)
    assert searched(paths, "weather reykjavik") == ["rare"]
    assert len(searched(paths, "weather", limit=20)) == 20


def test_sessions_are_ranked_by_all_that_was_said_in_them(paths):
    one = talk(paths, *(user(f"u{n}", f"the garden needs water {n}", turn=n) for n in range(1, 6)), n=1)
    two = talk(paths, user("u1", "a garden, once"), *(user(f"u{n}", f"taxes {n}", turn=n) for n in range(2, 30)), n=2)
    index = Index(paths, CLOCK)
    index.catch_up()
    hits = index.sessions("What about the garden?")
    assert [hit.session for hit in hits] == [one, two]
    assert hits[0].score > hits[1].score
    assert [hit.session for hit in index.sessions("garden", exclude=one)] == [two]
    index.close()


def test_a_title_that_changed_is_found_by_its_new_words_alone(paths):
    name = talk(paths, user("u1", "Hello"), result("t1", "tool words"))
    append_meta(paths, name, {"title": "Winter trip"}, CLOCK)
    assert searched(paths, "winter trip") == [""]
    append_meta(paths, name, {"title": "Summer plans"}, CLOCK)
    assert searched(paths, "winter trip") == []
    assert searched(paths, "summer") == [""]
