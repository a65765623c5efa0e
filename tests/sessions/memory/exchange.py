"""The shape of an exchange: what is said, what a model wants to keep of it, and what comes of that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

KEPT, WAITS, REFUSED = "kept", "waits", "refused"


@dataclass(frozen=True)
class Exchange:
    """`said` with `typed` (None = all of it); the last of `calls` is the one that counts."""

    said: str
    calls: tuple[tuple[str, dict[str, Any]], ...]
    comes: str
    why: str = ""
    typed: Any = None
    known: tuple[tuple[str, str, str], ...] = ()
    """Facts before: name, summary, kind."""
    files: tuple[str, ...] = ()


def kept(said: str, *calls: Any, now: str = "", **more: Any) -> Exchange:
    """`now` = the one line as it is kept, where that is not what was asked for."""
    return Exchange(said, calls, KEPT, now, **more)


def waits(said: str, *calls: Any, why: str, **more: Any) -> Exchange:
    return Exchange(said, calls, WAITS, why, **more)


def refused(said: str, *calls: Any, why: str, **more: Any) -> Exchange:
    return Exchange(said, calls, REFUSED, why, **more)
