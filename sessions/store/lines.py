"""Bytes of a log to JSON objects, whatever a crash, a full disk or another program did to them. Nothing here raises."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from sessions.messages import Record, Unknown, clean_json, from_json

_DECODER = json.JSONDecoder(strict=False)
_START = '{"v":'
_HALF = re.compile(rb"\\u[dD]")
_TRIES = 2000
"""Failed attempts to find a record inside one damaged line, so that a long one cannot stall the reader."""
_LOOKED_AT = 100_000_000
"""Characters that failed attempts may go through, in all of a damaged line."""


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


@dataclass(frozen=True, slots=True)
class Objects:
    """The JSON objects of one line: usually one and no trouble. No text in them has half a surrogate pair."""

    found: tuple[dict[str, Any], ...]
    why: str | None = None


def decode(data: bytes) -> Line:
    """The records of a line given without its line feed."""
    line = objects(data, _START, _is_ours)
    records = tuple(from_json(raw) for raw in line.found)
    why = line.why
    if why is None and records and isinstance(records[0], Unknown) and records[0].why.startswith("version"):
        why = f"written by a newer program ({records[0].why})"
    return Line(records, why)


def objects(data: bytes, start: str, is_one: Callable[[dict[str, Any]], bool]) -> Objects:
    """The objects of a line given without its line feed.

    A damaged line is searched for what begins with `start` and is one of the objects that such a file holds.
    """
    try:
        text = data.decode("utf-8")
        trouble = None
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
        trouble = "bytes that are not UTF-8"
    escaped = _HALF.search(data) is not None
    whole = _object(text)
    if whole is not None and escaped:
        whole = _cleaned(whole)
    if whole is not None:
        return Objects((whole,), trouble)
    if not text.strip():
        return Objects(())
    parts = (_cleaned(raw) if escaped else raw for raw in _resync(text, start, is_one))
    found = tuple(raw for raw in parts if raw is not None)
    if text.strip("\0 \t\r") == "":
        why = "a run of NUL bytes"
    elif not found:
        why = "no JSON object"
    elif "\0" in text:
        why = "a run of NUL bytes beside a record"
    else:
        why = "several records, or parts of records, on one line"
    return Objects(found, why)


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


def _cleaned(raw: dict[str, Any]) -> dict[str, Any] | None:
    """None for what is nested more deeply than can be gone through."""
    try:
        return cast("dict[str, Any]", clean_json(raw))
    except RecursionError:
        return None


def _resync(text: str, start: str, is_one: Callable[[dict[str, Any]], bool]) -> Iterator[dict[str, Any]]:
    """The objects inside a damaged line: every start of one is tried, what was decoded is stepped over."""
    at, tries = text.find(start), 0
    most = min(_TRIES, max(20, _LOOKED_AT // (len(text) + 1)))
    while at >= 0 and tries < most:
        try:
            found, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            found, end, tries = None, at + 1, tries + 1
        if isinstance(found, dict) and is_one(found):
            yield found
        at = text.find(start, end)


def _is_ours(raw: dict[str, Any]) -> bool:
    return isinstance(raw.get("id"), str) and ("role" in raw or "erased" in raw)
