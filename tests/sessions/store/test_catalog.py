from __future__ import annotations

import json
import os
import sqlite3
import time

import pytest

from sessions.clock import SystemClock
from sessions.errors import StoreError
from sessions.messages import Marker, Usage
from sessions.store.catalog import Catalog, derive
from sessions.store.log import LogWriter, append_meta, read_log
from tests.sessions.store.records import SESSION, answer, first, home, result, user

CLOCK = SystemClock()


@pytest.fixture
def paths(tmp_path):
    return home(tmp_path / "home")


def session(paths, n: int, *records, cwd: str = "/code/atlas", **data) -> str:
    name = f"20261129-1714{n:02d}-{n:06x}"
    log = LogWriter.create(paths, name, first(cwd, f"2026-11-29T17:{n:02d}:00.000Z", **data))
    for record in records:
        log.append(record)
    log.close()
    return name


def at(n: int) -> str:
    return f"2026-11-29T18:{n:02d}:00.000Z"


def marker(kind: str, at_: str = at(59), **data) -> Marker:
    return Marker("m", at_, kind, data)


TALK = [
    first(),
    user("u1", "What's the weather?", at=at(1)),
    answer("a1", "", at=at(1), usage=Usage(400, 30, 0), stop="tool_calls"),
    result("t1", "18 degrees", at=at(1)),
    marker("fact", at(1), op="created", name="lives-in-tokyo", number=1),
    answer("a2", "It is 18 degrees in Tokyo.", at=at(2), usage=Usage(500, 20, 0)),
    marker("turn_end", at(2), turn=1, stop="stop", usage={"input": 900, "output": 50}),
]


def test_a_meta_says_what_the_log_holds():
    meta = derive(SESSION, TALK)
    assert (meta.id, meta.title, meta.cwd, meta.memory) == (SESSION, "What's the weather?", "/code/atlas", "on")
    assert (meta.messages, meta.turns, meta.tokens) == (4, 1, {"input": 900, "output": 50})
    assert (meta.created_at, meta.updated_at) == ("2026-11-29T17:14:08.123Z", at(2))
    assert meta.facts == ("lives-in-tokyo",)
    assert meta.recap["text"] == "Used: get_weather\nLearned: lives-in-tokyo\nAnswer: It is 18 degrees in Tokyo."
    assert (meta.recap["by"], meta.recap["upto"]) == ("rule", "a2")
    assert set(meta.as_json()) == {
        *("id", "title", "created_at", "updated_at", "profile", "model", "cwd", "messages", "turns", "tokens"),
        *("recap", "facts", "pinned", "archived", "memory"),
    }


def test_the_newest_meta_marker_wins_and_does_not_move_the_session():
    meta = derive(
        SESSION,
        [
            *TALK,
            marker("meta", title="Old", pinned=True, memory="off"),
            marker(
                "meta", title="A\ntitle \x1b[31mof\u202e two\tlines", archived=True, profile="p", model="m", cwd="/x"
            ),
        ],
    )
    assert meta.title == "A title [31mof two lines"
    assert (meta.pinned, meta.archived, meta.memory, meta.profile, meta.model, meta.cwd) == (
        *(True, True, "off", "p", "m", "/x"),
    )
    assert meta.updated_at == at(2)
    assert meta.recap["text"].startswith("Asked: What's the weather?")


def test_copied_lines_and_those_of_sub_agents_are_not_counted():
    copied = {"extra": {"copied": True}}
    meta = derive(
        SESSION,
        [
            first(forked_from="20261128-000000-000000"),
            user("u1", "From before", turn=1, **copied),
            answer("a1", "Then", turn=1, usage=Usage(9, 9, 0), **copied),
            marker("fact", op="created", name="old", number=1, copied=True),
            user("u2", "Now", turn=2, at=at(3)),
            answer("s1", "sub-agent's", turn=2, parent="call-1", usage=Usage(7, 7, 0)),
        ],
    )
    assert (meta.messages, meta.turns, meta.tokens, meta.facts) == (1, 1, {"input": 0, "output": 0}, ())
    assert meta.forked_from == "20261128-000000-000000"
    assert meta.title == "From before"


def test_values_of_any_type_in_a_log_do_not_stop_the_list(paths):
    log = LogWriter.create(paths, SESSION, first(source=7, forked_from=[]))
    log.append(marker("meta", title=3, pinned="yes", cwd=None, memory=[]))
    log.append(marker("turn_end", cost="much", usage="x"))
    log.append(marker("fact", op={}, name=[]))
    log.close()
    with paths.session_log(SESSION).open("ab") as file:
        file.write(b'\xff\xfe\0\0\n{"v":1,"id":"u","role":"user","at":"yesterday","turn":"x","content":null}\n')
    (meta,) = Catalog(paths, CLOCK).list()
    assert (meta.title, meta.pinned, meta.source, meta.cwd, meta.messages) == ("", False, None, "/code/atlas", 1)


def test_the_list_is_newest_first_and_follows_what_is_said(paths):
    one, two, three = (session(paths, n, user("u", f"Talk {n}", at=at(n))) for n in (1, 2, 3))
    catalog = Catalog(paths, CLOCK)
    assert [m.id for m in catalog.list()] == [three, two, one]
    log = LogWriter.open(paths, one)
    log.append(user("u2", "Again", turn=2, at=at(4)))
    log.close()
    assert [m.id for m in catalog.list()] == [one, three, two]
    paths.session_log(two).unlink()
    assert [m.id for m in catalog.list()] == [one, three]
    four = session(paths, 5, user("u", "New", at=at(5)))
    assert [m.id for m in catalog.list()] == [four, one, three]
    assert catalog.count() == 3


def test_a_session_made_within_the_same_tick_of_the_clock_is_listed(paths):
    one = session(paths, 1, user("u", "One", at=at(1)))
    catalog = Catalog(paths, CLOCK)
    assert [m.id for m in catalog.list()] == [one]
    paths.session_log("20261129-171402-000002").write_bytes(paths.session_log(one).read_bytes())
    now = time.time_ns()
    os.utime(paths.sessions, ns=(now, now))
    assert len(catalog.list()) == 2
    paths.session_log("20261129-171403-000003").write_bytes(paths.session_log(one).read_bytes())
    os.utime(paths.sessions, ns=(now, now))
    assert len(catalog.list()) == 3


def test_a_log_that_was_replaced_in_place_is_read_anew(paths):
    name = session(paths, 1, user("u", "Secret", at=at(1)), user("u2", "Other", turn=2, at=at(2)))
    catalog = Catalog(paths, CLOCK)
    assert catalog.get(name).turns == 2
    kept = paths.session_log(name).read_bytes().replace(b"Secret", b"Public")
    new = paths.sessions / "new"
    new.write_bytes(kept + kept.split(b"\n")[-2] + b"\n")
    os.replace(new, paths.session_log(name))
    assert catalog.list()[0].title == "Public"


def test_a_growing_log_is_read_on_and_agrees_with_a_reading_from_the_start(paths):
    name = session(paths, 1)
    catalog = Catalog(paths, CLOCK)
    log = LogWriter.open(paths, name)
    for record in TALK[1:]:
        log.append(record)
        assert catalog.refresh(name) == derive(name, read_log(log.path).records)
    log.close()


def test_meta_json_is_written_beside_the_log_and_made_again_when_lost_or_wrong(paths):
    name = session(paths, 1, user("u", "Hello", at=at(1)))
    expected = Catalog(paths, CLOCK).refresh(name)
    file = paths.session_meta(name)
    assert json.loads(file.read_bytes()).items() >= expected.as_json().items()
    for wrong in (None, b"", b"[]", b"{", b'{"id":7,"log_bytes":%d}' % paths.session_log(name).stat().st_size):
        for cache in paths.local.glob("catalog*"):
            cache.unlink()
        file.unlink()
        if wrong is not None:
            file.write_bytes(wrong)
        assert Catalog(paths, CLOCK).list() == [expected]
        assert json.loads(file.read_bytes())["title"] == "Hello"


@pytest.mark.parametrize("damage", [b"", b"no database", None])
def test_a_damaged_cache_is_only_slower(paths, damage):
    session(paths, 1, user("u", "Hello", at=at(1)))
    before = Catalog(paths, CLOCK).list()
    (cache,) = paths.local.glob("catalog*.sqlite")
    if damage is None:
        with sqlite3.connect(cache) as db:
            db.execute("UPDATE metas SET meta = '[1,2]'")
        db.close()
    else:
        cache.write_bytes(damage)
    assert Catalog(paths, CLOCK).list() == before
    assert Catalog(paths, CLOCK).list() == before


def test_what_cannot_be_looked_at_hides_no_session(paths):
    session(paths, 1, user("u1", "hello", 1))
    (paths.sessions / "20260102-000000-aaaaaa.jsonl").symlink_to("20260102-000000-aaaaaa.jsonl")
    (paths.sessions / "20260103-000000-aaaaaa.jsonl").symlink_to("/dev/zero")
    assert [meta.title for meta in Catalog(paths, CLOCK).list()] == ["hello"]


def test_files_that_are_no_sessions_are_left_out(paths):
    (paths.sessions / "a-folder.jsonl").mkdir()
    (paths.sessions / "empty.jsonl").touch()
    (paths.sessions / ".hidden.jsonl").write_text("{}\n")
    (paths.sessions / "trash").mkdir()
    catalog = Catalog(paths, CLOCK)
    assert catalog.list() == []
    assert catalog.get("../config") is None and catalog.get("a-folder") is None and catalog.get("empty") is None
    with pytest.raises(StoreError, match="no such session"):
        catalog.refresh(SESSION)
    (paths.sessions / "empty.jsonl").write_text(
        json.dumps({"v": 1, "id": "a", "role": "user", "at": at(1), "turn": 1, "content": "x"}) + "\n"
    )
    assert [m.title for m in catalog.list()] == ["x"]


def test_the_newest_session_of_a_folder_is_the_one_to_go_on_with(paths):
    old = session(paths, 1, user("u", "Here", at=at(1)), cwd="/here")
    there = session(paths, 2, user("u", "There", at=at(2)), cwd="/there")
    session(paths, 3, cwd="/here")
    archived = session(paths, 4, user("u", "Done", at=at(4)), cwd="/here")
    append_meta(paths, archived, {"archived": True}, CLOCK)
    catalog = Catalog(paths, CLOCK)
    assert catalog.newest("/here").id == old
    assert catalog.newest(None).id == there
    assert catalog.newest("/nowhere") is None


def test_a_title_given_elsewhere_shows(paths):
    name = session(paths, 1, user("u", "Hello", at=at(1)))
    catalog = Catalog(paths, CLOCK)
    assert catalog.list()[0].title == "Hello"
    append_meta(paths, name, {"title": "Greeting"}, CLOCK)
    assert catalog.list()[0].title == "Greeting"
    assert Catalog(paths, CLOCK).get(name).title == "Greeting"


def test_a_log_far_down_the_list_is_noticed_after_some_calls_and_at_once_when_asked_for(paths):
    names = [f"20261129-171408-{n:06x}" for n in range(1200)]
    for n, name in enumerate(names):
        line = {"v": 1, "id": "u", "role": "user", "at": f"2026-11-29T18:00:00.{n % 1000:03d}Z", "turn": 1}
        paths.session_log(name).write_text(json.dumps(line | {"content": "old"}) + "\n")
    catalog = Catalog(paths, CLOCK)
    oldest = catalog.list()[-1].id
    later = {"v": 1, "id": "u2", "role": "user", "at": at(30), "turn": 2, "content": "new"}
    with paths.session_log(oldest).open("a") as file:
        file.write(json.dumps(later) + "\n")
    assert any(catalog.list()[0].id == oldest for _ in range(3))
    assert catalog.get(oldest).turns == 2
