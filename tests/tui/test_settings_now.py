"""What settings, environment and keyring say now is what is used, what is shown, and what is asked about."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from textual.widgets import Input

from tests.servers.chat_server import ChatServer, Reply, error, text
from tests.servers.keyring_file import FileKeyring
from tests.tui.test_cli import run
from tests.tui.workbench import say, screen_text, text_of, workbench, write
from tests.waiting import until
from tui.app import MemagentApp

GOOD = "sk-right-key-123456"


def home_of(folder: Path, profiles: dict[str, str], more: str = "") -> Path:
    """The first of the profiles (name -> address) answers."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    tables = [
        f'[profiles.{name}]\nbase_url = "{url}"\nmodel = "scripted"\ncontext_window = 128000\n{more}'
        for name, url in profiles.items()
    ]
    agent = f'[agent]\nprofile = "{next(iter(profiles))}"\n[memory]\nembedder = "off"\n'
    (home / "config.toml").write_text(agent + "".join(tables))
    return home


def far(server: ChatServer) -> str:
    """The short form of the address is a host name to us: only what is plainly this machine counts as it."""
    return server.url.replace("127.0.0.1", "127.1")


def wants_a_key(server: ChatServer) -> None:
    def answer(body: object) -> Reply:
        sent = {name.lower(): value for name, value in server.headers[-1].items()}.get("authorization")
        return text("Hello there.") if sent == f"Bearer {GOOD}" else error(401, "Incorrect API key provided")

    server.answer = answer


async def shows(app: MemagentApp, *words: str) -> None:
    await until(lambda: all(word in " ".join(screen_text(app).split()) for word in words), f"{words} on the screen")


async def test_a_wrong_key_is_put_right_in_a_shell_while_the_program_runs(
    tmp_path: Path, ring: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    FileKeyring().set_password("memagent-tui", "mine", "sk-wrong-key-000000")
    with ChatServer() as server:
        wants_a_key(server)
        home = home_of(tmp_path, {"mine": server.url}, 'api_key = "keyring"\n')
        async with workbench(home) as (app, pilot):
            await say(app, pilot, "hi")
            told = " ".join(text_of(app.body.chat.transcript).split())
            assert "refuses access (401)" in told and "memagent-tui config key mine" in told
            monkeypatch.setattr("sys.stdin", io.StringIO(f"{GOOD}\n"))
            run(home, "config", "key", "mine", capsys=capsys)
            write(app, "/retry")
            await pilot.press("enter")
            await until(lambda: "Hello there." in text_of(app.body.chat.transcript), "the right key")


@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=str)
async def test_after_a_refusal_the_key_is_typed_anew_here(tmp_path: Path, ring: Path, size: tuple[int, int]) -> None:
    FileKeyring().set_password("memagent-tui", "mine", "sk-wrong-key-000000")
    with ChatServer() as server:
        wants_a_key(server)
        home = home_of(tmp_path, {"mine": server.url}, 'temperature = 0.25  # mine\napi_key = "keyring"\n')
        async with workbench(home, size) as (app, pilot):
            await say(app, pilot, "hi")
            told = " ".join(text_of(app.body.chat.transcript).split())
            assert "refuses access (401)" in told and "/key in the workbench" in told
            write(app, "/key")
            await pilot.press("enter")
            await shows(app, "Where does the key for 127.0.0.1 come from?")
            await pilot.press("2")
            await shows(app, "Key for 127.0.0.1")
            app.screen.query_one(Input).value = GOOD
            await pilot.press("enter")
            await shows(app, "is in the keyring from now on")
            assert GOOD not in screen_text(app)
            await say(app, pilot, "again")
            assert "Hello there." in text_of(app.body.chat.transcript)
        kept = [path for path in home.rglob("*") if path.is_file() and GOOD.encode() in path.read_bytes()]
        assert kept == [] and "temperature = 0.25  # mine" in (home / "config.toml").read_text()


async def test_the_guide_takes_no_key(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        write(app, "/key")
        await pilot.press("enter")
        await shows(app, "the guide takes no key")


async def test_an_address_and_a_model_that_were_corrected_hold_with_the_next_message(tmp_path: Path) -> None:
    with ChatServer() as one, ChatServer() as two:
        one.answer = lambda body: text("From one.")
        two.answer = lambda body: text("From two.")
        home = home_of(tmp_path, {"q": one.url})
        async with workbench(home) as (app, pilot):
            await say(app, pilot, "hi")
            config = (home / "config.toml").read_text()
            (home / "config.toml").write_text(config.replace(one.url, two.url).replace('"scripted"', '"larger"'))
            await say(app, pilot, "and now?")
            assert "From two." in text_of(app.body.chat.transcript)
            assert (len(one.requests), two.requests[-1]["model"]) == (1, "larger")
            await until(lambda: "larger" in screen_text(app).split("\n")[0], "the header says so")
            (home / "config.toml").write_text(config)
            await pilot.press("ctrl+n")
            await say(app, pilot, "a new one")
            assert (len(one.requests), len(two.requests)) == (2, 1)


async def test_a_file_that_is_being_written_changes_nothing_and_is_told_once(tmp_path: Path) -> None:
    with ChatServer() as server:
        home = home_of(tmp_path, {"q": server.url})
        async with workbench(home) as (app, pilot):
            (home / "config.toml").write_text((home / "config.toml").read_text() + "[profiles.")
            await say(app, pilot, "hi")
            await until(lambda: "is not TOML" in app.body.chat.notice.text, "what is wrong")
            assert "the settings from before hold" in app.body.chat.notice.text
            await say(app, pilot, "and again")
            assert (
                app.body.chat.notice.text == ""
                and len(server.requests) == 2
                and app.desk.home.settings.profiles["q"].base_url == server.url
            )


@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=str)
async def test_a_profile_that_leads_to_another_machine_now_is_asked_about_like_a_switch(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    with ChatServer() as here, ChatServer() as there:
        home = home_of(tmp_path, {"q": here.url})
        async with workbench(home, size) as (app, pilot):
            await say(app, pilot, "My cat is called Tom.")
            config = (home / "config.toml").read_text()
            (home / "config.toml").write_text(config.replace(here.url, far(there)))
            for key in ("escape", "1"):
                if key == "1":
                    await until(lambda: app.body.chat.composer.text == "What is it called?", "it was put back")
                else:
                    write(app, "What is it called?")
                await pilot.press("enter")
                await shows(app, "q leads to 127.1 by now", "Don't send")
                assert there.requests == [] and app.desk.hub.place(app.desk.session) == "this machine"
                turns = app.body.agent.trace.turns
                await pilot.press(key)
                await until(lambda: not app.screen.is_modal, "answered")
            await until(lambda: there.requests and not app.running and len(turns) == 2, "it went there after the yes")
            await until(lambda: "127.1" in screen_text(app).split("\n")[0], "the header says so")
            await say(app, pilot, "asked once")
            assert len(there.requests) == 2 and len(here.requests) == 1


async def test_slash_model_asks_by_where_the_profile_leads_now(tmp_path: Path) -> None:
    with ChatServer() as here, ChatServer() as there:
        home = home_of(tmp_path, {"here": here.url, "q": far(there)})
        config = (home / "config.toml").read_text()
        async with workbench(home) as (app, pilot):
            await app.desk.hub.leads("q")
            await say(app, pilot, "My cat is called Tom.")
            (home / "config.toml").write_text(config.replace(far(there), here.url))
            write(app, "/model q")
            await pilot.press("enter")
            await until(lambda: app.desk.state.profile == "q", "no question: it is here")
            await say(app, pilot, "And now?")
            assert (len(here.requests), there.requests) == (2, [])
            write(app, "/model here")
            await pilot.press("enter")
            await until(lambda: app.desk.state.profile == "here", "back")
            (home / "config.toml").write_text(config)
            write(app, "/model q")
            await pilot.press("enter")
            await shows(app, "Messages and recalled facts go to 127.1.")
            await pilot.press("escape")
            await until(lambda: not app.screen.is_modal, "answered")
            assert app.desk.state.profile == "here" and there.requests == []
