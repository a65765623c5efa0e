"""Times, durations and numbers in the words of the screen. Pure: `now` is given, and its zone is the reader's."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from sessions.clock import parse_iso

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


def _local(at: datetime | str | None, now: datetime) -> datetime | None:
    at = parse_iso(at) if isinstance(at, str) else at
    if at is None:
        return None
    return at.astimezone(now.tzinfo) if now.tzinfo is not None else at


def clock_time(at: datetime | str, now: datetime) -> str:
    """`17:14`, in the zone of `now`; empty for what is no time."""
    local = _local(at, now)
    return f"{local:%H:%M}" if local else ""


def day(of: date, now: datetime) -> str:
    """`12 Nov`, with the year when it is another: `12 Nov 2025`."""
    name = f"{of.day} {MONTHS[of.month - 1][:3]}"
    return name if of.year == now.year else f"{name} {of.year}"


def short(at: datetime | str, now: datetime) -> str:
    """Today `17:14`, this week `Mon 23`, this year `12 Nov`, else `12 Nov 2025`."""
    local = _local(at, now)
    if local is None:
        return ""
    days = (now.date() - local.date()).days
    if days == 0:
        return f"{local:%H:%M}"
    if 0 < days <= 7:
        return f"{DAYS[local.weekday()]} {local.day}"
    return day(local.date(), now)


def in_group(at: datetime | str, now: datetime) -> str:
    """Like `short`, but the bare time for yesterday: the row stands under that word."""
    local = _local(at, now)
    if local is not None and (now.date() - local.date()).days == 1:
        return f"{local:%H:%M}"
    return short(at, now)


def long(at: datetime | str, now: datetime) -> str:
    """`Mon 23 Nov 18:05`, with the year when it is another."""
    local = _local(at, now)
    return f"{DAYS[local.weekday()]} {day(local.date(), now)} {local:%H:%M}" if local else ""


def told(at: datetime | str, now: datetime) -> str:
    """`today 09:44`, `yesterday 22:41`, else `Mon 23 Nov`."""
    local = _local(at, now)
    if local is None:
        return ""
    days = (now.date() - local.date()).days
    if days in {0, 1}:
        return f"{'yesterday' if days else 'today'} {local:%H:%M}"
    return f"{DAYS[local.weekday()]} {day(local.date(), now)}"


def due(on: date, now: datetime) -> tuple[str, bool]:
    """`due Fri 4`, `due tomorrow`, `overdue 2 d`; and whether it is overdue."""
    days = (on - now.date()).days
    if days < 0:
        return f"overdue {-days} d", True
    if days < 2:
        return ("due tomorrow" if days else "due today"), False
    return f"due {DAYS[on.weekday()]} {on.day}" if days <= 7 else f"due {day(on, now)}", False


def duration(ms: int) -> str:
    """`310 ms`, `1.2 s`, `2 min 5 s`, `1 h 3 min`."""
    if ms < 1000:
        return f"{max(0, ms)} ms"
    if ms < 59_950:
        return f"{ms / 1000:.1f} s"
    seconds = round(ms / 1000)
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60} min"


def span(ms: int) -> str:
    """How long a step or a turn took: `0.8 s`, under a tenth of a second in milliseconds, else like `duration`."""
    return f"{ms / 1000:.1f} s" if 100 <= ms < 1000 else duration(ms)


def tokens(n: int) -> str:
    """`412`, `9.4k`, `41k`, `1.2M`."""
    if n < 1000:
        return str(n)
    if n < 99_950:
        return f"{n / 1000:.1f}".removesuffix(".0") + "k"
    if n < 999_500:
        return f"{n / 1000:.0f}k"
    return f"{n / 1_000_000:.1f}".removesuffix(".0") + "M"


def counted(n: int, one: str, many: str = "") -> str:
    """`1 turn`, `7 turns`, `1,204 sessions`."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def size_told(size: int) -> str:
    """Bytes as `12.4 kB`, `1,204.0 MB`."""
    return f"{size / 1e6:,.1f} MB" if size >= 1e5 else f"{size / 1e3:,.1f} kB"


def turns_told(turns: int, *, fork: bool) -> str:
    """`7 turns`; of a fork those that it does not share with its origin: `no new turns`, `2 new turns`."""
    if not fork:
        return counted(turns, "turn")
    return counted(turns, "new turn") if turns else "no new turns"


def folder(path: str | Path, home: Path | None = None) -> str:
    """The path with the person's own folder as `~`."""
    text, base = str(path), str(home) if home else os.path.expanduser("~")  # noqa: PTH111 - ten times as fast
    return "~" + text[len(base) :] if text == base or text.startswith(base.rstrip("/") + "/") else text


def _midnight(of: date, now: datetime) -> str:
    # The same shape as the log's times, so that text compares as time does.
    at = datetime.combine(of, time(), now.tzinfo)
    return f"{(at.astimezone(UTC) if at.tzinfo else at):%Y-%m-%dT%H:%M:%S}"


def _bounds(now: datetime) -> Iterator[tuple[str, str]]:
    today = now.date()
    yield "Today", _midnight(today, now)
    yield "Yesterday", _midnight(today - timedelta(days=1), now)
    yield "Last week", _midnight(today - timedelta(days=7), now)
    first = today.replace(day=1)
    yield f"Earlier in {MONTHS[first.month - 1]}", _midnight(first, now)
    while first > date(1970, 1, 1):
        first = (first - timedelta(days=1)).replace(day=1)
        name = MONTHS[first.month - 1]
        yield name if first.year == today.year else f"{name} {first.year}", _midnight(first, now)
    yield "Long ago", ""


def groups(stamps: Sequence[str], now: datetime) -> list[tuple[str, int, int]]:
    """The runs `(title, start, end)` of times by day, week and month; `stamps` are ISO UTC times, newest first."""
    found: list[tuple[str, int, int]] = []
    bounds = _bounds(now)
    title, bound = next(bounds)
    start = 0
    for i, stamp in enumerate(stamps):
        if stamp >= bound:
            continue
        if i > start:
            found.append((title, start, i))
        start = i
        while stamp < bound:
            title, bound = next(bounds)
    if start < len(stamps):
        found.append((title, start, len(stamps)))
    return found
