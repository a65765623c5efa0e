from __future__ import annotations

from pathlib import Path

import pytest

from tests.servers.chat_server import Pause, Reply, error, event, text
from tests.tui.turns.talk import in_order, replayed, seen, staged
from tests.tui.workbench import say, screen_text, text_of, write
from tests.waiting import until
from tui.chat.blocks import Divider
from tui.dialogs.context import Inspector

LONG = "lorem ipsum " * 340


@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=str)
async def test_a_long_talk_is_put_in_short_says_so_stays_readable_and_is_the_same_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    with staged(tmp_path, monkeypatch, "context_window = 6000") as stage:
        async with stage.bench(size=size) as (app, pilot):
            for n in range(1, 5):
                stage.server.script(text(f"Answer {n}: {LONG}", tokens=None))
                await say(app, pilot, f"Question {n}")
            stage.server.script(text("The user asked one to three."), text("Answer 5."))
            await say(app, pilot, "Question 5")
            blocks = app.body.chat.transcript.document.blocks
            (divider,) = [b for b in blocks if isinstance(b, Divider)]
            prompts = [getattr(b, "text", "") for b in blocks[blocks.index(divider) :]]
            assert "Question 4" in prompts and "Question 3" not in prompts, "it stands above what is still sent"
            live = await seen(app, pilot)
            assert (divider.messages, divider.content) == (6, "The user asked one to three.")
            assert app.body.chat.transcript.document.dim_before == blocks.index(divider)
            if live.tree:
                in_order(["Question 5", "earlier, in short"], live.tree)
            assert stage.server.problems == []
            await pilot.press("ctrl+o")
            await until(lambda: isinstance(app.screen, Inspector) and app.screen.parts.rows, "the inspector")
            await pilot.pause()
            shown = screen_text(app)
            in_order(["Earlier, in short", "No longer sent", "In short only: 6 messages"], shown)
            assert isinstance(app.screen, Inspector) and app.screen.view.gone is not None
            await pilot.press("end", "right", "escape")
            if size == (120, 40):
                assert await replayed(stage, app.desk.session, tmp_path / "copy") == live


async def test_compact_by_hand_takes_what_to_keep_and_a_failure_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with staged(tmp_path, monkeypatch) as stage:
        async with stage.bench() as (app, pilot):
            for n in (1, 2):
                await say(app, pilot, f"Question {n}")
            stage.server.script(error(400, "not today"))
            write(app, "/compact the atlas path")
            await pilot.press("enter")
            await until(lambda: "could not be put in short" in text_of(app.body.chat.transcript), "why not")
            await until(lambda: not app.desk.hub.running(app.desk.session), "it is over")
            stage.server.script(text("One question."))
            write(app, "/compact")
            await pilot.press("enter")
            await until(lambda: "earlier, in short · 2 messages" in text_of(app.body.chat.transcript), "the divider")
            await until(lambda: not app.desk.hub.running(app.desk.session), "it is over")
            view = await app.desk.hub.context(app.desk.session)
            told = app.header.state.tokens
            assert told and abs(told - view.tokens) < view.tokens / 10, "the gauge and the inspector agree"
            assert "take special care of: the atlas path" in str(stage.server.requests[2]["messages"][0])
            await until(lambda: not app.desk.hub.running(app.desk.session), "it is over")
            await say(app, pilot, "Question 3")
            sent = str(stage.server.requests[-1]["messages"])
            assert "One question." in sent and "Question 1" not in sent and "Question 2" in sent
            live = await seen(app, pilot)
            assert await replayed(stage, app.desk.session, tmp_path / "copy") == live


async def test_putting_in_short_by_hand_is_seen_and_esc_stops_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with staged(tmp_path, monkeypatch) as stage:
        async with stage.bench() as (app, pilot):
            for n in (1, 2):
                await say(app, pilot, f"Question {n}")
            stage.server.script(Reply([event({"content": "Half"}), Pause()]))
            write(app, "/compact")
            await pilot.press("enter")
            await until(lambda: app.running and "putting in short" in screen_text(app), "it is seen")
            await until(lambda: len(stage.server.requests) == 3, "asked for")
            await pilot.press("escape")
            await until(lambda: not app.running and not app.desk.hub.running(app.desk.session), "stopped")
            assert "earlier, in short" not in text_of(app.body.chat.transcript)
            await say(app, pilot, "Question 3")
            assert "Question 1" in str(stage.server.requests[-1]["messages"])
