"""Servers that a program of ours left behind when it was killed: known by what it wrote down of each, and ended.

A number of a process is given to others in time, so both the server and whoever started it are known by when they
began, too. Where a system does not tell that, nothing is written down and nothing ended.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

LEFT = "running"
"""The folder's name, beside the servers' logs."""
_FIELD = 19
"""Of what stands behind the name in `/proc/PID/stat`, counted from 0: when it began, in ticks since the boot."""


def note(folder: Path, process: int) -> Path | None:
    """Write down that this process is ours; the place, which is to be removed when it has ended."""
    lines = [_begun(process), str(os.getpid()), _begun(os.getpid())]
    if not all(lines):
        return None
    path = folder / str(process)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text("\n".join(lines))
    except OSError:
        return None
    return path


def end_left(folder: Path) -> int:
    """End every process of the folder whose program has gone; how many."""
    count = 0
    for path in folder.iterdir() if folder.is_dir() else ():
        try:
            process, lines = int(path.name), path.read_text().splitlines()
            begun, owner, owner_begun = lines
            if _begun(int(owner)) == owner_begun:
                continue
            if begun and _begun(process) == begun:
                os.killpg(process, signal.SIGKILL)
                count += 1
        except (OSError, ValueError):
            pass
        with suppress(OSError):
            path.unlink()
    return count


def _begun(process: int) -> str:
    """When a process began, as a text that no other process of its number has; empty when that cannot be told."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return f"{Path('/proc/sys/kernel/random/boot_id').read_text().strip()} {fields[_FIELD]}"
    except (OSError, IndexError):
        return ""
