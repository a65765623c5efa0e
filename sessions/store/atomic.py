"""Writes that a kill cannot tear: small files are replaced whole, logs grow by whole lines."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

TEMP_SUFFIX = ".tmp"


def write_atomic(path: Path, data: bytes, *, mode: int = 0o600, durable: bool = True) -> None:
    """Replace the file by `data`: a reader sees the old content or the new, never a part. Raises OSError.

    Without `durable` nothing waits for the disk; that is for files which can be made again.
    """
    with replacing(path, mode=mode, durable=durable) as fd:
        write_all(fd, data)


@contextmanager
def replacing(path: Path, *, mode: int = 0o600, durable: bool = True) -> Iterator[int]:
    """A new file to write to; it takes the place of `path` when the block ends, and goes when it fails.

    A symbolic link stays one, its target is replaced. Raises OSError.
    """
    target = path.resolve() if path.is_symlink() else path
    temp = target.with_name(f".{target.name}.{os.getpid()}-{os.urandom(4).hex()}{TEMP_SUFFIX}")
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        try:
            yield fd
            if durable:
                os.fsync(fd)
        finally:
            os.close(fd)
        temp.replace(target)
    except BaseException:
        with suppress(OSError):
            temp.unlink()
        raise
    if durable:
        fsync_dir(target.parent)


def is_temp(name: str) -> bool:
    """Whether a file of this name is a write under way, or what a kill left of one."""
    return name.startswith(".") and name.endswith(TEMP_SUFFIX)


def fsync_dir(path: Path) -> None:
    """Make created, renamed and removed names in the folder survive a power cut, where the system can."""
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return
    try:
        with suppress(OSError):  # some network file systems refuse it for folders
            os.fsync(fd)
    finally:
        os.close(fd)


def make_folder(path: Path) -> None:
    """Create a private folder and those above it, each surviving a power cut."""
    if path.is_dir():
        return
    if path.parent != path:
        make_folder(path.parent)
    with suppress(FileExistsError):
        path.mkdir(0o700)
    fsync_dir(path.parent)


def append_line(fd: int, line: bytes) -> None:
    """Append one line to a file opened with O_RDWR | O_APPEND, by one write looped on short ones.

    `line` may end in a line feed or not and holds no other. What a kill left unfinished is closed first, so
    that the new line starts fresh. Callers in several programs hold a lock around it.
    """
    if not line.endswith(b"\n"):
        line += b"\n"
    size = os.fstat(fd).st_size
    if size and os.pread(fd, 1, size - 1) != b"\n":
        line = b"\n" + line
    write_all(fd, line)


def write_all(fd: int, data: bytes) -> None:
    """Write all of it; a short write is continued."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def runs(process: int) -> bool:
    """Whether the program with this id, which stands in the name of what it is writing, is still there."""
    if sys.platform == "win32":
        return True  # asking by a signal would end it
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass
    return True
