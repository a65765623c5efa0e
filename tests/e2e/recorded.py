"""The installed program on a terminal that keeps every byte it was sent."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.bench.tuibench import Timeout, Tui
from tests.program import PROGRAM, environment
from tests.servers.chat_server import ChatServer

READY = "Ask anything"

CSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
COPIED = re.compile(r"\x1b\]52;c;[A-Za-z0-9+/=]*\x07")
"""What our own copying sends."""
KNOWN = re.compile(
    r"\x1b\]22;[a-z-]*\x07|\x1b[78=>]|\x1bP\+q[0-9a-f;]*\x1b\\|\x1b\][14][0-9](?:;[0-9]+)?;\?(?:\x07|\x1b\\)"
)
UNSEEN = re.compile("[\x00-\x07\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


class Recorded(Tui):
    """A pty with a screen and a record of the bytes."""

    def type(self, text: str) -> None:
        self.send(text)
        self.wait(re.escape(text[-20:]))

    def say(self, text: str, answer: str) -> None:
        """Type a message, send it, and wait for what the screen then shows."""
        self.type(text)
        self.send("enter")
        self.wait(answer)

    def gone(self, pattern: str, timeout_s: float = 20.0) -> None:
        """Wait until the pattern is no longer on the screen."""
        self._until(lambda: not re.search(pattern, "\n".join(self.lines)), timeout_s, f"screen without /{pattern}/")

    def click(self, text: str) -> None:
        """Click on the second letter of a text."""
        x, y = self.find(text)
        self.mouse(0, x + 1, y)
        self.mouse(0, x + 1, y, up=True)

    def paste(self, text: str) -> None:
        """Paste as a terminal does, bracketed."""
        self.send(f"\x1b[200~{text}\x1b[201~")

    def mouse(self, code: int, x: int, y: int, *, up: bool = False) -> None:
        """A mouse event at a cell counted from 0: 0 the left button, 32 a drag with it, 64 and 65 the wheel."""
        self.send(f"\x1b[<{code};{x + 1};{y + 1}{'m' if up else 'M'}")

    def find(self, text: str) -> tuple[int, int]:
        """Column and row of a text on the screen."""
        for y, row in enumerate(self.lines):
            if text in row:
                return row.index(text), y
        raise AssertionError(f"{text!r} is not on the screen:\n{self.text()}")

    def end(self, timeout_s: float = 20.0) -> str:
        """Wait until the program has ended; all that it wrote."""
        end = time.monotonic() + timeout_s
        while not (self.eof and not self.queue):
            if time.monotonic() > end:
                raise Timeout(f"it still runs:\n{self.text()}")
            if not self.feed_one():
                self.wake.wait(0.02)
                self.wake.clear()
        return self.output

    @property
    def output(self) -> str:
        self.drain()
        assert self.raw is not None
        return bytes(self.raw).decode("utf-8", "strict" if self.eof else "replace")


@contextmanager
def recorded(
    *arguments: str,
    home: Path,
    size: tuple[int, int] = (120, 40),
    cwd: Path | None = None,
    ready: str = READY,
    **env: str,
) -> Iterator[Recorded]:
    """The program on such a terminal; with `ready` it is waited for."""
    cwd = cwd or home.parent
    with Recorded(
        [PROGRAM, *arguments], *size, ready=ready, env=environment(home, **env), cwd=str(cwd), record=True
    ) as t:
        t.env = environment(home, **env)
        t.start() if ready else t.spawn()
        yield t


def command(*arguments: str, home: Path, cwd: Path | None = None) -> str:
    """What a command that ends by itself sends to a terminal."""
    with recorded(*arguments, home=home, cwd=cwd, ready="") as t:
        return t.end()


def suspicious(output: str) -> list[str]:
    """Every place of an output that is no plain text and none of the sequences that the toolkit sends."""
    rest = KNOWN.sub("", COPIED.sub("", CSI.sub("", output)))
    return [rest[max(0, m.start() - 30) : m.end() + 30] for m in UNSEEN.finditer(rest)]


def home_at(folder: Path, server: ChatServer, *more: str) -> Path:
    """A home whose default profile is the scripted service."""
    home = folder / "home"
    home.mkdir(mode=0o700)
    profile = ["[agent]", 'profile = "scripted"', "[profiles.scripted]", f'base_url = "{server.url}"', 'model = "m"']
    (home / "config.toml").write_text("\n".join([*profile, *more]) + "\n", encoding="utf-8")
    return home
