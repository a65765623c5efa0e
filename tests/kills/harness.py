"""Kills a program at its n-th change of the file system.

The script runs in its own process where `os.write`, `os.fsync`, `os.replace`, `os.rename`, `os.unlink`, `os.mkdir`,
`os.rmdir` and every `os.open` that may write count as operations, pathlib's included. The process ends at the n-th,
with no clean-up of any kind, as `kill -9` would do it. A write counts twice: once before it, once with half of its
bytes written. What C code does by itself (SQLite, the builtin `open`) is not counted.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

THOROUGH = bool(os.environ.get("MEMAGENT_THOROUGH"))
"""The long versions of these tests run, too."""
SOME = 1 if THOROUGH else 3
DEAD = 86
_ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def _forks(script: Path | str) -> Iterator[Callable[[int, tuple[str, ...]], bool]]:
    """A process that has imported what the script imports; each call forks one that runs it and dies at the n-th
    operation, counted from 1: True when it came to its end first."""
    code = script if isinstance(script, str) else script.read_text(encoding="utf-8")
    server = subprocess.Popen(
        [sys.executable, str(Path(__file__)), code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(_ROOT)},
    )
    assert server.stdin is not None and server.stdout is not None

    def run(n: int, args: tuple[str, ...]) -> bool:
        print(json.dumps([n, *args]), file=server.stdin, flush=True)
        status, output = json.loads(server.stdout.readline())
        assert status in {0, DEAD}, output
        return status == 0

    try:
        yield run
    finally:
        server.stdin.close()
        server.wait(60)
        server.stdout.close()


def run_until_dead(script: Path | str, n: int, *args: str) -> bool:
    """Run a script (a path, or code) that dies at its n-th operation; True when it came to its end first. An
    AssertionError with its output when it fails in another way."""
    with _forks(script) as run:
        return run(n, args)


def deaths(
    script: Path | str, args: Callable[[int], tuple[str, ...]], most: int = 500, *, every: int = 1
) -> Iterator[int]:
    """Run it once for every operation it makes; yields n after each death, and once more when it came to its end.

    With `every`, for each so manieth operation.
    """
    with _forks(script) as run:
        for n in range(1, most + 1, every):
            finished = run(n, args(n))
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


def _serve(code: str) -> None:
    """Import what the code imports at its top, then fork for every call on stdin; answers with status and output."""
    sys.path[0] = str(_ROOT)
    tree = ast.parse(code)
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    exec(compile(ast.Module(imports, []), "<imports>", "exec"), {})
    for line in sys.stdin:
        n, *args = json.loads(line)
        with tempfile.TemporaryFile("w+") as output:
            child = os.fork()
            if child == 0:
                _run(code, n, args, output.fileno())
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            output.seek(0)
            print(json.dumps([status, output.read()]), flush=True)


def _run(code: str, n: int, args: list[str], output: int) -> None:
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(0)
    os.open(os.devnull, os.O_RDONLY)
    sys.argv = ["-c", *args]
    status = 1
    try:
        _die_at(n)
        exec(compile(code, "<script>", "exec"), {"__name__": "__main__"})
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    _serve(sys.argv[1])
