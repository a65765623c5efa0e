from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from sessions.memory.fact import By, Draft
from tests.servers.chat_server import ChatServer, calls, text
from tests.tui.workbench import Bench, say, screen_text, text_of, workbench, write
from tests.waiting import until
from tui.app import MemagentApp
from tui.dialogs.context import Inspector
from tui.dialogs.context_rows import PartRow, TextLine

SIZES = [(120, 40), (80, 24)]
pytestmark = pytest.mark.timeout(120)


def connect(home: Path, server: ChatServer, **more: Any) -> None:
    home.mkdir(parents=True, exist_ok=True)
    rows = [f"{key} = {json.dumps(value)}" for key, value in more.items()]
    profile = f'[profiles.wire]\nbase_url = "{server.url}"\nmodel = "scripted"\n'
    (home / "config.toml").write_text("\n".join(['[agent]\nprofile = "wire"', profile, "[memory]", *rows]) + "\n")


async def inspect(app: MemagentApp, pilot: Bench) -> Inspector:
    await pilot.press("ctrl+o")
    return await shown(app, pilot)


async def shown(app: MemagentApp, pilot: Bench) -> Inspector:
    await until(lambda: isinstance(app.screen, Inspector) and app.screen.parts.rows, "the inspector")
    await pilot.pause()
    assert isinstance(app.screen, Inspector)
    return app.screen


async def unfold_all(inspector: Inspector, pilot: Bench) -> None:
    """By the keyboard, from the first row to the last."""
    await pilot.press("home")
    while True:
        row = inspector.parts.cursor_row
        if isinstance(row, PartRow) and not row.open and (row.part.text or row.part.parts):
            await pilot.press("right")
        await pilot.press("down")
        if inspector.parts.cursor_row is row:
            return


def packed(words: str) -> str:
    return re.sub(r"\s+", "", words)


def pieces(inspector: Inspector) -> list[str]:
    """The texts that are open, without blanks and line breaks."""
    out: dict[str, str] = {}
    for row in inspector.parts.rows:
        if isinstance(row, TextLine):
            part = row.key.partition(":")[0]
            out[part] = out.get(part, "") + packed(row.text)
    return list(out.values())


def sent(body: dict[str, Any]) -> list[str]:
    """All text of a request as the service got it."""
    tools = [tool["function"] for tool in body["tools"]]
    out = [t["description"] + json.dumps(t["parameters"], ensure_ascii=False) for t in tools]
    for message in body["messages"]:
        out.append(re.sub("</?environment>", "", message["content"] or ""))
        out += [call["function"]["arguments"] for call in message.get("tool_calls", ())]
    return [packed(words) for words in out if words]


@pytest.mark.parametrize("size", SIZES)
async def test_the_inspector_shows_exactly_what_the_service_then_gets(tmp_path: Path, size: tuple[int, int]) -> None:
    with ChatServer() as server:
        connect(tmp_path / "home", server)
        async with workbench(tmp_path / "home", size) as (app, pilot):
            facts, person = app.desk.home.facts, By("user")
            facts.save(Draft("answers-first", "Answers first", "self"), by=person)
            facts.save(Draft("likes-oolong", "Likes oolong", "preference", "Every morning"), by=person)
            facts.save(Draft("dana-reyes", "Dana Reyes audits the ledger", "contact"), by=person)
            said = "I play the cello since school"
            save = {"name": "plays-cello", "summary": "Plays the cello", "kind": "user", "quote": said}
            server.script(calls(("recall_memory", {"query": "ledger"}), ("save_memory", save)), text("Noted."))
            await say(app, pilot, said)
            write(app, "And what now?")
            inspector = await inspect(app, pilot)
            assert "What goes to this machine" in screen_text(app)
            await unfold_all(inspector, pilot)
            seen, kinds = pieces(inspector), [part.kind for part in inspector.view.parts]
            assert kinds == ["tools", "system", "self", "facts", "messages", "environment", "changed", "next"]
            assert f"{inspector.view.tokens:,} of 128,000 tok" in screen_text(app)
            assert inspector.view.tokens == sum(
                row.part.tokens for row in inspector.parts.rows if isinstance(row, PartRow) and not row.level
            )
            await pilot.press("escape")
            await until(lambda: not app.screen.is_modal, "closed")
            assert app.body.chat.composer.text == "And what now?"
            await pilot.press("enter")
            await until(lambda: len(server.requests) == 3 and not app.running, "the answer")
            body = sent(server.requests[-1])
            whole = "\n".join(body)
            assert [piece for piece in seen if piece not in whole] == []
            assert sum(map(len, seen)) == sum(map(len, body)), "nothing is sent that was not shown"
            for words in ("Dana Reyes audits the ledger", "Likes oolong", "Plays the cello", "And what now?"):
                assert any(packed(words) in piece for piece in seen)


async def test_it_opens_by_command_palette_and_a_click_on_the_gauge_and_folds_by_the_mouse(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        write(app, "/context")
        await pilot.press("enter")
        await shown(app, pilot)
        await pilot.press("ctrl+o")
        await until(lambda: not app.screen.is_modal, "closed by the key that opened it")
        await pilot.press("ctrl+p", *"what goes to")
        await pilot.press("enter")
        await shown(app, pilot)
        await pilot.press("escape")
        await until(lambda: not app.screen.is_modal, "closed")
        await pilot.click("#header", offset=(110, 0))
        inspector = await shown(app, pilot)
        title = next(row for row in inspector.parts.rows if isinstance(row, PartRow) and row.title == "System prompt")
        assert not title.open
        y = [row.key for row in inspector.parts.rows].index(title.key)
        await pilot.click("#choices", offset=(10, y))
        await until(lambda: "You are a helpful assistant" in screen_text(app), "the prompt can be read")
        footer = text_of(inspector.query_one("#footer"))
        await pilot.click("#footer", offset=(footer.index("Close"), 0))
        await until(lambda: not isinstance(app.screen, Inspector), "closed by the mouse")


async def test_what_is_shown_is_data_and_cannot_reach_the_terminal(tmp_path: Path) -> None:
    evil = "[bold red]not markup[/] \x1b]0;owned\x07 \u202edlrow"
    async with workbench(tmp_path / "home") as (app, pilot):
        write(app, evil)
        inspector = await inspect(app, pilot)
        await pilot.press("end", "right")
        await pilot.pause()
        page = screen_text(app)
        assert "[bold red]not markup[/]" in page and "<U+202E>" in page
        assert "\x1b" not in page and "\u202e" not in page
        assert inspector.view.request.messages[-1].content == evil


async def test_a_fact_is_switched_off_there_and_the_next_request_is_without_it(tmp_path: Path) -> None:
    with ChatServer() as server:
        connect(tmp_path / "home", server)
        async with workbench(tmp_path / "home") as (app, pilot):
            facts = app.desk.home.facts
            facts.save(Draft("likes-oolong", "Likes oolong", "preference"), by=By("user"))
            inspector = await inspect(app, pilot)
            inspector.parts.choose("2")
            await pilot.press("right", "down")
            assert "1 likes-oolong" in screen_text(app)
            before = inspector.view.tokens
            assert f"{before:,} of " in screen_text(app)
            await pilot.press("m")
            await until(lambda: "likes-oolong" not in screen_text(app), "it is gone from what is sent")
            assert inspector.view.tokens < before and f"{before:,} of " not in screen_text(app)
            assert f"{inspector.view.tokens:,} of " in screen_text(app)
            assert facts.get(1).status == "off"
            await pilot.press("escape")
            await say(app, pilot, "hello")
            assert "oolong" not in json.dumps(server.requests[-1])


async def test_what_is_not_sent_is_said_in_words(tmp_path: Path) -> None:
    with ChatServer() as server:
        connect(tmp_path / "home", server, inject="all")
        config = tmp_path / "home" / "config.toml"
        config.write_text(config.read_text().replace("[memory]", "context_window = 4000\n[memory]"))
        async with workbench(tmp_path / "home") as (app, pilot):
            for n in range(60):
                app.desk.home.facts.save(Draft(f"no-{n}", f"Heron {n} nests by pond {n * 7}", "project"), by=By("user"))
            server.script(text("Hi.", tokens=None), text("I see.", tokens=None))
            await say(app, pilot, "hello")
            await app.desk.hub.set_memory(app.desk.session, "off")
            await say(app, pilot, "a secret")
            await inspect(app, pilot)
            page = screen_text(app)
            assert "Memory is off: no facts and no memory tools" in page and "Always sent" not in page
            await pilot.press("escape")
            write(app, "/memory on")
            await pilot.press("enter")
            await until(lambda: "1 turn said while memory was off: no longer sent" in screen_text(app), "it is told")
            inspector = await inspect(app, pilot)
            page, block = screen_text(app), inspector.view.block
            assert "Not sent: 1 turn said while memory was off" in page
            assert f"No room: {block.left_out} facts that would always be sent; recall finds them" in page
            assert "No room in the contents: 60 facts; recall finds them" in page
            assert "facts give way above 1,000, a quarter" in page
            assert "a secret" not in " ".join(m.content for m in inspector.view.request.messages)


async def test_the_copy_is_the_body_as_it_would_be_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer() as server:
        connect(tmp_path / "home", server)
        async with workbench(tmp_path / "home") as (app, pilot):
            copied: list[str] = []
            monkeypatch.setattr(app, "copy_to_clipboard", copied.append)
            write(app, "hello")
            await inspect(app, pilot)
            await pilot.press("y", "escape")
            await until(lambda: not app.screen.is_modal, "closed")
            await pilot.press("enter")
            await until(lambda: server.requests and not app.running, "the answer")
            body = {k: v for k, v in server.requests[0].items() if k != "stream_options"}
            assert json.loads(copied[0]) == body


async def test_a_session_that_another_program_has_is_not_inspected(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with workbench(home) as (app, pilot):
        await say(app, pilot, "hello")
        session = app.desk.session
        async with workbench(home, resume=session) as (other, keys):
            await keys.press("ctrl+o")
            await until(lambda: "another program" in screen_text(other), "why")
            assert not other.screen.is_modal
