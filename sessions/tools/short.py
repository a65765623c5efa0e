"""Tools as a model with a small window gets them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from sessions.tools.base import Tool


def in_short(tool: Tool) -> Tool:
    """The tool with a short description and without those of its arguments."""
    first = tool.description.strip().split("\n")[0]
    brief = tool.brief or re.split(r"(?<=[.!?])\s", first, maxsplit=1)[0][:200]
    return replace(tool, description=brief, parameters=_bare(tool.parameters))


def _bare(parameters: dict[str, Any]) -> dict[str, Any]:
    properties = parameters.get("properties")
    if not isinstance(properties, dict):
        return parameters
    kept = {
        name: {key: value for key, value in schema.items() if key != "description"}
        if isinstance(schema, dict)
        else schema
        for name, schema in properties.items()
    }
    return parameters | {"properties": kept}
