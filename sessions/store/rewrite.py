"""Files of lines, changed in their middle: the one way in which a file that else only grows loses something."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from sessions.store.atomic import replacing, write_all

_CHUNK = 1 << 20
_FLUSH = 1 << 22

ChangeLine = Callable[[bytes], "bytes | None"]
"""A line without its line feed -> the line in its place, None to drop it. The same object = as it was."""


def rewrite_lines(path: Path, change: ChangeLine) -> int:
    """Put every line as `change` gives it back; how many are other than before. A file without any is not touched.

    The new file takes the old one's place at once and is on the disk when this returns. Nobody may append meanwhile:
    the caller holds the lock of the file. Raises OSError.
    """
    if not any(change(line) is not line for line, _ in _lines(path)):
        return 0
    changed = 0
    with replacing(path) as fd:
        out: list[bytes] = []
        size = 0
        for line, end in _lines(path):
            new = change(line)
            changed += new is not line
            if new is None:
                continue
            out += (new, end)
            size += len(new)
            if size > _FLUSH:
                write_all(fd, b"".join(out))
                out, size = [], 0
        write_all(fd, b"".join(out))
    return changed


def _lines(path: Path) -> Iterator[tuple[bytes, bytes]]:
    """Each line and its line feed, which the last one may lack."""
    with path.open("rb") as file:
        parts: list[bytes] = []
        while chunk := file.read(_CHUNK):
            *whole, rest = chunk.split(b"\n")
            for piece in whole:
                yield (b"".join((*parts, piece)) if parts else piece), b"\n"
                parts.clear()
            if rest:
                parts.append(rest)
        if parts:
            yield b"".join(parts), b""
