"""Locks between programs, as files that are locked and never removed.

The lock belongs to the open file, so the system frees it when its holder dies. Removing a lock file would let two
programs hold "the same" lock on two files, therefore nobody does.
"""

from __future__ import annotations

import errno
import fcntl
import os
import threading
import time
from pathlib import Path
from types import TracebackType

from sessions.errors import LockedError, StoreError

_STEP_S, _LEAST_S = 0.005, 0.0003
_PROBE_S = 0.05
"""Waited at least, so that a passing probe is not taken for a holder."""
_FORBIDDEN = {errno.EROFS, errno.EACCES, errno.EPERM}
_HELD: set[str] = set()
_HELD_GUARD = threading.Lock()


class FileLock:
    """An exclusive lock on a path. Not reentrant: a second one on the same path waits, in the same program too."""

    def __init__(self, path: Path, *, wait_s: float = 5.0) -> None:
        self.path = path
        self.wait_s = wait_s
        """How long `with` waits."""
        self._fd: int | None = None

    @property
    def held(self) -> bool:
        return self._fd is not None

    def acquire(self, wait_s: float | None = None) -> None:
        """Take the lock, or raise LockedError after `wait_s` seconds (never on an event loop with more than 0)."""
        if self._fd is not None:
            raise RuntimeError(f"{self.path} is already held by this lock")
        wait_s = self.wait_s if wait_s is None else wait_s
        end = time.monotonic() + max(wait_s, _PROBE_S)
        fd = _open(self.path)
        try:
            while True:
                try:
                    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() >= end:
                        raise LockedError(
                            "Another program is using this", "Close it there, or try again", path=self.path
                        ) from None
                    # Who has waited long looks more often than who came just now, and so is not passed over for ever.
                    waited = time.monotonic() - end + max(wait_s, _PROBE_S)
                    time.sleep(max(_LEAST_S, _STEP_S / (1 + 4 * waited)))
        except BaseException:
            os.close(fd)
            raise
        self._fd = fd
        with _HELD_GUARD:
            _HELD.add(str(self.path))

    def release(self) -> None:
        """Give the lock back; without effect when it is not held."""
        fd, self._fd = self._fd, None
        if fd is None:
            return
        with _HELD_GUARD:
            _HELD.discard(str(self.path))
        os.close(fd)

    def __enter__(self) -> FileLock:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def locked_elsewhere(path: Path) -> bool:
    """Whether another program holds the lock now. Probes with a shared lock, so that probes never meet each other."""
    with _HELD_GUARD:
        if str(path) in _HELD:
            return False
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(fd)
    return False


def _open(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT
    try:
        try:
            return os.open(path, flags, 0o600)
        except FileNotFoundError:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            return os.open(path, flags, 0o600)
    except OSError as e:
        if e.errno in _FORBIDDEN:
            why, advice = f"The home cannot be written to: {e.strerror}", "It can be read; make it writable to go on"
            raise StoreError(why, advice, path=path.parent) from e
        raise StoreError(f"The lock cannot be made: {e.strerror or e}", path=path) from e
