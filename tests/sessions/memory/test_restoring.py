from __future__ import annotations

import pytest

from sessions.errors import FactError
from sessions.memory.restoring import restore
from tests.sessions.memory.homes import MODEL, PERSON, draft, store_of


def ops(store, ref):
    return [entry.op for entry in store.history(ref)]


def test_an_earlier_version_comes_back_whole_and_an_undo_takes_that_back(tmp_path):
    store = store_of(tmp_path)
    store.save(draft(body="Near Nakano."), by=MODEL)
    store.edit(1, by=PERSON, summary="Lives in Osaka", name="home", pinned=False, body="")
    first, _ = ops(store, 1)
    change = restore(store, 1, first, by=PERSON)
    fact = store.get(1)
    assert change.op == "updated"
    assert (fact.summary, fact.name, fact.pinned, fact.body) == (
        "Lives in Tokyo",
        "lives-in-tokyo",
        True,
        "Near Nakano.",
    )
    assert len(store.history(1)) == 3
    store.undo(by=PERSON)
    assert store.get(1).summary == "Lives in Osaka"


def test_a_version_as_it_is_now_changes_nothing(tmp_path):
    store = store_of(tmp_path)
    store.save(draft(), by=MODEL)
    assert restore(store, 1, ops(store, 1)[0], by=PERSON).op == "confirmed"


def test_a_name_that_is_taken_by_now_is_said(tmp_path):
    store = store_of(tmp_path)
    store.save(draft(), by=MODEL)
    store.edit(1, by=PERSON, name="home")
    store.save(draft(summary="Another of that name", kind="reference"), by=PERSON)
    with pytest.raises(FactError, match="name lives-in-tokyo is taken"):
        restore(store, 1, ops(store, 1)[0], by=PERSON)
    with pytest.raises(FactError, match="no such version"):
        restore(store, 1, "nothing", by=PERSON)
