from __future__ import annotations

import json
import shutil
import subprocess
import sys
from datetime import date, timedelta

import pytest

from sessions.clock import FixedClock
from sessions.errors import FactError
from sessions.memory.fact import By, Draft, parse_fact
from sessions.memory.store import FactStore
from tests.sessions.memory.homes import MODEL, NOW, PERSON, by_hand, draft, paths_of, store_of, summaries


def test_a_saved_fact_is_one_file_with_its_source_and_a_line_in_the_list(tmp_path):
    store = store_of(tmp_path)
    change = store.save(draft(body="Near Nakano."), by=MODEL)
    file = tmp_path / "memory/user/lives-in-tokyo.md"
    fact = parse_fact(file.read_text(), file)
    assert fact == change.fact == store.get(1) == store.get("lives-in-tokyo") == store.get("#1")
    assert (change.op, change.before, fact.number, fact.pinned) == ("created", None, 1, True)
    assert (fact.source.origin, fact.source.quote, fact.source.message) == ("model", "I live in Tokyo", "u1")
    assert "- 1 [lives-in-tokyo](<user/lives-in-tokyo.md>) — Lives in Tokyo\n" in store.paths.memory_md.read_text()
    assert file.stat().st_mode & 0o777 == 0o600


def test_the_same_said_again_only_moves_the_day_it_was_confirmed(tmp_path):
    clock = FixedClock(NOW)
    store = store_of(tmp_path, clock)
    first = store.save(draft(body="Near Nakano."), by=MODEL).fact
    clock.at += timedelta(days=2)
    for name, summary in (("lives-in-tokyo", "lives  in TOKYO."), ("home-town", "Lives in Tokyo")):
        change = store.save(draft(name, summary), by=MODEL)
        assert (change.op, change.fact.number, change.fact.body) == ("confirmed", 1, "Near Nakano.")
    assert (change.fact.updated_at, change.fact.confirmed_at) == (first.updated_at, clock.at)
    assert summaries(store) == ["Lives in Tokyo"]


def test_a_new_text_under_a_known_name_updates_the_fact_and_drops_the_body_about_the_old_one(tmp_path):
    store = store_of(tmp_path)
    store.save(draft(body="The user lives in Tokyo."), by=MODEL)
    change = store.save(draft(summary="Lives in Osaka"), by=MODEL)
    assert (change.op, change.before.summary, change.fact.summary) == ("updated", "Lives in Tokyo", "Lives in Osaka")
    assert (change.fact.number, change.fact.body) == (1, "")


def test_a_forgotten_fact_said_again_is_the_same_fact_with_its_history(tmp_path):
    store = store_of(tmp_path)
    store.save(draft(), by=MODEL)
    assert store.forget(1, by=PERSON).op == "forgotten"
    assert store.snapshot().facts == () and store.archived()[0].status == "forgotten"
    with pytest.raises(FactError, match="forgotten by the person"):
        store.save(draft(), by=By("distilled"))
    change = store.save(draft(), by=MODEL)
    assert (change.op, change.fact.number, change.fact.status) == ("restored", 1, "active")
    assert [e.action for e in store.history(1)] == ["created", "forgotten", "restored"]
    assert store.archived() == []


def test_a_fact_that_replaces_another_sends_it_to_the_archive(tmp_path):
    store = store_of(tmp_path)
    store.save(draft(), by=MODEL)
    change = store.save(draft("lives-in-osaka", "Lives in Osaka", replaces=1), by=MODEL)
    assert (change.op, change.fact.number, change.fact.supersedes) == ("created", 2, ("lives-in-tokyo",))
    assert [(f.number, f.status) for f in store.archived()] == [(1, "superseded")]
    store.undo(by=PERSON)
    assert summaries(store) == ["Lives in Tokyo"] and store.archived() == []


@pytest.mark.parametrize("ref", [1, 2, "lives-in-tokyo", "lives-in-osaka"])
def test_what_replaced_another_has_its_text_in_the_history_of_both_and_an_undo_of_either_brings_it_back(tmp_path, ref):
    store = store_of(tmp_path)
    store.save(draft(), by=MODEL)
    store.save(draft("lives-in-osaka", "Lives in Osaka", replaces=1), by=MODEL)
    store = store_of(tmp_path)
    (created,) = store.history(2)
    assert (created.action, created.replaced.summary, created.after.summary) == (
        "created",
        "Lives in Tokyo",
        "Lives in Osaka",
    )
    assert [(e.action, e.before and e.before.status, e.after.summary, e.after.status) for e in store.history(1)] == [
        ("created", None, "Lives in Tokyo", "active"),
        ("superseded", "active", "Lives in Tokyo", "superseded"),
    ]
    store.save(draft("tea", "Likes tea"), by=MODEL)
    store.undo(by=PERSON, ref=ref)
    assert sorted(summaries(store)) == ["Likes tea", "Lives in Tokyo"] and store.archived() == []
    assert [e.action for e in store.history(1)] == ["created", "superseded", "undone"]
    assert [e.action for e in store.history("tea")] == ["created"]


def test_only_a_person_changes_a_locked_fact(tmp_path):
    store = store_of(tmp_path)
    store.save(draft(), by=MODEL)
    store.edit(1, by=PERSON, locked=True)
    before = store.get(1)
    for attempt in (
        lambda: store.save(draft(summary="Lives in Osaka"), by=MODEL),
        lambda: store.save(draft("home", "Lives in Osaka", replaces=1), by=MODEL),
        lambda: store.edit(1, by=MODEL, summary="Lives in Osaka"),
        lambda: store.forget(1, by=MODEL),
        lambda: store.undo(by=MODEL),
    ):
        with pytest.raises(FactError, match="#1 lives-in-tokyo is locked"):
            attempt()
    assert store.save(draft(), by=MODEL).op == "confirmed"
    assert store.get(1) == before
    assert store.edit(1, by=PERSON, summary="Lives in Kyoto").fact.summary == "Lives in Kyoto"


def test_an_edit_changes_what_it_names_and_renames_the_file(tmp_path):
    store = store_of(tmp_path)
    store.save(draft("staffing", "Sarah waits for the answer", "open-thread", due=date(2026, 12, 4)), by=MODEL)
    store.edit(1, by=PERSON, pinned=True, status="off", related=["Sarah Chen"])
    fact = store.edit("staffing", by=PERSON, name="q3-staffing").fact
    assert (fact.name, fact.path.name, fact.pinned, fact.status) == ("q3-staffing", "q3-staffing.md", True, "off")
    assert (fact.related, fact.due, fact.source.origin) == (("sarah-chen",), date(2026, 12, 4), "model")
    assert store.edit(1, by=PERSON, summary="Sarah waits").fact.source.origin == "user"
    assert store.edit(1, by=PERSON, summary="Sarah waits").op == "confirmed"
    assert not (tmp_path / "memory/user/staffing.md").exists()


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"summary": "x" * 121}, "summary has 121 characters"),
        ({"summary": " \u200b\n"}, "summary is empty"),
        ({"name": "Not a name"}, "name 'Not a name' is not possible"),
        ({"name": "other"}, "name other is taken by #2"),
        ({"kind": "mood"}, "kind 'mood' is unknown"),
        ({"due": date(2026, 1, 1)}, "due belongs to the kind open-thread"),
        ({"status": "forgotten"}, "status 'forgotten' is unknown"),
        ({"number": 9}, "number cannot be changed"),
        ({"scope": "project:../../x"}, "scope"),
    ],
)
def test_an_edit_that_breaks_a_rule_changes_nothing(tmp_path, fields, why):
    store = store_of(tmp_path)
    fact = store.save(draft(), by=MODEL).fact
    store.save(draft("other", "Something else"), by=MODEL)
    with pytest.raises(FactError, match=why):
        store.edit(1, by=PERSON, **fields)
    assert store.get(1) == fact


def test_a_name_of_no_usable_character_becomes_the_number(tmp_path):
    store = store_of(tmp_path)
    assert store.save(draft("東京", "東京に住んでいる"), by=MODEL).fact.name == "fact-1"


def test_numbers_are_never_used_again_even_without_the_local_folder(tmp_path):
    store = store_of(tmp_path)
    for n in range(3):
        store.save(draft(f"f-{n}", f"Fact {n}"), by=MODEL)
    store.forget(3, by=PERSON)
    store.edit(1, by=PERSON, pinned=False)
    (tmp_path / "memory/archive/f-2.md").unlink()
    shutil.rmtree(tmp_path / "local")
    again = store_of(tmp_path)
    assert again.save(draft("g", "Another"), by=MODEL).fact.number == 4
    shutil.rmtree(tmp_path / "memory/journal")
    assert store_of(tmp_path).save(draft("h", "One more"), by=MODEL).fact.number == 5


def test_a_file_that_cannot_be_read_is_listed_left_alone_and_its_name_is_not_written_over(tmp_path):
    store = store_of(tmp_path)
    broken = by_hand(tmp_path / "memory/user/atlas-ci.md", '+++\nname = "atlas-ci"\n\nkind preference\n+++\n')
    bad = by_hand(tmp_path / "memory/user/latin.md", "+++\n+++\nok\n")
    bad.write_bytes(b"+++\n+++\n\xff\n")
    store.save(draft(), by=MODEL)
    before = broken.read_bytes()
    snapshot = store.snapshot()
    assert [(b.path.name, b.line, b.why) for b in snapshot.broken] == [
        ("atlas-ci.md", 4, "line 4, not TOML"),
        ("latin.md", 3, "line 3, not UTF-8"),
    ]
    assert store.save(draft("atlas-ci", "Uses CI"), by=MODEL).fact.name == "atlas-ci-2"
    store.reconcile()
    assert broken.read_bytes() == before
    assert store.counts() == store.quick_counts()
    assert (store.counts().active, store.counts().broken) == (2, 2)


def test_proposals_are_read_and_counted_and_not_used(tmp_path):
    store = store_of(tmp_path)
    by_hand(
        tmp_path / "memory/proposed/p1.md",
        '+++\nid = "p1"\nnumber = 9\nname = "moved"\nsummary = "Lives in Kyoto"\nproposes = "update"\ntarget = "7"\n'
        'base = "ab"\nwhy = "said so"\n+++\n',
    )
    (proposal,) = store.snapshot().proposed
    assert (proposal.proposes, proposal.target, proposal.base) == ("update", "7", "ab")
    assert (proposal.why, proposal.number, proposal.fact.extra) == ("said so", 9, {})
    assert store.visible(None) == [] and store.counts().to_review == 1
    assert store.save(draft(), by=MODEL).fact.number == 10
    store.reconcile()
    assert len(store.snapshot().proposed) == 1


def test_the_second_look_at_many_facts_reads_no_file_again(tmp_path):
    store = store_of(tmp_path)
    for n in range(30):
        store.save(draft(f"f-{n}", f"Fact {n}"), by=MODEL)
    first, revision = store.snapshot(), store.revision
    assert store.snapshot() is first and store.revision == revision
    FactStore(store.paths, store.clock).save(draft("f-3", "Changed elsewhere"), by=MODEL)
    assert store.snapshot().facts[3].summary == "Changed elsewhere" and store.revision > revision


def test_a_list_that_a_person_edited_is_kept_beside_the_new_one(tmp_path):
    store = store_of(tmp_path)
    store.save(draft(), by=MODEL)
    edited = store.paths.memory_md.read_text() + "- Likes tea\n"
    store.paths.memory_md.write_text(edited)
    store.save(draft("b", "Another"), by=MODEL)
    kept = [p for p in (tmp_path / "memory").glob("MEMORY-edited-*.md")]
    assert [p.read_text() for p in kept] == [edited]
    store.save(draft("c", "Third"), by=MODEL)
    assert len(list((tmp_path / "memory").glob("MEMORY*.md"))) == 2


def test_the_journal_holds_before_and_after_with_their_hashes(tmp_path):
    store = store_of(tmp_path)
    store.save(draft(), by=MODEL)
    store.save(draft(summary="Lives in Osaka"), by=MODEL)
    (journal,) = (tmp_path / "memory/journal").glob("*.jsonl")
    first, second = (json.loads(line) for line in journal.read_text().splitlines())
    assert first["by"] == {"origin": "model", "session": MODEL.session, "message": "u1", "quote": MODEL.quote}
    assert first["files"][0]["after_sha256"] == second["files"][0]["before_sha256"]
    assert "Osaka" in second["files"][0]["after"]
    created, updated = store.history("lives-in-tokyo")
    assert (created.before, created.after.summary) == (None, "Lives in Tokyo")
    assert (updated.before.summary, updated.after.summary) == ("Lives in Tokyo", "Lives in Osaka")


def cut_off(store, name="lives-in-tokyo"):
    """The store's home as a kill right after the journal's last entry leaves it."""
    entry = store.history(name)[-1].files[0]
    (store.paths.memory / entry.path).write_text(entry.before)
    settled = store.paths.local / "memory-settled.json"
    settled.unlink()
    return next(store.paths.journal.glob("*.jsonl"))


@pytest.mark.parametrize("ending", [b"\n", b""])
def test_a_change_that_only_the_journal_knows_is_finished(tmp_path, ending):
    store = store_of(tmp_path)
    store.save(draft(), by=MODEL)
    store.save(draft(summary="Lives in Osaka"), by=MODEL)
    journal = cut_off(store)
    journal.write_bytes(journal.read_bytes().rstrip(b"\n") + ending)
    again = store_of(tmp_path)
    assert summaries(again) == ["Lives in Osaka"]
    again.save(draft("b", "Another"), by=MODEL)
    assert [e.by.origin for e in again.history(1)] == ["model", "model"]
    assert again.reconcile() == []


def test_an_entry_that_a_kill_left_torn_never_happened(tmp_path):
    store = store_of(tmp_path)
    store.save(draft(), by=MODEL)
    store.save(draft(summary="Lives in Osaka"), by=MODEL)
    journal = cut_off(store)
    journal.write_bytes(journal.read_bytes()[:-20])
    again = store_of(tmp_path)
    assert summaries(again) == ["Lives in Tokyo"] and again.reconcile() == []
    again.save(draft("b", "Another"), by=MODEL)
    assert len(again.history(1)) == 1 and store_of(tmp_path).reconcile() == []


WRITER = """
import sys
from pathlib import Path
from sessions.clock import SystemClock
from sessions.memory.fact import By, Draft
from sessions.memory.store import FactStore
from tests.sessions.memory.homes import paths_of

root, who = Path(sys.argv[1]), sys.argv[2]
store = FactStore(paths_of(root), SystemClock())
print("ready", flush=True)
sys.stdin.readline()
for n in range(60):
    store.save(Draft(f"{who}-{n}", f"{who} says {n}", "user", "x" * (n * 37 % 3000)), by=By("model", who))
"""


def test_two_programs_save_60_facts_each_at_once_and_none_is_lost_or_torn(tmp_path):
    paths_of(tmp_path)
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), who],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for who in ("ann", "bob")
    ]
    for p in programs:
        assert p.stdout.readline() == "ready\n"
    for p in programs:
        p.stdin.write("\n")
        p.stdin.flush()
    assert [p.wait(timeout=100) for p in programs] == [0, 0]
    store = store_of(tmp_path)
    snapshot = store.snapshot()
    assert snapshot.broken == ()
    assert sorted(f.number for f in snapshot.facts) == list(range(1, 121))
    assert {f.name for f in snapshot.facts} == {f"{who}-{n}" for who in ("ann", "bob") for n in range(60)}
    assert {f.source.origin for f in snapshot.facts} == {"model"}
    assert store.reconcile() == []
    assert store.paths.memory_md.read_text().count("\n- ") == 120


def test_a_change_of_a_fact_that_is_not_there_says_so(tmp_path):
    store = store_of(tmp_path)
    for call in (
        lambda: store.edit(5, by=PERSON, pinned=True),
        lambda: store.forget("nobody", by=PERSON),
        lambda: store.history(5),
        lambda: store.save(Draft("a", "b", "user", replaces=5), by=MODEL),
    ):
        with pytest.raises(FactError):
            call()
    with pytest.raises(FactError, match="nothing to undo"):
        store.undo(by=PERSON)
