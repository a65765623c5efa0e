"""A home with a store, and facts in it, as the tests of the memory need them."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from pathlib import Path

from sessions.clock import Clock, FixedClock
from sessions.memory.fact import By, Draft
from sessions.memory.store import FactStore
from sessions.paths import HomePaths, make_home

NOW = datetime(2026, 11, 29, 17, 14, 8, tzinfo=UTC)
MODEL = By("model", "20261129-171408-7f3a9c", "u1", "I live in Tokyo")
PERSON = By("user")


def paths_of(root: Path) -> HomePaths:
    paths = HomePaths(root, root / "config.toml")
    make_home(paths)
    return paths


def store_of(root: Path, clock: Clock | None = None) -> FactStore:
    return FactStore(paths_of(root), clock or FixedClock(NOW))


def draft(name: str = "lives-in-tokyo", summary: str = "Lives in Tokyo", kind: str = "preference", **more) -> Draft:
    return Draft(name, summary, kind, **more)


def rested(path: Path, seconds: float = 10) -> Path:
    """The file as if it had been left alone for a while."""
    at = time.time() - seconds
    os.utime(path, (at, at))
    return path


def by_hand(path: Path, text: str, seconds: float = 0) -> Path:
    """Write a file as an editor does."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return rested(path, seconds) if seconds else path


def summaries(store: FactStore) -> list[str]:
    return [f.summary for f in store.snapshot().facts]
