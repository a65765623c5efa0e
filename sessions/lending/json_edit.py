"""Puts items into JSON text and takes them out again, so that the text is then as it was before, byte for byte.

A new item goes behind the last one, in the indentation of the file. How it stands there says what was before it: an
empty `{}` is opened over several lines, and closed again; in any other empty one the item follows what opens it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from sessions.lending.json_text import Item, Value, read, spaces
from sessions.lending.unfit import Unfit

Way = tuple[str, ...]
"""Names of members, from the outermost object inwards; () is that object itself."""
_INDENT = re.compile(r"[ \t]*")
_UNIT = "  "
"""Where the file shows no indentation of its own."""


def find(text: str, way: Way) -> Value | None:
    """The value at the end of the way, None when there is none. Raises Unfit."""
    value = read(text)
    for name in way:
        item = value.get(name) if value is not None else None
        value = item.value if item is not None else None
    return value


def put(text: str, way: Way, key: str | None, value: Any) -> tuple[str, list[Way]]:
    """The text with a further item in the object or (`key` None) array at the end of the way, and what had to be made
    on the way. Raises Unfit, also when something else stands there."""
    root = read(text)
    if root is None:
        whole = _nested(way, key, value)
        lead = text if text.endswith("\n") else text + newline_of(text) if text.strip() else text
        return lead + _json(whole, _Style(newline_of(text), _UNIT, True), ""), [way[:n] for n in range(len(way) + 1)]
    style = _style(text, root)
    box = _of_kind(text, root, "object")
    for n, name in enumerate(way):
        item = box.get(name)
        if item is None:
            made = [way[:m] for m in range(n + 1, len(way) + 1)]
            return _with_item(text, box, name, _nested(way[n + 1 :], key, value), style), made
        box = _of_kind(text, item.value, "array" if key is None and n == len(way) - 1 else "object")
    return _with_item(text, box, key, value, style), []


def change(text: str, item: Item, value: Any) -> str:
    """The text with another value in the same place. Raises Unfit."""
    root = read(text)
    style = _style(text, root) if root else _Style("\n", _UNIT, True)
    wide = "\n" in text[item.value.start : item.value.end]
    shown = _json(value, style, _line_indent(text, item.start) if wide else None)
    return text[: item.value.start] + shown + text[item.value.end :]


def take(text: str, way: Way, which: Callable[[Item], bool], made: Collection[Way] = ()) -> str:
    """The text without the items that `which` names in the object or array at the end of the way, and without those
    of `made` that are empty then. Raises Unfit."""
    while True:
        box = find(text, way)
        item = next((i for i in reversed(box.items) if which(i)), None) if box is not None else None
        if box is None or item is None:
            break
        text = without(text, box, item)
    for n in range(len(way), 0, -1):
        box, inner = find(text, way[: n - 1]), find(text, way[:n])
        if way[:n] not in made or box is None or inner is None or text[inner.start : inner.end] not in {"{}", "[]"}:
            break
        member = box.get(way[n - 1])
        assert member is not None
        text = without(text, box, member)
    return text


def without(text: str, box: Value, item: Item) -> str:
    """The text without an item, the space before it, and the comma that it needed; comments stay."""
    index = box.items.index(item)
    left = box.items[index - 1] if index else None
    begin = box.start + 1 if left is None else left.value.end if left.comma is None else left.comma + 1
    gap = spaces(text, begin)[-1]
    before, end = text[: gap.start], item.value.end
    if item.comma is not None:
        behind = text[end : item.comma] + text[item.comma + 1 :]
    else:
        behind = text[end:]
        if left is not None and left.comma is not None:
            before = text[: left.comma] + text[left.comma + 1 : gap.start]
    if len(box.items) == 1 and gap.start == box.start + 1 and "\n" in text[gap]:
        rest = len(behind) - len(text) + box.end - 1
        if not behind[:rest].strip():
            behind = behind[rest:]
    return before + behind


def newline_of(text: str) -> str:
    """The line end of a text, that of its first line."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


@dataclass(frozen=True, slots=True)
class _Style:
    newline: str
    unit: str
    """What each step inwards is indented by."""
    wide: bool
    """Members stand on lines of their own."""


def _style(text: str, root: Value) -> _Style:
    wide = any("\n" in text[gap] for gap in _gaps(text, root)) or not root.items
    unit = _UNIT
    if root.items:
        outer, line = _line_indent(text, root.start), _line_indent(text, root.items[0].start)
        if line.startswith(outer) and line != outer:
            unit = line.removeprefix(outer)
    return _Style(newline_of(text), unit, wide)


def _with_item(text: str, box: Value, key: str | None, value: Any, style: _Style) -> str:
    gaps = _gaps(text, box)
    at = gaps[-1].start
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    inside = text[box.start + 1 : box.end - 1]
    if not inside.strip():
        if inside or not style.wide:
            return text[:at] + name + _json(value, style, None) + text[at:]
        outer = _line_indent(text, box.start)
        shown = name + _json(value, style, outer + style.unit)
        return text[:at] + style.newline + outer + style.unit + shown + style.newline + outer + text[at:]
    last = box.items[-1] if box.items else None
    wide = any("\n" in text[gap] for gap in gaps)
    indent = _line_indent(text, last.start) if last else _line_indent(text, box.start) + style.unit
    shown = (style.newline + indent if wide else " ") + name + _json(value, style, indent if wide else None)
    if last is None:
        return text[:at] + shown + text[at:]
    if last.comma is not None:
        return text[:at] + shown + "," + text[at:]
    return text[: last.value.end] + "," + text[last.value.end : at] + shown + text[at:]


def _gaps(text: str, box: Value) -> list[slice]:
    """The spaces between the signs of an object or array itself, not of those within."""
    found = spaces(text, box.start + 1)[::2]
    for item in box.items:
        found += spaces(text, item.value.end)[::2]
        if item.comma is not None:
            found += spaces(text, item.comma + 1)[::2]
    return found


def _of_kind(text: str, value: Value, kind: str) -> Value:
    if value.kind != kind:
        raise Unfit.at(f"an {kind} belongs here", text, value.start)
    return value


def _nested(way: Way, key: str | None, value: Any) -> Any:
    inner = [value] if key is None else {key: value}
    for name in reversed(way):
        inner = {name: inner}
    return inner


def _line_indent(text: str, at: int) -> str:
    return _INDENT.match(text, text.rfind("\n", 0, at) + 1)[0]  # type: ignore[index]


def _json(value: Any, style: _Style, indent: str | None) -> str:
    """On one line without `indent`, that of the line on which it begins."""
    if indent is None:
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, indent=style.unit).replace("\n", style.newline + indent)
