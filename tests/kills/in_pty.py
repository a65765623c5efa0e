"""The installed program in a pseudo terminal that nobody looks at: typed at, read from, and killed."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import threading
from pathlib import Path

from tests.program import PROGRAM, environment

_SEQUENCE = re.compile(rb"\x1b\[[0-9;?<=>]*[A-Za-z]")
_LATELY = 1 << 16


class InPty:
    """One running program. `output` is all that it drew so far."""

    def __init__(self, *arguments: str, home: Path, size: tuple[int, int] = (120, 40), **env: str) -> None:
        cwd = home.parent / "work"
        cwd.mkdir(parents=True, exist_ok=True)
        self._fd, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self._process = subprocess.Popen(
            [PROGRAM, *arguments],
            stdin=other,
            stdout=other,
            stderr=other,
            cwd=cwd,
            env=environment(home, **env),
            start_new_session=True,
        )
        os.close(other)
        self.output = bytearray()
        self._leaving = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        try:
            while not self._leaving.is_set():
                if select.select([self._fd], [], [], 0.02)[0]:
                    data = os.read(self._fd, 1 << 16)
                    if not data:
                        break
                    self.output += data
        except OSError:
            pass  # the program ended

    def shows(self, text: str) -> bool:
        """Whether the text was drawn lately, in one go."""
        return text.encode() in _SEQUENCE.sub(b"", bytes(self.output[-_LATELY:]))

    def type(self, text: str) -> None:
        os.write(self._fd, text.encode())

    def kill(self) -> None:
        """`kill -9`, as nobody could survive it; without effect when it has ended."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(20)
        self._close()

    def hang_up(self, *, signalled: bool) -> int:
        """Close the terminal, with the signal that the system sends to who leads the session, or without; the exit
        code once the program has ended by itself. TimeoutExpired when it stays."""
        self._close()
        if signalled:
            self._process.send_signal(signal.SIGHUP)
        try:
            return self._process.wait(20)
        finally:
            self._process.kill()

    def _close(self) -> None:
        self._leaving.set()
        self._reader.join(20)
        os.close(self._fd)
