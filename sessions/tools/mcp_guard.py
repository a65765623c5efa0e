"""How much a server may say: beyond it the server is stopped, so that it costs nobody but itself."""

from __future__ import annotations

import time
from collections.abc import Callable

LINE = 16 << 20
"""Bytes of one message."""
_SPAN_S = 5.0
_MESSAGES = 5_000
_BYTES = 128 << 20
"""In one span."""
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
        self._messages = self._bytes = self._noise = 0

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
            self._messages = self._bytes = 0
