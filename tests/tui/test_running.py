from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.chat_server import DONE, ChatServer, Pause, Reply, event, text
from tests.tui.served import home_for
from tests.tui.workbench import screen_text, text_of, workbench, write
from tests.waiting import until


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


def held(pause: Pause, before: str = "Half", after: str = " done.") -> Reply:
    return Reply([event({"content": before}), pause, event({"content": after}), event(finish="stop"), DONE])


async def test_while_a_turn_runs_messages_queue_up_edits_them_and_esc_stops(tmp_path: Path, server: ChatServer) -> None:
    pause = Pause()
    server.script(held(pause), text("Second answer."))
    async with workbench(home_for(tmp_path, server)) as (app, pilot):
        composer = app.body.chat.composer
        write(app, "go")
        await pilot.press("enter")
        await until(lambda: "Half" in text_of(app.body.chat.transcript), "the stream")
        assert app.running and "esc Stop" in text_of(app.footer)
        assert "turn 1" in screen_text(app) and "Queue a message" in screen_text(app)
        write(app, "and then")
        await pilot.press("enter")
        await until(lambda: "queued" in text_of(app.body.chat.queue), "queued")
        await pilot.press("up")
        await until(lambda: composer.text == "and then", "taken back")
        assert not app.body.chat.queue.display
        await pilot.press("enter", "escape")
        await until(lambda: len(app.body.agent.trace.turns) == 2 and not app.running, "the queued turn after the stop")
        assert app.body.agent.trace.turns[0].state == "stopped"
        assert "Half" in text_of(app.body.chat.transcript) and "Second answer." in text_of(app.body.chat.transcript)
        assert "Ask anything" in screen_text(app) and "enter Send" in text_of(app.footer)


async def test_other_views_and_sessions_can_be_used_while_a_turn_runs(tmp_path: Path, server: ChatServer) -> None:
    pause = Pause()
    server.script(held(pause))
    async with workbench(home_for(tmp_path, server)) as (app, pilot):
        write(app, "go")
        await pilot.press("enter")
        await until(lambda: "Half" in text_of(app.body.chat.transcript), "the stream")
        first = app.desk.session
        await pilot.press("f3")
        await until(lambda: app.body.history.session is not None, "the list")
        await until(lambda: "running" in screen_text(app), "the mark of what runs")
        await pilot.press("ctrl+n")
        await until(lambda: app.desk.session != first, "another session")
        assert not app.running and "Half" not in screen_text(app)
        pause.release()
        await until(lambda: first not in app.desk.turns.running, "the end of the first")
        await app.desk.open(first)
        await until(lambda: "Half done." in text_of(app.body.chat.transcript), "the whole answer")


async def test_ctrl_c_stops_a_turn_and_a_failure_is_shown_where_it_happened(tmp_path: Path, server: ChatServer) -> None:
    pause = Pause()
    server.script(held(pause))
    home = home_for(tmp_path, server)
    async with workbench(home) as (app, pilot):
        write(app, "go")
        await pilot.press("enter")
        await until(lambda: "Half" in text_of(app.body.chat.transcript), "the stream")
        await pilot.press("ctrl+c")
        await until(lambda: not app.running, "stopped")
        assert app.body.agent.trace.turns[0].state == "stopped" and not app._exit
        server.stop()
        write(app, "again")
        await pilot.press("enter")
        await until(lambda: len(app.body.agent.trace.turns) == 2 and not app.running, "the failed turn", 20)
        assert app.body.agent.trace.turns[1].state == "failed"
        assert server.url.split("//")[1].split("/")[0] in screen_text(app)


async def test_a_session_that_another_program_holds_is_read_only(tmp_path: Path) -> None:
    from sessions.store.log import LogWriter
    from tests.tui.workbench import say

    home = tmp_path / "home"
    async with workbench(home) as (app, pilot):
        await say(app, pilot, "hello")
        session = app.desk.session
    writer = LogWriter.open(app.paths, session)
    try:
        async with workbench(home, resume=session) as (app, pilot):
            assert app.desk.state is not None and not app.desk.state.writable
            assert "only read here · /fork goes on in a copy" in app.body.chat.notice.text
            write(app, "more")
            await pilot.press("enter")
            await until(lambda: app.body.chat.notice.text and app.body.chat.composer.text == "more", "refused, kept")
        async with workbench(home, resume=session) as (app, pilot):
            write(app, "/fork")
            await pilot.press("enter")
            await until(lambda: app.desk.session != session and app.desk.state.writable, "the copy")
    finally:
        writer.close()


async def test_the_model_can_be_switched_and_the_header_says_where_words_go(tmp_path: Path, server: ChatServer) -> None:
    async with workbench(home_for(tmp_path, server)) as (app, pilot):
        assert "scripted · this machine" in text_of(app.header)
        write(app, "/model guide")
        await pilot.press("enter")
        await until(lambda: "guide (rules, no AI)" in text_of(app.header), "the guide")
        write(app, "/model nothing")
        await pilot.press("enter")
        await until(lambda: "no model nothing" in app.body.chat.notice.text, "named")
