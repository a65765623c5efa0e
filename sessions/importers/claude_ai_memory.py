"""What Claude.ai noted about the person, in the `memories.json` of its exports: a text, of which each sentence may be a
fact, and one such text for each project."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from sessions.errors import DamagedError, UsageError
from sessions.importers.base import Report
from sessions.importers.elements import UnreadableError
from sessions.importers.export_files import Part, parts, reading
from sessions.importers.jsonl import dict_of, text_of
from sessions.importers.memories import Remembered
from sessions.importers.spoken import digest
from sessions.memory.rules import Kind, one_line, slug
from sessions.messages import clean

NAME = "Claude.ai"
_FILES = re.compile(r"(?:memories|[0-9a-f-]{36})\.json", re.IGNORECASE)
_PROJECTS = re.compile(r"projects\.json", re.IGNORECASE)
_MOST = 32 << 20
_HEADING = re.compile(r"\s*(?:#{1,6}\s+(.*?)|\*\*([^*]+)\*\*:?|__([^_]+)__:?)\s*\Z")
_BULLET = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")
_SENTENCE = re.compile(
    r"(?<=[.!?])(?<!\b\w\.)(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!Dr\.)(?<!Mr\.)(?<!Ms\.)\s+(?=[^\sa-z])"
)
_LEAST = 12
"""Characters of a sentence that says something."""


def remembered(path: Path, report: Report) -> Iterator[Remembered]:
    """A fact for each sentence; nothing when the export has no such file."""
    names: dict[str, str] = {}
    for _, raw in _read(path, _PROJECTS, Report()):
        names |= {text_of(dict_of(one).get("uuid")): text_of(dict_of(one).get("name")) for one in _listed(raw)}
    met: set[str] = set()
    for part, raw in _read(path, _FILES, report):
        for one in map(dict_of, _listed(raw)):
            if "conversations_memory" not in one and "project_memories" not in one:
                continue
            texts = [("", text_of(one.get("conversations_memory")))]
            texts += [(key, text_of(value)) for key, value in dict_of(one.get("project_memories")).items()]
            for project, text in texts:
                yield from _facts(part, project, names.get(project, ""), clean(text), met)


def _facts(part: Part, project: str, name: str, text: str, met: set[str]) -> Iterator[Remembered]:
    kind: Kind = "project" if project else "user"
    group = f"{NAME} · {one_line(clean(name)) or project[:8]}" if project else NAME
    for heading, sentence in _sentences(text):
        key = digest(f"{project}\0{sentence}")[:16]
        if key in met:
            continue
        met.add(key)
        body = f"{heading}: {sentence}" if heading else ""
        yield Remembered(part.path.resolve(), key, slug(sentence)[:48].strip("-"), sentence, body, kind, group)


def _sentences(text: str) -> Iterator[tuple[str, str]]:
    heading = ""
    for line in text.split("\n"):
        match = _HEADING.fullmatch(line)
        if match is not None:
            heading = one_line(next(filter(None, match.groups()), ""))
            continue
        for sentence in _SENTENCE.split(_BULLET.sub("", line, count=1).strip()):
            if len(plain := one_line(sentence)) >= _LEAST:
                yield heading, plain


def _listed(raw: Any) -> list[Any]:
    return raw if isinstance(raw, list) else [raw]


def _read(path: Path, wanted: re.Pattern[str], report: Report) -> Iterator[tuple[Part, Any]]:
    """The files of an export with such a name, as what stands in them; one that breaks is reported with its line."""
    if path.is_file() and path.suffix.lower() == ".json" and wanted.fullmatch(path.name) is None:
        return
    found: list[Part] = []
    with suppress(UsageError, DamagedError):
        found = [part for part in parts(path, wanted) if part.size <= _MOST]
    for part in found:
        try:
            with reading(part, lambda _: None) as read:
                yield part, json.loads(read(_MOST).decode("utf-8-sig", "replace"), strict=False)
        except json.JSONDecodeError as e:
            report.cannot(part.name, e.lineno, e.msg)
        except (ValueError, RecursionError, MemoryError, UnreadableError) as e:
            report.cannot(part.name, 0, str(e) or type(e).__name__)
