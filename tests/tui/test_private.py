from __future__ import annotations

from pathlib import Path

import pytest

from tests.sessions.wire_home import holding
from tests.tui.workbench import Bench, say, screen_text, text_of, workbench, write
from tests.waiting import until
from tui.app import MemagentApp
from tui.dialogs.choice import Choice

CANARY = "zebrafish4711"
pytestmark = pytest.mark.timeout(120)


async def command(app: MemagentApp, pilot: Bench, words: str) -> None:
    write(app, words)
    await pilot.press("enter")


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_nothing_of_a_private_session_stays_whatever_is_done_in_it(tmp_path: Path, size: tuple[int, int]) -> None:
    home = tmp_path / "home"
    async with workbench(home, size, private=True) as (app, pilot):
        assert "private: nothing is kept" in text_of(app.header)
        await say(app, pilot, f"I live in {CANARY}, and I prefer Celsius.")
        await say(app, pilot, f"what did I say about {CANARY}?")
        await command(app, pilot, f"/remember The code is {CANARY}")
        await until(lambda: "nothing said in a private session is kept" in screen_text(app), "it is refused")
        await command(app, pilot, f"/rename All about {CANARY}")
        await until(lambda: app.body.chat.title.title_text == f"All about {CANARY}", "the title")
        await command(app, pilot, "/retry")
        await until(lambda: not app.running and "< 2/2 >" in screen_text(app), "answered again")
        write(app, f"a draft about {CANARY}")
        session = app.desk.session
        await command(app, pilot, "")
        await until(lambda: not app.running, "the turn is over")
        write(app, f"another draft about {CANARY}")
    assert holding(home, [CANARY, session]) == []
    assert list((home / "sessions").glob("*.json*")) == [] and not (home / "local" / "prompts.jsonl").exists()


async def test_the_header_says_private_from_the_start_and_goes_on_saying_it(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home", private=True) as (app, pilot):
        await command(app, pilot, "/memory off")
        await until(lambda: "private, memory off" in text_of(app.header), "the header")
        await pilot.press("ctrl+g")
        await until(lambda: isinstance(app.screen, Choice), "the choice")
        await pilot.pause()
        assert "Memory in this private session" in screen_text(app) and "saves new ones" not in screen_text(app)
        await pilot.press("2")
        await until(lambda: "private: nothing is kept" in text_of(app.header), "reads again, and is still private")
        await command(app, pilot, "/memory on")
        await until(lambda: "this session is private: nothing is saved" in app.body.chat.notice.text, "it is told")
        await say(app, pilot, "Remember that the spare key is with Yuki.")
        assert "session is private, so I keep nothing" in screen_text(app)
        await say(app, pilot, "hello")
        assert "private: nothing is kept" in text_of(app.header)
    async with workbench(tmp_path / "other", private=True, memory="off") as (app, _):
        assert "private, memory off" in text_of(app.header)


async def test_a_private_session_that_is_left_is_gone_unless_the_person_keeps_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with workbench(home, private=True) as (app, pilot):
        await say(app, pilot, f"my word is {CANARY}")
        private = app.desk.session
        await pilot.press("ctrl+n")
        await until(lambda: app.desk.session != private, "another session")
        await until(
            lambda: "private too; the last is not kept: /keep keeps it after all" in screen_text(app),
            "it is said",
        )
        assert app.desk.state.private and "private: nothing is kept" in text_of(app.header)
        assert holding(home, CANARY) == []
        await command(app, pilot, "/keep")
        await until(lambda: "kept: this session is in History" in screen_text(app), "it is kept")
        assert [CANARY in path.read_text() for path in (home / "sessions").glob("*.jsonl")] == [True]
        assert app.desk.session != private
    async with workbench(home, resume=private) as (app, pilot):
        assert "memory on" in text_of(app.header) and CANARY in screen_text(app)


async def test_a_new_session_after_a_private_one_is_an_ordinary_one_and_says_so(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home", (80, 24)) as (app, pilot):
        for said in ("", f"my word is {CANARY}"):
            await command(app, pilot, "/private")
            await until(lambda: app.desk.state.private, "private")
            if said:
                await say(app, pilot, said)
            await pilot.press("ctrl+n")
            await until(lambda: not app.desk.state.private, "an ordinary session")
            await until(lambda: "this one is kept" in screen_text(app), "it is said")
            assert "memory on" in text_of(app.header)
        assert "/keep keeps it after all" in screen_text(app)


async def test_the_private_session_on_the_screen_is_kept_by_its_command(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with workbench(home) as (app, pilot):
        await command(app, pilot, "/private")
        await until(lambda: "private: nothing is kept" in text_of(app.header), "private")
        await command(app, pilot, "/keep")
        await until(lambda: "memory on" in text_of(app.header), "nothing was said yet, and nothing is written")
        assert list((home / "sessions").iterdir()) == [] and "not up to date" not in screen_text(app)
        await command(app, pilot, "/private")
        await until(lambda: "private: nothing is kept" in text_of(app.header), "private")
        await say(app, pilot, f"my word is {CANARY}")
        await command(app, pilot, "/keep")
        await until(lambda: "memory on" in text_of(app.header), "an ordinary session")
        await say(app, pilot, "I live in Tokyo.")
        assert [fact.name for fact in app.desk.home.facts.snapshot().facts] == ["lives-in-tokyo"]
        await command(app, pilot, "/keep")
        await until(lambda: "there is no private session to keep" in screen_text(app), "nothing to keep")


async def test_the_default_mode_holds_for_sessions_begun_from_then_on(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await command(app, pilot, "/memory off --default")
        await until(lambda: app.desk.home.settings.memory.mode == "off", "the setting")
        first = app.desk.session
        await pilot.press("ctrl+n")
        await until(lambda: app.desk.session != first, "a new session")
        assert "memory off" in text_of(app.header)
    async with workbench(tmp_path / "home") as (app, _):
        assert "memory off" in text_of(app.header)
