"""How often and after how long a refused request is sent again."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

TRIES = 3
_MOST_S = 30 * 86_400.0
"""Nobody means more."""
_WAIT = re.compile(
    r"(?:re)?try (?:again )?in (?=\d+(?:\.\d+)?(?:h|m|s))(?:(\d{1,4})h)?(?:(\d{1,6})m(?!s))?"
    r"(?:(\d{1,9}(?:\.\d{1,9})?)s)?(?:(\d{1,9}(?:\.\d{1,9})?)ms)?",
    re.IGNORECASE,
)
LONGEST_WAIT_S = 60.0
"""A service that asks for more is not waited for: the person decides."""


def backoff_s(attempt: int) -> float:
    """Seconds to wait after the attempt (from 1) failed: 1, 2, 4 …"""
    return float(2 ** (attempt - 1))


def retry_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that a service asks to wait, by `Retry-After` (seconds or an HTTP date) or `retry-after-ms`."""
    if (ms := _number(headers.get("retry-after-ms"))) is not None:
        return ms / 1000
    text = headers.get("retry-after")
    if (seconds := _number(text)) is not None:
        return seconds
    try:
        at = parsedate_to_datetime(text or "")
    except (ValueError, TypeError, OverflowError):
        return None
    at = at.replace(tzinfo=UTC) if at.tzinfo is None else at
    return min(_MOST_S, max(0.0, (at - now).total_seconds()))


def said_wait_s(text: str) -> float | None:
    """Seconds that a service asks to wait in words: `retry in 32.9s`, `try again in 6m12s`, `in 20ms`."""
    found = _WAIT.search(text)
    if found is None:
        return None
    hours, minutes, seconds, ms = (float(part or 0) for part in found.groups())
    return min(_MOST_S, hours * 3600 + minutes * 60 + seconds + ms / 1000)


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return min(_MOST_S, max(0.0, value)) if math.isfinite(value) else None
