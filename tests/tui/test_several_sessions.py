from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessions.events import ApprovalDecided, ApprovalRequested
from sessions.messages import AssistantMessage, Marker
from sessions.paths import HomePaths
from sessions.store.log import held_elsewhere, read_log
from tests.servers.chat_server import DONE, ChatServer, Pause, Reply, error, event
from tests.tui.served import home_for
from tests.tui.workbench import Bench, say, screen_text, text_of, workbench, write
from tests.waiting import until
from tui.app import MemagentApp


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


def held(pause: Pause) -> Reply:
    return Reply([event({"content": "Half"}), pause, event({"content": " done."}), event(finish="stop"), DONE])


ROOT = Path(__file__).resolve().parents[2]
_HOLD = """
import sys
from pathlib import Path
from sessions.paths import HomePaths
from sessions.store.log import LogWriter
root = Path(sys.argv[1])
log = LogWriter.open(HomePaths(root, root / "config.toml"), sys.argv[2])
print("held", flush=True)
sys.stdin.read()
"""


def told(app: MemagentApp) -> list[str]:
    """The notices of this run."""
    return [notice.message for notice in app._notifications]


async def begin(app: MemagentApp, pilot: Bench, text: str) -> str:
    """Say it in the shown session and leave that while the answer comes; its id."""
    write(app, text)
    await pilot.press("enter")
    await until(lambda: "Half" in text_of(app.body.chat.transcript), f"the answer to {text!r} begins")
    session = app.desk.session
    await pilot.press("ctrl+n")
    await until(lambda: app.desk.session != session and app.body.chat.start.display, "another session")
    return session


async def test_what_ends_in_a_session_that_nobody_looks_at_is_told_and_marked_new(
    tmp_path: Path, server: ChatServer
) -> None:
    first, second = Pause(), Pause()
    server.script(held(first), held(second))
    async with workbench(home_for(tmp_path, server)) as (app, pilot):
        trains, boats = await begin(app, pilot, "About trains"), await begin(app, pilot, "About boats")
        await pilot.press("f3")
        await until(lambda: text_of(app.body.history.list).count("running") == 2, "both run")
        first.release()
        await until(lambda: "About trains: answered" in told(app), "the notice")
        rows = text_of(app.body.history.list)
        assert "• About trains" in rows and rows.count("running") == 1 and " new" in rows
        await until(lambda: not held_elsewhere(app.paths, trains), "it is free for other programs")
        await app.desk.open(trains)
        await until(lambda: "Half done." in text_of(app.body.chat.transcript), "the whole answer")
        assert app.desk.turns.states() == {boats: "running"}
        second.release()
        await until(lambda: "About boats: answered" in screen_text(app), "the notice above the composer")
        assert app.desk.turns.states() == {boats: "new"}
        await pilot.press("f3")
        await until(lambda: "• About boats" in screen_text(app), "new in the list")


async def test_a_failure_elsewhere_is_told_with_its_title_and_what_waits_shows_it(
    tmp_path: Path, server: ChatServer
) -> None:
    pause = Pause()
    server.script(held(pause), error(400, "no such thing"))
    async with workbench(home_for(tmp_path, server)) as (app, pilot):
        session = await begin(app, pilot, "About trains")
        app.desk.presenter.apply(ApprovalRequested(session=session, turn=1, call_id="c1", name="write", arguments={}))
        await pilot.press("f3")
        await until(lambda: "waits for you" in text_of(app.body.history.list), "the row asks")
        assert "? About trains" in text_of(app.body.history.list)
        app.desk.presenter.apply(ApprovalDecided(session=session, turn=1, call_id="c1", decision="once", by="user"))
        await until(lambda: "running" in text_of(app.body.history.list), "it goes on")
        await app.desk.hub.send(session, "and then")
        pause.release()
        await until(lambda: any(text.startswith("About trains: failed") for text in told(app)), "the failure is told")
        assert app.desk.turns.states() == {session: "new"}


async def test_closing_while_other_sessions_answer_keeps_what_came(tmp_path: Path, server: ChatServer) -> None:
    server.script(held(Pause()), held(Pause()))
    home = home_for(tmp_path, server)
    async with workbench(home) as (app, pilot):
        sessions = [await begin(app, pilot, "About trains"), await begin(app, pilot, "About boats")]
        app.quit()
        await until(lambda: app._exit, "the end")
    for session in sessions:
        records = read_log(HomePaths(home, home / "config.toml").session_log(session)).records
        assert [r.content for r in records if isinstance(r, AssistantMessage)] == ["Half"]
        assert [r.data["stop"] for r in records if isinstance(r, Marker) and r.kind == "turn_end"] == ["cancelled"]


async def test_a_session_that_another_program_has_is_marked_until_it_lets_go(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with workbench(home) as (app, pilot):
        await say(app, pilot, "hello")
        session = app.desk.session
        await pilot.press("ctrl+n")
        await until(lambda: app.desk.session != session, "it was left")
        holding = [sys.executable, "-c", _HOLD, str(home), session]
        with subprocess.Popen(holding, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as other:
            assert other.stdin is not None and other.stdout is not None
            assert other.stdout.readline() == b"held\n"
            await pilot.press("f3")
            await until(lambda: "running elsewhere" in text_of(app.body.history.list), "the mark")
            other.stdin.close()
        await pilot.press("f2", "f3")
        await until(lambda: "running elsewhere" not in text_of(app.body.history.list), "it is free again")


async def test_a_fork_says_where_it_begins_and_how_many_turns_are_its_own(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "hello")
        await pilot.press("f3")
        rows = app.body.history.list
        await until(lambda: "hello" in text_of(rows), "the session")
        await pilot.press("f")
        await until(lambda: app.body.chat.title.title_text == "hello · fork at turn 1", "the fork is open")
        await pilot.press("f3")
        await until(lambda: "hello · fork at turn 1" in text_of(rows) and "no new turns" in text_of(rows), "its row")
        await pilot.press("f2")
        await say(app, pilot, "and now?")
        await pilot.press("f3")
        await until(lambda: "1 new turn" in text_of(rows), "its own turn")
