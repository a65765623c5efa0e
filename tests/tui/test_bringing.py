from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.sessions.importers.export_files import Tree, tea, uuid, written, zipped
from tests.tui.workbench import screen_text, text_of, workbench, write
from tests.waiting import until

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
        assert [n.message for n in app._notifications] == ["memory.json: preferences.none: null, which says nothing"]
        await until(lambda: "Memory 1" in screen_text(app), "the count of what waits")


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
