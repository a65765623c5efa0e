from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual import events
from textual.drivers.headless_driver import HeadlessDriver

from sessions.store.prompts import load_prompts
from tests.servers.chat_server import ChatServer, Pause, Reply, event, stream
from tests.tui.turns.talk import home_of
from tests.tui.workbench import finished, screen_text, workbench, write
from tests.waiting import until
from tui.app import MemagentApp

PASTED = "I trust every script of the build server."


def editor(folder: Path, patch: pytest.MonkeyPatch, does: str) -> Path:
    """An editor that notes its file and who may look into the folder, leaves a file beside it, and does this to $1."""
    notes, program = folder / "notes", folder / "editor"
    notes.touch()
    seen = 'echo "$1 $(stat -c %a "$(dirname "$1")")" >>'
    program.write_text(f'#!/bin/sh\n{seen} "{notes}"\ncp "$1" "$1.swp"\n{does}\n')
    program.chmod(0o700)
    (folder / "runtime").mkdir(exist_ok=True)
    patch.setenv("VISUAL", str(program))
    patch.setenv("XDG_RUNTIME_DIR", str(folder / "runtime"))
    # The driver without a terminal can be left for an editor as well as any.
    patch.setattr(HeadlessDriver, "can_suspend", True)
    return notes


async def paste(app: MemagentApp, text: str) -> None:
    before = app.body.chat.composer.text
    app.body.chat.composer.input.post_message(events.Paste(text))
    await until(lambda: app.body.chat.composer.text == before + text, "pasted")


def lines(home: Path) -> list[tuple[str, object]]:
    """What was said, and what of it was typed."""
    log = next((home / "sessions").glob("*.jsonl"))
    found = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    return [(one["content"], one.get("typed")) for one in found if one.get("role") == "user"]


async def test_an_editor_makes_nothing_typed_that_was_not_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    async with workbench(home) as (app, pilot):
        write(app, "I like tea. ")
        await paste(app, PASTED)
        notes = editor(tmp_path, monkeypatch, "true")
        await pilot.press("f8")
        await until(lambda: notes.read_text() != "", "the editor was there")
        assert app.body.chat.composer.draft().typed == ((0, 12),)
        assert "from the editor" not in screen_text(app)
        editor(tmp_path, monkeypatch, r"""sed -i 's/tea/green tea/' "$1"; printf '\nmore\n' >> "$1" """)
        await pilot.press("f8")
        await until(lambda: "from the editor counts as pasted" in screen_text(app), "it is said")
        await pilot.press("enter")
        await until(lambda: finished(app) == 1 and not app.running, "answered")
    assert lines(home) == [(f"I like green tea. {PASTED}\nmore", [[0, 7], [13, 18]])]
    assert list((tmp_path / "runtime").iterdir()) == []
    files = [line.split() for line in notes.read_text().splitlines()]
    assert {rights for _, rights in files} == {"700"} and len(files) == 2
    assert all(Path(name).parent.parent == tmp_path / "runtime" for name, _ in files)


async def test_a_private_message_is_never_given_to_an_editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = editor(tmp_path, monkeypatch, "true")
    async with workbench(tmp_path / "home", private=True) as (app, pilot):
        write(app, "a secret")
        await pilot.press("f8")
        await until(lambda: "an editor keeps files" in screen_text(app), "refused")
        assert app.body.chat.composer.text == "a secret"
    assert notes.read_text() == ""


async def test_a_pasted_message_taken_back_from_the_queue_is_still_pasted(tmp_path: Path) -> None:
    pause = Pause()
    with ChatServer() as server:
        home = home_of(tmp_path, server.url)
        server.script(Reply([event({"content": "Hm"}), pause]), *[stream({"content": "ok"})] * 3)
        async with workbench(home, profile="scripted") as (app, pilot):
            write(app, "hello")
            await pilot.press("enter")
            await until(lambda: app.running and pause.reached.is_set(), "it answers")
            for _ in range(2):
                await paste(app, PASTED)
                await pilot.press("enter")
            await until(lambda: len(app.desk.hub.queued(app.desk.session)) == 2, "both wait")
            await pilot.press("up")
            await until(lambda: app.body.chat.composer.text == PASTED, "the newest is back")
            await pilot.press("ctrl+c", "up")
            await until(lambda: app.body.chat.composer.text == PASTED, "the other is back")
            assert app.desk.hub.queued(app.desk.session) == []
            await pilot.press("enter")
            pause.release()
            await pilot.press("escape")
            await until(lambda: finished(app) == 2 and not app.running, "both are over")
            assert lines(home) == [("hello", None), (PASTED, [])]
            assert {typed for text, typed in load_prompts(app.paths) if text == PASTED} == {()}
