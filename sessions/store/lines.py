"""Bytes of a log to JSON objects, whatever a crash, a full disk or another program did to them. Nothing here raises."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sessions.messages import Record, Unknown, clean, from_json

_DECODER = json.JSONDecoder(strict=False)
_START = '{"v":'
_TRIES = 2000
"""Failed attempts to find a record inside one damaged line, so that a long one cannot stall the reader."""


@dataclass(frozen=True, slots=True)
class LineProblem:
    """A line that could not be read, or not wholly."""

    line: int
    """Counted from 1 at the place where reading began."""
    offset: int
    """In bytes from the start of the file."""
    why: str


@dataclass(frozen=True, slots=True)
class Line:
    """What one line holds: usually one record and no trouble."""

    records: tuple[Record, ...]
    why: str | None = None


def decode(data: bytes) -> Line:
    """The records of a line given without its line feed."""
    try:
        text = data.decode("utf-8")
        trouble = None
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
        trouble = "bytes that are not UTF-8"
    escaped = b"\\ud" in data or b"\\uD" in data
    found = _object(text)
    if found is not None:
        record = _record(found, escaped)
        if isinstance(record, Unknown) and record.why.startswith("version"):
            trouble = trouble or f"written by a newer program ({record.why})"
        return Line((record,), trouble)
    if not text.strip():
        return Line(())
    records = tuple(_record(raw, escaped) for raw in _resync(text))
    if text.strip("\0 \t\r") == "":
        why = "a run of NUL bytes"
    elif not records:
        why = "no JSON object"
    elif "\0" in text:
        why = "a run of NUL bytes beside a record"
    else:
        why = "several records, or parts of records, on one line"
    return Line(records, why)


def is_whole(data: bytes) -> bool:
    """Whether the bytes are one complete JSON object; a part of one never is."""
    try:
        return _object(data.decode("utf-8")) is not None
    except UnicodeDecodeError:
        return False


def _object(text: str) -> dict[str, Any] | None:
    try:
        found = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _resync(text: str) -> Iterator[dict[str, Any]]:
    """The records inside a damaged line: every start of one is tried, what was decoded is stepped over."""
    at, tries = text.find(_START), 0
    while at >= 0 and tries < _TRIES:
        try:
            found, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            found, end, tries = None, at + 1, tries + 1
        if isinstance(found, dict) and isinstance(found.get("id"), str) and ("role" in found or "erased" in found):
            yield found
        at = text.find(_START, end)


def _record(raw: dict[str, Any], escaped: bool) -> Record:
    if escaped:
        # Escapes may hold half a surrogate pair, which decodes and then cannot be written anywhere.
        raw = json.loads(clean(json.dumps(raw, ensure_ascii=False)))
    return from_json(raw)
