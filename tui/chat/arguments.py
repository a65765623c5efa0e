"""The arguments of a call in few words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def arguments_line(arguments: Mapping[str, Any] | str) -> str:
    """The arguments of a call in one line: the first by its value, the others with their names."""
    if isinstance(arguments, str):
        return arguments
    given = [(key, value) for key, value in arguments.items() if value not in (None, "", [], {})]
    return " · ".join(_value(v) if i == 0 else f"{k} {_value(v)}" for i, (k, v) in enumerate(given))


def arguments_block(arguments: Mapping[str, Any] | str) -> str:
    """The arguments of a call, one a line."""
    if isinstance(arguments, str):
        return arguments
    return "\n".join(f"{key}: {_value(value)}" for key, value in arguments.items())


def _value(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(v, str | int) for v in value):
        return ", ".join(map(str, value))
    return json.dumps(value, ensure_ascii=False, default=str)
