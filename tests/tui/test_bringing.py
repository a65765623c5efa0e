from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from sessions.hub.following import Following
from sessions.importers.bringing import Brought
from tests.sessions.importers.export_files import Tree, tea, uuid, written, zipped
from tests.tui.workbench import screen_text, text_of, workbench, write
from tests.waiting import until
from tui.dialogs.report import ImportReport

BOTH = pytest.mark.parametrize("size", [(120, 40), (80, 24)])


@BOTH
async def test_a_file_that_is_named_comes_into_history_is_found_read_and_gone_on_with(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    path = zipped(tmp_path / "my export.zip", conversations__json=[tea().raw])
    async with workbench(tmp_path / "home", size) as (app, pilot):
        write(app, f"/import {path}")
        await pilot.press("enter")
        await until(lambda: "ChatGPT: 1 new session" in screen_text(app), "what came of it")
        await pilot.press("f3")
        await until(lambda: "Tea in Tokyo" in screen_text(app), "the session in the list")
        if size[0] >= 120:
            assert "ChatGPT" in screen_text(app)
        await pilot.press("slash", *"sencha")
        await until(lambda: "hit in 1 session" in screen_text(app), "found")
        await pilot.press("enter")
        await until(lambda: "Sencha, mostly." in text_of(app.body.chat.transcript), "read")
        assert "ChatGPT's session, only read here" in screen_text(app)
        assert app.desk is not None and app.desk.state is not None and not app.desk.state.writable
        await pilot.press("f3")
        app.body.history.list.focus()
        await until(lambda: "r Go on here" in text_of(app.footer), "its key is named")
        assert "Copy command" not in text_of(app.footer), "there is none"
        await pilot.press("r")
        await until(lambda: app.desk is not None and app.desk.state is not None and app.desk.state.writable, "a copy")
        assert "Sencha, mostly." in text_of(app.body.chat.transcript)


async def test_the_question_about_other_agents_leads_to_a_file_too_and_facts_wait(tmp_path: Path) -> None:
    (tmp_path / "memory.json").write_text('{"preferences": {"home": "Lives in Tokyo", "none": null}}')
    async with workbench(tmp_path / "home") as (app, pilot):
        await pilot.press(*"/import", "enter")
        await until(lambda: "A file…" in screen_text(app), "the question")
        await pilot.press("4")
        await until(lambda: "Take over a file" in screen_text(app), "its path is asked for")
        await pilot.press(*str(tmp_path / "memory.json"), "enter")
        await until(lambda: "1 fact waits for your review" in screen_text(app), "what came of it")
        assert isinstance(app.screen, ImportReport), "something was left out, and nothing is being typed"
        assert "memory.json: preferences.none: null, which says nothing" in screen_text(app)
        await pilot.press("escape")
        await until(lambda: "Memory 1" in screen_text(app), "the count of what waits")


@BOTH
async def test_a_long_report_is_scrolled_to_its_end_and_opens_over_nothing_that_is_being_typed(
    tmp_path: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "memory.json"
    real, gate = Following.bring, asyncio.Event()

    async def later(self: Following, path: Path) -> Brought:
        done = await real(self, path)
        await gate.wait()
        return done

    monkeypatch.setattr(Following, "bring", later)
    path.write_text(json.dumps({"preferences": {"home": "Lives in Tokyo"} | {f"none{n}": None for n in range(45)}}))
    async with workbench(tmp_path / "home", size) as (app, pilot):
        write(app, "/import report")
        await pilot.press("enter")
        await until(lambda: "nothing was taken over yet" in screen_text(app), "there is no report yet")
        write(app, f"/import {path}")
        await pilot.press("enter", *"and")
        gate.set()
        notice = "memory.json: 45 left out (/import report)"
        await until(lambda: notice in screen_text(app), "what came of it, in a line")
        assert len(app.screen_stack) == 1 and app.body.chat.composer.text == "and"
        app.body.chat.composer.clear()
        write(app, "/import report")
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, ImportReport), "the report")
        await until(lambda: "1 fact waits for your review" in screen_text(app), "what came")
        assert "preferences.none44" not in screen_text(app)
        await pilot.press("end")
        await until(lambda: "preferences.none44" in screen_text(app), "the last line")


async def test_the_memories_of_claude_code_come_with_a_report_of_what_was_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = tmp_path / "claude" / "projects" / "-atlas" / "memory"
    memory.mkdir(parents=True)
    head = "---\nname: {0}\ndescription: {1}\ntype: user\n---\n"
    (memory / "tea.md").write_text(head.format("tea", "Likes oolong tea"))
    (memory / "key.md").write_text(head.format("key", "The password is hunter22xyz"))
    (memory / "gone.md").symlink_to(tmp_path / "nowhere")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    async with workbench(tmp_path / "home") as (app, pilot):
        write(app, "/import memory")
        await pilot.press("enter")
        await until(lambda: isinstance(app.screen, ImportReport), "the report")
        said = " ".join(screen_text(app).split())
        assert "1 fact waits for your review, 1 left out" in said and "gone.md: No such file" in said
        assert "[a secret was left out: password]: it holds a secret (password)" in said and "hunter22" not in said


async def test_what_cannot_be_taken_over_is_said(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    async with workbench(tmp_path / "home") as (app, pilot):
        write(app, "/import nonsense")
        await pilot.press("enter")
        await until(lambda: "there is no file" in screen_text(app), "the sentence")
        write(app, f"/import {tmp_path / 'notes.txt'}")
        await pilot.press("enter")
        await until(lambda: any("nothing that can be taken" in n.message for n in app._notifications), "the sentence")


async def test_stop_ends_it_and_the_same_file_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sessions.importers import exports

    raws = []
    for n in range(40):
        tree = Tree(uuid(f"c{n}"), f"T{n}")
        tree.add(f"m{n}", "user", f"Words {n}")
        raws.append(tree.raw)
    path = written(tmp_path, *raws)
    home = tmp_path / "home"
    real, gate = exports._take, asyncio.Event()
    loop = asyncio.get_running_loop()

    def slowly(*arguments: object) -> None:
        real(*arguments)  # type: ignore[arg-type]
        if len(list((home / "sessions").glob("*.jsonl"))) == 5:
            asyncio.run_coroutine_threadsafe(gate.wait(), loop).result(30)

    monkeypatch.setattr(exports, "_take", slowly)
    async with workbench(home) as (app, pilot):
        write(app, f"/import {path}")
        await pilot.press("enter")
        await until(lambda: len(list((home / "sessions").glob("*.jsonl"))) == 5, "some came")
        await pilot.press("f3")
        await until(lambda: "taking over: 100%" in screen_text(app), "how far it is")
        await pilot.press("f2")
        write(app, "/import stop")
        await pilot.press("enter")
        await until(lambda: "stopping: what came stays" in screen_text(app), "the word")
        assert app.desk is not None and not app.desk.hub.following._stop, "what follows goes on"
        gate.set()
        await until(lambda: "goes on, 5 new sessions" in " ".join(screen_text(app).split()), "what came")
        write(app, f"/import {path}")
        await pilot.press("enter")
        await until(lambda: "35 new sessions, 5 as before" in " ".join(screen_text(app).split()), "the rest")
    assert len(list((home / "sessions").glob("*.jsonl"))) == 40
