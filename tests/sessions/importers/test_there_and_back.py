"""What a person may save is exported as Claude Code keeps its memory, and is the same when it comes back."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sessions.errors import FactError
from sessions.importers.memories import of_folder
from sessions.importers.proposing import Proposed, Proposing
from sessions.memory.export import export_folder
from sessions.memory.fact import Draft, Fact
from sessions.memory.rules import KINDS, is_name
from sessions.memory.store import FactStore
from tests.sessions.memory.homes import NOW, store_of
from tests.sessions.memory.homes import PERSON as HAND

HERE = "project"
"""Stands for the project of the folder in a draft of these tests."""

CAR = Draft("car", "Drives an old Volvo", "user")
MEMORY = Draft("memory", "Keeps one memory for all agents", "user")
TWO_SCOPES = [
    Draft("same", "Is called Ada in general", "user"),
    Draft("same", "Is called Adi in atlas", "user", scope=HERE),
    Draft("same-2", "Has the name that a file would get", "user"),
]
NEAR = [
    Draft("near-a", "Drinks coffee black in the morning", "user"),
    Draft("near-b", "Drinks coffee black in the mornings", "user"),
    Draft("home", "Lives in Tokyo", "user"),
    Draft("flat", "Lives in Osaka", "user"),
]
UNLIKE_A_MODEL = [
    Draft("parser", "Is currently fixing the parser bug", "project"),
    Draft("yes", "yes", "user"),
    Draft("x", "x", "feedback", body="x y"),
    Draft("two", "Likes tea; dislikes coffee and was probably in Rome", "user"),
    Draft("long", "L" * 120, "reference", body="b" * 20_000),
    Draft("lately", "Was recently in Rome", "user"),
    Draft("call-tom", "Call Tom tomorrow", "open-thread", body="On Friday, or in 2 days"),
    Draft("odd", "Says \"hi\": 'yes' # \\ {c: d} & * ! | > %", "user", body="---\nname: x\n---\n\n  two  \n\ttab\n> q"),
]

names = st.from_regex(r"[a-z0-9-]{1,8}", fullmatch=True) | st.sampled_from(["memory", "a--b", "null", "memory-2"])
words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30) | st.sampled_from(
    ["Lives in Tokyo", "Lives in Osaka", "Call Tom tomorrow", "yes", "Is fixing the bug", "Was here recently"]
)


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    kind = draw(st.sampled_from(KINDS))
    return Draft(
        draw(names),
        draw(words),
        kind,
        "\n".join(draw(st.lists(words, max_size=3))),
        draw(st.sampled_from(["user", HERE])),
        due=draw(st.none() | st.dates(date(2026, 1, 1), date(2030, 1, 1))) if kind == "open-thread" else None,
        pinned=draw(st.none() | st.booleans()),
        locked=draw(st.booleans()),
    )


def told(fact: Fact, known: set[str]) -> tuple[object, ...]:
    related = tuple(name for name in fact.related if name in known)
    rest = fact.pinned, fact.scope, fact.locked, related, fact.status
    return fact.name, fact.summary, fact.kind, fact.body, str(fact.due), *rest


def all_of(store: FactStore) -> list[tuple[object, ...]]:
    facts = store.snapshot().facts
    return sorted(told(fact, {f.name for f in facts}) for fact in facts)


def atlas(folder: Path) -> Path:
    (folder / "atlas" / ".git").mkdir(parents=True, exist_ok=True)
    return folder / "atlas"


def saved(folder: Path, wanted: list[Draft]) -> FactStore:
    """A home with those of the drafts that a person may save; each is related to the one before."""
    store = store_of(folder / "home")
    here = store.scopes.of(atlas(folder))
    store.scopes.prepare(here, atlas(folder))
    before = ""
    for one in wanted:
        try:
            made = store.save(replace(one, scope=here if one.scope == HERE else one.scope), by=HAND).fact
            if is_name(one.name) and made.name != one.name:
                made = store.edit(made.number, by=HAND, name=one.name).fact
        except FactError:
            continue
        if made.locked:
            continue
        made = store.edit(made.number, by=HAND, related=[before] if before else [], locked=one.locked).fact
        before = made.name
    return store


def brought(folder: Path, store: FactStore, home: str = "other", out: str = "out") -> tuple[FactStore, Proposed]:
    """Another home, into which all of it is taken over and accepted."""
    if not (folder / out).exists():
        export_folder(store.snapshot().facts, folder / out, store.scopes.title)
    other = store_of(folder / home)
    before = len(other.snapshot().facts)
    done = Proposing(other.paths, other, other.clock).propose(of_folder(folder / out, here=str(atlas(folder))))
    assert len(other.snapshot().facts) == before, "all of it waits"
    for proposal in other.proposals():
        other.review.accept(proposal.number)
    return other, done


@settings(max_examples=8, deadline=None)
@given(st.lists(drafts(), max_size=6))
@example([CAR, MEMORY])
@example(TWO_SCOPES)
@example(NEAR)
@example(UNLIKE_A_MODEL)
@example([Draft("a--b", "Likes dashes", "user"), CAR])
@example(
    [Draft("memory", "Keeps it", "user"), Draft("memory-2", "Is it", "user"), Draft("memory", "x", "self", scope=HERE)]
)
def test_what_a_person_may_save_is_the_same_when_it_comes_back(wanted: list[Draft]) -> None:
    with tempfile.TemporaryDirectory() as name:
        store = saved(Path(name), wanted)
        other, done = brought(Path(name), store)
        assert not done.refused
        assert all_of(other) == all_of(store)


@pytest.mark.parametrize(
    "wanted", [[CAR], [MEMORY], TWO_SCOPES, NEAR, UNLIKE_A_MODEL], ids=["name", "index", "scopes", "near", "rules"]
)
def test_what_came_back_is_known_there_and_where_it_came_from(tmp_path: Path, wanted: list[Draft]) -> None:
    store = saved(tmp_path, wanted)
    other, done = brought(tmp_path, store)
    assert done.statuses == {"waits": len(wanted)} and all_of(other) == all_of(store)
    _, again = brought(tmp_path, store, "home")
    assert again.statuses == {"known": len(wanted)} and not store.proposals()


def test_what_was_locked_switched_off_forgotten_or_rejected_since_stays_so(tmp_path: Path) -> None:
    store = saved(tmp_path, [CAR, MEMORY, *UNLIKE_A_MODEL[:3]])
    export_folder(store.snapshot().facts, tmp_path / "out")
    store.edit("car", by=HAND, summary="Drives a bicycle", locked=True)
    store.edit("memory", by=HAND, status="off")
    store.forget("parser", by=HAND)
    _, done = brought(tmp_path, store, "home")
    assert sorted(why.partition(" ")[2] for *_, why in done.refused) == [
        "car is locked. Only the person changes it, by hand",
        "memory was switched off by the person",
        "parser was forgotten by the person",
    ]
    assert done.statuses["known"] == 2
    other = store_of(tmp_path / "third")
    proposing = Proposing(other.paths, other, other.clock)
    proposing.propose(of_folder(tmp_path / "out"))
    for proposal in other.proposals():
        other.review.reject(proposal.number)
    (tmp_path / "out").rename(tmp_path / "elsewhere")
    done = proposing.propose(of_folder(tmp_path / "elsewhere"))
    assert {why for *_, why in done.refused} == {"the user rejected this before"} and not other.proposals()


def test_what_came_one_after_the_other_stands_side_by_side_and_nothing_comes_twice(tmp_path: Path) -> None:
    store = saved(tmp_path, NEAR[:1])
    other, _ = brought(tmp_path, store)
    other.edit("near-a", by=HAND, name="coffee")
    store.save(NEAR[1], by=HAND)
    _, done = brought(tmp_path, store, out="later")
    assert done.statuses == {"known": 1, "waits": 1}
    assert sorted(fact.name for fact in other.snapshot().facts) == ["coffee", "near-b"]


def test_of_what_there_is_one_of_the_one_that_was_here_gives_way_as_the_person_says(tmp_path: Path) -> None:
    store = saved(tmp_path, [NEAR[2]])
    export_folder(store.snapshot().facts, tmp_path / "out")
    other = store_of(tmp_path / "other")
    other.save(Draft("lives", "Lives in Rome", "user"), by=HAND)
    Proposing(other.paths, other, other.clock).propose(of_folder(tmp_path / "out"))
    (item,) = other.review.items()
    assert item.proposal.proposes == "supersede" and [fact.name for fact in item.now] == ["lives"]


def test_a_secret_does_not_come_back_and_nothing_of_it_is_dated(tmp_path: Path) -> None:
    store = saved(tmp_path, [Draft("door", "The password is hunter22xyz", "reference"), UNLIKE_A_MODEL[6]])
    other, done = brought(tmp_path, store)
    assert done.statuses["refused"] == 1 and "it holds a secret" in done.refused[0][2]
    (fact,) = other.snapshot().facts
    assert (fact.summary, fact.body) == ("Call Tom tomorrow", "On Friday, or in 2 days") and fact.created_at == NOW
