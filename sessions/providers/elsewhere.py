"""What known services elsewhere tell of their models, windows and prices: kept by address and model.

Only a service that tells any of it is asked, only for what the settings leave open, and only together with a request
that goes there anyway. One look serves all models of the address.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace

from sessions.messages import Usage
from sessions.providers.known import place_of
from sessions.providers.listing import Model, models_of
from sessions.providers.service import Service

LISTING_S = 10.0
_WAIT_S = 2.0
"""After an answer, for a listing that is not there yet."""

_told: dict[str, dict[str, Model]] = {}
_asking: dict[str, asyncio.Task[None]] = {}


def told(service: Service) -> Model | None:
    """What is known by now."""
    models, place = _told.get(service.url, {}), place_of(service.host)
    prefix = place.listings[0].prefix if place is not None else ""
    return models.get(service.profile.model.removeprefix(prefix))


def window(service: Service) -> int | None:
    """Tokens that the model sees, as its service tells."""
    model = told(service)
    return (model.window or model.most) if model is not None else None


def ask(service: Service) -> None:
    """Begin to ask, unless it is known, or nothing could be learned."""
    profile, place = service.profile, place_of(service.host)
    if place is None or not place.tells or service.url in _told or service.url in _asking:
        return
    if profile.context_window is None or (place.prices and profile.price_in is None and profile.price_out is None):
        _asking[service.url] = asyncio.create_task(_ask(service))


async def priced(service: Service, usage: Usage | None) -> Usage | None:
    """The usage with what it cost in USD: what the service says of this answer, else by the prices that it lists.

    Where the settings have a price nothing is worked out, and of a service that is not known no number is believed.
    """
    place, profile = place_of(service.host), service.profile
    if usage is None or place is None or not place.prices:
        return replace(usage, usd=None) if usage is not None and usage.usd is not None else usage
    if usage.usd is None and profile.price_in is None and profile.price_out is None:
        if (asking := _asking.get(service.url)) is not None:
            await asyncio.wait([asking], timeout=_WAIT_S)
        model = told(service)
        if model is not None and (model.price_in is not None or model.price_out is not None):
            usd = (usage.input * (model.price_in or 0.0) + usage.output * (model.price_out or 0.0)) / 1e6
            return replace(usage, usd=usd)
    return usage


def forget() -> None:
    """Ask all again."""
    _told.clear()
    _asking.clear()


async def _ask(service: Service) -> None:
    """Never raises: a turn says what is wrong there."""
    try:
        with suppress(Exception):
            found = await asyncio.to_thread(models_of, service, LISTING_S)
            _told[service.url] = {model.id: model for model in found}
    finally:
        _asking.pop(service.url, None)
