"""What a search found, as rows: how it was understood, hits, sessions by their title, facts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from tui.history.hit_rows import FactHitRow, HitRow
from tui.widgets.rows import GroupHead, Row, TextRow
from tui.widgets.when import counted

if TYPE_CHECKING:
    from sessions.hub.search import Answer

FACT = "fact:"
"""What the key of a fact's row begins with."""
NOTHING = "Nothing found"


def answer_rows(
    answer: Answer, hits: Sequence[HitRow], named: Sequence[Row], now: datetime, pending: str = ""
) -> list[Row]:
    """Best hits first; when they are near misses only, after what the words are in: `named` sessions, facts.

    `pending` is told instead of that there is nothing.
    """
    found = answer.found
    parts: list[list[Row]] = []
    if answer.facts:
        facts: list[Row] = [FactHitRow(f"{FACT}{f.number}", f, now, found.needles) for f in answer.facts]
        parts.append([GroupHead("group:facts", "Facts", f"{len(facts):,}"), *facts])
    if named:
        parts.append([*named])
    if hits:
        count = f"{counted(sum(len(row.hits) for row in hits), 'hit')} in {counted(len(hits), 'session')}"
        best = "By date" if answer.scope.by_date else "Best matches"
        head = GroupHead("group:hits", "Near it" if found.near else best, count)
        alone: list[Row] = (
            [TextRow("near", "Nothing is quite so")] if found.near and not (parts or found.timeless) else []
        )
        parts.insert(len(parts) if found.near else 0, [*alone, head, *hits])
    out = notes(answer)
    if out and not parts:
        out.append(TextRow("nothing", pending or NOTHING))
    return [*out, *(row for part in parts for row in part)]


def notes(answer: Answer) -> list[Row]:
    """How the words were understood, and what was not."""
    from sessions.store.understood import understood

    rows: list[Row] = [TextRow(f"problem:{text}", text, "overdue", "warn") for text in answer.query.problems]
    parts = understood(answer.query)
    if not parts:
        return rows
    if answer.found.timeless:
        return [*rows, TextRow("understood", f"Nothing from {parts[0]}")]
    return [*rows, TextRow("understood", f"Only {' · '.join(parts)}")]
