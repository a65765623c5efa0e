from __future__ import annotations

from datetime import timedelta

import pytest

from sessions.errors import FactError
from sessions.memory.fact import By, Draft
from sessions.memory.guard import Guard, Wish
from tests.sessions.agent.scripted import NOW
from tests.sessions.memory.homes import PERSON, by_hand, draft, store_of, summaries

MODEL = By("model", "20261129-171408-7f3a9c", "u1", "")
WISH = Wish(MODEL)


def propose(store, name="tea", summary="Likes tea", kind="preference", wish=WISH, **more):
    """The number under which it waits."""
    outcome = Guard(store).save(Draft(name, summary, kind, **more), wish)
    assert outcome.proposal is not None
    return outcome.proposal.number


def from_client(client):
    return Wish(By("mcp", client=client), at_once="never", why="saved by another agent")


@pytest.fixture
def store(tmp_path):
    return store_of(tmp_path)


def test_a_proposal_is_a_numbered_file_with_what_it_changes_and_on_which_text(store, tmp_path):
    store.save(draft(), by=PERSON)
    number = propose(store, "lives-in-tokyo", "Lives in Osaka")
    (proposal,) = store.proposals()
    assert (number, proposal.number, proposal.proposes, proposal.target) == (2, 2, "update", "1")
    assert proposal.why == "no quote of the user's own words came with it"
    text = (tmp_path / f"memory/proposed/{proposal.fact.id}.md").read_text()
    for line in ('proposes = "update"', 'target = "1"', f'base = "{proposal.base}"', "number = 2", 'origin = "model"'):
        assert line in text
    assert summaries(store) == ["Lives in Tokyo"] and store.counts().to_review == 1
    assert "Osaka" not in (tmp_path / "memory/MEMORY.md").read_text()
    assert [e.action for e in store.history(2)] == ["proposed"]


def test_accepting_keeps_the_number_of_a_new_fact_and_its_source(store):
    number = propose(store)
    change = store.review.accept(number)
    assert (change.op, change.fact.number, change.fact.summary) == ("created", number, "Likes tea")
    assert (change.fact.source.origin, change.fact.source.session) == ("model", MODEL.session)
    assert change.fact.source.accepted.startswith("2026-11-29T17:14:08") and change.fact.pinned
    assert store.proposals() == [] and [e.action for e in store.history(number)] == ["proposed", "accepted"]
    with pytest.raises(FactError, match=f"Nothing waits as #{number}"):
        store.review.accept(number)


def test_an_update_in_place_a_supersede_and_a_forget_do_what_they_say(store):
    store.save(draft(), by=PERSON)
    store.save(draft("tea", "Likes tea"), by=PERSON)
    update = propose(store, "lives-in-tokyo", "Lives in Osaka")
    item = store.review.item(update)
    assert (item.does, [f.summary for f in item.now]) == ("Changes #1 lives-in-tokyo", ["Lives in Tokyo"])
    change = store.review.accept(update)
    assert (change.op, change.fact.number, change.before.summary) == ("updated", 1, "Lives in Tokyo")
    supersede = propose(store, "coffee", "Likes coffee", replaces="tea")
    assert store.review.item(supersede).does == "Saves it in place of #2 tea, which goes to the archive"
    assert store.review.accept(supersede).fact.supersedes == ("tea",)
    assert summaries(store) == ["Lives in Osaka", "Likes coffee"]
    assert [(f.name, f.status) for f in store.archived()] == [("tea", "superseded")]
    gone = Guard(store).forget(1, WISH).proposal
    assert store.review.item(gone.number).does == "Forgets #1 lives-in-tokyo"
    assert store.review.accept(gone.number).op == "forgotten"
    assert summaries(store) == ["Likes coffee"]


def test_what_is_to_be_forgotten_is_shown_in_the_words_that_it_has_now(store):
    store.save(draft(), by=PERSON)
    update = propose(store, "lives-in-tokyo", "Lives in Geneva")
    gone = Guard(store).forget(1, WISH).proposal
    assert gone.fact.summary == "Lives in Tokyo"
    store.review.accept(update)
    (row,) = store.proposals()
    assert (row.number, row.fact.summary) == (gone.number, "Lives in Geneva")
    assert (row.fact.id, row.fact.source) == (gone.fact.id, gone.fact.source)
    assert store.review.item(gone.number).fact.summary == "Lives in Geneva"
    store.edit(1, by=PERSON, summary="Lives in Bern")
    assert [p.fact.summary for p in store.proposals()] == ["Lives in Bern"]
    change = store.review.accept(gone.number)
    assert (change.op, change.fact.summary, summaries(store)) == ("forgotten", "Lives in Bern", [])


def test_a_merge_makes_one_fact_of_several(store):
    for name in ("tea", "tea-2", "tea-3"):
        store.save(draft(name, f"Likes tea {name}"), by=PERSON)
    facts = list(store.snapshot().facts)
    with store.locked():
        fact = facts[0]
        made = store.review.proposals.add(
            type(fact)(fact.name, "Likes tea of every kind", "preference"),
            "merge",
            facts,
            By("model"),
            "they say one thing",
        )
    assert store.review.item(made.number).does == "Makes one fact of #1 tea, #2 tea-2, #3 tea-3"
    store.review.accept(made.number)
    assert summaries(store) == ["Likes tea of every kind"] and len(store.archived()) == 2
    store.review.undo(made.number)
    assert len(summaries(store)) == 3 and store.archived() == [] and len(store.proposals()) == 1


def test_a_person_may_change_it_while_saying_yes(store):
    number = propose(store)
    change = store.review.accept(number, summary="Likes green tea", name="green-tea", kind="user")
    assert (change.fact.name, change.fact.summary, change.fact.kind) == ("green-tea", "Likes green tea", "user")
    other = propose(store, "cat", "Has a cat", "user")
    with pytest.raises(FactError, match="summary is empty"):
        store.review.accept(other, summary=" ")
    assert len(store.proposals()) == 1


def test_groups_are_by_source_and_a_group_is_accepted_at_once(store):
    propose(store, "a", "Owns a boat", "user", from_client("Claude Code"))
    propose(store, "b", "Plays chess", "user")
    propose(store, "c", "Reads novels", "user", from_client("Claude Code"))
    groups = store.review.groups()
    assert [(g.title, [i.fact.name for i in g.items]) for g in groups] == [
        ("From Claude Code", ["a", "c"]),
        ("From the conversation", ["b"]),
    ]
    assert [c.fact.name for c in store.review.accept_group("From Claude Code")] == ["a", "c"]
    assert [p.fact.name for p in store.review.reject_group("From the conversation")] == ["b"]
    assert store.proposals() == [] and summaries(store) == ["Owns a boat", "Reads novels"]


def test_what_was_rejected_does_not_come_back_in_other_words_until_that_is_undone(store, tmp_path):
    number = propose(store)
    store.review.reject(number)
    for again in (store, store_of(tmp_path)):
        for summary in ("Likes tea", "The user likes tea."):
            with pytest.raises(FactError, match="the user rejected this before"):
                propose(again, "x", summary)
    assert propose(store, "coffee", "Likes coffee") != number
    store.review.undo(number)
    assert [p.number for p in store.proposals()] == [number, number + 1]
    assert Guard(store).save(Draft("tea", "Likes tea", "preference"), WISH).again


def test_the_same_waits_once(store):
    first = Guard(store).save(Draft("tea", "Likes tea", "preference"), WISH)
    second = Guard(store).save(Draft("x", "the user likes tea", "preference"), WISH)
    assert not first.again and second.again and second.proposal.number == first.proposal.number


def test_a_yes_and_a_no_can_be_taken_back_by_the_number_and_as_the_last_change(store):
    store.save(draft(), by=PERSON)
    update = propose(store, "lives-in-tokyo", "Lives in Osaka")
    store.review.accept(update)
    assert store.review.undo(update).op == "undone"
    assert summaries(store) == ["Lives in Tokyo"] and [p.number for p in store.proposals()] == [update]
    store.review.accept(update)
    store.undo(by=PERSON)
    assert summaries(store) == ["Lives in Tokyo"] and [p.number for p in store.proposals()] == [update]
    store.review.reject(update)
    assert store.proposals() == []
    store.undo(by=PERSON)
    assert [p.number for p in store.proposals()] == [update]
    store.review.accept(update)
    store.edit(1, by=PERSON, summary="Lives in Nara")
    with pytest.raises(FactError, match="was changed since"):
        store.review.undo(update)


def test_a_proposal_is_put_on_the_text_that_its_target_has_now(store):
    store.save(draft(), by=PERSON)
    number = propose(store, "lives-in-tokyo", "Lives in Osaka")
    base = store.proposals()[0].base
    store.edit(1, by=PERSON, summary="Lives in Kyoto", name="home", pinned=False)
    assert store.review.item(number).now[0].summary == "Lives in Kyoto"
    assert store.review.refresh() == 0
    (proposal,) = store.proposals()
    assert proposal.base != base and proposal.fact.name == "home"
    change = store.review.accept(number)
    assert (change.fact.name, change.fact.summary, change.fact.pinned) == ("home", "Lives in Osaka", False)
    assert change.before.summary == "Lives in Kyoto"


@pytest.mark.parametrize("meanwhile", ["forgotten", "already so", "locked", "renamed"])
def test_accepting_never_fails_because_the_fact_changed(store, meanwhile):
    store.save(draft(), by=PERSON)
    number = propose(store, "lives-in-tokyo", "Lives in Osaka")
    if meanwhile == "forgotten":
        store.forget(1, by=PERSON)
    elif meanwhile == "already so":
        store.edit(1, by=PERSON, summary="Lives in Osaka")
    elif meanwhile == "locked":
        store.edit(1, by=PERSON, locked=True)
    else:
        store.edit(1, by=PERSON, name="home")
    if meanwhile in {"forgotten", "already so"}:
        assert store.review.accept(number).op == "confirmed" and store.proposals() == []
        assert [e.action for e in store.history(number)] == ["proposed", "closed"]
    else:
        assert store.review.refresh() == 0 and store.review.accept(number).fact.summary == "Lives in Osaka"


def test_a_proposal_about_a_fact_that_is_not_here_waits_for_it_and_can_be_accepted_all_the_same(store, tmp_path):
    text = (
        '+++\nid = "p{0}"\nnumber = {0}\nname = "n{0}"\nsummary = "Owns boat {0}"\n'
        'proposes = "{1}"\ntarget = "99"\n+++\n'
    )
    by_hand(tmp_path / "memory/proposed/a.md", text.format(5, "update"))
    by_hand(tmp_path / "memory/proposed/b.md", text.format(6, "forget"))
    store.reconcile()
    assert [p.number for p in store.proposals()] == [5, 6]
    assert store.review.accept(5).fact.summary == "Owns boat 5"
    assert store.review.accept(6).op == "forgotten"
    assert (summaries(store), store.proposals()) == (["Owns boat 5"], [])


def test_a_new_fact_gives_way_when_its_name_was_taken_and_stands_alone_when_what_it_replaces_is_gone(store):
    number = propose(store)
    store.save(draft("tea", "Owns a tea house"), by=PERSON)
    assert store.review.accept(number).fact.name == "tea-2"
    other = propose(store, "coffee", "Likes coffee", replaces="tea")
    store.forget("tea", by=PERSON)
    assert store.review.item(other).does == "Saves it as a new fact"
    assert store.review.accept(other).fact.supersedes == ()
    assert summaries(store) == ["Likes tea", "Likes coffee"]


def test_an_editor_that_changes_a_target_puts_the_proposal_on_its_text(store, tmp_path):
    store.save(draft(), by=PERSON)
    propose(store, "lives-in-tokyo", "Lives in Osaka")
    base = store.proposals()[0].base
    file = tmp_path / "memory/user/lives-in-tokyo.md"
    file.write_text(file.read_text().replace("Lives in Tokyo", "Lives in Kobe"))
    store.reconcile()
    assert store.proposals()[0].base not in {base, ""}
    file.write_text(file.read_text().replace("Lives in Kobe", "Lives in Osaka"))
    store.reconcile()
    assert store.proposals() == [] and store.counts().to_review == 0


def test_what_the_person_said_meanwhile_closes_a_proposal(store):
    propose(store)
    store.save(draft("x", "Likes tea"), by=PERSON)
    assert store.review.refresh() == 1 and store.proposals() == []


def test_an_item_tells_what_it_is_close_to(store):
    store.save(draft("tea", "Likes strong green tea"), by=PERSON)
    number = propose(store, "drink", "Likes green tea", wish=from_client("Codex"))
    item = store.review.item(number)
    assert [f.number for f in item.against] == [1] and item.why == "saved by another agent; it is close to #1"


def test_times_of_facts_follow_the_clock_when_accepted(store):
    number = propose(store)
    store.clock.at = NOW + timedelta(days=1)
    assert store.review.accept(number).fact.created_at.day == 30
