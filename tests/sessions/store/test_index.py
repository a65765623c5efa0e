from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from datetime import UTC, datetime

import pytest

from sessions.clock import SystemClock
from sessions.messages import ToolCall
from sessions.store.index import Index
from sessions.store.log import LogWriter, append_meta, read_log
from sessions.store.query import Query, parse
from tests.sessions.store.records import answer as said
from tests.sessions.store.records import first, home, result, user

CLOCK = SystemClock()


@pytest.fixture
def paths(tmp_path):
    return home(tmp_path / "home")


@pytest.fixture
def index(paths):
    index = Index(paths, CLOCK)
    yield index
    index.close()


def at(month: int, day: int = 1) -> str:
    return f"2026-{month:02d}-{day:02d}T12:00:00.000Z"


def session(paths, n: int, *records, **data) -> str:
    name = f"20261129-171408-{n:06x}"
    log = LogWriter.create(paths, name, first(at=at(1), **data))
    for record in records:
        log.append(record)
    log.close()
    return name


def found(index, query: str, **options) -> list[tuple[str, str]]:
    index.catch_up()
    return [(hit.session, hit.message) for hit in index.search(query, **options)]


def test_a_hit_tells_where_and_what_was_said(paths, index):
    name = session(
        paths,
        1,
        user("u1", "Hello", at=at(3)),
        user("u2", "First line\nSarah owns the roadmap\nlast line\nunseen", turn=2, at=at(3, 2)),
        source={"kind": "claude-code", "path": "/x", "uuid": "y"},
    )
    index.catch_up()
    (hit,) = index.search("sarah roadmap")
    assert (hit.session, hit.message, hit.turn, hit.role, hit.at) == (name, "u2", 2, "user", at(3, 2))
    assert (hit.title, hit.cwd, hit.source) == ("Hello", "/code/atlas", "claude-code")
    assert hit.text == "First line\nSarah owns the roadmap\nlast line"
    assert hit.score > 0


def test_results_calls_titles_and_side_files_are_searched(paths, index):
    call = ToolCall("call-1", "get_weather", {"city": "Sapporo"})
    name = session(
        paths,
        1,
        user("u1", "Weather please"),
        said("a1", "", tool_calls=(call,)),
        result("t1", "snow and wind"),
        result("t2", "x\n" * 40_000 + "deepneedle"),
    )
    append_meta(paths, name, {"title": "Winter trip"}, CLOCK)
    assert found(index, "sapporo") == [(name, "a1")]
    assert found(index, "snow") == [(name, "t1")]
    assert found(index, "deepneedle") == [(name, "t2")]
    assert found(index, "winter trip") == [(name, "")]


def test_words_inside_japanese_sentences_are_found(paths, index):
    name = session(paths, 1, user("u1", "明日の会議は三時からです"), said("a1", "了解しました"))
    assert found(index, "会議") == [(name, "u1")]
    assert found(index, "会議室") == []


def test_all_words_are_wanted_and_any_when_no_place_has_all(paths, index):
    one = session(paths, 1, user("u1", "apples and pears"))
    two = session(paths, 2, user("u1", "pears and plums"))
    assert found(index, "pears plums") == [(two, "u1")]
    assert sorted(found(index, "apples cherries")) == [(one, "u1")]


def test_dates_and_the_current_session_narrow_the_search(paths, index):
    old = session(paths, 1, user("u1", "the roadmap in March", at=at(3, 15)))
    new = session(paths, 2, user("u1", "the roadmap in May", at=at(5, 15)))
    march, april = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC)
    assert found(index, "roadmap", after=march, before=april) == [(old, "u1")]
    assert found(index, "roadmap", after=april) == [(new, "u1")]
    assert found(index, "roadmap", exclude=new) == [(old, "u1")]
    assert found(index, "", after=march, before=april) == [(old, "u1")]
    assert found(index, "") == []


def test_tool_folder_and_source_narrow_the_search(paths, index):
    call = ToolCall("call-1", "get_weather", {"city": "Sapporo"})
    rain = (user("u1", "rain"), said("a1", "", tool_calls=(call,)), result("t1", "rain", at=at(3)))
    one = session(paths, 1, *rain, result("t2", "rain notes", name="read_file"), cwd="/code/Zürich")
    two = session(paths, 2, user("u1", "rain"), source={"kind": "claude-code"})
    index.catch_up()

    def places(**limits):
        return {(h.session, h.message) for h in index.search(Query(**limits))}

    assert places(words="rain", tool="get_weather") == {(one, "t1")}
    assert places(words="rain", tool="get_w") == {(one, "t1")}
    assert places(tool="get_weather") == {(one, "t1"), (one, "a1")}
    assert places(words="rain", folder="zurich") == {(one, "u1"), (one, "t1"), (one, "t2")}
    assert places(words="rain", source="claude") == {(two, "u1")}
    assert places(words="rain", source="here", tool="read") == {(one, "t2")}
    assert places(source="claude-code") == {(two, "u1")}
    assert places(words="rain", source="codex") == set()


def test_a_find_groups_by_session_and_names_what_only_comes_near(paths, index):
    one = session(paths, 1, user("u1", "the roadmap slips"), said("a1", "a roadmap, then"), user("u2", "rain", turn=2))
    two = session(paths, 2, user("u1", "a roadmap for the importer and the release", at=at(3)))
    index.catch_up()
    exact = index.find(Query("roadmap slips"))
    assert [(s.session, [h.message for h in s.hits]) for s in exact.sessions] == [(one, ["u1"])]
    assert not exact.near and "roadmap" in exact.needles
    assert {s.session: len(s.hits) for s in index.find(Query("roadmap")).sessions} == {one: 2, two: 1}
    for query in ("roadmap cherries", "roadmpa", '"slips roadmap"'):
        assert index.find(Query(query)).near, query
    elsewhere = parse("roadmap last march", datetime(2026, 11, 29, tzinfo=UTC))
    assert [s.session for s in index.find(elsewhere).sessions] == [two]
    missed = parse("rain last march", datetime(2026, 11, 29, tzinfo=UTC))
    assert index.find(missed).near and index.find(missed).sessions[0].session == one
    assert index.find(Query("zzz")).sessions == ()


def test_what_was_said_with_memory_off_is_found_by_the_person_alone(paths, index):
    name = session(
        paths,
        1,
        user("u1", "secretword", memory="off"),
        result("t1", "secretword found"),
        said("a1", "about secretword"),
    )
    index.catch_up()
    log = LogWriter.open(paths, name)
    log.append(said("a2", "more secretword"))
    log.append(user("u2", "openword", turn=2))
    log.append(said("a3", "an openword answer", turn=2))
    log.close()
    assert found(index, "secretword") == []
    assert {m for _, m in found(index, "secretword", include_off=True)} == {"u1", "t1", "a1", "a2"}
    assert {m for _, m in found(index, "openword")} == {"u2", "a3"}


def test_copied_lines_are_not_found_twice(paths, index):
    one = session(paths, 1, user("u1", "original words"))
    copied = user("u1", "original words", extra={"copied": True})
    session(paths, 2, copied, user("u2", "and new ones", turn=2), forked_from=one)
    assert found(index, "original words") == [(one, "u1")]


def test_a_growing_log_is_taken_up_where_it_was_left_and_nothing_comes_twice(paths, index):
    name = session(paths, 1, user("u1", "growing words"))
    assert found(index, "growing") == [(name, "u1")]
    log = LogWriter.open(paths, name)
    for n in range(2, 6):
        log.append(user(f"u{n}", "growing words", turn=n))
        index.catch_up()
        index.catch_up()
        assert len(found(index, "growing")) == n
    log.close()
    paths.session_log(name).unlink()
    assert found(index, "growing") == []


def test_one_session_can_be_taken_in_alone(paths, index):
    one, two = (session(paths, n, user("u1", "alone")) for n in (1, 2))
    index.catch_up(only=[two])
    assert [hit.session for hit in index.search("alone")] == [two]
    paths.session_log(two).unlink()
    index.catch_up(only=[two, "20261129-171408-ffffff"])
    assert index.search("alone") == []
    assert found(index, "alone") == [(one, "u1")]


def test_a_replaced_or_shortened_log_is_read_anew(paths, index):
    name = session(paths, 1, user("u1", "beforeword one"), user("u2", "beforeword two", turn=2))
    assert len(found(index, "beforeword")) == 2
    path = paths.session_log(name)
    content = path.read_bytes()
    new = paths.sessions / "new"
    new.write_bytes(content.replace(b"beforeword one", b"afterwards one"))
    os.replace(new, path)
    assert found(index, "beforeword") == [(name, "u2")]
    assert found(index, "afterwards") == [(name, "u1")]
    path.write_bytes(content[: content.index(b'{"v":1,"id":"u1"')])
    assert found(index, "afterwards") == found(index, "beforeword") == []


@pytest.mark.parametrize("damage", ["gone", "empty", "garbage", "no table", "middle"])
def test_a_lost_or_damaged_index_is_made_again(paths, index, damage):
    name = session(paths, 1, *(user(f"u{n}", "kept " + "word " * 500, turn=n) for n in range(50)))
    index.catch_up()
    index.close()
    (file,) = paths.local.glob("index-*.sqlite")
    if damage == "gone":
        file.unlink()
    elif damage == "no table":
        with sqlite3.connect(file) as db:
            db.execute("DROP TABLE rows")
        db.close()
    else:
        whole = file.read_bytes()
        middle = whole[:4096] + b"\xff" * (len(whole) - 4096)
        file.write_bytes({"empty": b"", "garbage": b"no database" * 1000, "middle": middle}[damage])
    assert len(found(index, "kept", limit=100)) == 50
    assert found(index, "kept", limit=1)[0][0] == name


def test_an_index_removed_under_a_running_program_is_made_again(paths, index):
    name = session(paths, 1, user("u1", "still here"))
    assert found(index, "still") == [(name, "u1")]
    for file in paths.local.glob("index-*"):
        file.unlink()
    assert found(index, "still") == [(name, "u1")]


def test_damaged_and_odd_logs_do_not_stop_the_index(paths, index):
    name = session(paths, 1, user("u1", "good line"))
    with paths.session_log(name).open("ab") as file:
        file.write(b'garbage\n{"v":1,"id":"u2","role":"user","at":"%s","turn":1e300,"content":"odd \\ud800 line"}\n')
        file.write(b'{"v":1,"id":"torn')
    (paths.sessions / "folder.jsonl").mkdir()
    (paths.sessions / "empty.jsonl").touch()
    assert found(index, "good") == [(name, "u1")]
    assert found(index, "odd") == [(name, "u2")]


def test_a_very_long_message_is_found_at_its_end(paths, index):
    name = session(paths, 1, user("u1", "word " * 200_000 + "lastneedle"))
    assert found(index, "lastneedle") == [(name, "u1")]


def test_progress_is_told_and_closing_ends_the_catching_up(paths, index):
    for n in range(5):
        session(paths, n, user("u1", "progress"))
    told = []
    index.catch_up(lambda done, due: told.append((done, due)))
    assert told == [(n, 5) for n in range(6)]
    for n in range(5, 10):
        session(paths, n, user("u1", "progress"))
    started = threading.Event()
    go_on = threading.Event()

    def wait(done: int, due: int) -> None:
        started.set()
        go_on.wait(5)

    catching = threading.Thread(target=lambda: index.catch_up(wait))
    catching.start()
    assert started.wait(5)
    threading.Timer(0, go_on.set).start()
    index.close()
    catching.join(5)
    assert not catching.is_alive()
    assert len(found(index, "progress", limit=20)) == 10


CATCH_UP = """
import sys
from pathlib import Path
from sessions.clock import SystemClock
from sessions.store.index import Index
from tests.sessions.store.records import home
index = Index(home(Path(sys.argv[1])), SystemClock())
print("ready", flush=True)
sys.stdin.readline()
index.catch_up()
print(len(index.search("shared", limit=10000)), flush=True)
"""


def test_several_programs_make_one_index_at_once(paths, index):
    for n in range(40):
        session(paths, n, *(user(f"u{m}", f"shared words {m}", turn=m) for m in range(20)))
    command = [sys.executable, "-c", CATCH_UP, str(paths.root)]
    programs = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    for p in programs:
        assert p.stdout.readline() == "ready\n"
    for p in programs:
        p.stdin.write("\n")
        p.stdin.flush()
    outs = [p.communicate(timeout=60)[0] for p in programs]
    assert [p.returncode for p in programs] == [0, 0, 0]
    assert outs == ["800\n"] * 3
    (file,) = paths.local.glob("index-*.sqlite")
    with sqlite3.connect(file) as db:
        rows = db.execute("SELECT session, message, count(*) FROM rows WHERE role = 'user' GROUP BY 1, 2").fetchall()
    db.close()
    assert len(rows) == 800 and {count for *_, count in rows} == {1}


def test_a_killed_catching_up_goes_on_where_it_was(paths, index):
    for n in range(30):
        session(paths, n, *(user(f"u{m}", f"killed words {m}", turn=m) for m in range(30)))
    code = CATCH_UP.replace(
        "index.catch_up()", "import os; index.catch_up(lambda d, n: os._exit(9) if d == 17 else None)"
    )
    command = [sys.executable, "-c", code, str(paths.root)]
    run = subprocess.run(command, input="\n", capture_output=True, text=True, timeout=60)
    assert run.returncode == 9
    index.catch_up()
    (file,) = paths.local.glob("index-*.sqlite")
    with sqlite3.connect(file) as db:
        (count,) = db.execute("SELECT count(*) FROM rows WHERE role = 'user'").fetchone()
    db.close()
    assert count == 900


def test_the_logs_are_only_read(paths, index):
    name = session(paths, 1, user("u1", "read only"))
    before = paths.session_log(name).stat()
    found(index, "read")
    after = paths.session_log(name).stat()
    assert (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, after.st_size)
    assert len(read_log(paths.session_log(name)).records) == 2
