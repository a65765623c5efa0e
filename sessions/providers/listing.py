"""What models a service has, by its own listing: what a GET is answered with, as models with their windows.

How the listings of the known servers look is told by the table of `known`; whatever else speaks the same way is read by
the part of it that all have in common.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from sessions.clock import SystemClock
from sessions.errors import ProviderError
from sessions.numbers import whole
from sessions.providers import chat_errors
from sessions.providers.known import OPENAI, SERVERS, KeyPlace, Listing, Server, place_of
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
    r"|-image|transcribe|realtime|\bsora|\bimagen|\bveo|babbage|davinci|turbo-instruct|deep-research|computer-use"
    r"|gpt\S*-audio|native-audio|\baqa\b|\blyria|-live\b",
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
    return told, _chat(models)


def _chat(models: Mapping[str, Model]) -> tuple[Model, ...]:
    """Those that chat, the loaded ones first."""
    chat = [model for model in models.values() if not _NO_CHAT.search(model.id)]
    return tuple(sorted(chat, key=lambda model: not model.loaded))


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


def _add(models: dict[str, Model], listing: Listing, row: dict[str, Any], *, new: bool = True) -> None:
    """What a row tells, put to what is known already; of models that are not, only with `new`."""
    name = row.get(listing.id) if listing.rows else None
    if listing.rows and (not isinstance(name, str) or not name.strip() or len(name) > NAME):
        return
    if row.get("type") in {"embedding", "embeddings"}:
        models.pop(str(name), None)
        return
    known = list(models) if name is None else [str(name).removeprefix(listing.prefix)]
    if not new:
        known = [one for one in known if one in models]
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
    if (place := place_of(service.host)) is not None:
        return _of_place(service, place, limit_s)
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


def _of_place(service: Service, place: KeyPlace, limit_s: float) -> tuple[Model, ...]:
    """The models of a known service elsewhere. Only its first listing must answer."""
    models: dict[str, Model] = {}
    end, origin = time.monotonic() + limit_s, urlsplit(service.url)
    for listing in place.listings:
        first = listing is place.listings[0]
        whole_host = listing.path.startswith("//")
        base = f"{origin.scheme}://{origin.netloc}" if whole_host else service.url
        address = base + listing.path.replace("//", "/", 1)
        try:
            rows = _rows(get_json(service, address, max(0.1, end - time.monotonic())), listing)
        except ProviderError:
            if first:
                raise
            break
        if rows is None and first:
            raise ProviderError(f"{service.url} lists no models", "Give the name of the model yourself")
        for row in rows or ():
            _add(models, listing, row, new=first)
    return _chat(models)


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
    """What a listing is asked with: the key as every service takes it, and what this one wants beside it."""
    headers = dict(service.profile.headers)
    if service.key:
        headers |= {"Authorization": f"Bearer {service.key}"}
        place = place_of(service.host)
        headers |= {name: value.format(key=service.key) for name, value in (place.headers if place else {}).items()}
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
