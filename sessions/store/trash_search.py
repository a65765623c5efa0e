"""Finding what was said in sessions that are in the trash: they have no index, so their logs are read."""

from __future__ import annotations

from collections.abc import Callable

from sessions.clock import iso
from sessions.paths import HomePaths
from sessions.store.find import Finder, Spot, hit_of
from sessions.store.hits import Hit
from sessions.store.index import Found, SessionHits
from sessions.store.meta import Meta
from sessions.store.query import OURS, Query
from sessions.store.spans import fold
from sessions.store.trash import log_in, trashed

_MOST = 60
"""Hits of one session."""


def find_in_trash(
    paths: HomePaths, query: Query, *, by_date: bool = False, wanted: Callable[[], bool] = lambda: True
) -> Found:
    """The sessions of the trash in which all words stand in one message, the one with most of them first.

    Raises GaveUpError as soon as an answer is no longer `wanted`.
    """
    text = query.words.replace('"', " ")
    words = tuple(dict.fromkeys(fold(text).split()))
    found: list[SessionHits] = []
    for meta in trashed(paths):
        if not _of_place(meta, query):
            continue
        finder = Finder(text, texts=True, wanted=wanted)
        if words:
            finder.read(log_in(paths, meta.id))
        hits = [hit for hit in finder.finds().hits(meta) if _meets(hit.at, hit.tool, query)]
        if not hits and not query.tool and _meets(meta.updated_at, "", query):
            hits = _about(meta, words)
        if hits:
            found.append(SessionHits(meta.id, tuple(sorted(hits, key=lambda h: h.at, reverse=by_date)[:_MOST])))
    found.sort(key=lambda s: s.hits[0].at if by_date else f"{len(s.hits):06}", reverse=True)
    return Found(tuple(found), needles=words)


def _of_place(meta: Meta, query: Query) -> bool:
    kind = str((meta.source or {}).get("kind", "")) or OURS
    return fold(query.folder) in fold(meta.cwd) and fold(kind).startswith(fold(query.source))


def _meets(at: str, tool: str, query: Query) -> bool:
    after, before = (iso(limit) if limit else "" for limit in (query.after, query.before))
    return (not after or at >= after) and (not before or at < before) and tool.startswith(query.tool)


def _about(meta: Meta, words: tuple[str, ...]) -> list[Hit]:
    """The title or the recap, when they hold the words; without words they stand for what was said."""
    recap = str(meta.recap.get("text", "")) if meta.recap else ""
    texts = {"title": meta.title, "recap": recap}
    for role, text in texts.items():
        if all(word in fold(text) for word in words):
            return [hit_of(meta, Spot("", 0, role, meta.updated_at, 1, text=text))]
    return []
