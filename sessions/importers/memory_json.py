"""Reads `memory.json`: `{category: {key: value}}`, each key with its value a fact that waits for the person's review.

The key is the fact's name, and what it says is both: of `"contacts": {"Sarah": "manager"}` that is "Sarah: manager".
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sessions.errors import DamagedError, FactError, UsageError
from sessions.importers.base import Report
from sessions.importers.export import Talk
from sessions.importers.memories import Remembered
from sessions.importers.plain import EMPTY, open_plain
from sessions.memory.drafted import kind_named
from sessions.memory.rules import Kind, one_line, slug
from sessions.messages import Json, clean

_NAME = "memory.json"
_MOST = 32 << 20
"""Bytes; a file of facts is not longer."""
_DECODER = json.JSONDecoder(strict=False)
_SPACE = re.compile(r"[ \t\r\n]*")
_BAD = re.compile("[\udc80-\udcff]")
"""What bytes become here that are not UTF-8."""
_MORE: dict[str, Kind] = {
    "people": "contact",
    "projects": "project",
    "references": "reference",
    "facts": "user",
    "profile": "user",
    "tasks": "open-thread",
    "todos": "open-thread",
}
"""Categories that are no kind of ours, and what they are here; all others are references."""


class MemoryJson:
    """The reader of such files."""

    kind = "memory-json"
    name = _NAME

    def size(self, path: Path) -> int:
        return _file(path).stat().st_size

    def talks(self, path: Path, report: Report, told: Callable[[int], None]) -> Iterator[Talk]:
        yield from ()

    def remembered(self, path: Path, report: Report) -> Iterator[Remembered]:
        """A fact for each key; the report names the keys that hold none."""
        file = _file(path)
        names: set[str] = set()
        for category, values in load(file, report).items():
            if not isinstance(values, dict):
                report.cannot(file.name, 0, f"{category}: no keys with values, but {_type(values)}")
                continue
            kind = _kind(category)
            for key, value in values.items():
                text = clean(_text(value)).strip()
                if not one_line(text):
                    report.cannot(file.name, 0, f"{category}.{key}: {_type(value)}, which says nothing")
                    continue
                name = slug(key) or slug(text)[:48].strip("-")
                name = f"{kind}-{name}" if name in names else name
                names.add(name)
                lines = [line for line in text.splitlines() if one_line(line)]
                summary, body = _about(key, one_line(lines[0])), "" if len(lines) == 1 else text
                yield Remembered(
                    file.resolve(), f"{category}/{key}", name, summary, body, kind, f"{_NAME} · {clean(category)}",
                    label=clean(f"{category}.{key}"), value=text,
                )  # fmt: skip


def load(path: Path, report: Report) -> Json:
    """What is in the file; of a damaged one what stands before the place that the report names.

    Raises DamagedError, with the line where it breaks, when that is nothing, UsageError, and OSError.
    """
    with open_plain(path) as file:
        data = file.read(_MOST + 1)
    if len(data) > _MOST:
        raise UsageError(f"{path} is too long for a {_NAME}", f"At most {_MOST >> 20} MB are read")
    if not data.strip():
        report.cannot(path.name, 0, EMPTY)
        return {}
    try:
        raw = json.loads(data.decode("utf-8-sig"), strict=False)
    except (ValueError, RecursionError, MemoryError) as e:
        return _as_far(path, data, e, report)
    if not isinstance(raw, dict):
        raise UsageError(f"{path}, line 1: {_type(raw)}", "Such a file has {category: {key: value}}")
    return raw


def _as_far(path: Path, data: bytes, error: Exception, report: Report) -> Json:
    """The values up to where it breaks, without those in which bytes are not UTF-8."""
    text = data.decode("utf-8-sig", "surrogateescape")
    out: Json = {}
    line, before = 1, 0
    try:
        for category, key, value, at in _pairs(text):
            line, before = line + text.count("\n", before, at), at
            if _BAD.search(f"{category}{key}{_text(value)}"):
                name = clean(f"{category}.{key}" if key else category)
                report.cannot(path.name, line, f"{name}: bytes that are not UTF-8")
            elif key is None:
                out[category] = value
            else:
                had = out.get(category)
                out[category] = had = had if isinstance(had, dict) else {}
                had[key] = value
    except (ValueError, RecursionError, MemoryError) as e:
        error = e
        if out:
            line = e.lineno if isinstance(e, json.JSONDecodeError) else 0
            report.cannot(path.name, line, f"{_why(e)}; what stands behind is not taken over")
    if not out:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 0
        if isinstance(error, UnicodeDecodeError):
            line = data.count(b"\n", 0, error.start) + 1
        place = f", line {line:,}" if line else ""
        raise DamagedError(f"{path}{place}: {_why(error)}", "Nothing was taken over: mend it, then again")
    return out


def _why(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "bytes that are not UTF-8"
    return error.msg if isinstance(error, json.JSONDecodeError) else f"{type(error).__name__} while it was read"


def _pairs(text: str) -> Iterator[tuple[str, str | None, Any, int]]:
    """(category, key, value, where) one after the other; without a key for a category that has none. Raises ValueError
    where it breaks."""
    for category, at in _keys(text, 0):
        if text.startswith("{", at.place):
            inner = at.place
            for key, one in _keys(text, inner):
                value, end = _DECODER.raw_decode(text, one.place)
                yield category, key, value, one.place
                one.place = at.place = end
            at.place = _expected(text, at.place if at.place > inner else inner + 1, "}") + 1
        else:
            value, end = _DECODER.raw_decode(text, at.place)
            yield category, None, value, at.place
            at.place = end


@dataclass(slots=True)
class _At:
    """Where the value begins; who reads it sets where it ends."""

    place: int


def _keys(text: str, start: int) -> Iterator[tuple[str, _At]]:
    """The keys of the object that begins there."""
    at = _expected(text, start, "{") + 1
    while not text.startswith("}", at := _past(text, at)):
        key, end = _DECODER.raw_decode(text, _expected(text, at, '"'))
        value = _At(_past(text, _expected(text, end, ":") + 1))
        yield key, value
        if text.startswith("}", at := _past(text, value.place)):
            return
        at = _expected(text, at, ",") + 1


def _past(text: str, at: int) -> int:
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]


def _expected(text: str, at: int, what: str) -> int:
    at = _past(text, at)
    if not text.startswith(what, at):
        raise json.JSONDecodeError(
            "Expecting property name" if what == '"' else f"Expecting '{what}' delimiter", text, at
        )
    return at


def _file(path: Path) -> Path:
    file = path / _NAME if path.is_dir() else path
    if not file.is_file():
        raise UsageError(f"There is no file {file}", f"Name a {_NAME}")
    return file


def _kind(category: str) -> Kind:
    try:
        return kind_named(category)
    except FactError:
        return _MORE.get(category.strip().lower(), "reference")


def _about(key: str, value: str) -> str:
    """The value with what it is about, where it does not say so itself."""
    named = one_line(clean(key).replace("_", " "))
    said = set(slug(value).split("-"))
    missing = [word for word in slug(named).split("-") if word and word not in said]
    return f"{named}: {value}" if missing else value


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None or value in ([], {}):
        return ""
    return json.dumps(value, ensure_ascii=False)


def _type(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


READER = MemoryJson()
