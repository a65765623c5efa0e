from __future__ import annotations

from contextlib import closing

import pytest

from sessions.errors import LockedError, StoreError
from sessions.messages import Marker, ToolMessage, UserMessage
from sessions.paths import HomePaths, make_home
from sessions.store.log import LogWriter, read_log
from sessions.store.trash import delete, restore, trashed

ID = "20261129-171408-7f3a9c"
AT = "2026-11-29T17:14:08.000Z"


@pytest.fixture
def paths(tmp_path):
    paths = HomePaths(tmp_path, tmp_path / "config.toml")
    make_home(paths)
    return paths


def session(paths, id_=ID, text="Hello"):
    with closing(LogWriter.create(paths, id_, Marker("m0", AT, "session", {"cwd": "/x"}))) as log:
        log.append(UserMessage("u1", AT, 1, text))
        log.append(ToolMessage("t1", AT, 1, "c1", "read", "long " * 20_000))
    return id_


def test_a_deleted_session_is_in_the_trash_with_its_files_and_comes_back_whole(paths):
    session(paths)
    before = {p.name: p.read_bytes() for p in paths.sessions.rglob("*") if p.is_file()}
    delete(paths, ID)
    assert [p.name for p in paths.sessions.glob("2*")] == []
    assert [(m.id, m.title) for m in trashed(paths)] == [(ID, "Hello")]
    restore(paths, ID)
    assert {p.name: p.read_bytes() for p in paths.sessions.rglob("*") if p.is_file()} == before
    assert trashed(paths) == []


def test_a_session_that_is_open_is_not_deleted(paths):
    session(paths)
    with closing(LogWriter.open(paths, ID)), pytest.raises(LockedError, match="open in another window"):
        delete(paths, ID)
    assert read_log(paths.session_log(ID)).records


def test_what_is_not_there_is_said(paths):
    with pytest.raises(StoreError, match="no session"):
        delete(paths, ID)
    with pytest.raises(StoreError, match="no session"):
        restore(paths, "../../etc/passwd")


def test_one_in_the_trash_does_not_take_the_place_of_another(paths):
    session(paths)
    delete(paths, ID)
    session(paths, text="Another")
    with pytest.raises(StoreError, match="already"):
        restore(paths, ID)
    with pytest.raises(StoreError, match="already"):
        delete(paths, ID)


def test_a_move_that_was_cut_off_is_made_good_by_the_way_back(paths):
    session(paths)
    # As a kill leaves it: the log is in the trash, the rest is not.
    paths.trash.mkdir()
    paths.session_log(ID).rename(paths.trash / f"{ID}.jsonl")
    restore(paths, ID)
    assert read_log(paths.session_log(ID)).records
    assert [*paths.session_files(ID).iterdir()]
