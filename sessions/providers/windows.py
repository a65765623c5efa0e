"""How much the models of this machine really see, as their servers tell it: kept by address and model.

A server may tell it only once a model is loaded, may be started later than this program, and may be started again with
another window. So it is asked before a turn and after an answer: all its listings until it answered once, the one that
tells the window from then on.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from sessions.providers.discovery import PROBE_S
from sessions.providers.known import Server
from sessions.providers.listing import MORE_S, Model, get_json, read, read_again, root
from sessions.providers.service import Service

SMALL = 16_000
"""Tokens: with less there is little room beside the tools."""
_FRESH_S = 5.0
"""For so long what was told is not asked again before a turn."""


@dataclass(frozen=True, slots=True)
class Told:
    """What a server said."""

    server: Server | None
    model: Model | None
    at: float = 0.0
    """When it was last asked (monotonic); 0 = it did not answer then."""

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
_said: set[tuple[str, str, int]] = set()


def told(service: Service) -> Told | None:
    """What is known by now."""
    return _told.get((service.url, service.profile.model))


def asks(service: Service) -> bool:
    """Whether there is something to ask: nothing is asked of other machines, and nothing where the settings say it."""
    return service.local and service.profile.context_window is None


def due(service: Service) -> bool:
    """Whether to ask before a turn: not what was told just now."""
    known = told(service)
    return asks(service) and (known is None or time.monotonic() - known.at >= _FRESH_S)


def due_after_an_answer(service: Service) -> bool:
    """Whether to ask after an answer: a server that is known tells by then how the model was loaded."""
    known = told(service)
    return asks(service) and (known is None or known.server is not None)


def lost(service: Service) -> None:
    """It did not take a connection: whatever answers there next may be another one."""
    if (known := told(service)) is not None:
        _told[service.url, service.profile.model] = replace(known, at=0.0)


async def ask(service: Service) -> None:
    """Ask the server, in a thread, for two seconds at most. Never raises."""
    key, before = (service.url, service.profile.model), told(service)
    found = None
    with suppress(Exception):  # a turn says what is wrong there
        found = await asyncio.to_thread(_ask, service, before)
    if found is None:
        # As long as it does not answer, what it said last holds, and the next turn asks again.
        found = replace(before, at=0.0) if before is not None else Told(None, None)
    _told[key] = found


def _ask(service: Service, before: Told | None) -> Told | None:
    """What the server tells now; None when no model server answers."""
    get = _getter(service)
    if before is not None and before.model is not None and before.at:
        model = read_again(get, before.server, before.model)
        if model is not None:
            return _kept(before, Told(before.server, model, time.monotonic()))
    found = read(get)
    if found is None:
        return None
    server, models = found
    name = service.profile.model
    model = next((m for m in models if m.id in {name, f"{name}:latest"}), None)
    return _kept(before, Told(server, model, time.monotonic()))


def _kept(before: Told | None, now: Told) -> Told:
    """A model that is not loaded at the moment has the window that it had."""
    if before is None or not before.certain or now.certain or before.server != now.server:
        return now
    return replace(now, model=before.model)


def _getter(service: Service) -> Callable[[str], Any]:
    base, end = root(service.url), time.monotonic() + MORE_S

    def get(path: str) -> Any:
        left = min(PROBE_S, end - time.monotonic())
        if left > 0:
            with suppress(Exception):
                return get_json(service, base + path, left)
        return None

    return get


def said(service: Service) -> None:
    """The person saw the remark."""
    known = told(service)
    _said.add((service.url, service.profile.model, (known.window if known is not None else None) or 0))


def remark(service: Service) -> str:
    """What the person should know of a small window, until it was said; empty when there is nothing to say."""
    known = told(service)
    if known is None or not known.certain or known.server is None:
        return ""
    window = known.window or 0
    if window >= SMALL or not known.server.wider or (service.url, service.profile.model, window) in _said:
        return ""
    wider = known.server.wider.replace("MODEL", service.profile.model)
    return f"{service.profile.model} sees only {window:,} tokens as it runs here. For more: {wider}"
