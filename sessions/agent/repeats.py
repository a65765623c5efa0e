"""Notices when a model asks for the same again and again."""

from __future__ import annotations

import json
from collections.abc import Iterable

from sessions.messages import ToolCall

_REPEATS = 3


class Repeats:
    """The calls of one turn, step by step."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def third(self, calls: Iterable[ToolCall]) -> str:
        """Name of the call that comes in the third step in a row with the same arguments; empty without one."""
        keys = {json.dumps([c.name, c.arguments, c.arguments_text], sort_keys=True): c.name for c in calls}
        self._seen = {key: self._seen.get(key, 0) + 1 for key in keys}
        return next((name for key, name in keys.items() if self._seen[key] >= _REPEATS), "")
