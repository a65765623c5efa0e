from dataclasses import replace

from sessions.memory.entries import FileChange, JournalEntry
from sessions.memory.fact import By, render_fact
from tests.sessions.memory.homes import MODEL, draft, store_of
from tests.tui.widgets.harness import LIVES
from tui.memory.form_values import changed, names_in, values_of
from tui.memory.versions import differences, versions_of


def entry(before, after, action="updated", origin="user", undoes=""):
    texts = [render_fact(f) if f else None for f in (before, after)]
    return JournalEntry("op", "2026-11-29T09:41:00Z", action, LIVES.id, 7, LIVES.name, By(origin),
                        (FileChange("user/lives-in-tokyo.md", *texts),), undoes)  # fmt: skip


def test_versions_say_who_changed_what_newest_first():
    first = replace(LIVES, summary="Lives in Tokyo, Japan", related=())
    entries = [
        entry(None, first, "created", "model"),
        entry(first, replace(first, related=("prefers-celsius",)), origin="model"),
        entry(replace(first, related=("prefers-celsius",)), LIVES),
        entry(LIVES, replace(LIVES, status="off", body="x")),
        entry(LIVES, None, "forgotten"),
    ]
    told = [(v.number, v.who, v.text) for v in versions_of(entries)]
    assert told == [
        (5, "you", "forgotten"),
        (4, "you", "off · 1 more"),
        (3, "you", "in one line: Lives in Tokyo, Japan → Lives in Tokyo"),
        (2, "model", "related: + prefers-celsius"),
        (1, "model", "created"),
    ]


def test_what_was_replaced_says_by_what_and_what_came_shows_the_old_text(tmp_path):
    store = store_of(tmp_path)
    store.save(draft(), by=MODEL)
    store.save(draft("lives-in-osaka", "Lives in Osaka", replaces=1), by=MODEL)
    assert [v.text for v in versions_of(store.history(1))] == ["replaced by #2 lives-in-osaka", "created"]
    (version,) = versions_of(store.history(2))
    assert version.text == "in one line: Lives in Tokyo → Lives in Osaka · 1 more"
    assert ("in one line", "Lives in Tokyo", "Lives in Osaka") in differences(version.before, version.after)


def test_an_undone_change_says_so():
    text = versions_of([entry(LIVES, replace(LIVES, locked=True), "undone", undoes="op1")])[0].text
    assert text == "undone: locked"


def test_the_form_of_an_unchanged_fact_changes_nothing():
    for fact in (LIVES, replace(LIVES, kind="open-thread"), replace(LIVES, related=(), body="", pinned=False)):
        assert changed(fact, values_of(fact)) == {}


def test_related_names_may_be_separated_in_any_way():
    assert names_in("a-b, [[c]] · d;e  a-b") == ("a-b", "c", "d", "e")
