from __future__ import annotations

import os
from pathlib import Path

import pytest

from sessions.errors import StoreError
from sessions.memory.store import FactStore
from tests.full_disk import Disk
from tests.sessions.memory.homes import MODEL, PERSON, draft, store_of, summaries


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


CHANGES = {
    "created": lambda store: store.save(draft("other", "Another"), by=MODEL),
    "updated": lambda store: store.edit(1, by=PERSON, summary="Lives in Osaka"),
    "forgotten": lambda store: store.forget(1, by=MODEL),
    "renamed": lambda store: store.edit(1, by=PERSON, name="home-town"),
    "undone": lambda store: store.undo(by=PERSON),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("room", [0, 100, 1000, 1500])
def test_a_change_that_the_full_disk_refused_is_said_and_never_happens_later(
    tmp_path: Path, disk: Disk, change: str, room: int
) -> None:
    store = store_of(tmp_path)
    store.save(draft(body="x" * 300), by=MODEL)
    history = [e.op for e in store.history(1)]
    disk.room = room
    try:
        CHANGES[change](store)
    except StoreError as e:
        assert "No space left on device" in str(e)
    else:
        assert room == 1500, "only that is room enough for a small change"
        return
    assert summaries(store) == ["Lives in Tokyo"]
    disk.room = None
    for one in (store, FactStore(store.paths, store.clock)):
        assert one.reconcile() == [] and summaries(one) == ["Lives in Tokyo"]
        assert [e.op for e in one.history(1)] == history
    CHANGES[change](store)
    assert [e.action for e in store.history(1)][1:] == (
        [] if change == "created" else ["updated"] if change == "renamed" else [change]
    )
    assert FactStore(store.paths, store.clock).snapshot().facts == store.snapshot().facts


def test_a_journal_shortened_and_grown_again_by_another_program_is_read_anew(tmp_path: Path, disk: Disk) -> None:
    store, other = store_of(tmp_path), store_of(tmp_path)
    store.save(draft(), by=MODEL)
    (journal,) = store.paths.journal.glob("*.jsonl")
    size = journal.stat().st_size
    store.save(draft("b", "Another"), by=MODEL)
    assert len(other.history(2)) == 1
    kept = journal.read_bytes()
    os.truncate(journal, size)
    (store.paths.user_facts / "b.md").unlink()
    fresh = store_of(tmp_path)
    fresh.save(draft("c", "A third", body="y" * 2000), by=MODEL)
    assert journal.stat().st_size > len(kept)
    assert [e.action for e in other.history("c")] == ["created"]
