from __future__ import annotations

import re
from pathlib import Path

import pytest

from sessions.store.tail import read_tail
from tests.bench.sessions import END, long_session
from tests.sessions.store.records import home
from tests.tui.workbench import screen_text, text_of, workbench
from tests.waiting import until
from tui.app import MemagentApp
from tui.chat.blocks import Prompt


def a_long_home(folder: Path, megabytes: float = 0.4) -> tuple[str, int]:
    paths = home(folder)
    turns = long_session(paths, megabytes)
    return next(paths.sessions.glob("*.jsonl")).stem, turns


def rows(app: MemagentApp) -> list[str]:
    return text_of(app.body.chat.transcript).split("\n")


async def filled(app: MemagentApp) -> None:
    """Nothing more is to be read for what is in sight."""
    await until(lambda: app.body.chat.transcript._wanted is None, "what was asked for has come")


async def test_a_session_is_read_upwards_page_by_page_and_the_readers_rows_stay(tmp_path: Path) -> None:
    session, turns = a_long_home(tmp_path / "home")
    async with workbench(tmp_path / "home", (100, 60), resume=session) as (app, pilot):
        view = app.body.chat.transcript
        await pilot.pause()
        assert END in screen_text(app)
        assert len(app.desk.hub._live[session].records) < turns * 2
        view.focus()
        seen: set[int] = set()
        for _ in range(400):
            shown, above = rows(app), view.scroll_y
            seen |= {int(n) for row in shown for n in re.findall(r"Question (\d+):", row)}
            if view.scroll_y == 0 and not view.document.gaps:
                break
            view.action_page(-1)
            # What was in the first row is in the last now, whatever was put in above it meanwhile.
            if above >= view.size.height:
                assert rows(app)[-1] == shown[0]
            held = rows(app)
            await filled(app)
            if view.scroll_y > 0:
                assert rows(app) == held
        assert seen == set(range(1, turns + 1))
        assert [b.turn for b in view.document.blocks if isinstance(b, Prompt)] == list(range(1, turns + 1))
        assert "Question 1:" in rows(app)[0]


async def test_home_and_a_message_far_up_are_there_at_once_and_what_is_between_comes_by_reading(tmp_path: Path) -> None:
    session, turns = a_long_home(tmp_path / "home")
    async with workbench(tmp_path / "home", (100, 60), resume=session) as (app, pilot):
        view = app.body.chat.transcript
        view.focus()
        await pilot.press("home")
        await until(lambda: "Question 1:" in rows(app)[0], "the first row")
        assert view.scroll_y == 0 and view.document.gaps
        assert view.go_to("a40")
        await until(lambda: any(re.match(r"\W+40$", row) for row in rows(app)[:6]), "the answer")
        here = rows(app)
        await filled(app)
        assert rows(app) == here
        for _ in range(200):
            if not view.document.gaps:
                break
            view.action_page(1)
            await filled(app)
        for _ in range(200):
            if not view.document.gaps:
                break
            view.action_page(-1)
            await filled(app)
        assert [b.turn for b in view.document.blocks if isinstance(b, Prompt)] == list(range(1, turns + 1))
        await pilot.press("end")
        assert END in "\n".join(rows(app))


async def test_what_is_nowhere_is_said(tmp_path: Path) -> None:
    session, _ = a_long_home(tmp_path / "home")
    async with workbench(tmp_path / "home", (100, 60), resume=session) as (app, _):
        assert app.body.chat.transcript.go_to("never-said")
        await until(lambda: "no longer in this session" in screen_text(app), "it is said")


async def test_the_tree_has_all_turns_and_reads_the_steps_of_one_that_is_opened(tmp_path: Path) -> None:
    session, turns = a_long_home(tmp_path / "home")
    async with workbench(tmp_path / "home", (120, 40), resume=session) as (app, pilot):
        tree = app.body.agent
        await until(lambda: tree.title.fact.startswith(f"{turns} turns"), "all turns")
        assert tree.trace.usage.input == 4000 * turns
        tree.list.focus()
        await pilot.press("home")
        assert "Question 1:" in text_of(tree.list)
        await pilot.press("right")
        await until(lambda: "search_history" in text_of(tree.list), "its steps")
        assert len(tree.trace.turns) == turns and "Question 2:" in text_of(tree.list)


async def test_one_edits_what_was_said_far_up_and_the_session_is_shown_from_there(tmp_path: Path) -> None:
    session, turns = a_long_home(tmp_path / "home")
    async with workbench(tmp_path / "home", (120, 40), resume=session) as (app, _):
        view = app.body.chat.transcript
        await until(lambda: app.body.agent.title.fact, "the tree is full")
        assert view.go_to("u30")
        await filled(app)
        await app.desk.hub.edit(session, "u30", "where do I live?")
        await until(lambda: app.body.agent.trace.turns[-1].number == turns + 1 and not app.running, "an answer")
        await until(lambda: app.body.agent.title.fact.startswith("30 turns"), "29 turns and the new one")
        prompt = view.document.prompt()
        assert prompt.text == "where do I live?" and not view.document.lacks("u29")
        assert [b.message for b in prompt.older[0] if isinstance(b, Prompt)] == [f"u{n}" for n in range(30, turns + 1)]
        log = tmp_path / "home" / "sessions" / f"{session}.jsonl"
        marker = next(r for r in read_tail(log).records if getattr(r, "kind", "") == "rewound")
        assert marker.data["to"] == "e29"


@pytest.mark.parametrize("size", [(100, 60), (80, 24)])
async def test_from_the_composer_it_is_read_to_its_first_words(tmp_path: Path, size: tuple[int, int]) -> None:
    session, turns = a_long_home(tmp_path / "home")
    async with workbench(tmp_path / "home", size, resume=session) as (app, pilot):
        view = app.body.chat.transcript
        assert app.place == "composer" and view.document.gaps
        shown = 0
        while view.document.gaps and shown != len(view.document.blocks):
            shown = len(view.document.blocks)
            above = view.scroll_y
            await pilot.press("pageup")
            while view.scroll_y < above:
                above = view.scroll_y
                await pilot.press("pageup")
            await filled(app)
        assert not view.document.gaps and app.place == "composer"
        assert [b.turn for b in view.document.blocks if isinstance(b, Prompt)] == list(range(1, turns + 1))


async def test_home_from_the_composer_goes_to_its_first_words(tmp_path: Path) -> None:
    session, _ = a_long_home(tmp_path / "home")
    async with workbench(tmp_path / "home", (100, 60), resume=session) as (app, pilot):
        await pilot.press("home")
        await until(lambda: any("› Question 1:" in row for row in rows(app)), "its first words")
        assert app.place == "composer"
