"""Puts tool calls together from the pieces in which services send them, with or without index and id."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from sessions.messages import clean
from sessions.providers.base import RequestedCall

_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_PAIRS = re.compile("[\ud800-\udfff]")


@dataclass(slots=True)
class _Slot:
    name: str = ""
    id: str = ""
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.parts)

    @property
    def complete(self) -> bool:
        """Whether the arguments are a whole JSON object already."""
        text = self.text.strip()
        return text.endswith("}") and _parsed(text) is not None


class CallParts:
    """Feed it the `tool_calls` of each delta; `calls` gives what they add up to."""

    def __init__(self) -> None:
        self._slots: list[_Slot] = []
        self._by_index: dict[int, _Slot] = {}

    def __bool__(self) -> bool:
        return bool(self._slots)

    def feed(self, deltas: Any) -> None:
        """Take the list of a delta; what is no object is skipped."""
        if isinstance(deltas, dict):
            deltas = [deltas]
        if not isinstance(deltas, list):
            return
        found = [d for d in deltas if isinstance(d, dict)]
        for delta in found:
            self._one(delta, several=len(found) > 1)

    def calls(self) -> tuple[RequestedCall, ...]:
        """The calls in the order in which they began."""
        out = []
        for slot in self._slots:
            text = whole(slot.text)
            if not (slot.name or text.strip()):
                continue
            arguments = {} if text.strip() in {"", "null"} else _parsed(text)
            if arguments is not None and _ESCAPED_SURROGATE.search(text):
                arguments = _clean(arguments)
            out.append(RequestedCall(slot.name, arguments, text, slot.id or None))
        return tuple(out)

    def _one(self, delta: dict[str, Any], *, several: bool) -> None:
        function = delta.get("function")
        body: dict[str, Any] = function if isinstance(function, dict) else delta
        name, id_ = _text(body.get("name")).strip(), _text(delta.get("id"))
        arguments = body.get("arguments")
        index = _index(delta.get("index"))
        slot = self._by_index.get(index) if index is not None else self._without_index(name, id_, several)
        if slot and name and self._another(slot, name, id_, arguments):
            slot = None
        if slot is None:
            slot = _Slot()
            self._slots.append(slot)
        if index is not None:
            self._by_index[index] = slot
        slot.id = slot.id or id_
        if name and name != slot.name:
            slot.name += name  # the first time, or a name in pieces
        if isinstance(arguments, str):
            if arguments:
                slot.parts.append(arguments)
        elif arguments is not None and not slot.parts:
            slot.parts.append(json.dumps(arguments, ensure_ascii=False))

    def _without_index(self, name: str, id_: str, several: bool) -> _Slot | None:
        """The call that a piece without index belongs to; None for a new one."""
        if not name:
            same = [slot for slot in self._slots if id_ and slot.id == id_]
            return same[-1] if same else self._slots[-1] if self._slots else None
        if several or not self._slots:
            return None
        last = self._slots[-1]
        return last if id_ in {"", last.id} and name == last.name else None

    def _another(self, slot: _Slot, name: str, id_: str, arguments: Any) -> bool:
        """Whether a piece with a name, sent for this call's place, begins another call: some send index 0 for all."""
        if id_ and slot.id and id_ != slot.id:
            return True
        if not slot.parts:
            return False
        return name != slot.name or (bool(arguments) and slot.complete)


def whole(text: str) -> str:
    """The text with halves of UTF-16 pairs, which some services send one by one, put together."""
    if text.isascii() or not _PAIRS.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _parsed(text: str) -> dict[str, Any] | None:
    """The object that the text holds; also one that was encoded twice."""
    value: Any = text
    for _ in range(2):
        try:
            value = json.loads(value, strict=False)
        except (ValueError, RecursionError):
            return None
        if isinstance(value, dict):
            return value
        if not isinstance(value, str):
            return None
    return None


def _clean(value: Any) -> Any:
    match value:
        case str():
            return clean(value)
        case dict():
            return {clean(str(k)): _clean(v) for k, v in value.items()}
        case list():
            return [_clean(v) for v in value]
    return value


def _index(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and value.isdigit():
        return int(value)
    return int(value) if isinstance(value, int | float) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
