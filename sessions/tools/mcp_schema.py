"""A tool's schema as a server gave it, made one that no service refuses: what it lies about is left out of it."""

from __future__ import annotations

import json
import math
import re
from itertools import islice
from typing import Any

from sessions.messages import clean

LONGEST = 32_000
"""Characters."""
_DEEP = 16
_PATTERN = 200
"""Characters of a regular expression."""
_TYPES = {"string", "number", "integer", "boolean", "array", "object", "null"}
_NAMED = {"properties", "$defs", "definitions", "patternProperties", "dependentSchemas"}
"""Hold schemas by name."""
_LISTED = {"anyOf", "oneOf", "allOf", "prefixItems"}
_ONE = {"items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"}
_NUMBERS = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
_COUNTS = {"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"}
_TEXTS = {"title", "description", "format", "$comment"}
_VALUES = {"default", "const", "examples"}
_TRUTHS = {"uniqueItems", "deprecated", "readOnly", "writeOnly"}
_NO_ARGUMENTS: dict[str, Any] = {"type": "object", "properties": {}}


def mended(schema: Any) -> tuple[dict[str, Any], str]:
    """(the schema of an object, what was wrong with it)."""
    if not isinstance(schema, dict) or schema.get("type", "object") != "object":
        return dict(_NO_ARGUMENTS), "its schema is no object"
    if _size(schema, LONGEST * 2) > LONGEST * 2:
        return {"type": "object", "properties": {}}, f"its schema is too large (over {LONGEST * 2 // 1000} kB)"
    made = {"type": "object", "properties": {}} | _object(schema, 0)
    made["type"] = "object"
    size = len(json.dumps(made))
    if size > LONGEST:
        return {"type": "object", "properties": {}}, f"its schema is too large ({size // 1000} kB)"
    return made, ""


def _object(schema: dict[str, Any], depth: int) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if (kept := _kept(key, value, depth + 1)) is not None:
            out[key] = kept
    if "required" in out and "properties" in out:
        out["required"] = [name for name in out["required"] if name in out["properties"]]
    return out


def _kept(key: str, value: Any, depth: int) -> Any:
    """The value of a schema's key as it may stand there, None for one that may not."""
    if depth > _DEEP:
        return None
    match key, value:
        case "type", str() if value in _TYPES:
            return value
        case "type", list() if value and all(isinstance(v, str) and v in _TYPES for v in value):
            return list(dict.fromkeys(value))
        case "required", list():
            return list(dict.fromkeys(clean(v) for v in value if isinstance(v, str)))
        case "enum", list() if value:
            return [_value(v, depth) for v in value]
        case "pattern", str():
            return _pattern(value)
        case "$ref", str() if value.startswith("#"):
            return clean(value)
        case _, dict() if key in _NAMED:
            return {clean(name): _any(one, depth) for name, one in value.items()}
        case _, list() if key in _LISTED and value:
            return [_any(one, depth) for one in value]
        case _, dict() | bool() if key in _ONE:
            return _any(value, depth)
        case _, int() | float() if key in _NUMBERS and not isinstance(value, bool) and math.isfinite(value):
            return value
        case _, int() if key in _COUNTS and not isinstance(value, bool) and value >= 0:
            return value
        case _, bool() if key in _TRUTHS:
            return value
        case _, str() if key in _TEXTS:
            return clean(value)
        case _ if key in _VALUES:
            return _value(value, depth)
    return None


def _any(schema: Any, depth: int) -> Any:
    if isinstance(schema, bool):
        return schema
    return _object(schema, depth) if isinstance(schema, dict) else {}


def _value(value: Any, depth: int) -> Any:
    """Plain JSON; what is none, or lies too deep, is null."""
    match value:
        case str():
            return clean(value)
        case float() if not math.isfinite(value):
            return None
        case bool() | int() | float():
            return value
        case list() if depth < _DEEP:
            return [_value(v, depth + 1) for v in value]
        case dict() if depth < _DEEP:
            return {clean(str(k)): _value(v, depth + 1) for k, v in value.items()}
    return None


def _size(value: Any, most: int) -> int:
    """Characters of a JSON value, roughly, counted no further than `most`."""
    size, left = 0, [value]
    while left and size <= most:
        one = left.pop()
        if isinstance(one, dict):
            size += sum(len(str(key)) + 4 for key in islice(one, most))
            left += islice(one.values(), most)
        elif isinstance(one, list):
            size += 2 * len(one)
            left += islice(one, most)
        else:
            size += len(one) if isinstance(one, str) else 6
    return size


def _pattern(text: str) -> str | None:
    # Compiling takes far more than linear time.
    if len(text) > _PATTERN:
        return None
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError):
        return None
    return clean(text)
