"""The tools of a turn by name, and the check of what a model passes to them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sessions.providers.base import ToolSpec
from sessions.tools.base import Tool


class ToolArgumentError(Exception):
    """Arguments that the tool does not take; the text tells the model what is wrong and what it takes."""


class Registry:
    """Tools by name; of two with one name the first counts."""

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        for tool in tools:
            self._tools.setdefault(tool.name, tool)

    def specs(self) -> list[ToolSpec]:
        return [ToolSpec(t.name, t.description, t.parameters) for t in self._tools.values()]

    def names(self) -> list[str]:
        return list(self._tools)

    def get(self, name: str) -> Tool | None:
        return self._tools.get(name)

    def check(self, tool: Tool, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments under the tool's own names, with numbers and truths that came as text converted.

        An optional argument that is null is left out. Raises ToolArgumentError.
        """
        properties = tool.parameters.get("properties") or {}
        required = tool.parameters.get("required") or []
        out: dict[str, Any] = {}
        for given, value in arguments.items():
            name = tool.aliases.get(given, given) if given not in properties else given
            if name not in properties and tool.parameters.get("additionalProperties") is False:
                raise ToolArgumentError(f"{tool.name} takes no argument {given!r}. {_usage(properties, required)}")
            if value is None and name not in required:
                continue
            try:
                out.setdefault(name, _checked(value, properties.get(name) or {}, name))
            except ValueError as e:
                raise ToolArgumentError(f"{tool.name}: {e}. {_usage(properties, required)}") from None
        missing = [name for name in required if name not in out]
        if missing:
            wanted = ", ".join(repr(name) for name in missing)
            raise ToolArgumentError(f"{tool.name} needs {wanted}. {_usage(properties, required)}")
        return out


def _usage(properties: dict[str, Any], required: list[str]) -> str:
    if not properties:
        return "It takes no arguments."
    parts = []
    for name, schema in properties.items():
        kind = schema.get("type", "any")
        kind = "|".join(kind) if isinstance(kind, list) else str(kind)
        parts.append(f"{name} ({kind}{', required' if name in required else ''})")
    return f"It takes: {', '.join(parts)}."


def _checked(value: Any, schema: dict[str, Any], name: str) -> Any:
    """The value, converted where its meaning is plain. Raises ValueError."""
    kinds = schema.get("type")
    kinds = [kinds] if isinstance(kinds, str) else list(kinds or [])
    if kinds:
        for kind in kinds:
            if _is(value, kind):
                break
        else:
            value = _converted(value, kinds, name)
    options = schema.get("enum")
    if options and value not in options:
        raise ValueError(f"{name} must be one of {', '.join(map(str, options))}, not {value!r}")
    if isinstance(value, int | float) and not isinstance(value, bool):
        if "minimum" in schema and value < schema["minimum"]:
            raise ValueError(f"{name} must be at least {schema['minimum']}")
        if "maximum" in schema and value > schema["maximum"]:
            raise ValueError(f"{name} must be at most {schema['maximum']}")
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        value = [_checked(item, schema["items"], f"{name}[{i}]") for i, item in enumerate(value)]
    return value


def _is(value: Any, kind: str) -> bool:
    match kind:
        case "string":
            return isinstance(value, str)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
        case "null":
            return value is None
        case _:
            return True


def _converted(value: Any, kinds: list[str], name: str) -> Any:
    text = str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    if "integer" in kinds and text:
        try:
            number = float(text)
        except ValueError:
            number = 0.5
        if number == number // 1 and abs(number) < 2**53:
            return int(number)
    if "number" in kinds and text:
        try:
            return float(text)
        except ValueError:
            pass
    if "boolean" in kinds and text.lower() in {"true", "false"}:
        return text.lower() == "true"
    if "string" in kinds and text and not isinstance(value, str):
        return text
    if "array" in kinds and isinstance(value, str) and value:
        return [value]
    raise ValueError(f"{name} must be of type {' or '.join(kinds)}, not {type(value).__name__}")
