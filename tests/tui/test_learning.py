from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from sessions.hub import background
from sessions.settings_file import load
from tests.sessions.memory.homes import PERSON, draft, store_of
from tests.sessions.memory.waiting_home import waiting_home
from tests.tui.workbench import say, screen_text, text_of, workbench
from tests.waiting import until
from tui.app import MemagentApp
from tui.widgets.agent_tree import AgentTree


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Conversations rest as soon as nothing happens in them."""
    monkeypatch.setattr(background, "REST_S", 0)


def learned(app: MemagentApp) -> list[Any]:
    return [turn.learning for turn in app.body.agent.trace.turns]


async def test_the_workbench_learns_at_rest_and_the_tree_says_what(tmp_path: Path, at_once: None) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "Do tell me how we should sort my socks")
        await until(lambda: learned(app) == ["done"], "it was looked through")
        await pilot.pause()
        await until(lambda: "nothing new to remember" in screen_text(app), "the tree says it")


async def test_what_is_learned_is_shown_with_its_line_and_waits_in_memory(tmp_path: Path, at_once: None) -> None:
    home = tmp_path / "home"
    store = store_of(home)
    # Without the tool the guide keeps nothing of it in the conversation itself.
    store.paths.config.write_text('[tools]\noff = ["save_memory"]\n')
    async with workbench(home) as (app, pilot):
        await say(app, pilot, "My favourite colour is green.")
        await until(lambda: learned(app) == ["done"], "it was looked through")
        await until(lambda: "learned: 1 to review" in screen_text(app), "the tree says it")
        assert "Favourite colour is green" in text_of(app.body.agent.list)
        assert [p.fact.summary for p in store.proposals()] == ["Favourite colour is green"]
        app.body.agent.list.focus()
        await pilot.pause()
        app.body.agent.list.choose("t1.l0")
        await pilot.press("enter")
        await until(lambda: app.place == "proposal" or "Why it waits" in screen_text(app), "it is open in Memory")
        assert "it was learned from the conversation" in screen_text(app)


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_what_was_learned_opens_the_review_from_the_tree_and_only_keys_that_work_are_offered(
    tmp_path: Path, at_once: None, size: tuple[int, int]
) -> None:
    store = waiting_home(tmp_path / "home")
    store.paths.config.write_text('[tools]\noff = ["save_memory"]\n')
    async with workbench(tmp_path / "home", size) as (app, pilot):
        await say(app, pilot, "My favourite colour is green.")
        await until(lambda: learned(app) == ["done"], "it was looked through")
        if size[0] < 100:
            await pilot.press("ctrl+t")
        app.body.agent.list.focus()
        await until(lambda: app.place == "tree", "the tree")
        await until(lambda: "t1.l" in [row.key for row in app.body.agent.list.rows], "what was learned")
        offered: dict[str, list[bool]] = {}
        for row in app.body.agent.list.rows:
            if row.selectable:
                app.body.agent.list.choose(row.key)
                await pilot.pause()
                offered[row.key] = [word in text_of(app.footer) for word in ("enter Open", "space Fold")]
        assert offered["t1"] == offered["t1.s1"] == [True, True]
        assert offered["t1.l"] == offered["t1.l0"] == [True, False]
        app.body.agent.list.choose("t1.l")
        await pilot.press("enter")
        await until(lambda: app.place == "proposal", "the review")
        (new,) = [p for p in store.proposals() if p.fact.summary == "Favourite colour is green"]
        assert app.body.memory.proposal is not None and app.body.memory.proposal.number == new.number
        if app.body.shows("fact"):
            await until(lambda: app.body.fact.proposal is not None, "its detail")
        await pilot.press("x")
        await until(lambda: new.number not in [p.number for p in store.proposals()], "rejected")
        await pilot.press("escape", "escape")
        app.go("chat")
        app.body.agent.list.choose("t1.l")
        app.body.agent.list.action_open()
        await until(lambda: app.place == "proposal" and app.body.memory.proposal.number == 6, "the first that waits")


async def test_what_waited_under_a_number_that_is_gone_opens_by_its_name(tmp_path: Path) -> None:
    waiting_home(tmp_path / "home").review.accept(7)
    async with workbench(tmp_path / "home") as (app, pilot):
        app.body.agent.post_message(AgentTree.FactOpened("lives-in-tokyo", 7))
        await until(lambda: app.place == "form" and app.body.fact.fact is not None, "the fact")
        assert app.body.fact.fact is not None and app.body.fact.fact.summary == "Lives in Osaka"
        await pilot.pause()


async def test_nothing_is_offered_on_a_row_of_the_tree_that_opens_nothing(tmp_path: Path, at_once: None) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        app.body.agent.list.focus()
        await pilot.pause()
        assert app.place == "tree" and "enter" not in text_of(app.footer)
        app.body.chat.composer.input.focus()
        await say(app, pilot, "Do tell me how we should sort my socks")
        await until(lambda: learned(app) == ["done"], "it was looked through")
        app.body.agent.list.focus()
        await pilot.pause()
        await until(lambda: "t1.l" in [row.key for row in app.body.agent.list.rows], "nothing new")
        assert app.body.agent.list.choose("t1.l")
        await pilot.pause()
        assert "enter" not in text_of(app.footer) and "Fold" not in text_of(app.footer)
        app.body.agent.list.choose("t1")
        await pilot.pause()
        assert "enter Open" in text_of(app.footer) and "Fold" in text_of(app.footer)


async def test_learning_is_chosen_in_the_palette_and_holds_at_once(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        assert app.desk is not None
        for key, value, words in (("2", "auto", "by itself"), ("3", "off", "off"), ("1", "review", "ask me first")):
            app.action_do("learn")
            await pilot.pause()
            assert "Learn from chats" in screen_text(app)
            await pilot.press(key)
            await until(lambda v=value: app.desk.home.settings.memory.distill == v, "it holds")
            await until(lambda w=words: f"learn from chats: {w}" in screen_text(app), "it is said")
            assert load(app.paths.config, {}, {}).memory.distill == value


async def test_reflecting_from_the_palette_says_what_waits(tmp_path: Path) -> None:
    store = store_of(tmp_path / "home")
    store.save(draft("q3", "Waiting on Sarah about Q3", "open-thread", due=date(2026, 11, 20)), by=PERSON)
    async with workbench(tmp_path / "home") as (app, _):
        app.action_do("reflect")
        await until(lambda: "1 to review" in screen_text(app), "it is said")
        assert [p.proposes for p in store.proposals()] == ["forget"]
        app.action_do("defragment")
        await until(lambda: "nothing to change" in screen_text(app), "it is said")
        await until(lambda: app.header.state.to_review == 1, "the header counts it")


async def test_a_private_session_reflects_on_nothing(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home", private=True) as (app, pilot):
        app.action_do("reflect")
        await until(lambda: "no work in the background" in screen_text(app), "it is said")
        await pilot.pause()
