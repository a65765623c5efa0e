from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sessions.store.index import Index
from sessions.store.log import LogWriter
from sessions.store.query import parse
from sessions.store.trash import delete
from sessions.store.trash_search import find_in_trash
from tests.sessions.store.records import answer, first, home, result, user
from tests.sessions.store.test_search import CLOCK

NOW = datetime(2026, 11, 29, 17, 14, tzinfo=UTC)
OLD, NEW, KEPT = "20260312-100000-000001", "20261120-100000-000002", "20261121-100000-000003"


@pytest.fixture
def paths(tmp_path):
    paths = home(tmp_path)
    for session, day, cwd in ((OLD, "2026-03-12", "/code/atlas"), (NEW, "2026-11-20", "/code/other"), (KEPT, "", "")):
        at = f"{day or '2026-11-21'}T10:00:00.000Z"
        log = LogWriter.create(paths, session, first(cwd or "/code/atlas", at))
        log.append(user("u1", "The roadmap slips to March", at=at))
        log.append(result("t1", "snow in the roadmap", at=at))
        if session == NEW:
            log.append(answer("a1", "The roadmap, again.", at=at))
        log.close()
    delete(paths, OLD)
    delete(paths, NEW)
    return paths


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("roadmap", [NEW, OLD]),
        ("roadmap last march", [OLD]),
        ("last march", [OLD]),
        ("roadmap after:2026-04", [NEW]),
        ("tool:get_weather roadmap", [NEW, OLD]),
        ("tool:save roadmap", []),
        ("folder:atlas roadmap", [OLD]),
        ("from:codex roadmap", []),
        ("roadmap nowhere", []),
    ],
)
def test_the_trash_is_searched_without_an_index(paths, text, found):
    assert [s.session for s in find_in_trash(paths, parse(text, NOW)).sessions] == found


def test_hits_have_their_place_their_words_and_their_order(paths):
    found = find_in_trash(paths, parse("roadmap", NOW), by_date=True)
    assert [s.session for s in found.sessions] == [NEW, OLD] and found.needles == ("roadmap",)
    old = found.sessions[1].hits
    assert [(h.message, h.role, h.tool, h.title) for h in old] == [
        ("u1", "user", "", "The roadmap slips to March"),
        ("t1", "tool", "get_weather", "The roadmap slips to March"),
    ]


def test_nothing_of_the_trash_is_found_by_the_index(paths):
    index = Index(paths, CLOCK)
    index.catch_up()
    assert [s.session for s in index.find(parse("roadmap", NOW)).sessions] == [KEPT]
    assert index.find(parse("roadmap", NOW), only={OLD, NEW}).sessions == ()
    index.close()
