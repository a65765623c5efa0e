"""Which facts answer a question: the named one, all of a kind, or those that share most words with it."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from sessions.memory.fact import Fact

LIMIT = 8
_WORD = re.compile(r"\w+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")
_STOP = frozenset(
    "a an and are as at be by can did do does for from had has have he her his how i in is it its me my of on or our "
    "she so that the their them they this to was we were what when where which who why will with you your about "
    "know".split()
)
_WEIGHTS = {"name": 3.0, "summary": 2.0, "kind": 1.0, "body": 1.0}


def recall(
    facts: Iterable[Fact],
    *,
    query: str | None = None,
    fact: str | int | None = None,
    kind: str | None = None,
    limit: int | None = None,
) -> list[Fact]:
    """Active facts, best first: the one of that name or number, those of the kind, those that match the query.

    A kind and a query together give the matches of that kind, a kind alone gives all of it, nothing the newest.
    At most `limit`, else 8 of a search.
    """
    pool = [f for f in facts if f.active]
    if fact not in {None, ""}:
        return _named(pool, str(fact))
    if kind:
        pool = [f for f in pool if f.kind == kind]
    if query and query.strip():
        return matches(pool, query)[: limit or LIMIT]
    newest = sorted(pool, key=lambda f: -f.number)
    return newest[: limit or (None if kind else LIMIT)]


def _named(facts: Sequence[Fact], ref: str) -> list[Fact]:
    text = ref.strip().removeprefix("#")
    numbered = [f for f in facts if text.isascii() and text.isdigit() and str(f.number) == text.lstrip("0")]
    return (numbered or [f for f in facts if f.name == text])[:1]


def matches(facts: Sequence[Fact], query: str) -> list[Fact]:
    """The facts that share a word with the query: rare words and those of the name count most."""
    wanted = words(query)
    wanted = [w for w in wanted if w not in _STOP] or wanted
    if not wanted:
        return []
    bags = [_bag(f) for f in facts]
    seen = Counter(w for bag in bags for w in bag)
    scored = []
    for fact, bag in zip(facts, bags, strict=True):
        score = sum(bag[w] * math.log(1 + len(facts) / seen[w]) for w in dict.fromkeys(wanted) if w in bag)
        if score:
            scored.append((score, fact.confirmed_at, fact.number, fact))
    return [row[-1] for row in sorted(scored, key=lambda row: (-row[0], -row[1].timestamp(), -row[2]))]


def _bag(fact: Fact) -> dict[str, float]:
    bag: dict[str, float] = {}
    for part, weight in _WEIGHTS.items():
        for word in words(getattr(fact, part)):
            bag[word] = max(bag.get(word, 0.0), weight)
    return bag


def words(text: str) -> list[str]:
    """The words of a text, folded: no case, no diacritics, light plurals; runs of CJK as pairs of characters."""
    out: list[str] = []
    for word in _WORD.findall(_fold(text).replace("_", " ")):
        at = 0
        for run in _CJK.finditer(word):
            out += _stemmed(word[at : run.start()])
            out += [run[0][i : i + 2] for i in range(max(1, len(run[0]) - 1))]
            at = run.end()
        out += _stemmed(word[at:])
    return out


def _fold(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", "".join(c for c in plain if not "\u0300" <= c <= "\u036f"))


def _stemmed(word: str) -> list[str]:
    if not word:
        return []
    if len(word) > 3 and word.endswith("ies"):
        return [word[:-3] + "y"]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return [word[:-1]]
    return [word]
