"""Reads `memory.json`: `{category: {key: value}}`, each value a fact that waits for the person's review."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sessions.errors import FactError, UsageError
from sessions.importers.base import Report
from sessions.importers.export import Talk
from sessions.importers.memories import Remembered
from sessions.importers.plain import open_plain
from sessions.memory.drafted import kind_named
from sessions.memory.rules import Kind, one_line, slug
from sessions.messages import Json, clean

_NAME = "memory.json"
_MOST = 32 << 20
"""Bytes; a file of facts is not longer."""
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
        for category, values in load(file).items():
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
                summary, body = one_line(lines[0]), "" if len(lines) == 1 else text
                place = file.resolve()
                yield Remembered(place, f"{category}/{key}", name, summary, body, kind, f"{_NAME} · {clean(category)}")


def load(path: Path) -> Json:
    """What is in the file. Raises UsageError, with the line where it breaks, and OSError."""
    with open_plain(path) as file:
        data = file.read(_MOST + 1)
    if len(data) > _MOST:
        raise UsageError(f"{path} is too long for a {_NAME}", f"At most {_MOST >> 20} MB are read")
    if not data.strip():
        return {}
    try:
        raw = json.loads(data.decode("utf-8-sig"), strict=False)
    except UnicodeDecodeError as e:
        line = data.count(b"\n", 0, e.start) + 1
        raise UsageError(f"{path}, line {line:,}: bytes that are not UTF-8", "Nothing was taken over") from e
    except json.JSONDecodeError as e:
        raise UsageError(f"{path}, line {e.lineno:,}: {e.msg}", "Nothing was taken over: mend it, then again") from e
    except (ValueError, RecursionError, MemoryError) as e:
        raise UsageError(f"{path}: {type(e).__name__} while it was read", "Nothing was taken over") from e
    if not isinstance(raw, dict):
        raise UsageError(f"{path}, line 1: {_type(raw)}", "Such a file has {category: {key: value}}")
    return raw


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
