"""JSON as it stands in a file: where each value and each member begins and ends, comments and all.

Settings of other programs are edited in their text and not as objects, so that order, comments and spaces stay.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from sessions.lending.unfit import Unfit

_SPACE = re.compile(r"[ \t\r\n]*")
_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\[^\x00-\x1f][^"\\\x00-\x1f]*)*"')
_LINE = re.compile(r"[^\r\n]*")
_DEEPEST = 200


@dataclass(slots=True)
class Item:
    """A member of an object, or an element of an array."""

    start: int
    """Where its key begins; of an element, its value."""
    key: str | None
    value: Value
    comma: int | None = None
    """Where the comma behind it stands."""


@dataclass(slots=True)
class Value:
    """A value and its place: `text[start:end]`."""

    start: int
    end: int
    kind: str
    """`object`, `array` or `scalar`."""
    data: Any = None
    """Of a scalar, what it is."""
    items: list[Item] = field(default_factory=list)

    def get(self, key: str) -> Item | None:
        """The member of this name; of several the last, which is the one that counts."""
        return next((item for item in reversed(self.items) if item.key == key), None)

    def python(self) -> Any:
        """The value as Python has it."""
        if self.kind == "object":
            return {item.key: item.value.python() for item in self.items}
        return [item.value.python() for item in self.items] if self.kind == "array" else self.data


def read(text: str) -> Value | None:
    """The value that a file holds, None when there is nothing but spaces and comments. Comments and a comma behind
    the last member are let pass. Raises Unfit."""
    at = after_spaces(text, 0)
    if at == len(text):
        return None
    value = _value(text, at, 0)
    end = after_spaces(text, value.end)
    if end != len(text):
        raise Unfit.at("something stands behind the end", text, end)
    return value


def after_spaces(text: str, at: int) -> int:
    """Where what is neither space nor comment goes on."""
    end: int = spaces(text, at)[-1].stop
    return end


def spaces(text: str, at: int) -> list[slice]:
    """What lies between two signs, in turn a space (maybe of no length) and a comment; it begins and ends with a
    space. A comment to the end of its line is without that end. Raises Unfit."""
    found = []
    while True:
        end = _SPACE.match(text, at).end()  # type: ignore[union-attr]
        found.append(slice(at, end))
        if text.startswith("//", end):
            at = _LINE.match(text, end).end()  # type: ignore[union-attr]
        elif text.startswith("/*", end):
            close = text.find("*/", end + 2)
            if close < 0:
                raise Unfit.at("the comment is not closed", text, end)
            at = close + 2
        else:
            return found
        found.append(slice(end, at))


def _value(text: str, at: int, depth: int) -> Value:
    if depth > _DEEPEST:
        raise Unfit.at("it is nested too deep", text, at)
    match text[at : at + 1]:
        case "{":
            return _container(text, at, depth, "object", "}")
        case "[":
            return _container(text, at, depth, "array", "]")
        case '"':
            end, data = _string(text, at)
            return Value(at, end, "scalar", data)
        case _:
            found = _SCALAR.match(text, at)
            if found is None:
                raise Unfit.at("a value is missing" if at == len(text) else "this is no value", text, at)
            return Value(at, found.end(), "scalar", _number(found[0]))


def _container(text: str, start: int, depth: int, kind: str, close: str) -> Value:
    value = Value(start, start, kind)
    at = after_spaces(text, start + 1)
    while text[at : at + 1] != close:
        if value.items and value.items[-1].comma is None:
            raise Unfit.at(f"there must be a comma or {close}", text, at)
        first, key = at, None
        if kind == "object":
            if text[at : at + 1] != '"':
                raise Unfit.at(f'there must be a "name" or {close}', text, at)
            at, key = _string(text, at)
            at = after_spaces(text, at)
            if text[at : at + 1] != ":":
                raise Unfit.at("there must be a colon", text, at)
            at = after_spaces(text, at + 1)
        item = Item(first, key, _value(text, at, depth + 1))
        value.items.append(item)
        at = after_spaces(text, item.value.end)
        if text[at : at + 1] == ",":
            item.comma = at
            at = after_spaces(text, at + 1)
    value.end = at + 1
    return value


def _number(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:  # more digits than Python reads
        return float(text)


def _string(text: str, at: int) -> tuple[int, str]:
    found = _STRING.match(text, at)
    if found is None:
        raise Unfit.at("the text in quotes is not closed, or holds a line end", text, at)
    try:
        return found.end(), json.loads(found[0])
    except ValueError:
        raise Unfit.at("the text in quotes has a wrong backslash", text, at) from None
