"""Bytes of a streamed answer to JSON objects, however they were split and whatever stands between them.

Server-sent events as model services write them: one JSON object behind each `data:`, `[DONE]` at the end. Also taken:
CRLF, comments, `data:` without a space, an object over several `data:` lines, no blank line at the end, bare JSON
lines, and one JSON document instead of a stream.
"""

from __future__ import annotations

import json
from typing import Any

_STRAY_LIMIT = 32_000_000
_FIELDS = (b":", b"id:", b"retry:", b"event:")


class EventReader:
    """Feed it bytes as they come; `feed` and `close` give the objects that are complete."""

    def __init__(self) -> None:
        self.done = False
        """Whether `[DONE]` was read."""
        self._parts: list[bytes] = []
        self._pending = b""
        self._stray: list[bytes] = []
        self._stray_bytes = 0
        self._error_event = False
        self._first = True

    def feed(self, data: bytes) -> list[dict[str, Any]]:
        """The objects that these bytes complete, in order."""
        lines = data.split(b"\n")
        if self._parts:
            self._parts.append(lines[0])  # joined once, so that a line of megabytes in small pieces costs its length
            if len(lines) == 1:
                return []
            lines[0] = b"".join(self._parts)
            self._parts = []
        if rest := lines.pop():
            self._parts.append(rest)
        events: list[dict[str, Any]] = []
        for line in lines:
            if line:
                self._line(line, events)
            elif self._pending or self._error_event:
                self._pending, self._error_event = b"", False
        return events

    def close(self) -> list[dict[str, Any]]:
        """What the last line still held; a document that came instead of a stream."""
        events: list[dict[str, Any]] = []
        self._line(b"".join(self._parts), events)
        self._parts = []
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
            self._pending = b""
            self._error_event = False
        elif line.startswith(b"event:"):
            self._error_event = line[6:].strip() == b"error"
        elif line.startswith(b"error:"):
            self._error_event = True
            self._data(line[6:].strip(), events)
        elif not line.startswith(_FIELDS):
            if not self._stray and (found := _object(line)):
                events.append(found)
            elif self._stray_bytes < _STRAY_LIMIT:
                self._stray.append(line)
                self._stray_bytes += len(line)

    def _data(self, payload: bytes, events: list[dict[str, Any]]) -> None:
        self._first = False
        if payload == b"[DONE]":
            self.done = True
            return
        found = _object(payload)
        if found is None and self._pending:
            found = _object(self._pending + b"\n" + payload)
        if found is None:
            self._pending = self._pending + b"\n" + payload if self._pending else payload
            if self._error_event and not payload.startswith((b"{", b"[")):
                events.append({"error": {"message": payload.decode("utf-8", "replace")}})
            return
        self._pending = b""
        if self._error_event and "error" not in found:
            found = {"error": found}
        events.append(found)


def _object(text: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
