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


ROW = b'{"data": [{"index": 0, "embedding": [%s]}]}'


@pytest.mark.parametrize(
    ("status", "body", "says"),
    [
        (200, ROW % b"1e400", "did not answer with 1 vectors"),
        (200, ROW % b"NaN", "did not answer with 1 vectors"),
        (200, ROW % (b"1" * 400), "did not answer with 1 vectors"),
        (200, ROW % (b"1" * 5_000), "did not answer with 1 vectors"),
        (200, ROW % (b"[" * 5_000), "did not answer with 1 vectors"),
        (200, b'{"data": [1]}', "did not answer with 1 vectors"),
        (200, b" " * 64_000_001, "sent more than 64 MB instead of 1 vectors"),
        (400, b'{"error": {"message": "%s"}}' % (b"bad " * 100_000), "gave no vectors: 400 bad bad"),
        (400, b"bad " * 100_000, "gave no vectors: 400 bad bad"),
    ],
)
def test_an_odd_or_endless_answer_is_one_short_sentence(status, body, says):
    with EmbeddingServer() as server:
        server.raw = (status, {}, body)
        with pytest.raises(ProviderError) as e:
            Embedder(Profile("local", base_url=server.url, model="m"), None).embed(["one"])
        assert says in e.value.message and len(e.value.message) < 400


def test_an_odd_index_costs_nothing():
    with EmbeddingServer() as server:
        server.raw = (
            200,
            {},
            b'{"data": [{"index": 1e400, "embedding": [1]}, {"index": "\xc2\xb2", "embedding": [2]}]}',
        )
        assert Embedder(Profile("local", base_url=server.url, model="m"), None).embed(["a", "b"]) == [[1.0], [2.0]]


def test_sentences_are_sent_to_no_other_address_than_that_of_the_settings():
    with EmbeddingServer() as server, EmbeddingServer() as other:
        server.raw = (307, {"Location": f"{other.url}/embeddings"}, b"")
        with pytest.raises(ProviderError, match=f"wants the request at {other.url} instead"):
            Embedder(Profile("local", base_url=server.url, model="m"), None).embed(["one"])
        assert other.paths == [] and other.sent == []
