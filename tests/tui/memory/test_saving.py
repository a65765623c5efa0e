from __future__ import annotations

from pathlib import Path

import pytest

from sessions.errors import FactError
from sessions.memory.fields import FactChangedError
from tests.sessions.memory.homes import MODEL, PERSON, by_hand, draft, store_of, summaries
from tests.tui.workbench import workbench
from tests.waiting import until, wait_until
from tui.memory.saving import GoneError, save


@pytest.fixture
def store(tmp_path: Path):
    store = store_of(tmp_path)
    store.save(draft(body="A flat."), by=MODEL)
    return store


def file_of(store) -> Path:
    return store.paths.user_facts / "lives-in-tokyo.md"


def test_fields_that_an_editor_changed_meanwhile_are_kept_or_refused_never_written_over(store):
    seen = store.get(1)
    file = by_hand(file_of(store), file_of(store).read_text().replace("A flat.", "A house."))
    change = save(store, seen, {"summary": "Lives in Osaka"}, None, by=PERSON)
    assert (change.fact.summary, change.fact.body) == ("Lives in Osaka", "A house.")
    by_hand(file, file.read_text().replace("Lives in Osaka", "Lives in Kyoto"))
    text = file.read_text()
    with pytest.raises(FactChangedError) as caught:
        save(store, change.fact, {"summary": "Lives in Kobe"}, None, by=PERSON)
    assert caught.value.now.summary == "Lives in Kyoto" and file.read_text() == text
    assert save(store, caught.value.now, {"summary": "Lives in Kobe"}, None, by=PERSON).fact.summary == "Lives in Kobe"
    assert [e.after.summary for e in store.history(1)][-2:] == ["Lives in Kyoto", "Lives in Kobe"]


def test_the_same_change_by_both_is_no_trouble(store):
    seen = store.get(1)
    by_hand(file_of(store), file_of(store).read_text().replace("Lives in Tokyo", "Lives in Osaka"))
    assert save(store, seen, {"summary": "Lives in Osaka"}, None, by=PERSON).op == "confirmed"


def test_a_deleted_fact_is_written_again_with_its_number_and_history_when_the_person_insists(store):
    seen, changes = store.get(1), {"summary": "Lives in Osaka"}
    file_of(store).unlink()
    wait_until(lambda: not summaries(store), "the fact is gone")
    wait_until(store.reconcile, "the deletion is journaled")
    with pytest.raises(GoneError):
        save(store, seen, changes, None, by=PERSON)
    change = save(store, seen, changes, draft(summary="Lives in Osaka"), by=PERSON)
    assert (change.fact.number, change.fact.summary, change.fact.body) == (1, "Lives in Osaka", "A flat.")
    assert [e.action for e in store.history(1)] == ["created", "forgotten", "undone", "updated"]


def test_a_fact_deleted_a_moment_ago_is_written_again_too(store):
    seen = store.get(1)
    file_of(store).unlink()
    wait_until(lambda: not summaries(store), "the fact is gone")
    change = save(store, seen, {"summary": "Lives in Osaka"}, draft(summary="Lives in Osaka"), by=PERSON)
    assert summaries(store) == ["Lives in Osaka"] and change.fact.number == 2


def test_a_file_that_an_editor_broke_is_not_written_over(store):
    seen = store.get(1)
    file = by_hand(file_of(store), "+++\nname = broken\n+++\n")
    for new in (None, draft(summary="Lives in Osaka")):
        with pytest.raises(FactError, match=r"lives-in-tokyo\.md is broken now: line 2"):
            save(store, seen, {"summary": "Lives in Osaka"}, new, by=PERSON)
    assert file.read_text() == "+++\nname = broken\n+++\n"


def test_another_fact_that_got_the_number_is_not_taken_for_it(store):
    seen = store.get(1)
    text = file_of(store).read_text().replace(seen.id, "other-id").replace("lives-in-tokyo", "other")
    file_of(store).unlink()
    by_hand(store.paths.user_facts / "other.md", text)
    wait_until(lambda: [f.name for f in store.snapshot().facts] == ["other"], "only the other is left")
    with pytest.raises(GoneError):
        save(store, seen, {"summary": "Lives in Osaka"}, None, by=PERSON)


def test_a_new_fact_takes_no_name_that_somebody_else_has_just_used(store):
    with pytest.raises(FactError, match="name lives-in-tokyo is taken by #1"):
        save(store, None, {}, draft(summary="Something else"), by=PERSON)
    assert summaries(store) == ["Lives in Tokyo"]
    assert save(store, None, {}, draft("other", "Another"), by=PERSON).op == "created"


async def test_a_new_fact_has_the_cursor_of_the_list_and_stays_in_the_form(tmp_path: Path) -> None:
    store_of(tmp_path / "home").save(draft(), by=MODEL)
    async with workbench(tmp_path / "home") as (app, pilot):
        await pilot.press("f4")
        await until(lambda: app.focused is app.body.memory.list and app.body.memory.fact, "the list")
        await pilot.press("n")
        await until(lambda: app.focused is app.body.fact.summary, "the form")
        write = app.body.fact.summary
        write.set("Drinks green tea")
        await pilot.press("ctrl+s")
        await until(lambda: app.body.fact.line.text == "saved", "it is saved")
        await pilot.pause()
        assert app.body.memory.fact.summary == app.body.fact.fact.summary == "Drinks green tea"
        assert app.focused is write
