from __future__ import annotations

import threading
from pathlib import Path

import pytest

from sessions.messages import ToolCall
from sessions.no_news import no_news
from sessions.store.index import Index
from sessions.store.log import LogWriter
from sessions.store.query import parse
from tests.sessions.store.records import answer, first, home, result, user
from tests.sessions.store.test_hit_order import NOW
from tests.sessions.store.test_search import CLOCK

SAID = "Sarah told us in the long meeting of yesterday, between many other things, that the roadmap slips."
QUOTED = f"No fact about the roadmap, but this was said:\n\n- 2026-11-28, Roadmap, you:\n  > {SAID}"
EMPTY = (
    ("What did I say about the roadmap?", "I find nothing about the roadmap in past sessions."),
    ("tell me about the roadmap", "I know nothing about the roadmap yet."),
    ("What do you know about the roadmap?", "I don’t have any information about the roadmap."),
    ("what do you know about the roadmap", QUOTED),
    ("Was there a roadmap?", "Sorry, there is no record of a roadmap."),
)


def write(folder: Path) -> Index:
    paths = home(folder / "home")
    for n, (asked, told) in enumerate((("Good day", "Hello."), *EMPTY)):
        log = LogWriter.create(paths, f"20261129-171408-{n:06x}", first())
        if not n:
            log.append(user("said", SAID))
        call = ToolCall("c1", "search_history", {"query": "roadmap"})
        log.append(user(f"u{n}", asked, 2))
        log.append(answer(f"t{n}", "", 2, tool_calls=(call,)))
        log.append(result(f"r{n}", "Nothing found in past sessions about 'roadmap'.", 2, "search_history"))
        log.append(answer(f"a{n}", told, 2))
        log.close()
    return Index(paths, CLOCK)


@pytest.mark.parametrize("query", ["roadmap", "the roadmap", "what about the roadmap?", "roadmap sarah"])
def test_what_was_said_stands_before_every_answer_that_nothing_was_found_and_its_question(
    tmp_path: Path, query: str
) -> None:
    index = write(tmp_path)
    index.catch_up()
    found = [hit.message for hit in index.search(query, limit=20) if hit.message]
    grouped = index.find(parse(query, NOW)).sessions[0].hits[0].message
    index.close()
    assert found[0] == grouped == "said"
    if query == "roadmap":  # nothing is hidden
        assert {f"a{n}" for n in range(1, 6)} | {f"u{n}" for n in range(1, 6)} <= set(found)


def test_a_search_that_nothing_prepared_takes_in_what_is_new_and_waits_for_nobody_long(tmp_path: Path) -> None:
    index = write(tmp_path)
    index.freshen()
    assert index.search("roadmap")[0].message == "said"
    with index._catching:
        other = threading.Thread(target=index.freshen, args=(0.01,))
        other.start()
        other.join(5)
        assert not other.is_alive()
    index.close()


@pytest.mark.parametrize(
    ("text", "empty"),
    [
        *((told, True) for _, told in EMPTY),
        ("I couldn't find anything about that.", True),
        ("Noted: you live in Tokyo.", True),
        ("Je ne trouve rien là-dessus.", True),
        ("I don't know the day, but Sarah said that it is in June.", False),
        ("I know the roadmap: it slips.", False),
        ("No records were broken at the race in Rome.", False),
        ("There are no trains on Sunday.", False),
        ("Nothing beats a good plan; the roadmap is one.", False),
        ("I don't know. " + "The roadmap of last year had three parts. " * 8, False),
    ],
)
def test_which_answers_are_no_news(text: str, empty: bool) -> None:
    assert no_news(text) is empty
