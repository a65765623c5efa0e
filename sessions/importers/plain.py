"""Foreign files are opened here: what stands in the place of one and never ends (a pipe, a device) holds nobody."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

EMPTY = "the file is empty"
"""What is told of one."""


def open_plain(path: Path) -> BinaryIO:
    """The file to read bytes from, as far as it is a plain one or a link to one. Raises OSError, and never waits."""
    if stat.S_ISREG(path.stat().st_mode):
        # What took its place meanwhile is told after opening.
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        if stat.S_ISREG(os.fstat(fd).st_mode):
            return os.fdopen(fd, "rb")
        os.close(fd)
    raise OSError(errno.EINVAL, "no plain file", str(path))
