"""Models that cannot call tools, as their services said: kept by address and model while the program runs."""

from __future__ import annotations

from sessions.providers.service import Service

_told: set[tuple[str, str]] = set()


def note(service: Service) -> None:
    """The service refused tools for this model."""
    _told.add((service.url, service.profile.model))


def calls_tools(service: Service) -> bool:
    """Whether nothing speaks against offering tools."""
    return (service.url, service.profile.model) not in _told


def forget() -> None:
    """Try all again."""
    _told.clear()
