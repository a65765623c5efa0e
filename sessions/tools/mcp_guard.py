"""How much a server may say: beyond it the server is stopped, so that it costs nobody but itself."""

from __future__ import annotations

import time
from collections.abc import Callable

LINE = 8 << 20
"""Bytes of one message."""
PARTS = 50_000
"""Values of one message."""
_SPAN_S = 5.0
_MESSAGES = 5_000
_LINES = 25_000
_BYTES = 128 << 20
_ALL_PARTS = 400_000
"""In one span."""
_ASKED = 500
"""Questions of the server that wait until it takes their answers."""
_NOISE = 200
"""Lines that are no messages, in the server's whole life."""


class TooMuchError(Exception):
    """The server says too much; the text says what, after its name."""


class LinkError(Exception):
    """The connection to a server came to nothing; the text says why."""


class Guard:
    """Counts what comes. Every method raises TooMuchError when it is too much."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._since = now()
        self._messages = self._lines = self._bytes = self._parts = self._noise = self._asked = 0

    def came(self, size: int) -> None:
        """So many bytes."""
        self._span()
        self._bytes += size
        if self._bytes > _BYTES:
            raise TooMuchError(f"it sent more than {_BYTES >> 20} MB within {_SPAN_S:g} s")

    def message(self) -> None:
        self._span()
        self._messages += 1
        if self._messages > _MESSAGES:
            raise TooMuchError(f"it sent more than {_MESSAGES:,} messages within {_SPAN_S:g} s")

    def lines(self, count: int) -> None:
        """So many lines, whatever stands in them."""
        self._span()
        self._lines += count
        if self._lines > _LINES:
            raise TooMuchError(f"it sent more than {_LINES:,} lines within {_SPAN_S:g} s")

    def parts(self, count: int, before: int = 0) -> None:
        """So many values of a message that held some `before`."""
        self._span()
        self._parts += count
        if before + count > PARTS:
            raise TooMuchError(f"it sent a message of more than {PARTS:,} values")
        if self._parts > _ALL_PARTS:
            raise TooMuchError(f"it sent more than {_ALL_PARTS:,} values within {_SPAN_S:g} s")

    def asked(self) -> None:
        """It wants an answer."""
        self._asked += 1
        if self._asked > _ASKED:
            raise TooMuchError(f"it asked more than {_ASKED} things without taking an answer")

    def answered(self) -> None:
        self._asked = max(0, self._asked - 1)

    def line(self, size: int) -> None:
        """A message, or the part of it that is there, of so many bytes."""
        if size > LINE:
            raise TooMuchError(f"it sent a message of more than {LINE >> 20} MB")

    def noise(self) -> None:
        """A line that is no message."""
        self._noise += 1
        if self._noise > _NOISE:
            raise TooMuchError(f"it wrote more than {_NOISE} lines to its stdout that are no messages")

    def _span(self) -> None:
        if self._now() - self._since > _SPAN_S:
            self._since = self._now()
            self._messages = self._lines = self._bytes = self._parts = 0
