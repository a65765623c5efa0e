"""How a query was understood, in few words."""

from __future__ import annotations

from datetime import datetime, timedelta

from sessions.store.query import Query


def understood(query: Query) -> list[str]:
    """What besides the words decides: `2026-03`, `since 2026-03-14`, `tool get_weather`, `folder atlas`."""
    when = span(query.after, query.before)
    words = [when] if when else []
    words += [f"{name} {value}" for name, value in (("tool", query.tool), ("folder", query.folder)) if value]
    return [*words, f"from {query.source}"] if query.source else words


def span(after: datetime | None, before: datetime | None) -> str:
    """A stretch of time: a year, month or day by its name, else its first and last day; empty for all of it."""
    if after is None and before is None:
        return ""
    if before is None:
        return f"since {_day(after)}"
    last = before - timedelta(microseconds=1)
    if after is None:
        return f"until {_day(last)}"
    first, end = _day(after), _day(last)
    if len(first) > 10 or len(end) > 10:
        return f"{first} to {end}"
    if (after.month, after.day) == (1, 1) and (last.month, last.day) == (12, 31):
        return f"{after.year}" if after.year == last.year else f"{after.year} to {last.year}"
    month = after.day == 1 and before.day == 1
    if month:
        return first[:7] if first[:7] == end[:7] else f"{first[:7]} to {end[:7]}"
    return first if first == end else f"{first} to {end}"


def _day(at: datetime | None) -> str:
    if at is None:
        return ""
    edge = (at + timedelta(microseconds=1)).time() if at.microsecond == 999_999 else at.time()
    return f"{at:%Y-%m-%d}" if edge.isoformat() == "00:00:00" else f"{at:%Y-%m-%d %H:%M}"
