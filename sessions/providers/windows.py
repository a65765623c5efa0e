"""How much the models of this machine really see, as their servers tell it: kept by address and model.

A server may tell it only once a model is loaded, so it is asked before the first request and again after an answer.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass

from sessions.providers.discovery import PROBE_S
from sessions.providers.known import Server
from sessions.providers.listing import Model, get_json, read, root
from sessions.providers.service import Service

SMALL = 16_000
"""Tokens: with less there is little room beside the tools."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a server said."""

    server: Server | None
    model: Model | None

    @property
    def window(self) -> int | None:
        """Tokens; of a model that is not loaded what its server gives at first, where that is known."""
        if self.model is None or self.model.window is None:
            return self.server.first_window if self.server is not None else None
        return self.model.window

    @property
    def certain(self) -> bool:
        """Whether it was said of this model."""
        return self.model is not None and self.model.window is not None


_told: dict[tuple[str, str], Told] = {}
_said: set[tuple[str, str]] = set()


def told(service: Service) -> Told | None:
    """What is known by now."""
    return _told.get((service.url, service.profile.model))


def asks(service: Service) -> bool:
    """Whether there is something to ask: nothing is asked of other machines, and nothing where the settings say it."""
    known = told(service)
    open_ = known is None or (known.server is not None and not known.certain)
    return service.local and service.profile.context_window is None and open_


async def ask(service: Service) -> None:
    """Ask the server, in a thread; a second at most for each of its listings. Never raises."""
    with suppress(Exception):  # a turn says what is wrong there
        _told[service.url, service.profile.model] = await asyncio.to_thread(_ask, service)


def _ask(service: Service) -> Told:
    base = root(service.url)

    def get(path: str) -> object:
        with suppress(Exception):
            return get_json(service, base + path, PROBE_S)
        return None

    found = read(get)
    if found is None:
        return Told(None, None)
    server, models = found
    name = service.profile.model
    return Told(server, next((m for m in models if m.id in {name, f"{name}:latest"}), None))


def said(service: Service) -> None:
    """The person saw the remark."""
    _said.add((service.url, service.profile.model))


def remark(service: Service) -> str:
    """What the person should know of a small window, until it was said; empty when there is nothing to say."""
    key, known = (service.url, service.profile.model), told(service)
    if known is None or not known.certain or key in _said or known.server is None:
        return ""
    window = known.window or 0
    if window >= SMALL or not known.server.wider:
        return ""
    wider = known.server.wider.replace("MODEL", service.profile.model)
    return f"{service.profile.model} sees only {window:,} tokens as it runs here. For more: {wider}"
