"""What a person or a model writes to find something: words, "phrases", days, and filters.

`roadmap "end of March" last week after:2026-03-01 before:yesterday tool:get_weather folder:atlas from:claude-code`
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime, time

from sessions.clock import parse_iso
from sessions.dates import past_range, said_range

WORDS = "after before tool folder from"
OURS = "here"
"""What `from:` calls the sessions that were held in this program."""
_PART = re.compile(
    rf'(?<!\S)(?P<name>{WORDS.replace(" ", "|")}):(?P<value>"[^"]*"?|\S*)|(?P<phrase>"[^"]*"?)', re.IGNORECASE
)
_DIGITS = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?\Z")


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for, and where."""

    words: str = ""
    """The words and "phrases", without what stands for a time or a filter."""
    after: datetime | None = None
    """Said at or after."""
    before: datetime | None = None
    """Said before."""
    tool: str = ""
    """The beginning of a tool's name: calls and results of those tools only."""
    folder: str = ""
    """A part of the session's folder."""
    source: str = ""
    """The beginning of the kind of program that the session comes from; `here` for this one's own."""
    literal: str = ""
    """The words as they were written, when some of them were taken for a time; else empty."""
    problems: tuple[str, ...] = ()
    """What was written and cannot be understood, as sentences; it is left out."""
    by_date: bool = False
    """What was said last is told first, and not what answers best."""

    @property
    def narrow(self) -> bool:
        """Whether anything but the words decides."""
        return bool(self.after or self.before or self.tool or self.folder or self.source)

    @property
    def empty(self) -> bool:
        return not self.words and not self.narrow


def parse(text: str, now: datetime, *, times: bool = True) -> Query:
    """Read what was written; `now` says which days are meant, and in which zone. It never raises.

    Without `times` words such as "last week" are words.
    """
    found: dict[str, str] = {}
    limits: dict[str, datetime] = {}
    problems: list[str] = []
    phrases: list[str] = []

    def take(m: re.Match[str]) -> str:
        if m["phrase"]:
            # Nothing in a phrase is a time; it comes back in its place.
            phrases.append(m["phrase"])
            return f"\0{len(phrases) - 1}\0"
        name, value = m["name"].lower(), m["value"].strip('"').strip()
        if not value:
            return ""  # still being written
        if name in {"after", "before"}:
            at = start_of(value, now)
            if at is None:
                problems.append(f"{name}: {value} is no day")
            else:
                limits[name] = at
        else:
            found[name] = value
        return ""

    rest = " ".join(_PART.sub(take, text.replace("\0", " ")).split())
    start, stop, words = said_range(rest, now.date()) if times and not limits else (None, None, rest)
    timed = start is not None or stop is not None
    if timed:
        limits |= {"after": _midnight(start, now)} if start else {}
        limits |= {"before": _midnight(stop, now)} if stop else {}

        words += "?" if rest.endswith("?") else ""

    def back(words: str) -> str:
        return re.sub(r"\0(\d+)\0", lambda m: phrases[int(m[1])], words)

    return Query(
        back(words if timed else rest),
        limits.get("after"),
        limits.get("before"),
        found.get("tool", ""),
        found.get("folder", ""),
        found.get("from", ""),
        back(rest) if timed else "",
        tuple(problems),
    )


def without_time(query: Query) -> Query:
    """The query with the words that were taken for a time as words."""
    return replace(query, words=query.literal, after=None, before=None, literal="") if query.literal else query


def start_of(text: str, now: datetime) -> datetime | None:
    """The first moment of a year, month or day (2026, 2026-03, 2026-03-14, yesterday, "last march"), in the zone of
    `now`, or the ISO time; None when it is none of them."""
    if digits := _DIGITS.match(text):
        try:
            return _midnight(date(int(digits[1]), int(digits[2] or 1), int(digits[3] or 1)), now)
        except ValueError:
            return None
    if at := parse_iso(text):
        return at
    start, stop, rest = past_range(f"in {text.replace('-', ' ')}", now.date())
    if start is None or rest.strip().lower() not in {"", "in"}:
        start, stop, rest = past_range(text.replace("-", " "), now.date())
    day = start or stop
    return _midnight(day, now) if day is not None and not rest.strip() else None


def _midnight(day: date, now: datetime) -> datetime:
    """The beginning of a day, by the clock of that day."""
    at = datetime.combine(day, time())
    try:
        return at.astimezone() if now.astimezone().utcoffset() == now.utcoffset() else at.replace(tzinfo=now.tzinfo)
    except (ValueError, OverflowError):
        return at.replace(tzinfo=now.tzinfo)
