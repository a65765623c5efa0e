"""Which facts answer a question: the named one, all of a kind, or the best by the ranker of all that was said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sessions.memory.corpus import FactCorpus
from sessions.memory.fact import Fact
from sessions.memory.meaning import FactMeanings

LIMIT = 8
_QUERY = 2_000
"""Characters of a question that are looked for."""
_CORPUS = FactCorpus()
"""The facts of the last search: taking in only what changed since is what makes the next one quick."""


def recall(
    facts: Iterable[Fact],
    *,
    query: str | None = None,
    fact: str | int | None = None,
    kind: str | None = None,
    limit: int | None = None,
    meanings: FactMeanings | None = None,
) -> list[Fact]:
    """Active facts, best first: the one of that name or number, those of the kind, those that match the query, with
    `meanings` also in meaning, for which a server may be asked.

    A kind and a query together give the matches of that kind, a kind alone gives all of it, nothing the newest.
    At most `limit`, else 8 of a search.
    """
    pool = _active(list(facts))
    if fact not in {None, ""}:
        return _named(pool, str(fact))
    if kind:
        pool = [f for f in pool if f.kind == kind]
    if query and query.strip():
        return matches(pool, query[:_QUERY], meanings)[: limit or LIMIT]
    newest = sorted(pool, key=lambda f: -f.number)
    return newest[: limit or (None if kind else LIMIT)]


class _Last:
    """The facts of the last call and the active ones among them: of 10,000 that takes longer than the search."""

    def __init__(self) -> None:
        self.known: tuple[list[Fact], list[Fact]] = ([], [])


_LAST = _Last()


def _active(facts: list[Fact]) -> list[Fact]:
    given, active = _LAST.known
    if given != facts:  # which compares the objects themselves first
        active = [f for f in facts if f.active]
        _LAST.known = (facts, active)
    return list(active)


def _named(facts: Sequence[Fact], ref: str) -> list[Fact]:
    text = ref.strip().removeprefix("#")
    numbered = [f for f in facts if text.isascii() and text.isdigit() and str(f.number) == text.lstrip("0")]
    return (numbered or [f for f in facts if f.name == text])[:1]


def matches(facts: Sequence[Fact], query: str, meanings: FactMeanings | None = None) -> list[Fact]:
    """The facts that share a word with the query or mean the same, best first; of equal ones the newest."""
    found = _CORPUS.search(facts, query, meanings.near(query) if meanings is not None else None)
    found.sort(key=lambda row: (-row[0], -row[1].confirmed_at.timestamp(), -row[1].number))
    return [fact for _, fact in found]
