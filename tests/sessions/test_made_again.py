from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sessions.home import Home
from sessions.hub import SessionHub
from sessions.messages import Marker
from sessions.paths import HomePaths
from sessions.store.log import LogWriter, read_log
from tests.sessions.store.records import AT, answer, first, home, user

OLD, CUT = "20260824-100000-000001", "20261129-171408-000002"
RECAP = {"text": "Done: the ledger.", "by": "scripted", "at": AT, "upto": "a39"}


@pytest.fixture
def paths(tmp_path: Path) -> HomePaths:
    paths = home(tmp_path / "home")
    for session, meta in ((OLD, {"title": "Ledger", "pinned": True, "recap": RECAP}), (CUT, {"archived": True})):
        log = LogWriter.create(paths, session, first())
        for turn in range(40):
            log.append(user(f"u{turn}", f"Question {turn} about the ledger", turn + 1))
            log.append(answer(f"a{turn}", f"Answer {turn}, zebra{turn}", turn + 1))
        log.append(Marker("m1", AT, "meta", meta))
        log.close()
    opened = Home(paths)
    opened.catalog.list()
    opened.index.catch_up()
    opened.close()
    return paths


def found(home: Home, text: str) -> list[tuple[str, str]]:
    return sorted((hit.session, hit.message) for hit in home.index.search(text))


def test_without_index_and_list_both_are_made_again_from_the_logs(paths: HomePaths) -> None:
    before = Home(paths).catalog.list()
    shutil.rmtree(paths.local)
    again = Home(paths)
    assert again.catalog.list() == before
    again.index.catch_up()
    assert found(again, "zebra7") == [(OLD, "a7"), (CUT, "a7")]
    again.close()


def test_a_deleted_meta_file_comes_back_with_title_pin_and_recap(paths: HomePaths) -> None:
    file = paths.session_meta(OLD)
    before = file.read_bytes()
    file.unlink()
    shutil.rmtree(paths.local)
    again = Home(paths)
    meta = again.catalog.refresh(OLD)
    assert (meta.title, meta.pinned, meta.recap) == ("Ledger", True, RECAP)
    assert file.read_bytes() == before
    again.close()


async def test_of_half_a_log_what_is_there_is_shown_and_found_and_what_is_lost_is_said(paths: HomePaths) -> None:
    path = paths.session_log(CUT)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    kept = len(read_log(path).records)
    async with SessionHub(Home(paths)) as hub:
        meta = hub.home.catalog.refresh(CUT)
        assert (meta.damaged, meta.turns, meta.archived) == (1, 20, False)
        hub.home.index.catch_up()
        assert found(hub.home, "zebra7") == [(OLD, "a7"), (CUT, "a7")]
        assert found(hub.home, "zebra39") == [(OLD, "a39")]
        state = await hub.open(CUT)
        assert "1 line of this session could not be read" in getattr(state.events[0], "text", "")
        await hub.rename(CUT, "What is left")
        assert hub.home.catalog.refresh(CUT).title == "What is left"
        assert hub.home.catalog.refresh(CUT).damaged == 1, "also when the log has gone on"
    read = read_log(path)
    assert len(read.records) == kept + 1 and len(read.problems) == 1


def test_bytes_that_are_no_line_are_counted_once(paths: HomePaths) -> None:
    path = paths.session_log(OLD)
    path.write_bytes(path.read_bytes() + b"\0\0\0\nnonsense\n")
    again = Home(paths)
    assert again.catalog.refresh(OLD).damaged == 2
    assert again.catalog.refresh(CUT).damaged is None
    log = LogWriter.open(paths, OLD)
    log.append(user("u99", "On we go", 41))
    log.close()
    assert again.catalog.refresh(OLD).damaged == 2
    again.close()
