"""Real files on a disk that is full when a test says so."""

from __future__ import annotations

import errno
import os

import pytest


class Disk:
    """What `os.write` has room for; the last write may be a short one, as on a real disk."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.room: int | None = None
        """Bytes left; None = enough."""
        self._write = os.write
        monkeypatch.setattr(os, "write", self.write)

    def write(self, fd: int, data: bytes | memoryview) -> int:
        if self.room is None or fd <= 2:
            return self._write(fd, data)
        if self.room == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        count = self._write(fd, bytes(data)[: self.room])
        self.room -= count
        return count
