"""Copies that are not to be kept (`import.keep` off) go when their source goes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sessions.importers.passing import due
from sessions.importers.taking import Taking
from sessions.paths import HomePaths
from sessions.store.trash import delete, restore
from tests.sessions.importers.claude_files import READER
from tests.sessions.importers.test_taking import CLOCK, said, source_of, take, talk
from tests.sessions.store.records import home


@pytest.fixture
def paths(tmp_path: Path) -> HomePaths:
    return home(tmp_path / "home")


def test_what_is_not_to_be_kept_goes_to_the_trash_when_its_source_is_cleaned_up(
    paths: HomePaths, tmp_path: Path
) -> None:
    path = talk().write(tmp_path / "claude")
    session = take(paths, path).session
    taking = Taking(paths, CLOCK)
    assert taking.let_go() == []
    path.unlink()
    moved = path.parent.rename(path.parent.with_name("moved"))
    assert taking.let_go() == [], "a disk that is missing is no clean-up"
    moved.rename(path.parent)
    assert taking.let_go() == [session] and not paths.session_log(session).exists()
    restore(paths, session)
    assert said(paths, session)[-1] == "In src."


def test_what_was_let_go_comes_back_with_its_source_and_what_the_person_deleted_does_not(
    paths: HomePaths, tmp_path: Path
) -> None:
    chain = talk()
    path = chain.write(tmp_path / "claude")
    session = take(paths, path).session
    path.unlink()
    assert Taking(paths, CLOCK).let_go() == [session]
    chain.user("u2", "And the lexer?")
    assert take(paths, chain.write(tmp_path / "claude")).status == "grown"
    assert said(paths, session)[-1] == "And the lexer?"
    path.unlink()
    assert Taking(paths, CLOCK).let_go() == [session], "it went again"
    restore(paths, session)
    assert Taking(paths, CLOCK).let_go() == [], "what the person brought back stays"
    chain.write(tmp_path / "claude")
    take(paths, path)
    delete(paths, session)
    chain.user("u3", "And then?")
    assert take(paths, chain.write(tmp_path / "claude")).status == "deleted"
    assert not due(Taking(paths, CLOCK), [(READER, source_of(path))])


def test_what_another_machine_took_over_stays_where_its_source_never_was(paths: HomePaths, tmp_path: Path) -> None:
    path = talk().write(tmp_path / "claude")
    session = take(paths, path).session
    here = paths.local.rename(paths.local.with_name("local-of-the-first"))
    away = path.rename(tmp_path / "away.jsonl")
    assert Taking(paths, CLOCK).let_go() == [], "its folder is there, and this machine never had the file"
    other = talk()
    mine = other.write(tmp_path / "claude", "22222222-2222-4222-8222-222222222222.jsonl")
    own = take(paths, mine).session
    assert own and own != session
    mine.unlink()
    assert Taking(paths, CLOCK).let_go() == [own], "its own goes"
    shutil.rmtree(paths.local)
    here.rename(paths.local)
    assert paths.session_log(session).exists()
    assert Taking(paths, CLOCK).let_go() == [session], "its own machine cleaned up"
    assert away.exists()
