"""The time, as something that can be given: a test or a picture sets it, the program reads it."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import Protocol

_FRACTION = re.compile(r"\.(\d+)")


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """The current time, aware, in UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class FixedClock:
    """A clock that stands still until it is set."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at


def from_environment() -> Clock:
    """The system clock, or a standing one when `MEMAGENT_CLOCK` holds an ISO time (tests, pictures)."""
    at = parse_iso(os.environ.get("MEMAGENT_CLOCK", ""))
    return FixedClock(at) if at else SystemClock()


def iso(at: datetime) -> str:
    """`2026-11-29T17:14:08.123Z`: UTC, milliseconds."""
    at = at.astimezone(UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03d}Z"


def parse_iso(text: object) -> datetime | None:
    """An aware time in UTC, or None for what is not an ISO time. A time without a zone counts as UTC."""
    return _parsed(text) if isinstance(text, str) and len(text) >= 10 else None


@lru_cache(maxsize=64)
def _parsed(text: str) -> datetime | None:
    """Kept, as the times of one line are asked for several times in a row."""
    try:
        # datetime takes three or six digits of a second's fraction; others write nine.
        at = datetime.fromisoformat(_FRACTION.sub(lambda m: "." + m[1][:6].ljust(6, "0"), text))
    except ValueError:
        return None
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
