"""Reads `messages.jsonl`: one conversation, a message a line; the first may tell in short what was said before."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from sessions.errors import UsageError
from sessions.importers.base import Report, Source
from sessions.importers.export import Talk
from sessions.importers.jsonl import Lines
from sessions.importers.memories import Remembered
from sessions.importers.plain import EMPTY, open_plain
from sessions.importers.role_content import is_message, said_of
from sessions.importers.spoken import Said, digest, stamp

_NAME = "messages.jsonl"
_LOOKED_AT = 1 << 20
_PIECE = 1 << 20
_HEAD = 4_096
_BEGINS = re.compile(rb'\s*\{\s*"(?:role|content)"\s*:\s*"')


class MessagesJsonl:
    """The reader of such files. A file is known by its place: what is added to it belongs to the same conversation."""

    kind = "messages-jsonl"
    name = _NAME

    def size(self, path: Path) -> int:
        return sum(file.stat().st_size for file in _files(path))

    def talks(self, path: Path, report: Report, told: Callable[[int], None]) -> Iterator[Talk]:
        """One conversation a file; its own report tells the lines that cannot be read."""
        for file in _files(path):
            if not file.stat().st_size:
                report.cannot(file.name, 0, EMPTY)
                continue
            if not is_one(file):
                raise UsageError(f"{file}, line 1: no message", 'Such a file has {"role": …, "content": …} a line')
            yield _talk(file, told)

    def remembered(self, path: Path, report: Report) -> Iterator[Remembered]:
        yield from ()


def is_one(path: Path) -> bool:
    """Whether the beginning holds a message, or the file is empty. Raises OSError."""
    lines = Lines(path, is_message)
    try:
        if any(is_message(raw) for raw in lines.first(_LOOKED_AT)) or not lines.length:
            return True
    finally:
        lines.close()
    with open_plain(path) as file:
        # Of a line of many megabytes the beginning tells.
        return _BEGINS.match(file.read(_HEAD)) is not None


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        found = sorted(p for p in path.glob("*.jsonl") if p.is_file() and (p.name == _NAME or is_one(p)))
        if not found:
            raise UsageError(f"There is no {_NAME} in {path}", "Name the file")
        return found
    if not path.exists():
        raise UsageError(f"There is no file {path}", f"Name a {_NAME}")
    return [path]


def _talk(path: Path, told: Callable[[int], None]) -> Talk:
    hashed, size = hashlib.sha256(), 0
    with open_plain(path) as file:
        while data := file.read(_PIECE):
            hashed.update(data)
            size += len(data)
            told(len(data))
    found, place = path.stat(), str(path.resolve())
    uuid = digest(place)
    of_all = hashed.hexdigest()[:32]
    source = Source(MessagesJsonl.kind, uuid, path, size, found.st_mtime_ns, digest=of_all)
    return Talk(source, lambda report: _said(path, uuid, report), at=stamp(found.st_mtime_ns / 10**9))


def _said(path: Path, uuid: str, report: Report) -> Iterator[Said]:
    lines = Lines(path, is_message)
    try:
        yield from said_of((raw for *_, raw in lines.each(0, report)), uuid, report)
        lines.torn(report)
    finally:
        lines.close()


READER = MessagesJsonl()
