from __future__ import annotations

import json
import socket
import subprocess
import sys

import pytest

from sessions.errors import ProviderError
from sessions.providers import discovery
from sessions.providers.discovery import FoundKey, Looked, found_keys, look, probe
from sessions.providers.known import SERVERS
from sessions.providers.listing import Model, models_of
from sessions.providers.service import Service, local_ports
from sessions.settings import Profile
from tests.servers.chat_server import ChatServer, Reply, document, error
from tests.servers.model_servers import HERE, model_server

LISTED = {
    "LM Studio": (
        Model("qwen3-8b", 32768, 131072, loaded=True),
        Model("gemma-3-12b", None, 131072),
    ),
    "Ollama": (Model("qwen3:8b"), Model("llama3.2:3b")),
    "llama.cpp": (Model("qwen3:8b", 16384, loaded=True),),
    "vLLM": (Model("Qwen/Qwen3-8B", 40960),),
}


@pytest.mark.parametrize("kind", HERE)
@pytest.mark.parametrize("looked_for", ["LM Studio", "vLLM"])
def test_each_server_is_told_by_its_own_listing_wherever_it_listens_and_its_models_that_chat_are_found(
    kind: str, looked_for: str
) -> None:
    with model_server(kind) as server:
        found = probe(looked_for, server.port)
    assert (found.name, found.state) == (kind, "runs")
    assert found.models == LISTED[kind]
    assert server.requests == [], "a look sends no words"


def test_ollama_tells_the_window_of_what_is_loaded() -> None:
    with model_server("Ollama") as server:
        server.listings |= server.kind.loaded
        assert probe("Ollama", server.port).models == (Model("qwen3:8b", 8192, loaded=True), Model("llama3.2:3b"))


def test_the_newer_listing_of_lm_studio_is_read_where_the_older_one_is_gone() -> None:
    instance = {"id": "qwen3-8b", "config": {"context_length": 4096}}
    rows = [
        {"type": "llm", "key": "gemma", "loaded_instances": [], "max_context_length": 32768},
        {"type": "llm", "key": "qwen3-8b", "loaded_instances": [instance], "max_context_length": 131072},
        {"type": "embedding", "key": "some-vectors", "loaded_instances": [], "max_context_length": 2048},
    ]
    with model_server("LM Studio") as server:
        del server.listings["/api/v0/models"]
        server.listings |= {"/api/v1/models": {"models": rows}, "/v1/models": {"data": [{"id": "some-vectors"}]}}
        found = probe("Ollama", server.port)
    assert found.name == "LM Studio"
    assert found.models == (Model("qwen3-8b", 4096, 131072, loaded=True), Model("gemma", None, 32768))


@pytest.mark.parametrize(
    ("listing", "state"),
    [
        (error(404), "another program"),
        (error(401, "no key"), "wants a key"),
        (Reply([b"<html>Jenkins</html>"]), "another program"),
        (document([1, 2]), "another program"),
        (Reply([b"[" * 100_000]), "another program"),
        (document({"data": None}), "another program"),
        (document({"data": [{"id": 1}, "x", {"id": ""}, {"no": 1}, {"id": "x" * 5000}]}), "runs"),
    ],
)
def test_what_is_no_model_server_is_none(listing: Reply, state: str) -> None:
    with ChatServer() as server:
        server.listings = {"/v1/models": listing}
        found = probe("vLLM", int(server.url.split(":")[2].split("/")[0]))
    assert (found.name, found.state, found.models) == ("vLLM", state, ())
    assert not found.usable


def test_a_server_that_accepts_and_never_answers_is_left_after_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "PROBE_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        found = look({}, [silent.getsockname()[1]])
    assert found.servers[0].state == "does not answer"
    assert found.took_s < 5


def test_where_nothing_listens_nothing_is_loaded_and_a_key_is_only_noted() -> None:
    program = """
import sys
from sessions.providers.discovery import look
seen = look({"OPENAI_API_KEY": "sk-secret-secret", "GOOGLE_API_KEY": " ", "MEMAGENT_LOCAL_PORTS": "1,2,x,3"})
assert "secret" not in repr(seen)
heavy = [m for m in ("httpx2", "openai") if m in sys.modules]
print([s.state for s in seen.servers], [k.variable for k in seen.keys], heavy)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "['not running', 'not running', 'not running'] ['OPENAI_API_KEY'] []"


def test_a_server_here_is_offered_before_a_key() -> None:
    key = FoundKey("Gemini", "GEMINI_API_KEY", "https://generativelanguage.googleapis.com/v1beta/openai")
    assert found_keys({"GEMINI_API_KEY": "x", "GOOGLE_API_KEY": "y"}) == (key,)
    with model_server("Ollama") as server:
        seen = look({"GEMINI_API_KEY": "x"}, [1, server.port])
        assert seen.best == seen.servers[1] and seen.servers[1].url == f"http://localhost:{server.port}/v1"
        server.listings |= {"/v1/models": {"data": []}, "/api/tags": {"models": []}}
        assert look({"GEMINI_API_KEY": "x"}, [server.port]).best == key, "without a model it is of no use"
    assert Looked().best is None


def test_the_ports_are_those_of_the_servers_in_the_same_order() -> None:
    assert local_ports({}) == tuple(server.port for server in SERVERS)


def test_a_service_elsewhere_is_asked_with_the_key_for_its_openai_listing_alone() -> None:
    row = {"id": "qwen/qwen3-32b", "context_length": 40960, "pricing": {"prompt": "0.0000001", "completion": "3e-7"}}
    with ChatServer() as server:
        server.listings = {"/v1/models": {"data": [row, {"id": "openai/whisper-1"}]}}
        service = Service(Profile("far", base_url=server.url), "sk-1")
        assert models_of(service, 5) == (Model("qwen/qwen3-32b", None, 40960, price_in=0.1, price_out=0.3),)
        server.listings = {"/v1/models": error(401, "Incorrect API key provided: sk-1")}
        with pytest.raises(ProviderError) as e:
            models_of(service, 5)
        assert "refuses access" in e.value.message and e.value.status == 401
        server.listings = {"/v1/models": document({"nothing": 1})}
        with pytest.raises(ProviderError, match="lists no models"):
            models_of(service, 5)
    with pytest.raises(ProviderError, match="Nothing answers at"):
        models_of(service, 5)
    assert json.dumps(str(e.value)).count("sk-1") <= 1
