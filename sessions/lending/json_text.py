"""JSON as it stands in a file: where each value and each member begins and ends, comments and all.

Settings of other programs are edited in their text and not as objects, so that order, comments and spaces stay.
They may be long: what is inside a value is looked at when it is asked for, and until then read by what Python brings.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NoReturn

from sessions.lending.unfit import Unfit

_SPACE = re.compile(r"[ \t\r\n]*")
_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\[^\x00-\x1f][^"\\\x00-\x1f]*)*"')
_LINE = re.compile(r"[^\r\n]*")
_DEEPEST = 200
_KINDS = {"{": "object", "[": "array"}
_CLOSE = {"{": "}", "[": "]"}


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


_DECODER = json.JSONDecoder(parse_constant=_no_number)


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
    """What it is, where it was read as a whole."""
    inside: list[Item] | None = None
    text: str = ""
    """In which it stands; empty where all inside is known."""

    @property
    def items(self) -> list[Item]:
        """Members or elements."""
        if self.inside is None:
            self.inside = _container(self.text, self.start, 0).inside or [] if self.text else []
        return self.inside

    def get(self, key: str) -> Item | None:
        """The member of this name; of several the last, which is the one that counts."""
        return next((item for item in reversed(self.items) if item.key == key), None)

    def python(self) -> Any:
        """The value as Python has it."""
        if self.text or self.kind == "scalar":
            return self.data
        if self.kind == "object":
            return {item.key: item.value.python() for item in self.items}
        return [item.value.python() for item in self.items]


@lru_cache(maxsize=2)
def read(text: str) -> Value | None:
    """The value that a file holds, None when there is nothing but spaces and comments. Comments and a comma behind
    the last member are let pass. Raises Unfit."""
    at = after_spaces(text, 0)
    if at == len(text):
        return None
    value = _container(text, at, 0) if text[at] in _CLOSE else _value(text, at, 0)
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
        case "{" | "[":
            return _whole(text, at) or _container(text, at, depth)
        case '"':
            end, data = _string(text, at)
            return Value(at, end, "scalar", data)
        case _:
            found = _SCALAR.match(text, at)
            if found is None:
                raise Unfit.at("a value is missing" if at == len(text) else "this is no value", text, at)
            return Value(at, found.end(), "scalar", _number(found[0]))


def _whole(text: str, at: int) -> Value | None:
    """An object or array without comments and the like; None where it has to be read by its signs."""
    try:
        data, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    return Value(at, end, _KINDS[text[at]], data, None, text)


def _container(text: str, start: int, depth: int) -> Value:
    kind, close = _KINDS[text[start]], _CLOSE[text[start]]
    items: list[Item] = []
    at = after_spaces(text, start + 1)
    while text[at : at + 1] != close:
        if items and items[-1].comma is None:
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
        items.append(item)
        at = after_spaces(text, item.value.end)
        if text[at : at + 1] == ",":
            item.comma = at
            at = after_spaces(text, at + 1)
    return Value(start, at + 1, kind, None, items)


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
