from __future__ import annotations

from pathlib import Path

import pytest

from sessions.paths import HomePaths
from sessions.store.catalog import Catalog
from sessions.store.trash import trashed
from tests.tui.history.test_searching import history, home, log, search
from tests.tui.workbench import Bench, screen_text, text_of
from tests.waiting import until
from tui.app import MemagentApp

__all__ = ["home"]
BOTH = pytest.mark.parametrize("size", [(120, 40), (80, 24)])


def listed(app: MemagentApp) -> list[str]:
    return [row.key for row in app.body.history.list.rows if row.selectable]


async def click(app: MemagentApp, pilot: Bench, word: str) -> None:
    """Click on a word of the filters."""
    bar = app.body.history.bar
    await pilot.click(bar, offset=(bar.render_line(0).text.index(word) + 1, 0))
    await pilot.pause()


@BOTH
async def test_the_filters_are_in_sight_and_the_head_says_what_is_listed(home: Path, size: tuple[int, int]) -> None:
    here = log(HomePaths(home, home / "config.toml"), 9, "2026-11-25", "Who is here?", "You.", cwd=str(home.parent))
    async with history(home, size, 5) as (app, pilot):
        shown = screen_text(app)
        assert "All  This folder  Archived  Trash" in shown and "5 sessions" in shown
        await pilot.press("f6")
        await until(lambda: "1 of 5 · this folder" in screen_text(app), "this folder")
        assert listed(app) == [here]
        await pilot.press("f6")
        await until(lambda: "0 of 5 · archived" in screen_text(app), "the archived ones")
        assert "Nothing is archived" in screen_text(app)
        await pilot.press("f6")
        await until(lambda: "The trash is empty" in screen_text(app), "the trash")
        assert app.place == "trash" and "F6 Filter" in text_of(app.footer)
        await pilot.press("escape")
        await until(lambda: "5 sessions" in screen_text(app), "esc lists all")
        assert app.wanted.view == "history"
        await click(app, pilot, "This folder")
        await until(lambda: listed(app) == [here], "the mouse chooses too")
        await click(app, pilot, "All")
        await until(lambda: len(listed(app)) == 5, "all again")


async def test_a_session_is_archived_found_under_archived_and_brought_back(home: Path) -> None:
    async with history(home) as (app, pilot):
        session = app.body.history.cursor or ""
        await pilot.press("a")
        await until(lambda: "3 sessions · 1 archived" in screen_text(app), "it is out of sight and counted")
        assert session not in listed(app)
        await search(app, pilot, "会議")
        await until(lambda: "archived · " in text_of(app.body.history.list), "a search finds it all the same")
        await pilot.press("escape", "f6", "f6")
        await until(lambda: listed(app) == [session], "under archived")
        await search(app, pilot, "importer")
        assert listed(app) == [], "the search stays among the archived ones"
        await pilot.press("escape", "a")
        await until(lambda: "0 of 4 · archived" in screen_text(app), "in sight again")
        await pilot.press("escape")
        await until(lambda: session in listed(app), "in the list")


async def test_the_trash_is_seen_searched_restored_from_and_erased_from(home: Path) -> None:
    paths = HomePaths(home, home / "config.toml")
    async with history(home) as (app, pilot):
        first, second, third = listed(app)[:3]
        for session in (first, second, third):
            app.body.history.list.choose(session)
            await pilot.press("d")
            await until(lambda s=session: s not in listed(app), "it is in the trash")
        await search(app, pilot, "importer")
        assert listed(app) == ["20260824-101500-000001", "fact:1"], "nothing of the trash is found unless asked"
        await pilot.press("escape")
        await click(app, pilot, "Trash")
        await until(lambda: "3 in the trash" in screen_text(app), "what was deleted")
        assert app.place == "trash" and "enter Restore" in text_of(app.footer)
        await search(app, pilot, "importer")
        assert listed(app) == ["20261120-101500-000002"]
        await pilot.press("escape")
        app.body.history.list.choose("20261120-101500-000002")
        await until(lambda: "Kenji does." in text_of(app.body.session), "the detail of one in the trash")
        app.body.history.list.choose(first)
        await pilot.press("u")
        await until(lambda: first not in listed(app), "u brings the chosen one back")
        app.body.history.list.choose(second)
        await pilot.press("enter")
        await until(lambda: listed(app) == [third], "enter too")
        await pilot.press("D")
        await until(lambda: app.screen.is_modal, "the question")
        await pilot.press("y")
        await until(lambda: not app.screen.is_modal and listed(app) == [], "erased for good")
        assert trashed(paths) == [] and {first, second} < {m.id for m in Catalog(paths, app.clock).list()}


async def test_right_opens_the_detail_of_the_trash_where_enter_restores(home: Path) -> None:
    async with history(home, (80, 24)) as (app, pilot):
        session = app.body.history.cursor or ""
        await pilot.press("d")
        await until(lambda: session not in listed(app), "it is in the trash")
        await pilot.press("f6", "f6", "f6", "right")
        await until(lambda: app.place == "trash" and "Zoë comes too." in screen_text(app), "the detail")
        await pilot.press("enter")
        await until(lambda: not trashed(app.paths), "it is back")


async def test_the_footer_of_the_detail_follows_the_filter(home: Path) -> None:
    async with history(home) as (app, pilot):
        session = app.body.history.cursor or ""
        await pilot.press("d")
        await until(lambda: session not in listed(app), "it is in the trash")
        await pilot.press("f6", "f6", "f6", "right")
        await until(lambda: app.focused is app.body.session and "Restore" in text_of(app.footer), "in the trash")
        await pilot.press("f6")
        await until(lambda: "enter Resume" in text_of(app.footer), "all sessions")
        assert "Restore" not in text_of(app.footer)


async def test_what_was_deleted_and_brought_back_has_the_cursor(home: Path) -> None:
    async with history(home) as (app, pilot):
        await pilot.press("down")
        session = app.body.history.cursor or ""
        await pilot.press("d")
        await until(lambda: session not in listed(app), "it is in the trash")
        await pilot.press("home", "u")
        await until(lambda: session in listed(app), "it is back")
        await until(lambda: app.body.history.cursor == session, "with the cursor")


async def test_what_is_found_stands_best_first_or_by_date_and_the_switch_is_in_sight(home: Path) -> None:
    async with history(home) as (app, pilot):
        await search(app, pilot, "importer")
        assert "best first" in text_of(app.body.history.bar)
        best = listed(app)
        await pilot.press("f7")
        await until(lambda: app.body.history.answered and "By date" in text_of(app.body.history.list), "by date")
        assert "by date" in text_of(app.body.history.bar)
        assert [key for key in listed(app) if key in best and "fact" not in key] == [
            "20261120-101500-000002",
            "20260824-101500-000001",
        ]
        await click(app, pilot, "by date")
        await until(lambda: app.body.history.answered and listed(app) == best, "best first again, by the mouse")


async def test_how_the_words_were_understood_is_told_above_what_was_found(home: Path) -> None:
    async with history(home, (80, 24)) as (app, pilot):
        for query, told in (
            ("importer last august", "Only 2026-08"),
            ("tool:get_weather snow folder:planning", "Only tool get_weather · folder planning"),
            ("importer last april", "Nothing from 2026-04"),
            ("importer after:someday", "after: someday is no day"),
        ):
            await search(app, pilot, query)
            assert told in text_of(app.body.history.list), query
            assert listed(app), query


async def test_shift_tab_goes_to_the_hit_before(home: Path) -> None:
    async with history(home) as (app, pilot):
        await search(app, pilot, "importer")
        app.body.history.list.choose("20260824-101500-000001")
        await until(lambda: "hit 1 of 2" in screen_text(app), "the first hit")
        for key, hit in (("tab", 2), ("shift+tab", 1), ("shift+tab", 2)):
            await pilot.press(key)
            await until(lambda n=hit: f"hit {n} of 2" in screen_text(app), f"hit {hit}")
        assert app.place == "found" and app.body.history.box.has_focus
