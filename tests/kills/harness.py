"""Kills a program at its n-th change of the file system.

The script runs in its own process where `os.write`, `os.fsync`, `os.replace`, `os.rename`, `os.unlink`, `os.mkdir`,
`os.rmdir` and every `os.open` that may write count as operations, pathlib's included. The process ends at the n-th,
with no clean-up of any kind, as `kill -9` would do it. A write counts twice: once before it, once with half of its
bytes written. What C code does by itself (SQLite, the builtin `open`) is not counted.
"""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

DEAD = 86
_ROOT = Path(__file__).resolve().parents[2]


def run_until_dead(script: Path | str, n: int, *args: str, env: dict[str, str] | None = None) -> bool:
    """Run a script (a path, or code) that dies at its n-th operation, counted from 1.

    True when it came to its end first. An AssertionError with its output when it fails in another way.
    """
    what = ["-c", script] if isinstance(script, str) else [str(script)]
    run = subprocess.run(
        [sys.executable, str(Path(__file__)), str(n), *what, *args],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | {"PYTHONPATH": str(_ROOT)} | (env or {}),
    )
    assert run.returncode in {0, DEAD}, run.stdout + run.stderr
    return run.returncode == 0


def deaths(script: Path | str, args: Callable[[int], tuple[str, ...]], most: int = 500) -> Iterator[int]:
    """Run it once for every operation it makes; yields n after each death, and once more when it came to its end."""
    for n in range(1, most + 1):
        finished = run_until_dead(script, n, *args(n))
        yield n
        if finished:
            return
    raise AssertionError(f"the script makes more than {most} operations")


def _die_at(n: int) -> None:
    left = n

    def counted(name: str, wanted: Callable[..., bool] = lambda *a, **k: True) -> None:
        real = getattr(os, name)

        def call(*args, **kwargs):
            nonlocal left
            if wanted(*args, **kwargs):
                left -= 1
                if left == 0:
                    os._exit(DEAD)
            return real(*args, **kwargs)

        setattr(os, name, call)

    def writes(path, flags, *args, **kwargs) -> bool:
        return bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))

    real_write = os.write

    def write(fd, data):
        nonlocal left
        if fd <= 2:
            return real_write(fd, data)
        left -= 1
        if left == 0:
            os._exit(DEAD)
        left -= 1
        if left == 0:
            real_write(fd, bytes(data)[: len(data) // 2])
            os._exit(DEAD)
        return real_write(fd, data)

    os.write = write
    counted("open", writes)
    for name in (
        "fsync",
        "fdatasync",
        "replace",
        "rename",
        "link",
        "unlink",
        "remove",
        "mkdir",
        "rmdir",
        "truncate",
        "ftruncate",
    ):
        if hasattr(os, name):
            counted(name)


def _main() -> None:
    n, what, *rest = sys.argv[1:]
    sys.path[0] = str(_ROOT)
    if what == "-c":
        code, *rest = rest
        sys.argv = ["-c", *rest]
        _die_at(int(n))
        exec(compile(code, "<script>", "exec"), {"__name__": "__main__"})
    else:
        sys.argv = [what, *rest]
        _die_at(int(n))
        runpy.run_path(what, run_name="__main__")


if __name__ == "__main__":
    _main()
