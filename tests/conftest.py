"""What holds for every test: a clean environment, and properties that do not depend on how busy the machine is."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("any-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any-machine")

# Each program that a test starts would compile all of ours again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """For `-n auto`: one more than there are cores, as many tests wait for a program that they started."""
    return len(os.sched_getaffinity(0)) + 1 if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1) + 1


@pytest.fixture(autouse=True)
def _no_settings_of_this_user(monkeypatch: pytest.MonkeyPatch) -> None:
    for key in list(os.environ):
        if key.startswith("MEMAGENT_") and key not in {"MEMAGENT_PROGRAM", "MEMAGENT_REQUIRE_TMUX"}:
            monkeypatch.delenv(key)
        if key in {"NO_COLOR", "TEXTUAL_ANIMATIONS", "VISUAL", "EDITOR", "OPENAI_API_KEY"}:
            monkeypatch.delenv(key, raising=False)
    for key in [key for key in os.environ if key.endswith("_API_KEY")]:
        monkeypatch.delenv(key)
    monkeypatch.setenv("MEMAGENT_LOCAL_PORTS", "")  # no server of this machine is asked
    for key in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.setenv(key, "/nonexistent")


LATER = {
    "tests/sessions/lending/test_program.py",
    "tests/tui/test_erasing.py",
    "tests/tui/test_context.py",
    "tests/e2e/test_stream_and_select.py",
}
"""Files of which one variant of each test is enough for every run."""
_MORE = ("[legacy", "size1]", "[linux]", "[screen]", "[dumb]", "[wheel]")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        file, _, name = item.nodeid.partition("::")
        if file in LATER and any(part in name for part in _MORE):
            item.add_marker(pytest.mark.thorough)


@pytest.fixture
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The machine's zone is UTC, so that times look the same everywhere."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()
