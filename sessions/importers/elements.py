"""The conversations of a large file of JSON, one at a time, whatever happened to the file. No bytes raise.

The file is an array of hundreds of megabytes. Each element is decoded by itself, by the decoder of the standard
library, as soon as enough of the text is there; what is damaged is reported with its line, and the next whole one is
looked for. A streaming parser (ijson) was measured and left: at the first damaged byte it ends, without a place, and
what stands behind is lost; half a surrogate pair becomes a `?`, and a number such as `1e999` is the end of the file.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from sessions.importers.base import Report
from sessions.importers.plain import EMPTY
from sessions.messages import Json
from sessions.store.lines import objects

_DEEP = "it is nested too deeply"
NO_MEMORY = "it needs more memory than there is"
_DECODER = json.JSONDecoder(strict=False)
_BLOCK = 1 << 20
_STEP = 8 << 20
_LONGEST = 64 << 20
"""Characters of one conversation; what is longer is none, but a bracket that is never closed, or meant to do harm."""
_VALUES = 3_000_000
"""Lists and objects in it: an empty one takes twenty times the memory of its two characters."""
_BUDGET = 1 << 30
"""Characters that failed attempts may go through, in all of a file."""
_START = re.compile(
    r'\{\s*"(?:title|uuid|id|conversation_id|create_time|name|mapping|chat_messages|account|summary|created_at)"\s*:'
)
"""How a conversation begins, whatever the order of its keys has come to be."""
_WRAPPED = re.compile(r'\{\s*"conversations"\s*:\s*\[')
_BETWEEN = re.compile(r"[\s,\0\ufeff]*")
_REPLACED = "\ufffd"
_REPLACED_BYTES = _REPLACED.encode()
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""Escapes of which one alone is no character."""
_NEAR = 16
"""Characters before the end at which a number, a word or an escape may be cut."""


class UnreadableError(Exception):
    """The bytes cannot be had from here on; the message says why."""


@dataclass(frozen=True, slots=True)
class Element:
    """One conversation."""

    raw: Json
    text: str
    """As it stands in the file."""
    line: int


class Elements:
    """Goes once through a file. `read` gives so many bytes, none at the end, or raises UnreadableError."""

    def __init__(self, read: Callable[[int], bytes], name: str, is_one: Callable[[Json], bool], report: Report) -> None:
        self._read = read
        self._name = name
        self._is_one = is_one
        self._report = report
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._text = ""
        self._at = 0
        self._line = 1
        """Of the beginning of what is held."""
        self._end = self._failed = False
        self._before = b""
        self._replaced = 0
        self._spent = 0
        self._found = self._met = 0

    def __iter__(self) -> Iterator[Element]:
        inside = lost = whole = wrapped = False
        if not self._skip(lost) and not self._failed:
            self._cannot(0, EMPTY)
        while self._skip(lost):
            here = self._text[self._at]
            if not lost and not inside and (here == "[" or _WRAPPED.match(self._text, self._at)):
                inside, wrapped = True, here != "["
                self._at = self._text.index("[", self._at) + 1
                continue
            if here == "]" and inside and not lost:
                whole = True
                break
            line = self._line_now()
            value, end, why = self._decode()
            if end < 0:
                if not lost:
                    self._met += 1
                    self._report.cannot(self._name, line, f"conversation {self._met:,}: {why}" if inside else why)
                if self._spent > _BUDGET:
                    self._cannot(line, "what follows is too damaged to be searched")
                    return
                lost, self._at = True, self._at + 1
                continue
            if isinstance(value, dict) and self._is_one(value):
                text = self._text[self._at : end]
                self._at, lost = end, False
                self._met += 1
                try:
                    value = _cleaned(value, text)
                except RecursionError:
                    self._report.cannot(self._name, line, f"conversation {self._met:,}: {_DEEP}")
                    continue
                self._found += 1
                self._report.lines += 1
                yield Element(value, text, line)
                continue
            if lost:
                self._at = end
                continue
            # There may be some inside of it.
            self._met += 1
            self._report.cannot(
                self._name, line, f"conversation {self._met:,}: it is none" if inside else "no conversation"
            )
            lost = _START.search(self._text, self._at + 1, end) is not None
            self._at = self._at + 1 if lost else end
        if whole and not wrapped:
            self._at += 1
            if self._skip(lost=False):
                self._cannot(self._line_now(), "something stands after the array: it is not read")
        if inside and not whole and not lost:
            self._cannot(self._line_now(), "the file ends before its array is closed")
        if self._replaced > 0:
            self._cannot(0, "bytes that are not UTF-8")

    def _cannot(self, line: int, why: str) -> None:
        after = f", after {self._found:,} that can be read" if self._found else ""
        self._report.cannot(self._name, line, f"{why}{after}")

    def _skip(self, lost: bool) -> bool:
        """Go to where the next element begins, or may begin; False at the end."""
        while True:
            if lost:
                start = _START.search(self._text, self._at)
                self._at = start.start() if start is not None else max(self._at, len(self._text) - 2 * _NEAR)
                if start is not None:
                    return True
            else:
                self._at = _BETWEEN.match(self._text, self._at).end()  # type: ignore[union-attr]
                if self._at < len(self._text) - 3 * _NEAR or (self._end and self._at < len(self._text)):
                    return True
            if not self._more(_BLOCK):
                if lost:
                    return False
                return self._at < len(self._text)

    def _decode(self) -> tuple[Any, int, str]:
        """(value, where it ends, ""), or -1 for the end and why it cannot be read."""
        while True:
            length = len(self._text) - self._at
            try:
                return *_DECODER.raw_decode(self._text, self._at), ""
            except json.JSONDecodeError as e:
                cut = e.pos >= len(self._text) - _NEAR or e.msg.startswith("Unterminated string")
                why = self._too_much(length) if cut else ""
                # Twice as much each time, so that all attempts together cost no more than two; of a long one less.
                if cut and not why and self._more(max(_BLOCK, min(length, _STEP))):
                    continue
                line = self._line + self._text.count("\n", 0, e.pos)
                over = self._end and (e.pos >= len(self._text.rstrip()) or e.msg.startswith("Unterminated string"))
                why = why or ("the file ends in the middle of it" if over else f"{e.msg} (line {line:,})")
            except MemoryError:
                why = NO_MEMORY
            except RecursionError:
                why = _DEEP
            except ValueError:
                why = "a number of more than 4,300 digits"
            self._spent += length
            return None, -1, why

    def _too_much(self, length: int) -> str:
        """Why what is held is more than a conversation may be; empty when it may."""
        if length >= _LONGEST:
            return f"it is longer than {_LONGEST >> 20} MB, or not closed"
        if sum(self._text.count(bracket, self._at) for bracket in "[{") > _VALUES:
            return f"it has more than {_VALUES:,} lists and objects"
        return ""

    def _more(self, size: int) -> bool:
        """Hold so many bytes more, and nothing of what was gone through; False at the end."""
        if self._end:
            return False
        try:
            data = self._read(size)
        except UnreadableError as e:
            data = b""
            self._failed = True
            self._cannot(self._line_now(), str(e))
        self._end = not data
        text = self._decoder.decode(data, final=self._end)
        self._replaced += text.count(_REPLACED) - (self._before + data).count(_REPLACED_BYTES)
        self._before = data[-2:]
        self._line = self._line_now()
        self._text = self._text[self._at :] + text
        self._at = 0
        return not self._end or bool(text)

    def _line_now(self) -> int:
        return self._line + self._text.count("\n", 0, self._at)


def _cleaned(raw: Json, text: str) -> Json:
    """Without half surrogate pairs, which cannot be written."""
    if _HALF.search(text) is None:
        return raw
    return next(iter(objects(text.encode("utf-8", "replace"), "{", lambda _: False).found), raw)
