"""Model servers as their documentation shows them: what each lists, how it streams, and what it says when too much is
sent. `with model_server("Ollama") as server:`, then `server.port`; `server.base` for a service elsewhere, which is
reached with `HTTP_PROXY` set to `server.proxy`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.servers.chat_server import DONE, ChatServer, Pause, Reply, event, stream, tokens_of, usage
from tests.servers.kind import Kind, listed, refuses, whole_calls
from tests.servers.model_services import SERVICES


def _tag(name: str) -> dict[str, Any]:
    details = {"parent_model": "", "format": "gguf", "family": "qwen3", "families": ["qwen3"], "parameter_size": "8.2B"}
    return {"name": name, "model": name, "size": 5_225_388_164, "digest": "500a1f067a9f", "details": details}


def _studio(name: str, kind: str = "llm", **more: Any) -> dict[str, Any]:
    row = {"id": name, "object": "model", "type": kind, "arch": "qwen3", "state": "not-loaded"}
    return row | {"max_context_length": 131072} | more


def _thinking(field_name: str) -> Callable[[str], Reply]:
    def answer(words: str) -> Reply:
        return stream({field_name: "Hm. "}, {field_name: "Yes."}, *({"content": w + " "} for w in words.split()))

    return answer


_LMS = (
    "Trying to keep the first {sent} tokens when context the overflows. However, the model is loaded with context "
    "length of only {window} tokens, which is not enough"
)
_LLAMA = "the request exceeds the available context size ({window} tokens), try increasing it"
_VLLM = (
    "This model's maximum context length is {window} tokens. However, you requested {sent} tokens. Please reduce the "
    "length of the messages"
)
HERE: dict[str, Callable[[], Kind]] = {
    "LM Studio": lambda: Kind(
        {
            "/v1/models": listed("qwen3-8b", "gemma-3-12b", "text-embedding-nomic", owned_by="organization_owner"),
            "/api/v0/models": {
                "object": "list",
                "data": [
                    _studio("gemma-3-12b"),
                    _studio("qwen3-8b", state="loaded", loaded_context_length=32768),
                    _studio("text-embedding-nomic", "embeddings", max_context_length=2048),
                ],
            },
        },
        overflow=refuses(_LMS),
        model="qwen3-8b",
    ),
    "Ollama": lambda: Kind(
        {
            "/v1/models": listed("qwen3:8b", "llama3.2:3b", "nomic-embed-text:latest", owned_by="library"),
            "/api/tags": {"models": [_tag("qwen3:8b"), _tag("llama3.2:3b"), _tag("nomic-embed-text:latest")]},
            "/api/ps": {"models": []},
        },
        says=_thinking("reasoning"),
        thinks=True,
        calls=whole_calls,
        window=None,
        loaded={"/api/ps": {"models": [_tag("qwen3:8b") | {"context_length": 8192, "size_vram": 1}]}},
    ),
    "llama.cpp": lambda: Kind(
        {
            "/v1/models": listed("qwen3:8b", owned_by="llamacpp", meta={"n_ctx_train": 40960, "n_params": 8190735360})
            | {"models": [{"name": "qwen3:8b", "digest": "", "details": {"format": "gguf"}}]},
            "/props": {"default_generation_settings": {"n_ctx": 16384, "id": 0}, "total_slots": 4, "chat_template": ""},
            "/api/tags": {"models": [{"name": "qwen3:8b", "digest": "", "details": {"format": "gguf"}}]},
        },
        says=_thinking("reasoning_content"),
        thinks=True,
        overflow=refuses(_LLAMA, type="exceed_context_size_error", code=400),
        window=16384,
    ),
    "vLLM": lambda: Kind(
        {"/v1/models": listed("Qwen/Qwen3-8B", owned_by="vllm", root="Qwen/Qwen3-8B", max_model_len=40960)},
        overflow=refuses(_VLLM, type="BadRequestError", code=400),
        model="Qwen/Qwen3-8B",
        window=40960,
    ),
}


KINDS = HERE | SERVICES


class ModelServer(ChatServer):
    """A named server: GETs by its listings, chat by its ways. One elsewhere is the proxy that leads to it."""

    def __init__(self, kind: str, port: int = 0) -> None:
        super().__init__(port)
        self.kind = KINDS[kind]()
        self.listings = self.kind.listings
        self.limit: int | None = None
        """Tokens that a prompt may have."""

    @property
    def port(self) -> int:
        return int(self._http.server_address[1])

    @property
    def base(self) -> str:
        """The address to give to the program."""
        return self.kind.url or self.url

    @property
    def proxy(self) -> str:
        """What the environment must name for a service elsewhere."""
        return f"http://127.0.0.1:{self.port}"

    def listed(self, path: str, headers: dict[str, str]) -> Any:
        return super().listed(path, headers) if self.kind.reads(headers | {":path": path}) else self.kind.bad_key()

    def refusal(self, body: dict[str, Any], headers: dict[str, str]) -> Reply | None:
        return self.kind.refuses(body) if self.kind.wants(headers) else self.kind.bad_key()

    def next_reply(self, body: dict[str, Any]) -> Reply:
        reply = super().next_reply(body)
        assert self.listings is not None
        self.listings |= self.kind.loaded
        if self.limit is not None and (sent := tokens_of(body)) > self.limit:
            if self.kind.overflow is not None:
                return self.kind.overflow(sent, self.limit)
            steps: list[bytes | Pause | Any] = [event({"role": "assistant", "content": "Hm?"}), event(finish="stop")]
            return Reply([*steps, usage(self.limit, 2), DONE])
        return reply


def model_server(kind: str, port: int = 0) -> ModelServer:
    return ModelServer(kind, port)
