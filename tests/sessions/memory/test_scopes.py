from __future__ import annotations

import shutil
import subprocess
import tomllib

import pytest

from sessions.memory.scopes import Scopes
from tests.sessions.memory.homes import MODEL, PERSON, draft, paths_of, store_of


def git(folder, *args):
    who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *who, "-C", str(folder), *args], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    if not shutil.which("git"):
        pytest.skip("no git")
    folder = tmp_path / "code" / "Atlas"
    (folder / "src").mkdir(parents=True)
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


def test_facts_of_a_project_are_seen_in_its_folders_work_trees_and_clones_and_nowhere_else(tmp_path, repository):
    store = store_of(tmp_path / "home")
    scope = store.scopes.of(repository / "src")
    fact = store.save(draft("uses-ci", "Uses CI", "project", scope=scope), by=MODEL).fact
    store.save(draft(), by=MODEL)
    folder = fact.path.parent
    assert folder.name == f"atlas-{scope.removeprefix('project:')}"
    assert tomllib.loads((folder / "project.toml").read_text())["paths"] == [str(repository)]
    tree, clone = tmp_path / "tree", tmp_path / "clone"
    git(repository, "worktree", "add", "-q", str(tree))
    git(tmp_path, "clone", "-q", str(repository), str(clone))
    for inside in (repository, repository / "src", tree, clone):
        assert [f.name for f in store.visible(inside)] == ["uses-ci", "lives-in-tokyo"]
    for outside in (tmp_path, None):
        assert [f.name for f in store.visible(outside)] == ["lives-in-tokyo"]
    assert store_of(tmp_path / "home").scopes.of(clone) == scope


def test_one_name_may_stand_in_two_scopes(tmp_path, repository):
    store = store_of(tmp_path / "home")
    scope = store.scopes.of(repository)
    store.save(draft("style", "Short sentences", "feedback"), by=MODEL)
    store.save(draft("style", "Long sentences here", "feedback", scope=scope), by=MODEL)
    assert store.get("style").scope == "user"
    assert [f.number for f in store.visible(repository)] == [1, 2]
    moved = store.edit(store.save(draft("tea", "Likes tea"), by=MODEL).fact.number, by=PERSON, scope=scope).fact
    assert (moved.scope, moved.path.parent.parent.name) == (scope, "projects")
    store.forget(2, by=PERSON)
    store.forget(1, by=PERSON)
    assert sorted(p.name for p in (tmp_path / "home/memory/archive").iterdir()) == ["style-1.md", "style.md"]
    assert store.undo(by=PERSON, ref=2).fact.scope == scope


def test_a_project_keeps_its_id_when_its_repository_gets_a_commit_or_goes(tmp_path):
    folder = tmp_path / "plain"
    (folder / "sub").mkdir(parents=True)
    store = store_of(tmp_path / "home")
    scope = store.scopes.of(folder)
    store.save(draft("a", "Plain folder", "project", scope=scope), by=MODEL)
    assert [f.name for f in store.visible(folder / "sub")] == ["a"]
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    assert Scopes(paths_of(tmp_path / "home")).of(folder / "sub") == scope


def test_all_ways_to_write_a_remote_are_one_project(tmp_path):
    ids = set()
    for n, url in enumerate(
        ("git@example.org:ann/Atlas.git", "https://example.org/ann/atlas", "ssh://git@example.org/ann/atlas.git/")
    ):
        folder = tmp_path / str(n)
        folder.mkdir()
        git(folder, "init", "-q")
        git(folder, "remote", "add", "origin", url)
        ids.add(Scopes(paths_of(tmp_path / "home")).of(folder))
    assert len(ids) == 1
