from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.e2e.terminal import Terminal, terminal
from tests.servers.chat_server import ChatServer, Pause, Reply, error
from tests.servers.model_servers import model_server
from tests.waiting import wait_until

SIZES = ["120x40", "80x24"]
pytestmark = pytest.mark.parametrize("size", SIZES)


def lives(t: Terminal, seconds: int = 3) -> None:
    """Something on the screen moves at least every two seconds."""
    for _ in range(seconds):
        before = t.screen()
        wait_until(lambda before=before: t.screen() != before, "a sign of life", timeout_s=2.0)


def test_with_nothing_there_the_guide_answers_and_says_how_to_connect(tmp_path: Path, size: str) -> None:
    with terminal(home=tmp_path / "home", size=size, MEMAGENT_LOCAL_PORTS="1,2,3,4") as t:
        t.wait("Connect a model: on this machine, or with a key")
        t.press("Enter")
        t.wait("not running")
        t.wait("no key yet")
        closed(t)
        t.type("I live in Tokyo.")
        t.press("Enter")
        t.wait("Remembered: Lives in Tokyo")


def test_a_server_on_the_port_of_ollama_answers_after_two_keys(tmp_path: Path, size: str) -> None:
    with model_server("Ollama") as server:
        server.answer = lambda _: server.kind.says("Hello from the model.")
        with terminal(home=tmp_path / "home", size=size, MEMAGENT_LOCAL_PORTS=f"1,{server.port}") as t:
            t.wait("Ollama runs here: qwen3:8b")
            keys = t.keys
            t.press("Enter")
            t.wait("Use qwen3:8b")
            assert server.requests == []
            t.press("Enter")
            t.wait("answers from now on")
            assert t.keys - keys == 2
            t.type("hi")
            t.press("Enter")
            t.wait("Hello from the model.")


def test_a_key_and_no_server_asks_before_words_leave_and_leads_to_a_chat(tmp_path: Path, size: str) -> None:
    with ChatServer() as server:
        env = {"OPENAI_API_KEY": "sk-not-for-the-net", "MY_KEY": "sk-mine", "MEMAGENT_LOCAL_PORTS": "1"}
        with terminal(home=tmp_path / "home", size=size, **env) as t:
            t.wait("OpenAI: OPENAI_API_KEY is set, nothing was sent")
            t.press("Enter")
            t.wait("go to api.openai.com")
            t.press("Enter")
            t.wait("Where your words go")
            t.press("n")
            t.wait("enter Send")
            endpoint(t, server.url, "MY_KEY")
            t.wait("scripted")
            t.press("Enter")
            t.wait("answers from now on")
            t.type("hello you")
            t.press("Enter")
            t.wait("You said: hello you")
            assert "sk-" not in t.screen()


def test_a_wrong_key_is_a_sentence_that_says_what_to_do(tmp_path: Path, size: str) -> None:
    with ChatServer() as server:
        server.listings = {"/v1/models": error(401, "Incorrect API key provided: sk-wrong-one")}
        server.answer = lambda _: error(401, "Incorrect API key provided: sk-wrong-one")
        env = {"MY_KEY": "sk-wrong-one", "MEMAGENT_LOCAL_PORTS": "1"}
        with terminal(home=tmp_path / "home", size=size, **env) as t:
            t.wait("Ask anything")
            endpoint(t, server.url, "MY_KEY")
            t.wait(r"refuses access \(401\)")
            t.wait("the key in the variable MY_KEY")
            t.type("some-model")
            t.wait("as typed")
            t.press("Enter")
            t.wait("answers from now on")
            t.type("hello")
            t.press("Enter")
            t.wait(r"refuses access \(401\)")
            assert "sk-wrong" not in t.screen()


def test_a_server_that_takes_calls_and_never_answers_is_seen_through(tmp_path: Path, size: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as silent, model_server("Ollama") as server:
        ports = f"1,{server.port},{silent.getsockname()[1]}"
        with terminal(home=home, size=size, MEMAGENT_LOCAL_PORTS=ports) as t:
            t.wait("Ollama runs here")
            t.press("Enter")
            t.wait("takes calls, does not answer")
            pause = Pause()
            server.script(Reply([pause]))
            t.type("t")
            t.wait("asking qwen3:8b")
            wait_until(pause.reached.is_set, "the request is there")
            lives(t)
            closed(t)
            wait_until(server.gone.is_set, "the test was given up")
            t.type("/connect")
            t.press("Enter")
            t.wait("Use qwen3:8b")
            t.press("Enter")
            t.wait("answers from now on")
            server.script(Reply([Pause()]))
            t.type("hi")
            t.press("Enter")
            wait_until(lambda: len(server.requests) > 1, "the message is there")
            lives(t)
            t.press("Escape")
            t.wait("stopped|Stopped")
            t.type("are you there?")
            t.press("Enter")
            t.wait("You said: are you there")
    assert "timeout_s" not in (home / "config.toml").read_text()


def closed(t: Terminal) -> None:
    """Leave the dialog; what is typed at once would be one key with its esc."""
    t.press("Escape")
    wait_until(lambda: not t.shows("esc Later"), "the dialog is closed")


def endpoint(t: Terminal, url: str, variable: str) -> None:
    """Through the dialog, for an address of one's own whose key is in a variable."""
    t.type("/connect")
    t.press("Enter")
    t.wait("Other endpoint")
    wait_until(lambda: not t.shows("looking"), "it looked")
    t.press("End")
    t.wait("Use Guide")
    t.press("Up")
    t.wait("Use another")
    t.press("Enter")
    t.wait("Address of the service")
    t.type(url)
    t.press("Enter")
    t.wait("An environment variable")
    t.press("1")
    t.wait("Name of the variable")
    t.type(variable)
    t.press("Enter")
