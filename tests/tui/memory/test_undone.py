from __future__ import annotations

from datetime import UTC, date, timedelta
from pathlib import Path

from sessions.clock import FixedClock
from sessions.memory.fact import Draft
from sessions.memory.guard import Guard, Wish
from sessions.memory.store import FactStore
from tests.sessions.memory.homes import MODEL, NOW, PERSON, draft, store_of
from tests.tui.workbench import screen_text, workbench
from tests.waiting import until
from tui.memory.undone import question, undone


def undo(store: FactStore) -> str:
    return undone(store.undo(by=PERSON))


def asked(store: FactStore) -> str:
    return question(store.to_undo(), UTC).split("\n")[1]


def test_every_change_taken_back_says_what_became_of_the_fact_and_what_is_taken_back(tmp_path: Path) -> None:
    store = store_of(tmp_path)
    store.save(draft("answer", "Answer Sarah", "open-thread", due=date(2026, 12, 4)), by=MODEL)
    changes = (
        ({"pinned": True}, "always send: yes", "always sent no more: Answer Sarah · #1"),
        ({"locked": True}, "locked", "unlocked: Answer Sarah · #1"),
        ({"status": "off"}, "off", "on again: Answer Sarah · #1"),
        ({"due": None}, "due: none", "due 2026-12-04 again: Answer Sarah · #1"),
        ({"name": "sarah"}, "name: answer → sarah", "named answer again: Answer Sarah · #1"),
        ({"summary": "Write to Sarah"}, "in one line: Answer Sarah → Write to Sarah",
         "in one line again: Answer Sarah · #1"),
    )  # fmt: skip
    for fields, told, after in changes:
        store.edit(1, by=PERSON, **fields)
        assert asked(store) == f"Last change (2026-11-29 17:14): {told}. Take it back?"
        assert undo(store) == after
    store.forget(1, by=PERSON)
    assert question(store.to_undo(), UTC) == (
        "#1 answer: Answer Sarah\nLast change (2026-11-29 17:14): forgotten. Take it back?"
    )
    assert undo(store) == "open again: Answer Sarah · #1"
    assert "saved. Take it back?" in asked(store)
    assert undo(store) == "forgotten: Answer Sarah · #1"


def test_what_was_replaced_comes_back_and_what_came_back_goes_again(tmp_path: Path) -> None:
    store = store_of(tmp_path)
    store.save(draft(), by=MODEL)
    store.save(draft("lives-in-osaka", "Lives in Osaka", replaces=1), by=MODEL)
    assert undo(store) == "forgotten: Lives in Osaka · #2, back: Lives in Tokyo · #1"
    store.forget(1, by=PERSON)
    store.save(draft(), by=MODEL)
    assert "brought back" in asked(store)
    assert undo(store) == "forgotten again: Lives in Tokyo · #1"
    assert undo(store) == "back: Lives in Tokyo · #1"


def test_a_decision_taken_back_waits_again(tmp_path: Path) -> None:
    store = store_of(tmp_path)
    for decide in (store.review.accept, store.review.reject):
        wish = Wish(MODEL, at_once="never")
        proposed = Guard(store).save(Draft("", "Likes tea", "preference"), wish).proposal
        assert proposed is not None
        decide(proposed.number)
        assert undo(store).startswith("waits again: Likes tea · #")


async def test_a_fact_switched_on_beside_one_that_says_otherwise_names_it(tmp_path: Path) -> None:
    store = store_of(tmp_path / "home", FixedClock(NOW - timedelta(hours=1)))
    store.save(draft(), by=PERSON)
    store.edit(1, by=PERSON, status="off")
    store.save(draft("lives-in-rome", "Lives in Rome"), by=PERSON)
    async with workbench(tmp_path / "home", (80, 24)) as (app, pilot):
        await pilot.press("f4")
        await until(lambda: app.place == "memory" and app.body.memory.fact, "the list")
        app.body.memory.choose(1)
        await until(lambda: app.body.memory.fact and app.body.memory.fact.number == 1, "Tokyo")
        await pilot.press("space")
        said = "on: Lives in Tokyo · #1; on too: Lives in Rome · #2"
        await until(
            lambda: any(n.message == said for n in app._notifications) or said in screen_text(app), "it is said"
        )
        await pilot.press("u")
        said = "off again: Lives in Tokyo · #1"
        await until(lambda: any(n.message == said for n in app._notifications) or said in screen_text(app), "undone")
