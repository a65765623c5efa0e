from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import keyring
import pytest

from sessions.errors import ProviderError
from sessions.providers import keys
from sessions.providers.chat import make
from sessions.providers.embeddings import named, on_this_machine
from sessions.settings import AgentSettings, MemorySettings, Profile, Settings
from tests.servers.chat_server import ChatServer
from tests.servers.embedding_server import EmbeddingServer
from tests.servers.keyring_file import FileKeyring


@pytest.fixture
def ring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TEST_KEYRING", str(tmp_path / "ring.json"))
    before = keyring.get_keyring()
    keyring.set_keyring(FileKeyring())
    yield tmp_path / "ring.json"
    keyring.set_keyring(before)


@pytest.fixture
def no_ring() -> None:
    from keyring.backends.fail import Keyring

    before = keyring.get_keyring()
    keyring.set_keyring(Keyring())
    yield
    keyring.set_keyring(before)


def test_a_key_typed_once_is_kept_under_the_name_of_its_profile_and_taken_out_again(ring: Path) -> None:
    far = Profile("far", base_url="https://models.example/v1", api_key="keyring")
    assert keys.usable() == "" and keys.key_of(far) is None
    keys.keep("far", "sk-first")
    keys.keep("far", "sk-second")
    assert keys.key_of(far) == "sk-second" and keys.key_of(Profile("other", api_key="keyring")) is None
    assert keys.drop("far") and not keys.drop("far")
    assert keys.key_of(far) is None


async def test_what_the_keyring_has_is_sent_by_chat_and_embeddings_alike(ring: Path) -> None:
    keys.keep("here", "sk-of-the-ring")
    with EmbeddingServer() as server:
        profile = Profile("here", base_url=server.url, api_key="keyring", model="m")
        settings = Settings(AgentSettings(discover=False), {"here": profile}, MemorySettings(embedder="here:m"))
        assert keys.with_key(profile).key == "sk-of-the-ring"
        found = named(settings, "here:m")
        assert found.embed(["one"]) and found._service.key == "sk-of-the-ring"
        assert on_this_machine(settings) is not None
    with ChatServer() as chat:
        provider = make(Profile("here", base_url=chat.url, api_key="keyring", model="m"), None)
        from sessions.messages import UserMessage
        from sessions.providers.base import Request

        async for _ in provider.stream(Request("", (UserMessage("u", "", 1, "hi"),))):
            pass
        await provider.close()
        sent = {name.lower(): value for name, value in chat.headers[0].items()}
        assert sent["authorization"] == "Bearer sk-of-the-ring"


@pytest.mark.usefixtures("no_ring")
def test_without_a_keyring_it_says_so_and_offers_the_environment() -> None:
    far = Profile("far", base_url="https://models.example/v1", api_key="keyring")
    with pytest.raises(ProviderError) as e:
        keys.key_of(far)
    assert e.value.message == "This machine has no keyring that can be used"
    assert "environment variable" in e.value.advice and "no keyring" in keys.usable()
    with pytest.raises(ProviderError):
        keys.keep("far", "sk-1")
    here = Profile("here", base_url="http://127.0.0.1:9/v1", api_key="keyring")
    assert on_this_machine(Settings(AgentSettings(discover=False), {"here": here})) is None


def test_without_the_package_it_says_what_to_install() -> None:
    program = "import sys; sys.modules['keyring'] = None\nfrom sessions.providers.keys import usable; print(usable())"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "memagent-tui[keyring]" in run.stdout and "environment variable" in run.stdout


def test_what_a_keyring_says_when_it_fails_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*words: str) -> None:
        raise RuntimeError(f"could not write {words[-1]}")

    monkeypatch.setattr(keyring, "set_password", fails)
    with pytest.raises(ProviderError) as e:
        keys.keep("far", "sk-secret")
    assert "secret" not in str(e.value) and "RuntimeError" in str(e.value) and e.value.__cause__ is None
