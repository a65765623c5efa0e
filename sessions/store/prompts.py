"""Past prompts of this machine, for the composer: one JSON line each, the newest last."""

from __future__ import annotations

import json
import os
from typing import Any

from sessions.numbers import whole
from sessions.paths import HomePaths
from sessions.store.atomic import append_line, make_folder, write_atomic
from sessions.store.locks import FileLock

KEPT = 500
_TOO_MANY = 1_000_000
"""Bytes from which on the file is cut down to the newest prompts."""

Spans = tuple[tuple[int, int], ...]


def keep_prompt(paths: HomePaths, text: str, typed: Spans | None) -> None:
    """Append a prompt. `typed` are the spans that were typed by hand; None = all. Raises OSError or StoreError."""
    line: dict[str, Any] = {"text": text}
    if typed is not None:
        line["typed"] = [list(span) for span in typed]
    file = paths.local / "prompts.jsonl"
    make_folder(file.parent)
    with FileLock(paths.locks / "prompts.lock", wait_s=1.0):
        fd = os.open(file, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            append_line(fd, json.dumps(line, ensure_ascii=True).encode())
            size = os.fstat(fd).st_size
        finally:
            os.close(fd)
        if size > _TOO_MANY:
            lines = file.read_bytes().split(b"\n")[-KEPT // 2 :]
            write_atomic(file, b"\n".join(lines))


def prompt_of(line: bytes) -> str | None:
    """The text of a line, without the space around it; None for a bad line."""
    try:
        return str(json.loads(line)["text"]).strip()
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _spans(raw: Any) -> Spans:
    """Raises TypeError and ValueError for what is no list of pairs."""
    pairs = ((whole(start), whole(end)) for start, end in raw)
    return tuple((start, end) for start, end in pairs if start is not None and end is not None)


def load_prompts(paths: HomePaths) -> list[tuple[str, Spans | None]]:
    """The newest prompts, oldest first; one that follows itself counts once. Bad lines are skipped."""
    try:
        data = (paths.local / "prompts.jsonl").read_bytes()
    except OSError:
        return []
    found: list[tuple[str, Spans | None]] = []
    for line in data.split(b"\n")[-KEPT:]:
        try:
            raw = json.loads(line)
            text, typed = raw["text"], raw.get("typed")
            spans = None if typed is None else _spans(typed)
        except (ValueError, TypeError, KeyError, RecursionError):
            continue
        if isinstance(text, str) and text and (not found or found[-1][0] != text):
            found.append((text, spans))
    return found
