"""What holds for every test: a clean environment, and properties that do not depend on how busy the machine is."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("any-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any-machine")


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
    for key in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.setenv(key, "/nonexistent")
