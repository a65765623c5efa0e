"""What a server writes to its stderr, kept in a file that never grows beyond its cap."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable
from pathlib import Path

CAP = 1 << 20
_LEFT = CAP // 4
"""Bytes of the end that stay when the cap is reached."""
_LINES = 40
_SHOWN = 300
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_WORD = re.compile("[^\\W\\d_]{3}")
_ERROR = re.compile("error|fatal|exception|not found|cannot|denied", re.I)


class ServerLog:
    """One server's file; `keeps` says whether it may be written to now. It is opened anew for each write, as erasing
    puts another file in its place."""

    def __init__(self, path: Path, keeps: Callable[[], bool] = lambda: True) -> None:
        self.path = path
        self._keeps = keeps
        self._lines: deque[str] = deque(maxlen=_LINES)
        self._torn = b""

    def begin(self) -> None:
        """Another life of the server: what the one before said explains nothing any more."""
        self._lines.clear()
        self._torn = b""

    def complaint(self, *, any_line: bool) -> str:
        """The last line that sounds like what went wrong; with `any_line` else the last that holds a word."""
        lines = [*self._lines, *([_plain(self._torn)] if self._torn.strip() else [])]
        lines = [line for line in reversed(lines) if _WORD.search(line)]
        found = next((line for line in lines if _ERROR.search(line)), "")
        return found or (lines[0] if lines and any_line else "")

    def write(self, data: bytes) -> None:
        """Not for the event loop; a disk that is full costs the log, and nothing else."""
        *lines, self._torn = (self._torn + data).split(b"\n")
        self._torn = self._torn[-_SHOWN * 4 :]
        self._lines.extend(plain for line in lines[-_LINES:] if (plain := _plain(line)))
        if not self._keeps():
            return
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            try:
                size = os.lseek(fd, 0, os.SEEK_END)
                if size + len(data) > CAP:
                    rest = os.pread(fd, _LEFT, max(0, size - _LEFT))
                    os.ftruncate(fd, 0)
                    os.pwrite(fd, rest.partition(b"\n")[2], 0)
                    os.lseek(fd, 0, os.SEEK_END)
                os.write(fd, data[-_LEFT:])
            finally:
                os.close(fd)
        except OSError:
            pass


def _plain(line: bytes) -> str:
    return _CONTROL.sub("", line.decode(errors="replace")).strip()[:_SHOWN]
