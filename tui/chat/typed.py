"""Which characters of a text under edit came from the person's own hand."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable
from difflib import SequenceMatcher

Spans = tuple[tuple[int, int], ...]

_KEPT_STATES = 100
_KEPT_SIZE = 20_000
_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_COMPARED = 4_000_000
"""Words of the one text times words of the other, at most, that are compared one by one."""


class TypedSpans:
    """Follows a text from edit to edit. What an undo brings back is typed where it was typed before."""

    def __init__(self) -> None:
        self._text = ""
        self._typed = bytearray()
        self._states: OrderedDict[str, bytes] = OrderedDict()

    def changed(self, text: str, typed: bool | None) -> None:
        """The text is now `text`; what is new in it was typed, or not, or (None) comes from an undo."""
        old = self._text
        if text == old:
            return
        before = self._states.get(text) if typed is None else None
        if before is not None:
            self._typed = bytearray(before)
        else:
            start = _same(old, text)
            room = min(len(old), len(text)) - start
            end = _same_end(old, text, room)
            new = len(text) - end - start
            self._typed[start : len(old) - end] = (b"\x01" if typed else b"\x00") * new
        self._text = text
        if len(text) <= _KEPT_SIZE:
            self._states[text] = bytes(self._typed)
            self._states.move_to_end(text)
            if len(self._states) > _KEPT_STATES:
                self._states.popitem(last=False)

    def load(self, text: str, spans: Iterable[tuple[int, int]] | None) -> None:
        """Start over with a text of which these spans were typed; None = all of it."""
        self._states.clear()
        self._text = text
        self._typed = bytearray((b"\x01" if spans is None else b"\x00") * len(text))
        for start, end in spans or ():
            self._typed[start:end] = b"\x01" * len(self._typed[start:end])

    def spans(self, start: int = 0, end: int | None = None) -> Spans | None:
        """The typed spans of `text[start:end]`, counted from its start; None when all of it was typed."""
        return _spans_of(self._typed[start : len(self._typed) if end is None else end])

    def mask(self) -> bytes:
        """One byte a character: 1 = typed."""
        return bytes(self._typed)


def carried(old: str, spans: Spans | None, new: str) -> Spans | None:
    """What of `new` was typed, when another program made it of `old`: what was typed before and still stands there."""
    typed = TypedSpans()
    typed.load(old, spans)
    was = typed.mask()
    mask = bytearray(len(new))
    for start, at, size in _unchanged(old, new):
        mask[at : at + size] = was[start : start + size]
    return _spans_of(mask)


def _unchanged(old: str, new: str) -> list[tuple[int, int, int]]:
    """Start in the old text, start in the new one, and length of what is in both, in order."""
    start = _same(old, new)
    end = _same_end(old, new, min(len(old), len(new)) - start)
    found = [(0, 0, start), (len(old) - end, len(new) - end, end)]
    a, b = _WORD.findall(old[start : len(old) - end]), _WORD.findall(new[start : len(new) - end])
    if a and b and len(a) * len(b) <= _COMPARED:
        places_a, places_b = _places(a, start), _places(b, start)
        for i, j, count in SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks():
            found.append((places_a[i], places_b[j], places_a[i + count] - places_a[i]))
    return found


def _places(words: list[str], start: int) -> list[int]:
    """Where each word begins, and where the last one ends."""
    places = [start]
    for word in words:
        places.append(places[-1] + len(word))
    return places


def _spans_of(typed: bytes | bytearray) -> Spans | None:
    """The runs of ones; None when there is nothing else."""
    if 0 not in typed:
        return None
    out: list[tuple[int, int]] = []
    at = typed.find(1)
    while at >= 0:
        stop = typed.find(0, at)
        stop = len(typed) if stop < 0 else stop
        out.append((at, stop))
        at = typed.find(1, stop)
    return tuple(out)


def _same(a: str, b: str) -> int:
    """Length of the common beginning."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _same_end(a: str, b: str, most: int) -> int:
    """Length of the common end, at most `most`."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if a[len(a) - middle : len(a) - low] == b[len(b) - middle : len(b) - low]:
            low = middle
        else:
            high = middle - 1
    return low
