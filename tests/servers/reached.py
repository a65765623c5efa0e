"""A named server or service, and a home that is connected to it as the dialog does it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from sessions.home import Home
from sessions.hub.connecting import Connecting, with_model
from sessions.providers import effort, elsewhere, toolless, windows
from sessions.providers.listing import Model
from sessions.settings import Profile
from tests.servers.model_servers import ModelServer, model_server

VARIABLE = "SERVICE_KEY"


@contextmanager
def served(kind: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """The server, reachable as its own address says; in the end nothing that was sent was not well-formed."""
    windows._told.clear()
    for module in (effort, elsewhere, toolless):
        module.forget()
    for name in ("no_proxy", "all_proxy", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    with model_server(kind) as server:
        if server.kind.url:
            for name in ("http_proxy", "HTTP_PROXY"):
                monkeypatch.setenv(name, server.proxy)
        monkeypatch.setenv(VARIABLE, server.kind.key)
        yield server
        assert server.problems == []
        if server.kind.url:
            assert len(server.hosts) <= 1


def profile_of(server: ModelServer) -> Profile:
    """The profile that leads there."""
    base = server.base.replace("127.0.0.1", "localhost")
    variable = VARIABLE if server.kind.key else None
    return Profile("here", base_url=base, model=server.kind.model, api_key_env=variable)


def connected(home: Home, server: ModelServer) -> None:
    """Keep the profile as the dialog does."""
    engine = Connecting(home)
    made = engine.profile_for("Here", profile_of(server).base_url)
    made = replace(made, api_key_env=profile_of(server).api_key_env)
    engine.keep(with_model(made, Model(server.kind.model)))
