"""The services that are known by name: the one table of how each of them differs from the others.

Where it is, which variable holds its key, how it lists its models, what it tells of windows and prices. It is data,
read by discovery, listing and the rest; whatever else speaks the same way works by the part that all have in common.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Listing:
    """How one address of a server tells about its models."""

    path: str
    """Behind the address of the server, which is that of the profile without its `/v1`; for a service elsewhere
    behind the address of the profile, or behind its host when it begins with `//`."""
    rows: str = ""
    """Name of the list; empty = what is told holds for every model."""
    id: str = "id"
    told_by: tuple[str, ...] = ()
    """What every row has in this server's listing, and in no other server's."""
    window: str = ""
    """Where the tokens stand, its names joined by dots."""
    most: str = ""
    runs: bool = False
    """It lists only what is loaded."""
    prefix: str = ""
    """What stands before the name of a model here, and is not needed to ask for it."""


@dataclass(frozen=True, slots=True)
class Server:
    """A model server for one's own machine, as its documentation tells."""

    name: str
    port: int
    owner: str = ""
    """The `owned_by` of its models in `/v1/models`; empty = it is told by its own listing."""
    listings: tuple[Listing, ...] = ()
    first_window: int | None = None
    """Tokens of a model before it is loaded, while nothing else is known."""
    wider: str = ""
    """The command that gives its models a larger window."""


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """A service elsewhere, of which a key may stand in the environment; told by its host."""

    name: str
    variables: tuple[str, ...]
    url: str
    listings: tuple[Listing, ...] = ()
    """The first one must answer; the others add to it what they can."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """What its listings want beside `Authorization`; `{key}` is the key."""
    tells: bool = False
    """Whether its listings say how large the windows of its models are, or what they cost."""
    prices: bool = False
    """Whether it says what its models, or its answers, cost."""

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""


OPENAI = Listing("/v1/models", "data", window="max_model_len", most="context_length")
"""What all of them have: vLLM tells its window there, OpenRouter that of the model."""
SERVERS = (
    Server(
        "LM Studio",
        1234,
        listings=(
            Listing("/api/v0/models", "data", "id", ("state", "type"), "loaded_context_length", "max_context_length"),
            Listing(
                "/api/v1/models",
                "models",
                "key",
                ("loaded_instances", "type"),
                "loaded_instances.0.config.context_length",
                "max_context_length",
            ),
        ),
        wider="lms load MODEL --context-length 32768",
    ),
    Server(
        "Ollama",
        11434,
        "library",
        (
            Listing("/api/tags", "models", "name", ("digest", "details")),
            Listing("/api/ps", "models", "name", window="context_length", runs=True),
        ),
        4096,
        "OLLAMA_CONTEXT_LENGTH=32768 ollama serve",
    ),
    Server(
        "llama.cpp",
        8080,
        "llamacpp",
        (Listing("/props", window="default_generation_settings.n_ctx", runs=True),),
        wider="llama-server --ctx-size 32768",
    ),
    Server("vLLM", 8000, "vllm", wider="vllm serve MODEL --max-model-len 32768"),
)
"""In the order of `local_ports`."""
KEY_PLACES = (
    KeyPlace("OpenAI", ("OPENAI_API_KEY",), "https://api.openai.com/v1", (Listing("/models", "data"),)),
    KeyPlace(
        "OpenRouter",
        ("OPENROUTER_API_KEY",),
        "https://openrouter.ai/api/v1",
        (Listing("/models", "data", most="context_length"),),
        tells=True,
        prices=True,
    ),
    KeyPlace(
        "Anthropic",
        ("ANTHROPIC_API_KEY",),
        "https://api.anthropic.com/v1",
        # Without a limit it lists the newest twenty.
        (Listing("/models?limit=1000", "data", most="max_input_tokens"),),
        {"x-api-key": "{key}", "anthropic-version": "2023-06-01"},
        tells=True,
    ),
    KeyPlace(
        "Gemini",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "https://generativelanguage.googleapis.com/v1beta/openai",
        (
            Listing("/models", "data", prefix="models/"),
            # Its own listing tells the windows, which the other one leaves out.
            Listing("//v1beta/models?pageSize=1000", "models", "name", most="inputTokenLimit", prefix="models/"),
        ),
        {"x-goog-api-key": "{key}"},
        tells=True,
    ),
)


def place_of(host: str) -> KeyPlace | None:
    """The known service at a host; None for any other."""
    return next((place for place in KEY_PLACES if place.host == host.rstrip(".").lower()), None)
