"""Models that take tools only when they do not reason, as their services said: kept by address and model.

OpenAI's newer reasoning models refuse tools on this API unless the effort is `none`, also where none was asked for. An
agent is of more use with its tools.
"""

from __future__ import annotations

import re
from dataclasses import replace

from sessions.errors import ProviderError
from sessions.providers.base import Remark
from sessions.providers.service import Service
from sessions.settings import Profile

REFUSED = re.compile(r"tools? with reasoning_effort\b.{0,80}\bnot supported", re.IGNORECASE)
_NONE = "none"
_told: set[tuple[str, str]] = set()


def fitting(service: Service, *, tools: bool) -> Profile:
    """The service's profile, with the effort at which its model takes tools where a request has any."""
    profile = service.profile
    return replace(profile, reasoning_effort=_NONE) if tools and _key(service) in _told else profile


def refused(service: Service, error: ProviderError) -> bool:
    """Whether the error says so for the first time: then the request is worth another try."""
    if error.status != 400 or _key(service) in _told or not REFUSED.search(error.message):
        return False
    _told.add(_key(service))
    return True


def remark(service: Service) -> Remark:
    """What the person should know."""
    return Remark(f"{service.profile.model} uses tools at {service.host} only without reasoning: it answers without")


def forget() -> None:
    """Try all again."""
    _told.clear()


def _key(service: Service) -> tuple[str, str]:
    return service.url, service.profile.model
