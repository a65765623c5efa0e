"""Tool results too large for a line, kept in `<session>.files/` beside the log."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path

from sessions.messages import ToolMessage, clean
from sessions.paths import HomePaths
from sessions.store.atomic import make_folder, write_atomic

LARGE = 64 * 1024
"""Bytes of UTF-8 over which a result leaves its line."""
STUB = 8 * 1024
"""Bytes of its beginning that stay."""

_SAFE = re.compile(r"[A-Za-z0-9_-]{1,80}")
_SIDE_FILE = re.compile(r"[A-Za-z0-9_-]{1,80}\.txt")


def keep_beside(paths: HomePaths, session: str, message: ToolMessage) -> ToolMessage:
    """The message as its line has it; a large result is on the disk before this returns. Raises OSError.

    `file.path` is relative to the session's folder, so a copy or a move of the session keeps it.
    """
    if len(message.content) * 4 <= LARGE or message.file is not None:
        return message
    data = clean(message.content).encode()
    if len(data) <= LARGE:
        return message
    digest = hashlib.sha256(data).hexdigest()
    name = kept_as(message)
    folder = paths.session_files(session)
    make_folder(folder)
    write_atomic(folder / name, data)
    file = {"path": name, "bytes": len(data), "sha256": digest}
    return replace(message, content=beginning(message.content), file=file)


def kept_as(message: ToolMessage) -> str:
    """The name of the file that holds a large result, or will."""
    if name := side_name(message):
        return name
    stem = (
        message.id if _SAFE.fullmatch(message.id) else hashlib.sha256(clean(message.content).encode()).hexdigest()[:16]
    )
    return f"{stem}.txt"


def beginning(content: str) -> str:
    """What stays in the line of a large result."""
    return clean(content[:STUB]).encode()[:STUB].decode("utf-8", "ignore")


def side_name(message: ToolMessage) -> str:
    """The name of the file beside the log that holds the whole result; empty without one, or for a name not ours."""
    name = message.file.get("path") if message.file else None
    return name if isinstance(name, str) and _SIDE_FILE.fullmatch(name) else ""


def full_content(paths: HomePaths, session: str, message: ToolMessage, *, limit: int | None = None) -> str:
    """The whole result (its first `limit` bytes), or the beginning from the line when the file is gone or not ours."""
    name = side_name(message)
    kept = read_beside(paths.session_files(session), name, limit=limit) if name else None
    return message.content if kept is None else kept


def read_beside(folder: Path, name: str, *, limit: int | None = None) -> str | None:
    """What such a file holds, its first `limit` bytes; None when it is gone or its name is not one of ours."""
    if not _SIDE_FILE.fullmatch(name):
        return None
    try:
        with (folder / name).open("rb") as file:
            return file.read(-1 if limit is None else limit).decode("utf-8", "replace")
    except OSError:
        return None
