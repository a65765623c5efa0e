"""Which models could answer here: servers on this machine that say so themselves, and keys in the environment.

A look sends nothing but GET requests to this machine, and where nothing listens not even those. A key is only noted.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sessions.errors import ProviderError
from sessions.providers.known import KEY_PLACES, SERVERS
from sessions.providers.listing import Model, get_json, read
from sessions.providers.service import Service, local_ports
from sessions.settings import Profile

PROBE_S = 1.0
"""For a connection, and for an answer."""
State: TypeAlias = Literal["runs", "not running", "another program", "does not answer", "wants a key"]


@dataclass(frozen=True, slots=True)
class Found:
    """A port of this machine at which a model server was looked for."""

    name: str
    """Of the server that answers, else of the one that would be there."""
    port: int
    state: State = "not running"
    models: tuple[Model, ...] = ()

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}/v1"

    @property
    def usable(self) -> bool:
        return self.state == "runs" and bool(self.models)


@dataclass(frozen=True, slots=True)
class FoundKey:
    """A key in the environment: the name of its variable, never the key."""

    name: str
    variable: str
    url: str


@dataclass(frozen=True, slots=True)
class Looked:
    """What a look found."""

    servers: tuple[Found, ...] = ()
    keys: tuple[FoundKey, ...] = ()
    took_s: float = 0.0

    @property
    def best(self) -> Found | FoundKey | None:
        """What is offered first: a server on this machine, then a key."""
        return next((s for s in self.servers if s.usable), self.keys[0] if self.keys else None)


def look(env: Mapping[str, str] = os.environ, ports: Sequence[int] | None = None) -> Looked:
    """Look for servers and keys. Takes two seconds at most, and very little where nothing listens; any thread."""
    began = time.monotonic()
    where = local_ports(env) if ports is None else ports
    named = [(server.name, port) for server, port in zip(SERVERS, where, strict=False)]
    servers: list[Found] = []
    if named:
        with ThreadPoolExecutor(len(named), "memagent-look") as threads:
            servers = list(threads.map(lambda one: probe(*one), named))
    return Looked(tuple(servers), found_keys(env), time.monotonic() - began)


def found_keys(env: Mapping[str, str] = os.environ) -> tuple[FoundKey, ...]:
    """The services of which the environment has a key."""
    return tuple(
        FoundKey(place.name, variable, place.url)
        for place in KEY_PLACES
        if (variable := next((name for name in place.variables if env.get(name, "").strip()), ""))
    )


def probe(name: str, port: int) -> Found:
    """What listens at a port where the server `name` would."""
    service = Service(Profile(name, base_url=f"http://127.0.0.1:{port}/v1"), None)
    if not service.listens(PROBE_S):
        return Found(name, port)
    import httpx2  # noqa: F401  before the time runs

    end, refused = time.monotonic() + PROBE_S, 0
    silent = False

    def get(path: str) -> Any:
        nonlocal refused, silent
        left = end - time.monotonic()
        if left <= 0:
            return None
        try:
            return get_json(service, f"http://127.0.0.1:{port}{path}", left)
        except ProviderError as e:
            refused += e.status in {401, 403}
            silent = silent or (e.status is None and time.monotonic() >= end)
        return None

    found = None
    with suppress(Exception):  # whatever listens there, it is no model server
        found = read(get, name)
    if found is None:
        return Found(name, port, "wants a key" if refused else "does not answer" if silent else "another program")
    server, models = found
    return Found(server.name if server is not None else name, port, "runs", models)
