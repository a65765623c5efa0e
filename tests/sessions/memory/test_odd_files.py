from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from sessions.errors import FactError, MemagentError
from sessions.memory.store import FactStore
from tests.sessions.memory.homes import MODEL, PERSON, draft, store_of, summaries
from tests.waiting import wait_until

FRONT = b'+++\nsummary = "A fact"\n+++\n'


def folder(file: Path) -> None:
    file.mkdir()
    (file / "inner.md").write_bytes(FRONT)


def link_in_a_circle(file: Path) -> None:
    file.symlink_to(file.name)


def link_to_nothing(file: Path) -> None:
    file.symlink_to(file.parent / "nowhere")


def link_to_a_device(file: Path) -> None:
    file.symlink_to("/dev/zero")


def filled(data: bytes):
    def make(file: Path) -> None:
        file.write_bytes(data)

    return make


ODD = {
    "5 MB": (filled(FRONT + b"x" * 5_000_000), "too large, 5 MB"),
    "NUL in the front matter": (filled(b'+++\nsummary = "a\0b"\n+++\n'), "line 2, not TOML"),
    "NUL alone": (filled(b"\0" * 4096), "line 1, no +++"),
    "invalid UTF-8": (filled(FRONT + b"one\ntwo \xff\xfe\n"), "line 5, not UTF-8"),
    "UTF-16": (filled('+++\nsummary = "a"\n+++\n'.encode("utf-16")), "line 1, not UTF-8"),
    "nothing": (filled(b""), "line 1, no +++"),
    "folder": (folder, "a folder, no file"),
    "link in a circle": (link_in_a_circle, "cannot be read: Too many levels of symbolic links"),
    "link to nothing": (link_to_nothing, "a link to nothing"),
    "link to a device": (link_to_a_device, "no file"),
    "pipe": (os.mkfifo, "no file"),
}


@pytest.mark.parametrize("name", ODD)
def test_a_file_that_cannot_be_a_fact_is_shown_with_the_reason_and_left_alone(tmp_path: Path, name: str) -> None:
    make, why = ODD[name]
    store = store_of(tmp_path)
    store.save(draft(), by=MODEL)
    odd = store.paths.user_facts / "odd.md"
    make(odd)
    before = os.lstat(odd)
    for _ in range(2):
        (broken,) = store.snapshot().broken
        assert (broken.path, broken.why) == (odd, why)
        assert store.reconcile() == [] and store.look_again_s is None
    assert summaries(store) == ["Lives in Tokyo"]
    assert store.save(draft("odd", "An odd fact"), by=MODEL).fact.name == "odd-2"
    with pytest.raises(FactError, match="name odd is taken by a file that cannot be read"):
        store.edit("odd-2", by=MODEL, name="odd")
    assert store.save(draft("other", "Another"), by=MODEL).fact.number == 3
    after = os.lstat(odd)
    assert (after.st_mode, after.st_size, after.st_ino) == (before.st_mode, before.st_size, before.st_ino)
    assert not (store.paths.user_facts / "nowhere").exists()


def test_a_nul_in_the_body_of_a_fact_is_no_trouble(tmp_path: Path) -> None:
    store = store_of(tmp_path)
    (store.paths.user_facts / "odd.md").write_bytes(FRONT + b"one\0two\n")
    assert summaries(store) == ["A fact"] and store.snapshot().broken == ()


def test_a_fact_whose_place_was_taken_by_something_else_is_neither_deleted_nor_written_over(tmp_path: Path) -> None:
    store = store_of(tmp_path)
    store.save(draft(), by=MODEL)
    file = store.paths.user_facts / "lives-in-tokyo.md"
    text = file.read_bytes()
    file.unlink()
    folder(file)
    assert store.reconcile() == [] and store_of(tmp_path).reconcile() == []
    assert [b.why for b in store.snapshot().broken] == ["a folder, no file"]
    with pytest.raises(MemagentError):
        store.undo(by=PERSON)
    assert (file / "inner.md").read_bytes() == FRONT
    shutil.rmtree(file)
    file.write_bytes(text)
    assert store.reconcile() == [] and summaries(store) == ["Lives in Tokyo"]


def test_a_linked_fact_is_read_and_written_through_its_link(tmp_path: Path) -> None:
    store = store_of(tmp_path)
    store.save(draft(), by=MODEL)
    file, target = store.paths.user_facts / "lives-in-tokyo.md", tmp_path / "elsewhere.md"
    shutil.move(file, target)
    file.symlink_to(target)
    assert summaries(store) == ["Lives in Tokyo"] and store.reconcile() == []
    store.edit(1, by=PERSON, summary="Lives in Osaka")
    assert file.is_symlink() and "Lives in Osaka" in target.read_text()
    store.forget(1, by=PERSON)
    assert not file.is_symlink() and target.exists(), "what the link led to is not ours to remove"
    assert store.undo(by=PERSON).fact.summary == "Lives in Osaka"


def gone(store: FactStore) -> bool:
    return bool(store.reconcile())


def test_a_folder_that_cannot_be_opened_is_shown_and_none_of_its_facts_counts_as_deleted(tmp_path: Path) -> None:
    store = store_of(tmp_path)
    store.save(draft(), by=MODEL)
    user, aside = store.paths.user_facts, tmp_path / "aside"
    assert summaries(store) == ["Lives in Tokyo"]
    user.rename(aside)
    user.symlink_to(user.name)
    fresh = FactStore(store.paths, store.clock)
    for one in (store, fresh):
        assert [b.why for b in one.snapshot().broken] == ["cannot be opened: Too many levels of symbolic links"]
        assert one.reconcile() == [] and one.look_again_s is None
    assert summaries(store) == ["Lives in Tokyo"], "what was read before is still known"
    user.unlink()
    aside.rename(user)
    for one in (store, fresh):
        assert summaries(one) == ["Lives in Tokyo"] and one.snapshot().broken == ()
        assert one.reconcile() == []
    (user / "lives-in-tokyo.md").unlink()
    wait_until(lambda: gone(store), "a deletion counts again")


def test_files_and_folders_without_permission_are_shown_and_come_back_with_it(tmp_path: Path) -> None:
    store = store_of(tmp_path)
    store.save(draft(), by=MODEL)
    file, user = store.paths.user_facts / "lives-in-tokyo.md", store.paths.user_facts
    file.chmod(0)
    if os.access(file, os.R_OK):
        pytest.skip("nothing is forbidden to this user")
    fresh = FactStore(store.paths, store.clock)
    assert [b.why for b in fresh.snapshot().broken] == ["cannot be read: Permission denied"]
    assert fresh.reconcile() == []
    file.chmod(0o600)
    assert summaries(fresh) == ["Lives in Tokyo"] and fresh.snapshot().broken == ()
    user.chmod(0)
    assert [b.why for b in fresh.snapshot().broken] == ["cannot be opened: Permission denied"]
    assert fresh.reconcile() == [] and FactStore(store.paths, store.clock).reconcile() == []
    user.chmod(0o700)
    assert fresh.reconcile() == [] and summaries(fresh) == ["Lives in Tokyo"]


def test_a_list_that_cannot_be_written_fails_no_change_of_a_fact(tmp_path: Path) -> None:
    store = store_of(tmp_path)
    store.paths.memory_md.mkdir()
    (store.paths.memory_md / "x").touch()
    assert store.save(draft(), by=MODEL).op == "created"
    assert store.edit(1, by=PERSON, summary="Lives in Osaka").op == "updated"
    assert store.reconcile() == [] and summaries(store) == ["Lives in Osaka"]


@pytest.mark.parametrize("value", [None, 5, [], {}, True])
@pytest.mark.parametrize("key", ["at", "op", "action", "id", "undoes"])
def test_a_line_of_the_journal_with_an_odd_value_is_passed_over(tmp_path: Path, key: str, value: object) -> None:
    store = store_of(tmp_path / "home")
    fact = store.save(draft("lives-in-oslo", "Lives in Oslo"), by=PERSON).fact
    journal = next(store.paths.journal.glob("*.jsonl"))
    line = json.loads(journal.read_text("utf-8").splitlines()[-1])
    with journal.open("a") as file:
        file.write(json.dumps(line | {"op": "o2", key: value}) + "\n")
    assert fact.path is not None
    fact.path.write_text(fact.path.read_text("utf-8").replace("Oslo", "Rome"), "utf-8")
    shutil.rmtree(store.paths.local)
    again = store_of(tmp_path / "home")
    again.reconcile()
    assert summaries(again) == ["Lives in Rome"]
    again.save(draft("likes-tea", "Likes tea"), by=PERSON)
    again.undo(by=PERSON)
    assert summaries(again) == ["Lives in Rome"]
