from __future__ import annotations

from pathlib import Path

import pytest

from sessions.memory.fact import By, Draft
from sessions.settings_file import load
from tests.sessions.importers.claude_files import SESSION, Chain, call
from tests.sessions.memory.homes import store_of
from tests.tui.workbench import say, screen_text, text_of, workbench
from tests.waiting import until

BOTH = pytest.mark.parametrize("size", [(120, 40), (80, 24)])


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Chain:
    """One session of Claude Code on this machine."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    chain = Chain(cwd=str(tmp_path / "atlas"))
    chain.user("u1", "Where does the harbour pilot live?")
    chain.answer("a1", "Looking.", call("t1", "Grep", for_="pilot"), id="m1")
    chain.result("r1", ("t1", "crew.txt: the pilot lives in Bergen"))
    chain.answer("a2", "In Bergen.", id="m2", stop="end_turn")
    chain.about("summary", summary="The harbour pilot", leafUuid="a2")
    chain.write(tmp_path / "claude")
    return chain


def follows(home: Path) -> tuple[bool | None, tuple[str, ...]]:
    imports = load(home / "config.toml", {}, {}).imports
    return imports.follow, imports.folders


@BOTH
async def test_it_is_offered_at_the_start_asked_once_and_then_found_read_and_gone_on_with(
    tmp_path: Path, claude: Chain, size: tuple[int, int]
) -> None:
    home = tmp_path / "home"
    async with workbench(home, size) as (app, pilot):
        await until(lambda: "1 Claude Code session" in screen_text(app), "the offer")
        assert not list((home / "sessions").glob("*.jsonl")), "nothing is read before the person agreed"
        await pilot.press(*"/import", "enter")
        await until(lambda: "Keep the history" in screen_text(app), "the question")
        shown = screen_text(app)
        assert "The harbour pilot" in shown and "All folders" in shown and "This folder" in shown
        above = shown[: shown.index("Their files")]
        box = above[above.index("All folders") :].split("A file…")[1].split("\n")[0]
        assert "or an older one" in box and "…" not in box, "at both sizes all of it is read"
        assert "· Claude Code ·" in shown and "said in …/test_it_is_off" in shown
        await pilot.press("enter")
        await until(lambda: follows(home) == (True, ()), "the answer is kept")
        await until(lambda: "1 session of other agents" in screen_text(app), "what came of it")
        assert "1 Claude Code session" not in text_of(app.body.chat.start)
        await pilot.press("f3")
        await until(lambda: "The harbour pilot" in screen_text(app), "the session in the list")
        if size[0] >= 120:
            assert "Claude Code" in screen_text(app)
        await pilot.press("slash", *"pilot bergen")
        await until(
            lambda: "1 hit in 1 session" in screen_text(app) or "hits in 1 session" in screen_text(app), "found"
        )
        await pilot.press("enter")
        await until(lambda: "In Bergen." in text_of(app.body.chat.transcript), "read")
        assert "Claude Code's session, only read here" in screen_text(app)
        assert app.desk is not None and app.desk.state is not None and not app.desk.state.writable
        claude.user("u2", "And the cook?")
        claude.answer("a3", "In Oslo.", id="m3", stop="end_turn")
        claude.write(tmp_path / "claude")
        await until(lambda: "In Oslo." in text_of(app.body.chat.transcript), "what is said there meanwhile")
    async with workbench(home, size) as (app, pilot):
        assert "Claude Code session" not in text_of(app.body.chat.start), "asked once"
        await pilot.press("f3")
        await until(lambda: "The harbour pilot" in screen_text(app), "the list")
        app.body.history.list.focus()
        await until(lambda: "r Go on here" in text_of(app.footer), "its keys are named")
        assert "R Copy command" in text_of(app.footer)
        await pilot.press("R")
        await until(lambda: app.clipboard.endswith(f"claude --resume {SESSION}"), "the command")
        await pilot.press("r")
        await until(lambda: app.place == "composer" and "In Oslo." in text_of(app.body.chat.transcript), "a copy")
        assert app.desk is not None and app.desk.state is not None and app.desk.state.writable
        await say(app, pilot, "I live in Bergen, too.")
        assert "Remembered" in text_of(app.body.chat.transcript)
        await pilot.press("f3")
        app.body.history.list.focus()
        await pilot.press("home")
        await until(lambda: app.body.history.session is not None and not app.body.history.session.source, "our own")
        await until(lambda: "enter Resume" in text_of(app.footer), "its keys")
        assert "Go on here" not in text_of(app.footer) and "Copy command" not in text_of(app.footer)
    logs = [p.stem for p in (home / "sessions").glob("*.jsonl")]
    assert len(logs) == 2


async def test_no_is_an_answer_and_this_folder_takes_only_what_was_said_there(tmp_path: Path, claude: Chain) -> None:
    home = tmp_path / "home"
    async with workbench(home) as (app, pilot):
        await pilot.press(*"/import off", "enter")
        await until(lambda: follows(home)[0] is False, "no")
        assert not list((home / "sessions").glob("*.jsonl"))
        await pilot.press(*"/import here", "enter")
        await until(lambda: follows(home) == (True, (str(tmp_path),)), "here")
        await until(lambda: list((home / "sessions").glob("*.jsonl")), "what was said below this folder")
    other = Chain(cwd="/elsewhere", sessionId="other")
    other.user("u1", "Where is the mill?")
    other.answer("a1", "There.", id="m1", stop="end_turn")
    other.write(tmp_path / "claude", "00000000-0000-4000-8000-000000000001.jsonl")
    async with workbench(home) as (app, _):
        assert app.desk is not None
        following = app.desk.hub.following
        await until(lambda: following.rests, "a pass")
        assert len(list((home / "sessions").glob("*.jsonl"))) == 1


async def test_what_comes_from_there_is_never_learned_nor_continued_by_itself(tmp_path: Path, claude: Chain) -> None:
    store_of(tmp_path / "home").save(Draft("likes-tea", "Likes tea", "preference"), by=By("user"))
    async with workbench(tmp_path / "home") as (app, pilot):
        await pilot.press(*"/import all", "enter")
        await until(lambda: "1 session of other agents" in screen_text(app), "taken over")
    async with workbench(tmp_path / "home") as (app, pilot):
        state = app.body.chat.start.state
        assert all(recent.title != "The harbour pilot" for recent in state.recent[:1]), "Enter goes on with ours only"
        assert app.desk is not None
        facts = app.desk.home.facts
        assert [f.name for f in facts.snapshot().facts] == ["likes-tea"] and not facts.proposals()


async def test_memories_and_instructions_come_to_review(tmp_path: Path, claude: Chain) -> None:
    memory = tmp_path / "claude" / "projects" / "-home-ada-atlas" / "memory"
    memory.mkdir()
    (memory / "deploys.md").write_text("---\nname: deploys\ndescription: Atlas deploys on Fridays\ntype: user\n---\n")
    (tmp_path / "CLAUDE.md").write_text("# Code\n\n- Never edit generated files by hand\n")
    async with workbench(tmp_path / "home") as (app, pilot):
        await pilot.press(*"/import memory", "enter")
        await until(lambda: "Memory 1" in screen_text(app), "the first")
        await pilot.press(*"/import instructions", "enter")
        await until(lambda: "Memory 2" in screen_text(app), "the second")
        await pilot.press("f4")
        await until(lambda: "Never edit generated files by hand" in screen_text(app), "to review")
        shown = screen_text(app)
        assert "it comes from Claude Code · atlas, deploys.md" in shown
        assert "memory on, 0 facts" in shown


async def test_stopped_and_begun_again_at_once_it_follows(tmp_path: Path, claude: Chain) -> None:
    home = tmp_path / "home"
    async with workbench(home) as (app, pilot):
        for word in ("off", "all", "stop", "all"):
            await pilot.press(*f"/import {word}", "enter")
            await until(lambda: not app.body.chat.composer.text, "sent")
        await until(lambda: list((home / "sessions").glob("*.jsonl")), "taken over")
        claude.user("u2", "And the cook?")
        claude.write(tmp_path / "claude")
        (log,) = (home / "sessions").glob("*.jsonl")
        await until(lambda: "And the cook?" in log.read_text(), "what came then")


async def test_while_a_private_session_is_shown_nothing_is_taken_over(tmp_path: Path, claude: Chain) -> None:
    home = tmp_path / "home"
    async with workbench(home) as (app, pilot):
        assert app.desk is not None
        await pilot.press(*"/private", "enter")
        await until(lambda: app.desk.state is not None and app.desk.state.private, "a private session")
        await pilot.press(*"/import all", "enter")
        await until(lambda: follows(home) == (True, ()), "agreed")
        await until(lambda: "once this private session is left" in screen_text(app), "when it begins")
        assert app.desk.hub.following.rests, "nothing has begun"
        await pilot.press(*"/new", "enter")
        await until(lambda: list((home / "sessions").glob("*.jsonl")), "taken over")
        await pilot.press(*"/private", "enter")
        await until(lambda: app.desk.hub.following.held, "it waits")
        await say(app, pilot, "Psst.")
        await pilot.press(*"/keep", "enter")
        await until(lambda: not app.desk.hub.following.held, "it goes on")
