"""Another model of a service that stands in the settings: nothing of what stands there is lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest

from sessions.events import TurnFailed
from sessions.home import Home
from sessions.hub import SessionHub
from sessions.hub.connecting import Connecting
from sessions.providers.listing import Model
from tests.servers.chat_server import ChatServer, text
from tests.servers.keyring_file import FileKeyring

NUMBERS = "price_in = 2.0  # as of March\nprice_out = 8.0\ncontext_window = 128000\n"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        server.answer = lambda body: text("Yes.", tokens=(100_000, 25_000))
        yield server


@pytest.fixture
def _ring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TEST_KEYRING", str(tmp_path / "ring.json"))
    before = keyring.get_keyring()
    keyring.set_keyring(FileKeyring())
    yield
    keyring.set_keyring(before)


def home_of(folder: Path, url: str, more: str = NUMBERS) -> Home:
    folder.mkdir()
    agent = '[agent]\nprofile = "p"\nspend_limit = 0.5\n[memory]\nembedder = "off"\n'
    (folder / "config.toml").write_text(f'{agent}[profiles.p]\nbase_url = "{url}"\nmodel = "org/a"\n{more}')
    return Home(folder)


def test_a_profile_with_prices_stays_and_the_other_model_stands_beside_it(tmp_path: Path) -> None:
    home = home_of(tmp_path / "home", "https://models.invalid/v1", NUMBERS + "temperature = 0.2\n")
    made = Connecting(home)
    before = home.paths.config.read_text().partition("[profiles.p]")[2]
    other = made.profile_for("p", "https://models.invalid/v1/", Model("org/B-2", most=64_000, price_in=1.0))
    assert (other.name, other.model, other.temperature) == ("p-b-2", "org/B-2", 0.2)
    assert (other.price_in, other.price_out, other.context_window) == (1.0, None, 64_000)
    made.keep(other)
    assert before in home.paths.config.read_text() and home.settings.agent.profile == "p-b-2"
    assert home.settings.profiles["p"].price_in == 2.0
    for model, name in (("org/a", "p"), ("org/B-2", "p-b-2"), ("org/c", "p-b-2-c")):
        assert made.profile_for("p", "https://models.invalid/v1", Model(model)).name == name, "not one more each time"


def test_a_profile_without_such_numbers_takes_the_model(tmp_path: Path) -> None:
    home = home_of(tmp_path / "home", "http://127.0.0.1:11434/v1", "temperature = 0.2\n")
    other = Connecting(home).profile_for("Ollama", "http://localhost:11434/v1", Model("b"))
    assert (other.name, other.model, other.temperature) == ("p", "b", 0.2), "127.0.0.1 and localhost are one place"


def test_its_key_is_that_of_the_one_beside(tmp_path: Path, _ring: None) -> None:
    home = home_of(tmp_path / "home", "https://models.invalid/v1", NUMBERS + 'api_key = "keyring"\n')
    FileKeyring().set_password("memagent-tui", "p", "sk-of-p-0123")
    made = Connecting(home)
    made.keep(made.profile_for("p", "https://models.invalid/v1", Model("b")))
    assert FileKeyring().get_password("memagent-tui", "p-b") == "sk-of-p-0123"


async def test_money_that_was_spent_stays_counted_and_the_limit_holds_for_another_model_of_a_service_elsewhere(
    tmp_path: Path, server: ChatServer
) -> None:
    home = home_of(tmp_path / "home", server.url.replace("127.0.0.1", "127.1"))
    async with SessionHub(home) as hub:
        state = await hub.new(home.paths.root)
        await hub.send(state.id, "hi")
        await hub.idle(state.id)
        hub.connecting.keep(hub.connecting.with_model(home.settings.profiles["p"], Model("b")))
        await hub.set_profile(state.id, "p-b")
        assert str(hub.spending.today()) == "$0.40"
        await hub.send(state.id, "hi")
        await hub.idle(state.id)
        assert str(hub.spending.today()) == "$0.40 + price unknown"
        events = hub.subscribe(state.id)
        await hub.send(state.id, "hi")
        await hub.idle(state.id)
    ends = [event.error async for event in events if isinstance(event, TurnFailed)]
    assert ends == ["Today's limit of $0.50 is reached: $0.40 + price unknown spent"] and len(server.requests) == 2
