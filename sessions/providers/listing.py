"""What models a service has, by its own listing: what a GET is answered with, as models with their windows.

How the listings of the known servers look is told by one table; whatever else speaks the same way is read by the part
of it that all have in common.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sessions.clock import SystemClock
from sessions.errors import ProviderError
from sessions.numbers import whole
from sessions.providers import chat_errors
from sessions.providers.limits import NAME, mega
from sessions.providers.refusal import body_of
from sessions.providers.service import Service

if TYPE_CHECKING:
    import httpx2

MORE_S = 2.0
"""For all that a server tells beside the list that every service has."""
MOST_BYTES = 8_000_000
"""Of one listing."""
_MODELS = 5_000
_NO_CHAT = re.compile(
    r"embed|minilm|\bbge|\be5[-_]|\bgte[-_]|arctic|nomic|mxbai|\bjina|rerank|whisper|\btts\b|-tts|dall-e|moderation"
    r"|-image|transcribe|realtime|\bsora|\bimagen|\bveo",
    re.IGNORECASE,
)
"""Names of models that do not chat."""
Get = Callable[[str], Any]
"""The JSON at a path of a server; None where there is none."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model of a service."""

    id: str
    window: int | None = None
    """Tokens that it can see, as it runs now; None when the service does not tell."""
    most: int | None = None
    """Tokens that it could see at most."""
    loaded: bool = False
    price_in: float | None = None
    """USD per million tokens."""
    price_out: float | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """How one address of a server tells about its models."""

    path: str
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


def read(get: Get, expected: str = "") -> tuple[Server | None, tuple[Model, ...]] | None:
    """Which server this is and the models that it has, the loaded ones first; None when it is no model server.

    `expected` is the name of the server that is looked for first where several could be meant.
    """
    rows = _rows(get(OPENAI.path), OPENAI)
    owners = {row.get("owned_by") for row in rows or ()}
    told = next((s for s in SERVERS if s.owner and s.owner in owners), None)
    own: tuple[Listing, list[dict[str, Any]]] | None = None
    for server in sorted(SERVERS, key=lambda s: s.name != expected) if told is None else ():
        if found := next(_own(server, get), None):
            told, own = server, found
            break
    if rows is None and told is None:
        return None
    models: dict[str, Model] = {}
    for row in rows or ():
        _add(models, OPENAI, row)
    for listing in told.listings if told is not None else ():
        if own is not None and listing is own[0]:
            found_rows: list[dict[str, Any]] | None = own[1]
        elif listing.told_by and own is not None:
            continue
        else:
            found_rows = _rows(get(listing.path), listing)
        for row in found_rows or ():
            _add(models, listing, row)
    chat = [model for model in models.values() if not _NO_CHAT.search(model.id)]
    return told, tuple(sorted(chat, key=lambda model: not model.loaded))


def read_again(get: Get, server: Server | None, model: Model) -> Model | None:
    """What a server that is known by now tells of one model, from the one listing that has its window; None when it
    does not answer there. A model that is not listed is as it was.
    """
    told = [listing for listing in server.listings if listing.window] if server is not None else []
    for listing in told or [OPENAI]:
        rows = _rows(get(listing.path), listing)
        if rows is None:
            continue
        models = {} if listing.rows else {model.id: Model(model.id)}
        for row in rows:
            _add(models, listing, row)
        return models.get(model.id, model)
    return None


def _own(server: Server, get: Get) -> Iterator[tuple[Listing, list[dict[str, Any]]]]:
    """The listing by which a server is told from all others, if it has one."""
    for listing in server.listings:
        if listing.told_by:
            rows = _rows(get(listing.path), listing)
            if rows is not None and all(all(name in row for name in listing.told_by) for row in rows):
                yield listing, rows


def _rows(body: Any, listing: Listing) -> list[dict[str, Any]] | None:
    if not isinstance(body, dict):
        return None
    rows = body.get(listing.rows) if listing.rows else [body]
    if not isinstance(rows, list):
        return None
    return [row for row in rows[:_MODELS] if isinstance(row, dict)]


def _add(models: dict[str, Model], listing: Listing, row: dict[str, Any]) -> None:
    """What a row tells, put to what is known already."""
    name = row.get(listing.id) if listing.rows else None
    if listing.rows and (not isinstance(name, str) or not name.strip() or len(name) > NAME):
        return
    if row.get("type") in {"embedding", "embeddings"}:
        models.pop(str(name), None)
        return
    known = list(models) if name is None else [str(name)]
    window = _tokens(row, listing.window)
    for one in known:
        before = models.get(one) or Model(one)
        pricing = row.get("pricing")
        prices = pricing if isinstance(pricing, dict) else {}
        models[one] = replace(
            before,
            window=window or before.window,
            most=_tokens(row, listing.most) or before.most,
            loaded=before.loaded or listing.runs or row.get("state") == "loaded" or bool(row.get("loaded_instances")),
            price_in=_price(prices.get("prompt")) if prices else before.price_in,
            price_out=_price(prices.get("completion")) if prices else before.price_out,
        )


def _tokens(row: Any, path: str) -> int | None:
    if not path:
        return None
    for name in path.split("."):
        if isinstance(row, list):
            row = row[0] if row else None
        else:
            row = row.get(name) if isinstance(row, dict) else None
    found = whole(row)
    return found if found is not None and 0 < found < 1_000_000_000 else None


def _price(of_one: Any) -> float | None:
    """USD per million tokens, from what a listing says of one token."""
    with suppress(TypeError, ValueError, OverflowError):
        price = float(of_one) * 1e6
        if 0 <= price < 1e6:
            return round(price, 6)
    return None


def models_of(service: Service, limit_s: float) -> tuple[Model, ...]:
    """The models at a profile's address, within `limit_s` seconds and `MORE_S` for what a server here has beside the
    list. Raises ProviderError, in the words of a failed turn.
    """
    if not service.valid:
        raise chat_errors.no_address(service)
    end = 0.0

    def get(path: str) -> Any:
        nonlocal end
        if path == OPENAI.path:
            listed = get_json(service, f"{service.url}/models", limit_s)
            end = time.monotonic() + MORE_S
            return listed
        left = end - time.monotonic()
        if not service.local or left <= 0:
            return None
        with suppress(ProviderError):
            return get_json(service, root(service.url) + path, left)
        return None

    found = read(get)
    if found is None:
        raise ProviderError(f"{service.url} lists no models", "Give the name of the model yourself")
    return found[1]


def root(url: str) -> str:
    """The address of the server whose API has this one."""
    return url[: -len("/v1")] if url.endswith("/v1") else url


def get_json(service: Service, url: str, limit_s: float) -> Any:
    """What a GET is answered with. Raises ProviderError. Never followed elsewhere; loads the HTTP package."""
    import httpx2

    try:
        with httpx2.stream(
            "GET",
            url,
            timeout=limit_s,
            trust_env=not service.local,
            headers=headers_of(service),
            follow_redirects=False,
            # Certificates take long to load, and plain HTTP has none.
            verify=not url.startswith("http:"),
        ) as response:
            status, headers, data = response.status_code, dict(response.headers), _body(response, limit_s)
    except Exception as e:
        error = chat_errors.of_connection(service, e, limit_s)
    else:
        if status == 200 and len(data) <= MOST_BYTES:
            with suppress(ValueError, RecursionError):
                return json.loads(data)
            raise ProviderError(f"{url} does not answer with JSON", service.start)
        if status == 200:
            raise ProviderError(f"{url} sent more than {mega(MOST_BYTES)}")
        now = SystemClock().now()
        error = chat_errors.of_status(service, status, body_of(data[:MOST_BYTES]), headers, now, tools=False)
    raise error from None


def headers_of(service: Service) -> Mapping[str, str]:
    """What a listing is asked with: the key as every service takes it, and as Anthropic's own listing wants it."""
    headers = dict(service.profile.headers)
    if service.key:
        headers |= {"Authorization": f"Bearer {service.key}"}
        if service.host == "api.anthropic.com":
            headers |= {"x-api-key": service.key, "anthropic-version": "2023-06-01"}
    return headers


def _body(response: httpx2.Response, limit_s: float) -> bytes:
    """The body, or a little more than is read at most. Raises TimeoutError after `limit_s` seconds."""
    end, body = time.monotonic() + limit_s, bytearray()
    for part in response.iter_bytes():
        body += part
        if len(body) > MOST_BYTES:
            break
        if time.monotonic() > end:
            raise TimeoutError
    return bytes(body)
