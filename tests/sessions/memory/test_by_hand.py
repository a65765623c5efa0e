from __future__ import annotations

import shutil

import pytest

from sessions.errors import FactError
from sessions.memory.fact import parse_fact
from tests.sessions.memory.homes import MODEL, PERSON, by_hand, draft, rested, store_of, summaries
from tests.waiting import wait_until


def user(tmp_path, name):
    return tmp_path / "memory/user" / name


def test_an_edit_in_an_editor_shows_at_once_and_is_journaled_as_the_persons(tmp_path):
    store = store_of(tmp_path)
    store.save(draft(), by=MODEL)
    file = user(tmp_path, "lives-in-tokyo.md")
    by_hand(file, file.read_text().replace('"Lives in Tokyo"', '"Lives in Kyoto"  # moved'))
    text = file.read_text()
    assert summaries(store) == ["Lives in Kyoto"]
    (change,) = store.reconcile()
    assert (change.op, change.before.summary, change.fact.summary) == ("updated", "Lives in Tokyo", "Lives in Kyoto")
    assert [(e.action, e.by.origin) for e in store.history(1)] == [("created", "model"), ("updated", "user")]
    assert file.read_text() == text
    assert "Lives in Kyoto" in store.paths.memory_md.read_text()
    assert store.reconcile() == []


def test_a_models_save_over_an_edit_not_yet_seen_keeps_the_edit_in_the_journal(tmp_path):
    store = store_of(tmp_path)
    store.save(draft(), by=MODEL)
    file = user(tmp_path, "lives-in-tokyo.md")
    by_hand(file, file.read_text().replace('"Lives in Tokyo"', '"Lives in Kyoto"'))
    assert store.save(draft(summary="Lives in Osaka"), by=MODEL).before.summary == "Lives in Kyoto"
    assert [(e.by.origin, e.after.summary) for e in store.history(1)] == [
        ("model", "Lives in Tokyo"),
        ("user", "Lives in Kyoto"),
        ("model", "Lives in Osaka"),
    ]


def test_a_file_made_by_hand_is_used_at_once_and_completed_only_when_it_rests(tmp_path):
    store = store_of(tmp_path)
    text = '+++\n# typed by me\nsummary = "Likes green tea"\nkind = "preference"\n+++\nIn the morning.\n'
    file = by_hand(user(tmp_path, "green-tea.md"), text)
    (fact,) = store.visible(None)
    assert (fact.name, fact.number, fact.pinned) == ("green-tea", 0, True)
    assert store.reconcile() == [] and file.read_text() == text
    assert 1 < store.look_again_s <= 2
    rested(file)
    (change,) = store.reconcile()
    fact = store.get("green-tea")
    assert (change.op, fact.number, bool(fact.id), fact.source.origin) == ("created", 1, True, "user")
    lines = file.read_text().splitlines()
    assert [line for line in lines if line in text.splitlines()] == text.splitlines()
    assert store.reconcile() == [] and store.look_again_s is None


def test_a_fact_made_by_hand_can_be_changed_before_it_was_completed(tmp_path):
    store = store_of(tmp_path)
    by_hand(user(tmp_path, "green-tea.md"), "+++\n+++\nLikes green tea\n")
    fact = store.edit("green-tea", by=PERSON, pinned=True).fact
    assert (fact.number, fact.pinned, fact.body) == (1, True, "Likes green tea")
    assert [e.by.origin for e in store.history(1)] == ["user", "user"]


@pytest.mark.parametrize("name", [".a.md.swp", "a.md~", ".#a.md", "#a.md#", "4913", ".a.md.1-2.tmp", "a.md.tmp"])
def test_what_editors_leave_for_a_moment_is_no_fact(tmp_path, name):
    store = store_of(tmp_path)
    by_hand(user(tmp_path, name), "+++\n+++\nnot a fact\n", seconds=10)
    assert store.snapshot().facts == () and store.snapshot().broken == ()
    assert store.reconcile() == []


def test_a_file_away_for_a_moment_is_not_deleted_and_one_that_stays_away_is(tmp_path):
    store = store_of(tmp_path)
    store.save(draft(), by=MODEL)
    assert summaries(store) == ["Lives in Tokyo"]
    file = user(tmp_path, "lives-in-tokyo.md")
    file.rename(tmp_path / "aside")
    assert summaries(store) == ["Lives in Tokyo"] and store.reconcile() == []
    assert 0 < store.look_again_s <= 0.5 and summaries(store) == ["Lives in Tokyo"]
    (tmp_path / "aside").rename(file)
    assert store.reconcile() == []
    file.unlink()
    wait_until(lambda: summaries(store) == [], "the fact is gone")
    found = []
    wait_until(lambda: found.extend(store.reconcile()) or found, "the deletion is journaled")
    assert [(c.op, c.fact.number) for c in found] == [("forgotten", 1)]
    assert [(e.action, e.by.origin) for e in store.history(1)][-1] == ("forgotten", "user")
    store.undo(by=PERSON)
    assert summaries(store) == ["Lives in Tokyo"]


def test_what_another_program_forgot_is_gone_at_the_next_reconciling(tmp_path):
    store, other = store_of(tmp_path), store_of(tmp_path)
    store.save(draft(), by=MODEL)
    assert summaries(store) == ["Lives in Tokyo"]
    other.forget(1, by=PERSON)
    assert store.reconcile() == []
    assert summaries(store) == [] and store.look_again_s is None


def test_a_renamed_file_is_the_same_fact_under_its_new_name(tmp_path):
    store = store_of(tmp_path)
    store.save(draft(), by=MODEL)
    user(tmp_path, "lives-in-tokyo.md").rename(user(tmp_path, "home-town.md"))
    store.reconcile()
    (fact,) = store.snapshot().facts
    assert (fact.number, fact.name, fact.source.origin) == (1, "home-town", "model")
    assert [e.action for e in store.history(1)] == ["created", "renamed"]
    assert store.reconcile() == []


def test_a_name_changed_inside_the_file_renames_the_file_when_it_rests(tmp_path):
    store = store_of(tmp_path)
    store.save(draft(), by=MODEL)
    file = user(tmp_path, "lives-in-tokyo.md")
    by_hand(file, file.read_text().replace('name = "lives-in-tokyo"', 'name = "home-town"'))
    assert store.snapshot().facts[0].name == "home-town"
    store.reconcile()
    assert file.exists()
    rested(file)
    store.reconcile()
    assert not file.exists() and store.get("home-town").path == user(tmp_path, "home-town.md")
    assert store.reconcile() == []


def test_a_copied_file_becomes_a_fact_of_its_own(tmp_path):
    store = store_of(tmp_path)
    first = store.save(draft(), by=MODEL).fact
    copy = user(tmp_path, "a-copy.md")
    shutil.copy(user(tmp_path, "lives-in-tokyo.md"), copy)
    assert sorted((f.name, f.number) for f in store.snapshot().facts) == [("a-copy", 0), ("lives-in-tokyo", 1)]
    rested(copy)
    store.reconcile()
    second = store.get("a-copy")
    assert store.get(1) == first
    assert (second.number, second.id != first.id) == (2, True)
    assert store.reconcile() == []


def test_of_two_facts_with_one_number_the_younger_gets_another(tmp_path):
    store = store_of(tmp_path)
    old = store.save(draft(), by=MODEL).fact
    text = user(tmp_path, "lives-in-tokyo.md").read_text().replace(old.id, "other-id").replace("lives-in", "likes")
    by_hand(user(tmp_path, "likes-tokyo.md"), text.replace("created_at = 2026", "created_at = 2027"), seconds=10)
    store.reconcile()
    assert {f.name: f.number for f in store.snapshot().facts} == {"lives-in-tokyo": 1, "likes-tokyo": 2}
    assert store.reconcile() == []


def test_nothing_that_a_person_does_to_a_file_is_written_over_by_finishing_an_old_change(tmp_path):
    store = store_of(tmp_path)
    store.save(draft(), by=MODEL)
    file = user(tmp_path, "lives-in-tokyo.md")
    old = file.read_text()
    store.save(draft(summary="Lives in Osaka"), by=MODEL)
    by_hand(file, old)
    (change,) = store.reconcile()
    assert file.read_text() == old and change.fact.summary == "Lives in Tokyo"


def test_facts_put_in_with_their_ids_are_taken_as_they_are(tmp_path):
    one, two = store_of(tmp_path / "one"), store_of(tmp_path / "two")
    one.save(draft(), by=MODEL)
    file = user(tmp_path / "one", "lives-in-tokyo.md")
    shutil.copy(file, user(tmp_path / "two", file.name))
    (change,) = two.reconcile()
    assert (change.op, change.fact.source.origin) == ("created", "model")
    assert user(tmp_path / "two", file.name).read_bytes() == file.read_bytes()
    assert two.save(draft("b", "Another"), by=MODEL).fact.number == 2


def test_an_undo_is_refused_with_a_diff_when_the_file_moved_on(tmp_path):
    store = store_of(tmp_path)
    store.save(draft(), by=MODEL)
    store.save(draft(summary="Lives in Osaka"), by=MODEL)
    file = user(tmp_path, "lives-in-tokyo.md")
    by_hand(file, file.read_text().replace("Lives in Osaka", "Lives in Kobe"))
    with pytest.raises(FactError) as caught:
        store.undo(by=PERSON)
    assert '-summary = "Lives in Osaka"' in str(caught.value) and '+summary = "Lives in Kobe"' in str(caught.value)
    assert summaries(store) == ["Lives in Kobe"]
    store.reconcile()
    store.undo(by=PERSON)
    assert summaries(store) == ["Lives in Osaka"]


def test_undo_goes_back_change_by_change_and_is_itself_an_entry(tmp_path):
    store = store_of(tmp_path)
    store.save(draft(), by=MODEL)
    store.save(draft("b", "Another"), by=MODEL)
    store.save(draft(summary="Lives in Osaka"), by=MODEL)
    store.save(draft(summary="lives in osaka"), by=MODEL)
    store.forget("b", by=PERSON)
    assert store.undo(by=PERSON, ref=1).fact.summary == "Lives in Tokyo"
    assert store.undo(by=PERSON).fact.name == "b"
    assert summaries(store) == ["Lives in Tokyo", "Another"]
    gone = store.undo(by=PERSON)
    assert (gone.fact.name, gone.fact.status) == ("b", "forgotten")
    assert store.undo(by=PERSON).fact.name == "lives-in-tokyo"
    assert store.snapshot().facts == ()
    with pytest.raises(FactError, match="nothing to undo"):
        store.undo(by=PERSON)
    assert [e.action for e in store.history(1)] == ["created", "updated", "confirmed", "undone", "undone"]
    assert store.save(draft("c", "Third"), by=MODEL).fact.number == 3


def test_a_project_folder_that_was_removed_is_noticed(tmp_path):
    store = store_of(tmp_path)
    scope = store.scopes.of(tmp_path)
    store.save(draft("ci", "Uses CI", "project", scope=scope), by=MODEL)
    file = store.get("ci").path
    assert parse_fact(file.read_text(), file).scope == scope
    shutil.rmtree(file.parent)
    assert store.snapshot().facts == ()
