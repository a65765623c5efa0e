"""Ids of lines that have none there: made of their session and of the byte where they begin."""

from __future__ import annotations

import mmap
import re
from hashlib import sha256
from pathlib import Path

_CHARS = 16


def stem_of(uuid: str) -> str:
    """What they begin with: a digest of the whole id of the session, which no other session has."""
    return _digest(uuid)[:_CHARS]


def early_stem(uuid: str) -> str:
    """What they begin with in older logs, which go on so. Sessions begun within a minute there have the same."""
    return uuid[:8]


def inner_stem(stem: str, uuid: str, file: str) -> str:
    """The same for the file of a sub-agent of the session, where lines begin at the same bytes."""
    return stem if stem == early_stem(uuid) else f"{stem}-{_digest(file)[:8]}"


def place_id(stem: str, offset: int, part: int = 0) -> str:
    """The id of an object: of those on one line the first has no number."""
    return f"{stem}-{offset}" + (f"-{part}" if part else "")


def of_place(stem: str) -> re.Pattern[str]:
    """Fits the whole of an id that was made of a place."""
    return re.compile(rf"{re.escape(stem)}(?:-[0-9a-f]{{8}})?-\d+(?:-\d+)?(?:-r\d+)?(?:-end)?(?:~\d+)?")


def stem_in(log: Path, uuid: str) -> str:
    """What the ids of a log begin with that has them, or will: the older form where one stands in it."""
    early = early_stem(uuid)
    wanted = re.compile(rb'"id":"' + re.escape(early.encode("utf-8", "replace")) + rb'-\d+(?:-\d+)?(?:-r\d+)?"')
    return early if in_file(log, wanted) else stem_of(uuid)


def in_file(path: Path, wanted: re.Pattern[bytes]) -> bool:
    """Whether it is met in a file; False for one that cannot be read."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return wanted.search(data) is not None
    except (OSError, ValueError):
        return False


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()
