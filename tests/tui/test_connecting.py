from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual import events
from textual.widgets import Input

from sessions.providers.discovery import Looked
from tests.servers.chat_server import ChatServer, Pause, Reply, error
from tests.servers.model_servers import ModelServer, model_server
from tests.tui.workbench import Bench, say, screen_text, text_of, workbench, write
from tests.waiting import until
from tui.app import MemagentApp
from tui.widgets.linelist import LineList

SIZES = [(120, 40), (80, 24)]
READY = ("ready", {"word": "yes"})


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with model_server("Ollama") as server:
        monkeypatch.setenv("MEMAGENT_LOCAL_PORTS", f"1,{server.port},1,1")
        yield server


async def shows(app: MemagentApp, *words: str) -> None:
    await until(lambda: all(word in screen_text(app) for word in words), f"{words} on the screen")


async def opened(app: MemagentApp, pilot: Bench) -> None:
    """The dialog, by enter on the empty start screen."""
    await pilot.press("enter")
    await until(lambda: app.screen.is_modal, "the dialog")
    await shows(app, "Connect a model", "Without a model")
    await until(lambda: not app.screen._looking, "looked")


async def chosen(app: MemagentApp, pilot: Bench, name: str, key: str) -> None:
    """Press a key until the cursor is on the row of that name."""
    places = app.screen.query_one("#choices", LineList)
    for _ in range(20):
        if getattr(getattr(places.cursor_row, "place", None), "name", "") == name:
            return
        await pilot.press(key)
    raise AssertionError(f"no row {name}")


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_a_server_on_this_machine_is_offered_and_two_keys_later_it_answers(
    tmp_path: Path, size: tuple[int, int], ollama: ModelServer
) -> None:
    home = tmp_path / "home"
    async with workbench(home, size) as (app, pilot):
        await until(lambda: "Ollama runs here: qwen3:8b and 1 more" in text_of(app.body.chat.start), "the offer")
        assert ollama.requests == []
        await opened(app, pilot)
        await shows(app, "localhost:", "qwen3:8b and 1 more", "not running", "stays on this machine", "Guide")
        assert ollama.requests == [], "nothing is sent before the person chose"
        await pilot.press("enter")
        await until(lambda: app.desk.state.model == "qwen3:8b", "the model is used")
        await until(lambda: not app.body.chat.start.state.guide, "no word of the guide any more")
        assert "qwen3:8b" in screen_text(app).split("\n")[0]
        ollama.script(ollama.kind.says("Hello from Ollama."))
        await say(app, pilot, "hi")
        assert "Hello from Ollama." in text_of(app.body.chat.transcript)
    config = (home / "config.toml").read_text()
    assert 'profile = "ollama"' in config and f"localhost:{ollama.port}/v1" in config and "context_window" not in config
    async with workbench(home, size) as (app, _):
        assert app.desk.state.profile == "ollama", "and the next time"


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_a_test_sends_one_request_and_says_what_came_of_it_and_another_model_can_be_picked(
    tmp_path: Path, size: tuple[int, int], ollama: ModelServer
) -> None:
    async with workbench(tmp_path / "home", size) as (app, pilot):
        await opened(app, pilot)
        pause = Pause()
        reply = ollama.kind.calls(READY)
        ollama.script(Reply([pause, *reply.steps]), error(500, "model runner has crashed"))
        await pilot.press("t")
        await shows(app, "asking qwen3:8b")
        await until(pause.reached.is_set, "the request is there")
        pause.release()
        await shows(app, "qwen3:8b answered in", "tools work · context 8k")
        assert len(ollama.requests) == 1
        await pilot.press("m")
        await shows(app, "Models of Ollama")
        for letter in "ll3b":
            await pilot.press(letter)
        await pilot.press("enter")
        await shows(app, "Use llama3.2:3b")
        ollama.script(*[error(500, "model runner has crashed")] * 3)
        await pilot.press("t")
        await shows(app, "localhost has trouble (500)", "model runner has crashed")
        await pilot.press("escape")
        await until(lambda: not app.screen.is_modal, "closed")
        assert app.desk.state.profile == "guide" and not (tmp_path / "home" / "config.toml").exists()


async def test_a_dialog_that_closes_while_it_looks_draws_no_more(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await opened(app, pilot)
        dialog = app.screen
        late = []

        async def look(*, asked: bool) -> Looked:
            dialog.dismiss(None)
            while dialog.query("#choices"):
                await asyncio.sleep(0)
            late.append(dialog.is_attached)
            return Looked()

        dialog._tries.look = look
        dialog.key_r(events.Key("r", "r"))
        await until(lambda: not app.screen.is_modal and late, "closed before it had looked")
        await pilot.pause()
        assert app.is_running and screen_text(app)
        assert dialog.gone


async def far_dialog(app: MemagentApp, pilot: Bench, url: str) -> None:
    """As far as the question where the key comes from, for another endpoint."""
    await opened(app, pilot)
    while "Use another" not in screen_text(app):
        await pilot.press("down")
    await pilot.press("enter")
    await shows(app, "Address of the service")
    app.screen.query_one(Input).value = url
    await pilot.press("enter")


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_a_key_typed_once_goes_into_the_keyring_and_nowhere_else(
    tmp_path: Path, size: tuple[int, int], ring: Path
) -> None:
    home, key = tmp_path / "home", "sk-typed-once-0123456789"
    with ChatServer() as server:
        async with workbench(home, size) as (app, pilot):
            await far_dialog(app, pilot, server.url)
            await shows(app, "Where does the key for 127.0.0.1 come from?", "The keyring")
            await pilot.press("2")
            await shows(app, "Key for 127.0.0.1")
            app.screen.query_one(Input).value = key
            await pilot.pause()
            assert key not in screen_text(app) and server.gets == []
            await pilot.press("enter")
            await shows(app, "scripted")
            await pilot.press("enter")
            await until(lambda: app.desk.state.model == "scripted", "the model is used")
            await say(app, pilot, "hi")
            await pilot.press("ctrl+o")
            await until(lambda: app.screen.is_modal, "what is sent")
            assert key not in screen_text(app)
    sent = {name.lower(): value for name, value in server.headers[-1].items()}
    assert sent["authorization"] == f"Bearer {key}" and key in ring.read_text()
    kept = [path for path in home.rglob("*") if path.is_file() and key.encode() in path.read_bytes()]
    assert kept == [] and 'api_key = "keyring"' in (home / "config.toml").read_text()


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_before_words_go_to_another_machine_it_says_so_and_no_ends_it(
    tmp_path: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-sent")
    async with workbench(tmp_path / "home", size) as (app, pilot):
        await until(
            lambda: "OpenAI: OPENAI_API_KEY is set, nothing was sent" in text_of(app.body.chat.start), "the offer"
        )
        await pilot.press("enter")
        await shows(app, "OPENAI_API_KEY is set", "Messages and recalled facts go to api.openai.com.")
        await pilot.press("enter")
        await shows(app, "Where your words go", "The key comes from OPENAI_API_KEY.")
        await pilot.press("n")
        await until(lambda: not app.screen.is_modal, "closed")
        assert app.desk.state.profile == "guide" and "sk-never" not in screen_text(app)


async def test_what_is_wrong_is_a_sentence_that_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ring: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, ChatServer() as empty, ChatServer() as server:
        empty.listings = {"/v1/models": {"data": []}, "/api/tags": {"models": []}}
        ports = [1, int(empty.url.split(":")[2][:-3]), silent.getsockname()[1]]
        monkeypatch.setenv("MEMAGENT_LOCAL_PORTS", ",".join(map(str, ports)))
        monkeypatch.setenv("WRONG_KEY", "sk-wrong")
        async with workbench(tmp_path / "home") as (app, pilot):
            await opened(app, pilot)
            await chosen(app, pilot, "LM Studio", "up")
            await pilot.press("enter")
            await shows(app, "Nothing answers at localhost:1: start the server in LM Studio")
            await chosen(app, pilot, "Ollama", "down")
            await pilot.press("enter")
            await shows(app, "Ollama has no model yet: ollama pull qwen3:8b")
            await chosen(app, pilot, "llama.cpp", "down")
            await shows(app, "takes calls and does not answer")
            await pilot.press("escape")
            await until(lambda: not app.screen.is_modal, "closed")
            for name, says in (("NO_SUCH", "NO_SUCH is not set here"), ("WRONG_KEY", "refuses access (401)")):
                server.listings = {"/v1/models": error(401, "Incorrect API key provided: sk-wrong")}
                await far_dialog(app, pilot, server.url)
                await shows(app, "An environment variable")
                await pilot.press("1")
                await shows(app, "Name of the variable")
                app.screen.query_one(Input).value = name
                await pilot.press("enter")
                await shows(app, says)
                await pilot.press("escape")
                await until(lambda: not app.screen.is_modal, "closed")
            await far_dialog(app, pilot, "not an address")
            await shows(app, "That is no address")


async def test_slash_model_lists_profiles_and_the_models_of_the_service_and_changes_between_turns(
    tmp_path: Path, ollama: ModelServer
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    url = f"http://localhost:{ollama.port}/v1"
    (home / "config.toml").write_text(
        f'[agent]\nprofile = "here"\n[profiles.here]\nbase_url = "{url}"\nmodel = "qwen3:8b"\n'
    )
    async with workbench(home) as (app, pilot):
        await say(app, pilot, "hi")
        write(app, "/model")
        await pilot.press("enter")
        await until(lambda: app.screen.is_modal, "the picker")
        await shows(app, "Profiles", "guide", "rules, no AI", "Models at this machine", "llama3.2:3b")
        choices = app.screen.query_one("#choices", LineList)
        assert choices.cursor == f"profile:{app.desk.state.profile}", "what answers now is chosen"
        columns = {
            line.find(note)
            for line in screen_text(app).split("\n")
            for note in ("rules, no AI", "qwen3:8b · http")
            if note in line
        }
        assert len(columns) == 1, "what is said of the profiles stands in a column"
        for letter in "llama":
            await pilot.press(letter)
        await pilot.press("enter")
        await until(lambda: app.desk.state.model == "llama3.2:3b", "the other model")
        await say(app, pilot, "and you?")
        assert [body["model"] for body in ollama.requests] == ["qwen3:8b", "llama3.2:3b"]


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_the_first_change_of_a_session_to_another_machine_is_asked_and_no_leaves_all_as_it_was(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text(
        '[profiles.far]\nbase_url = "https://models.invalid/v1"\nmodel = "big"\napi_key_env = "FAR_KEY"\n'
    )
    async with workbench(home, size) as (app, pilot):
        await say(app, pilot, "I live in Tokyo.")
        for key in ("escape", "1"):
            write(app, "/model far")
            await pilot.press("enter")
            await shows(app, "Messages and recalled facts go to models.invalid.", "its 1 turn goes along", "Stay here")
            assert "With past sessions" not in screen_text(app), "there are none"
            await pilot.press(key)
            await until(lambda: not app.screen.is_modal, "answered")
            if key == "escape":
                await pilot.pause()
                assert app.desk.state.profile == "guide"
        await until(lambda: app.desk.state.profile == "far", "the other model")
        for profile in ("guide", "far"):
            write(app, f"/model {profile}")
            await pilot.press("enter")
            await until(lambda profile=profile: app.desk.state.profile == profile, "asked once a session")


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_of_a_server_that_does_not_run_enter_looks_again_and_so_it_says(
    tmp_path: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    with model_server("Ollama") as later:
        monkeypatch.setenv("MEMAGENT_LOCAL_PORTS", "1,1,1,1")
        async with workbench(tmp_path / "home", size) as (app, pilot):
            await opened(app, pilot)
            await pilot.press("home", *["up"] * 9)
            page = screen_text(app)
            assert "On this machine" in page and "not running" in page and "Nothing answers at localhost:1" in page
            assert "enter Look again" in page.split("\n")[-1] and "Use" not in page and "t Test" not in page
            monkeypatch.setenv("MEMAGENT_LOCAL_PORTS", f"1,{later.port},1,1")
            await pilot.press("enter")
            await shows(app, "Found on this machine", "qwen3:8b", "enter Use", "t Test")
            await pilot.press("end")
            await shows(app, "Nothing leaves this machine")
            assert "t Test" not in screen_text(app).split("\n")[-1], "there is nothing to test"
            await pilot.press("home", *["up"] * 9, "r")
            await shows(app, "enter Use", "t Test")
            await pilot.press("enter")
            await until(lambda: app.desk.state.model == "qwen3:8b", "the one that runs by now is chosen")


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("keys", [True, False])
async def test_all_known_services_are_there_with_their_keys_or_without_and_the_buttons_are_in_sight(
    tmp_path: Path, size: tuple[int, int], keys: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = {"OpenAI": "OPENAI", "OpenRouter": "OPENROUTER", "Anthropic": "ANTHROPIC", "Gemini": "GEMINI"}
    for name in services.values():
        monkeypatch.setenv(f"{name}_API_KEY", "sk-x" if keys else "")
    async with workbench(tmp_path / "home", size) as (app, pilot):
        await opened(app, pilot)
        await shows(app, *services)
        lines = screen_text(app).split("\n")
        rows = {name: next(line for line in lines if f" {name} " in line) for name in services}
        for name, variable in services.items():
            assert (f"{variable}_API_KEY is set" if keys else "no key yet") in rows[name]
        choices = app.screen.query_one("#choices", LineList)
        for row in choices.rows:
            if not row.head:
                choices.choose(row.key)
                await until(lambda: "enter  " in screen_text(app).rpartition("\n")[0], f"a button for {row.key}")
        choices.choose("key:https://api.anthropic.com/v1")
        await pilot.press("enter")
        question = (
            "Messages and recalled facts go to" if keys else "Where does the key for api.anthropic.com come from?"
        )
        await shows(app, question)
