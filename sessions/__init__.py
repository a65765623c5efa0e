"""The headless half: all that it takes to run, keep, recall and find a session.

`from sessions import Home, Agent, SessionHub`; names are loaded when they are first used.
"""

from __future__ import annotations

import importlib
from typing import Any

_NAMES = {
    "Agent": "sessions.agent.agent",
    "Home": "sessions.home",
    "MemagentError": "sessions.errors",
    "Session": "sessions.library",
    "SessionHub": "sessions.hub",
    "SessionState": "sessions.hub",
    "Tool": "sessions.tools.base",
    "ToolContext": "sessions.tools.base",
    "ToolResult": "sessions.tools.base",
    "Trace": "sessions.agent.trace",
    "replay": "sessions.agent.replay",
}
_MODULES = ("errors", "events", "messages", "settings")

__all__ = [*_NAMES, *_MODULES]  # noqa: PLE0604 - both hold names only


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(importlib.import_module(_NAMES[name]), name)
    if name in _MODULES:
        return importlib.import_module(f"sessions.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
