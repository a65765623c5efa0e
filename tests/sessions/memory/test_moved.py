from __future__ import annotations

import shutil
import tomllib

import pytest

from sessions.memory.moved import moved_here, settle
from tests.sessions.memory.homes import MODEL, draft, store_of
from tests.sessions.memory.test_scopes import git


def names(store, folder):
    return [fact.name for fact in store.visible(folder)]


def project(store, folder, name="uses-ci"):
    folder.mkdir(parents=True, exist_ok=True)
    scope = store.scopes.of(folder)
    return store.save(draft(name, f"Builds {name} twice", "project", scope=scope), by=MODEL).fact


@pytest.mark.parametrize("new", ["elsewhere/Atlas", "code/Renamed"], ids=["moved", "renamed"])
def test_facts_of_a_folder_that_moved_are_offered_once_and_belong_to_it_by_the_persons_yes(tmp_path, new):
    home, old, here = tmp_path / "home", tmp_path / "code" / "Atlas", tmp_path / new
    store = store_of(home)
    fact = project(store, old)
    assert moved_here(store, old) is None
    here.parent.mkdir(exist_ok=True)
    old.rename(here)
    store = store_of(home)
    assert names(store, here) == [], "nothing is taken unasked"
    found = moved_here(store, here)
    assert (found.scope, found.was, found.here, found.facts) == (fact.scope, old, here, 1)
    assert moved_here(store, tmp_path) is None and moved_here(store, tmp_path / "code") is None
    settle(store, found, True)
    assert tomllib.loads((fact.path.parent / "project.toml").read_text())["paths"] == [str(old), str(here)]
    for again in (store, store_of(home)):
        assert names(again, here) == ["uses-ci"] and moved_here(again, here) is None
    (here / "src").mkdir()
    assert names(store, here / "src") == ["uses-ci"]


def test_a_no_is_kept_and_asked_no_more(tmp_path):
    store = store_of(tmp_path / "home")
    project(store, tmp_path / "code" / "Atlas")
    shutil.rmtree(tmp_path / "code")
    here = tmp_path / "other" / "Atlas"
    here.mkdir(parents=True)
    settle(store, moved_here(store, here), False)
    for again in (store, store_of(tmp_path / "home")):
        assert moved_here(again, here) is None and names(again, here) == []
    elsewhere = tmp_path / "third" / "Atlas"
    elsewhere.mkdir(parents=True)
    assert moved_here(store, elsewhere), "no was said of that folder only"


def test_nothing_is_offered_while_the_project_is_where_it_was_or_the_folder_has_facts_of_its_own(tmp_path):
    store = store_of(tmp_path / "home")
    project(store, tmp_path / "code" / "Atlas")
    here = tmp_path / "other" / "Atlas"
    here.mkdir(parents=True)
    assert moved_here(store, here) is None
    shutil.rmtree(tmp_path / "code")
    assert moved_here(store, here)
    project(store, here, "own")
    assert moved_here(store, here) is None


@pytest.mark.skipif(not shutil.which("git"), reason="no git")
def test_a_repository_is_known_by_its_first_commit_wherever_it_lies_and_an_older_one_is_offered(tmp_path):
    store = store_of(tmp_path / "home")
    old, here = tmp_path / "code" / "Atlas", tmp_path / "elsewhere" / "Atlas"
    old.mkdir(parents=True)
    git(old, "init", "-q")
    git(old, "commit", "-q", "--allow-empty", "-m", "first")
    project(store, old)
    here.parent.mkdir()
    old.rename(here)
    store = store_of(tmp_path / "home")
    assert names(store, here) == ["uses-ci"] and moved_here(store, here) is None
    older = tmp_path / "code" / "Older"
    project(store, older, "early")
    git(older, "init", "-q")
    git(older, "commit", "-q", "--allow-empty", "-m", "later")
    assert names(store, older) == ["early"]
    moved = older.rename(tmp_path / "elsewhere" / "Older")
    assert names(store, moved) == []
    settle(store, moved_here(store, moved), True)
    assert names(store, moved) == ["early"]
