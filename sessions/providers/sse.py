"""Bytes of a streamed answer to JSON objects, however they were split and whatever stands between them.

Server-sent events as model services write them: one JSON object behind each `data:`, `[DONE]` at the end. Also taken:
CRLF, comments, `data:` without a space, an object over several `data:` lines, no blank line at the end, bare JSON
lines, and one JSON document instead of a stream.
"""

from __future__ import annotations

import json
import math
from typing import Any

from sessions.providers.limits import LINE

_KEEPING = 50
"""Bytes that keeping a line takes beside its own."""
_FIELDS = (b":", b"id:", b"retry:", b"event:")


class TooLongError(Exception):
    """A line or an event that goes on and on."""


class EventReader:
    """Feed it bytes as they come; `feed` and `close` give the objects that are complete.

    Each byte is looked at a fixed number of times, whatever comes; `feed` raises TooLongError.
    """

    def __init__(self) -> None:
        self.done = False
        """Whether `[DONE]` was read."""
        self._parts: list[bytes] = []
        self._parts_bytes = 0
        self._pending: list[bytes] = []
        """Lines of an event that is no object so far."""
        self._pending_bytes = 0
        self._stray: list[bytes] = []
        self._stray_bytes = 0
        self._error_event = False
        self._first = True

    def feed(self, data: bytes) -> list[dict[str, Any]]:
        """The objects that these bytes complete, in order."""
        lines = data.split(b"\n")
        if self._parts:
            self._began(lines[0])  # joined once, so that a line of megabytes in small pieces costs its length
            if len(lines) == 1:
                return []
            lines[0] = b"".join(self._parts)
            self._parts, self._parts_bytes = [], 0
        if rest := lines.pop():
            self._began(rest)
        events: list[dict[str, Any]] = []
        for line in lines:
            if line:
                self._line(line, events)
            elif self._pending or self._error_event:
                self._end(events)
        return events

    def close(self) -> list[dict[str, Any]]:
        """What the last line still held; a document that came instead of a stream."""
        events: list[dict[str, Any]] = []
        self._line(b"".join(self._parts), events)
        self._parts = []
        self._end(events)
        if self._stray and (whole := _object(b"\n".join(self._stray))):
            events.append(whole)
            self._stray = []
        return events

    @property
    def stray(self) -> str:
        """Text that was no event: a page of HTML, a plain sentence."""
        return b"\n".join(self._stray).decode("utf-8", "replace").strip()

    def _line(self, line: bytes, events: list[dict[str, Any]]) -> None:
        if line.startswith(b"data:"):
            self._data(line[5:].strip(), events)
            return
        line = line.strip()
        if self._first and line:
            self._first = False
            if line.startswith(b"\xef\xbb\xbf"):
                self._line(line[3:], events)
                return
        if not line:
            self._end(events)
        elif line.startswith(b"event:"):
            self._error_event = line[6:].strip() == b"error"
        elif line.startswith(b"error:"):
            self._error_event = True
            self._data(line[6:].strip(), events)
        elif not line.startswith(_FIELDS):
            if not self._stray and (found := _object(line)):
                events.append(found)
            elif self._stray_bytes < 2 * LINE:
                self._stray.append(line)
                self._stray_bytes += len(line) + _KEEPING

    def _data(self, payload: bytes, events: list[dict[str, Any]]) -> None:
        self._first = False
        if payload == b"[DONE]":
            self._end(events)
            self.done = True
            return
        found = _object(payload)
        if found is not None:
            self._pending, self._pending_bytes = [], 0
            self._found(found, events)
            return
        self._pending.append(payload)
        self._pending_bytes += len(payload) + _KEEPING
        if self._pending_bytes > LINE:
            raise TooLongError
        if self._error_event and not payload.startswith((b"{", b"[")):
            events.append({"error": {"message": payload.decode("utf-8", "replace")}})

    def _began(self, part: bytes) -> None:
        """A part of a line that goes on."""
        self._parts.append(part)
        self._parts_bytes += len(part)
        if self._parts_bytes > LINE:
            raise TooLongError

    def _end(self, events: list[dict[str, Any]]) -> None:
        """The event is over: its lines are one object, or nothing."""
        if len(self._pending) > 1 and (found := _object(b"\n".join(self._pending))):
            self._found(found, events)
        self._pending, self._pending_bytes, self._error_event = [], 0, False

    def _found(self, found: dict[str, Any], events: list[dict[str, Any]]) -> None:
        events.append({"error": found} if self._error_event and "error" not in found else found)


def _object(text: bytes) -> dict[str, Any] | None:
    if not text.startswith(b"{"):
        return None
    try:
        value = _parsed(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _parsed(text: str) -> Any:
    """Raises ValueError and RecursionError."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except ValueError:  # a number of thousands of digits, which Python does not read
        return json.loads(text, parse_int=lambda digits: int(digits) if len(digits) < 99 else math.inf)
