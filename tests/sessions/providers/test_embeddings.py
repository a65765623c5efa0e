from __future__ import annotations

import pytest

from sessions.errors import ProviderError, UsageError
from sessions.providers.embeddings import Choice, Embedder, on_this_machine
from sessions.settings import AgentSettings, MemorySettings, Profile, Settings
from tests.servers.embedding_server import EmbeddingServer


def settings(embedder: str, *profiles: Profile) -> Settings:
    return Settings(
        agent=AgentSettings(discover=False),
        profiles={p.name: p for p in profiles},
        memory=MemorySettings(embedder=embedder),
    )


def test_vectors_come_in_the_order_of_the_texts():
    with EmbeddingServer() as server:
        made = Embedder(Profile("local", base_url=server.url, model="text-embedding-test"), None)
        assert made.embed(["one", "two", ""]) == [server.vector("one"), server.vector("two"), server.vector(" ")]
        assert (made.label, made.local) == ("text-embedding-test · this machine", True)
        assert made.embed([]) == []


def test_auto_takes_an_embedding_model_of_a_server_on_this_machine_and_no_other():
    with EmbeddingServer(model="nomic-embed-text") as server:
        remote = Profile("remote", base_url="http://models.example/v1", model="text-embedding-big")
        here = Profile("here", base_url=server.url, model="qwen3:8b")
        found = Choice(settings("auto", remote, here)).get()
        assert found is not None and found.label == "nomic-embed-text · this machine"
        assert on_this_machine(settings("auto", remote)) is None
        server.models = ["qwen3:8b"]
        assert Choice(settings("auto", here)).get() is None
        server.paths.clear()
        assert Choice(settings("off", here)).get() is None
        assert server.paths == []


def test_a_profile_and_its_model_are_taken_as_named():
    with EmbeddingServer() as server:
        profile = Profile("mine", base_url=server.url, model="chat", headers={"X-Team": "a"})
        found = Choice(settings("mine:all-minilm", profile)).get()
        assert found is not None and found.name == f"all-minilm at {server.url}"
        assert found.embed(["one"]) == [server.vector("one")]
    with pytest.raises(UsageError, match="no profile 'other'"):
        Choice(settings("other:model", profile)).get()


@pytest.mark.parametrize("fault", ["status", "gone", "no server"])
def test_what_goes_wrong_is_said_with_the_address(fault):
    with EmbeddingServer() as server:
        made = Embedder(Profile("local", base_url=server.url, model="m"), None)
        server.status, server.gone = (500 if fault == "status" else 200), fault == "gone"
        if fault == "no server":
            made = Embedder(Profile("local", base_url="http://127.0.0.1:9/v1", model="m"), None)
        with pytest.raises(ProviderError, match=r"127\.0\.0\.1"):
            made.embed(["one"])


@pytest.mark.parametrize("models", [None, [], [{"id": 3}], "text", [{"no": "id"}]])
def test_whatever_else_listens_there_is_no_embedder(models):
    with EmbeddingServer() as server:
        server.models = models  # type: ignore[assignment]
        assert on_this_machine(settings("auto", Profile("here", base_url=server.url))) is None
