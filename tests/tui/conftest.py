"""A screen that nobody sees is drawn when a test looks at it, which takes half of the time off most tests here.

A file with `DRAWN = True` has every change drawn as in a terminal; those of tests/e2e are in one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import keyring
import pytest
from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.screen import Screen

from tests.servers.keyring_file import FileKeyring


@pytest.fixture(autouse=True)
def _drawn_when_looked_at(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if getattr(request.module, "DRAWN", False):
        return

    def render_update(
        self: Compositor, full: bool = False, screen_stack: list[Screen[Any]] | None = None, simplify: bool = False
    ) -> None:
        # What stands behind a dialog is known when it is looked at.
        visible_screen_stack.set(screen_stack or [])
        self._dirty_regions.clear()

    monkeypatch.setattr(Compositor, "render_update", render_update)


@pytest.fixture
def ring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A keyring in a file."""
    monkeypatch.setenv("TEST_KEYRING", str(tmp_path / "ring.json"))
    before = keyring.get_keyring()
    keyring.set_keyring(FileKeyring())
    yield tmp_path / "ring.json"
    keyring.set_keyring(before)
