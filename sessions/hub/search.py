"""What a person types to find something, answered on a thread of its own from all sessions and facts."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sessions.store.index import Found, Where
from sessions.store.query import Query, parse

if TYPE_CHECKING:
    from sessions.home import Home
    from sessions.hub.threads import Threads
    from sessions.memory.fact import Fact

_FACTS = 5


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found for a text."""

    text: str
    query: Query = field(default_factory=Query)
    found: Found = field(default_factory=Found)
    facts: tuple[Fact, ...] = ()
    ms: float = 0.0
    ranker: str = ""
    """How it was ranked, in words."""


class Search:
    """The search of one home. A newer question drops the ones that still wait."""

    def __init__(self, home: Home, threads: Threads) -> None:
        self._home = home
        self._threads = threads
        self._newest = 0

    async def ask(self, text: str, *, meaning: Where = "nowhere") -> Answer | None:
        """The answer; None when something newer was asked meanwhile. `meaning` as of `Index.find`."""
        self._newest += 1
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads.search, self._answer, text, self._newest, meaning)

    def _answer(self, text: str, number: int, meaning: Where) -> Answer | None:
        if number != self._newest:
            return None
        start = time.perf_counter()
        query = parse(text, self._home.clock.now().astimezone())
        index = self._home.index
        found = index.find(query, meaning=meaning) if not query.empty else Found()
        facts = self._facts(query) if query.words and not query.narrow else ()
        ms = (time.perf_counter() - start) * 1e3
        return Answer(text, query, found, facts, ms, index.ranker) if number == self._newest else None

    def _facts(self, query: Query) -> tuple[Fact, ...]:
        from sessions.memory.recall import matches
        from sessions.store.words import fold, runs

        words = set(runs(query.words))
        found = matches(self._home.facts.snapshot().facts, query.words)[: 4 * _FACTS]
        if not query.words.rstrip().endswith(("?", "？")):
            # Mere words are all wanted.
            found = [f for f in found if all(w in fold(f"{f.name} {f.summary} {f.body}") for w in words)]
        return tuple(found[:_FACTS])
