"""The vector of a question: asked of the embedder once, and after a failure not again for a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from sessions.errors import MemagentError
from sessions.store.meanings import Embedder

_LIMIT_S = 3.0
"""A search does not wait longer for the meaning of its question."""
_REST_S = 30.0
_KEPT = 64

Source = Callable[[], Embedder | None]


class Questions:
    """Thread-safe. `source` gives the embedder, None when there is none."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._vectors: dict[tuple[str, str], Sequence[float]] = {}
        self._rests_until = 0.0
        self._problem = ""
        self._told: set[str] = set()
        self._guard = threading.Lock()

    def embedder(self) -> Embedder | None:
        """None also for a while after a failure."""
        if time.monotonic() < self._rests_until:
            return None
        try:
            return self._source()
        except MemagentError as e:
            self.failed(e)
            return None

    def vector(self, embedder: Embedder, text: str) -> Sequence[float] | None:
        """None when it cannot be had now; the search then goes by words."""
        key = (embedder.name, text)
        with self._guard:
            known = self._vectors.get(key)
        if known is None:
            try:
                (known,) = embedder.embed([text], limit_s=_LIMIT_S)
            except MemagentError as e:
                self.failed(e)
                return None
            with self._guard:
                self._vectors[key] = known
                while len(self._vectors) > _KEPT:
                    del self._vectors[next(iter(self._vectors))]
        return known

    def failed(self, error: MemagentError) -> None:
        """Let the embedder be for a while, and keep what is to be told."""
        with self._guard:
            self._rests_until = time.monotonic() + _REST_S
            text = f"Search goes by words only: {error}"
            if text not in self._told:
                self._told.add(text)
                self._problem = text

    def take_problem(self) -> str:
        """What went wrong since it was last asked, each problem once; empty when nothing did."""
        with self._guard:
            problem, self._problem = self._problem, ""
            return problem
