"""Puts tool calls together from the pieces in which services send them, with or without index and id."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from sessions.messages import clean_json
from sessions.numbers import whole as whole_number
from sessions.providers.base import LEFT_OUT, RequestedCall
from sessions.providers.limits import ARGUMENTS, CALLS, DEPTH, NAME, short, too_deep
from sessions.providers.returned import of_call

_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_PAIRS = re.compile("[\ud800-\udfff]")
_LOOKED = 20 * ARGUMENTS
"""Characters that are looked through, in all, to see whether a call is complete already."""
_SHOWN = 1_000
"""Characters that are kept of arguments that are not taken."""


@dataclass(slots=True)
class _Slot:
    name: str = ""
    id: str = ""
    parts: list[str] = field(default_factory=list)
    size: int = 0
    """Characters of the arguments, those that are too many counted but not kept."""
    items: dict[str, Any] | None = None

    @property
    def text(self) -> str:
        return "".join(self.parts)

    def add(self, text: str) -> None:
        self.size += len(text)
        if self.size <= ARGUMENTS:
            self.parts.append(text)
        elif self.parts:
            self.parts = [self.text[:_SHOWN]]

    def call(self) -> RequestedCall | None:
        """None when it was no call at all."""
        text = whole(self.text)
        if not (self.name or text.strip() or self.size):
            return None
        arguments = {} if text.strip() in {"", "null"} else _parsed(text)
        why = ""
        if self.size > ARGUMENTS:
            why = f"{self.size:,} characters, at most {ARGUMENTS:,} are taken"
        elif arguments is not None and too_deep(arguments, DEPTH):
            why = f"more than {DEPTH} lists and objects inside of each other"
        if why:
            arguments, text = None, f"{LEFT_OUT}{why}] {text[:_SHOWN]}"
        elif arguments is not None and _ESCAPED_SURROGATE.search(text):
            arguments = clean_json(arguments)
        id_ = self.id if len(self.id) <= NAME else ""
        return RequestedCall(short(self.name), arguments, text, id_ or None, self.items)


class CallParts:
    """Feed it the `tool_calls` of each delta; `calls` gives what they add up to."""

    def __init__(self) -> None:
        self._slots: list[_Slot] = []
        self._by_index: dict[int, _Slot] = {}
        self._looked = 0
        self.full = False
        """More calls came than are taken."""

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
        return tuple(call for slot in self._slots if (call := slot.call()) is not None)

    def _one(self, delta: dict[str, Any], *, several: bool) -> None:
        function = delta.get("function")
        body: dict[str, Any] = function if isinstance(function, dict) else delta
        # One character too many says that there were more.
        name, id_ = _text(body.get("name"))[: NAME + 1].strip(), _text(delta.get("id"))[: NAME + 1]
        arguments = body.get("arguments")
        index = whole_number(delta.get("index"))
        slot = self._by_index.get(index) if index is not None else self._without_index(name, id_, several)
        if slot and name and self._another(slot, name, id_, arguments):
            slot = None
        if slot is None and len(self._slots) >= CALLS:
            self.full = True
            return
        if slot is None:
            slot = _Slot()
            self._slots.append(slot)
        if index is not None:
            self._by_index[index] = slot
        slot.id = slot.id or id_
        slot.items = of_call(delta) or slot.items
        if name and name != slot.name:
            slot.name = (slot.name + name)[: NAME + 1]  # the first time, or a name in pieces
        if isinstance(arguments, str):
            if arguments:
                slot.add(arguments)
        elif arguments is not None and not slot.parts:
            slot.add(_written(arguments))

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
        return name != slot.name or (bool(arguments) and self._complete(slot))

    def _complete(self, slot: _Slot) -> bool:
        """Whether the arguments are a whole JSON object already."""
        if not slot.parts[-1].rstrip().endswith("}") or self._looked > _LOOKED:
            return False
        self._looked += slot.size
        return _parsed(slot.text) is not None


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


def _written(arguments: Any) -> str:
    try:
        return json.dumps(arguments, ensure_ascii=False)
    except RecursionError:
        return f"{LEFT_OUT}more than {DEPTH} lists and objects inside of each other]"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
