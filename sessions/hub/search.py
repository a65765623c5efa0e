"""What a person types to find something, answered on a thread of its own from all sessions and facts."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sessions.store.index import BY_WORDS, Found, Where
from sessions.store.query import Query, parse

if TYPE_CHECKING:
    from sessions.home import Home
    from sessions.hub.threads import Threads
    from sessions.memory.fact import Fact

_FACTS = 5


@dataclass(frozen=True, slots=True)
class Scope:
    """Where to look, and in which order to tell."""

    only: frozenset[str] | None = None
    """Ids of the sessions; None = all that are not in the trash."""
    trash: bool = False
    """What is in the trash instead."""
    by_date: bool = False
    """What was said last first; else what answers best."""

    @property
    def everywhere(self) -> bool:
        return self.only is None and not self.trash


ALL = Scope()


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
    scope: Scope = ALL


class Search:
    """The search of one home. A newer question drops the ones that still wait."""

    def __init__(self, home: Home, threads: Threads) -> None:
        self._home = home
        self._threads = threads
        self._newest = 0

    async def ask(self, text: str, *, meaning: Where = "nowhere", scope: Scope = ALL) -> Answer | None:
        """The answer; None when something newer was asked meanwhile. `meaning` as of `Index.find`."""
        self._newest += 1
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads.search, self._answer, text, self._newest, meaning, scope)

    def _answer(self, text: str, number: int, meaning: Where, scope: Scope) -> Answer | None:
        if number != self._newest:
            return None
        start = time.perf_counter()
        query = parse(text, self._home.clock.now().astimezone())
        index = self._home.index
        found, ranker = Found(), index.ranker
        if scope.trash and not query.empty:
            from sessions.store.find import GaveUpError
            from sessions.store.trash_search import find_in_trash

            ranker = BY_WORDS
            try:
                found = find_in_trash(
                    self._home.paths, query, by_date=scope.by_date, wanted=lambda: number == self._newest
                )
            except GaveUpError:
                return None
        elif not query.empty:
            found = index.find(query, meaning=meaning, only=scope.only, by_date=scope.by_date)
            ranker = index.ranker
        facts = self._facts(query, meaning) if query.words and not query.narrow and scope.everywhere else ()
        ms = (time.perf_counter() - start) * 1e3
        return Answer(text, query, found, facts, ms, ranker, scope) if number == self._newest else None

    def _facts(self, query: Query, meaning: Where) -> tuple[Fact, ...]:
        from sessions.memory.recall import matches
        from sessions.store.words import fold, runs

        words = set(runs(query.words))
        asks = query.words.rstrip().endswith(("?", "？"))
        meanings = self._home.meanings if asks and meaning == "anywhere" else None
        found = matches(self._home.facts.snapshot().facts, query.words, meanings)[: 4 * _FACTS]
        if not asks:
            # Mere words are all wanted.
            found = [f for f in found if all(w in fold(f"{f.name} {f.summary} {f.body}") for w in words)]
        return tuple(found[:_FACTS])
