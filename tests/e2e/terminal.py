"""The installed program in a real terminal: tmux types and reads the screen as a person would."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.program import PROGRAM, environment
from tests.waiting import wait_until


def tmux_or_skip() -> str:
    """The path of tmux; without it the test is skipped, unless the environment says that it must be there."""
    found = shutil.which("tmux")
    if found:
        return found
    if os.environ.get("MEMAGENT_REQUIRE_TMUX"):
        pytest.fail("tmux is not installed")
    pytest.skip("needs tmux")


class Terminal:
    """One program in one tmux window. `keys` counts the keys pressed besides typed text."""

    def __init__(self, *arguments: str, home: Path, size: str = "120x40", cwd: Path | None = None, **env: str) -> None:
        self.tmux = [tmux_or_skip(), "-L", f"memagent-{uuid.uuid4().hex[:8]}", "-f", "/dev/null"]
        self.cols, self.rows = map(int, size.split("x"))
        self.home, self.keys = home, 0
        self.cwd = cwd or home.parent / "work"
        self.cwd.mkdir(parents=True, exist_ok=True)
        self.env = environment(home, **env)
        command = " ".join(map(shlex.quote, [PROGRAM, *arguments]))
        # The window stays after the program ends, so that its last words can be read.
        shell = f'{command}; echo; echo "exit code $?"; exec sleep 600'
        self._call(
            *("new-session", "-d", "-x", str(self.cols), "-y", str(self.rows), "-c", str(self.cwd)),
            *("env", "-i", *(f"{k}={v}" for k, v in self.env.items() if k != "TERM"), "TERM=screen-256color"),
            *("sh", "-c", shell),
        )

    def _call(self, *arguments: str) -> str:
        run = subprocess.run([*self.tmux, *arguments], capture_output=True, text=True, timeout=20, check=False)
        if run.returncode:
            raise AssertionError(f"tmux {arguments[0]}: {run.stderr}")
        return run.stdout

    def screen(self) -> str:
        return self._call("capture-pane", "-p")

    def coloured(self) -> str:
        """The screen with its escape sequences."""
        return self._call("capture-pane", "-p", "-e")

    def type(self, text: str) -> None:
        self._call("send-keys", "-l", text)

    def press(self, *keys: str) -> None:
        """Press keys by tmux's names: Enter, Up, C-c, F4, Escape …"""
        for key in keys:
            self.keys += 1
            self._call("send-keys", key)

    def paste(self, text: str) -> None:
        """Paste as a terminal does, bracketed."""
        self._call("set-buffer", "-b", "pasted", text)
        self._call("paste-buffer", "-p", "-b", "pasted")

    def resize(self, cols: int, rows: int) -> None:
        self._call("resize-window", "-x", str(cols), "-y", str(rows))

    def shows(self, pattern: str) -> bool:
        return re.search(pattern, self.screen()) is not None

    def wait(self, pattern: str, timeout_s: float = 20.0) -> None:
        """Wait until the pattern is on the screen."""
        try:
            wait_until(lambda: self.shows(pattern), f"/{pattern}/ on the screen", timeout_s)
        except AssertionError as e:
            raise AssertionError(f"{e}\n{self.screen()}") from None

    def say(self, text: str, answer: str, timeout_s: float = 20.0) -> None:
        """Type a message, send it, and wait for the answer."""
        self.type(text)
        self.wait(re.escape(text[-20:]))
        self.press("Enter")
        self.wait(answer, timeout_s)

    def quit(self) -> None:
        """Leave by the keys that quit, and wait for the end."""
        self._call("send-keys", "C-q")
        self.wait(r"exit code \d+")

    def close(self) -> None:
        with contextlib.suppress(Exception):
            self._call("kill-server")


@contextlib.contextmanager
def terminal(
    *arguments: str, home: Path, size: str = "120x40", cwd: Path | None = None, **env: str
) -> Iterator[Terminal]:
    """A terminal with the program in it, ended with the block."""
    window = Terminal(*arguments, home=home, size=size, cwd=cwd, **env)
    try:
        yield window
    finally:
        window.close()
