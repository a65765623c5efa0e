"""Days in what is remembered: "tomorrow" becomes a date, and which dates the person's own words come to."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from datetime import date, timedelta

from sessions.dates import WEEKDAYS, add_months, find_due, past_range
from sessions.memory.wording import NUMBER_WORDS

_DAY = "|".join(WEEKDAYS)
_N = r"(?P<n>\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_UNIT = r"(?P<unit>day|week|month|year)s?"
_PART = r"(?: (?:morning|afternoon|evening|night|noon))?"
_ISO = re.compile(r"(?<!\d)(\d{4})-(\d\d?)-(\d\d?)(?!\d)")
_MONTHS = "|".join(f"{calendar.month_name[n]}|{calendar.month_abbr[n]}\\.?" for n in range(1, 13))
_NAMED = re.compile(
    rf"(?:\b(?:{_DAY})\b,?\s+(?:the\s+)?)?(?:(?<!\d)\d{{1,2}}(?:st|nd|rd|th|\.)?(?:\s+of)?\s+(?:{_MONTHS})(?!\w)|"
    rf"\b(?:{_MONTHS})\s+(?:the\s+)?\d{{1,2}}(?:st|nd|rd|th)?(?!\d))(?:,?\s+(?:19|20)\d\d\b)?",
    re.I,
)
_WEEKDAY = re.compile(rf"\b(?:{_DAY})\b,?", re.I)
_SLASHED = re.compile(r"(?<![\d/])(\d{1,2})[/.](\d{1,2})(?:[/.](\d{4}|\d\d))?(?![\d/])")

Build = Callable[[re.Match[str], date], str]


def _plus(days: int) -> Build:
    return lambda m, today: _iso(today + timedelta(days=days))


def _iso(day: date) -> str:
    return day.isoformat()


def _weekday(m: re.Match[str], today: date) -> str:
    at = WEEKDAYS.index(m["day"].lower())
    which = m["which"].lower()
    if which == "last":
        day = today - timedelta(days=(today.weekday() - at - 1) % 7 + 1)
    elif which == "next":
        day = today + timedelta(days=7 - today.weekday() + at)
    else:
        day = today + timedelta(days=(at - today.weekday() - 1) % 7 + 1)
    keep = which if which in {"by", "until", "till", "before", "on", "due"} else ""
    return f"{keep} {_iso(day)}".strip()


def _moved(m: re.Match[str], today: date) -> str:
    n = int(NUMBER_WORDS.get(m["n"].lower(), "1" if m["n"].lower() in {"a", "an", "one"} else m["n"]))
    n = -n if m["ago"] else n
    unit = m["unit"].lower()
    if unit in {"day", "week"}:
        return ("" if m["ago"] else "on ") + _iso(today + timedelta(days=n * (7 if unit == "week" else 1)))
    if unit == "month":
        at = add_months(today, n)
        return f"in {calendar.month_name[at.month]} {at.year}"
    return f"in {today.year + n}"


def _span(m: re.Match[str], today: date) -> str:
    n = {"last": -1, "this": 0, "next": 1, "coming": 1}[m["which"].lower()]
    unit = m["unit"].lower()
    if unit == "week":
        return f"the week of {_iso(today - timedelta(days=today.weekday()) + timedelta(days=7 * n))}"
    if unit == "month":
        at = add_months(today.replace(day=1), n)
        return f"{calendar.month_name[at.month]} {at.year}"
    return str(today.year + n)


def _weekend(m: re.Match[str], today: date) -> str:
    n = {"last": -1, "this": 0, "next": 1}[m["which"].lower()]
    return f"the weekend of {_iso(today - timedelta(days=today.weekday()) + timedelta(days=5 + 7 * n))}"


_RESOLVED: tuple[tuple[re.Pattern[str], Build], ...] = (
    (re.compile(r"\b(?:the )?day after tomorrow\b|\bübermorgen\b|\baprès-demain\b|明後日|后天|後天", re.I), _plus(2)),
    (re.compile(r"\b(?:the )?day before yesterday\b|\bvorgestern\b|\bavant-hier\b|一昨日|前天", re.I), _plus(-2)),
    (re.compile(rf"\btomorrow{_PART}\b|\bdemain\b|明日|明天|내일", re.I), _plus(1)),
    (re.compile(r"\bmorgen\b(?! (?:früh|person))"), _plus(1)),
    (re.compile(rf"\byesterday{_PART}\b|\blast night\b|\bgestern\b|\bayer\b|昨日|昨天|어제", re.I), _plus(-1)),
    (
        re.compile(
            r"\b(?:later |earlier )?today\b|\btonight\b|\bthis (?:morning|afternoon|evening)\b|\bheute\b|"
            r"\baujourd'hui\b|\bhoy\b|今日|今天|오늘",
            re.I,
        ),
        _plus(0),
    ),
    (re.compile(rf"\b(?P<which>by|until|till|before|due|next|this|last|coming)\s+(?:the\s+)?(?P<day>{_DAY})\b", re.I),
     _weekday),
    (re.compile(rf"\bin {_N} {_UNIT}\b(?P<ago>(?!))?", re.I), _moved),
    (re.compile(rf"\b{_N} {_UNIT} (?P<ago>ago)\b", re.I), _moved),
    (re.compile(r"\b(?P<which>last|this|next) weekend\b", re.I), _weekend),
    (re.compile(r"\b(?P<which>last|this|next|coming) (?P<unit>week|month|year)\b", re.I), _span),
)  # fmt: skip
_ON_WEEKDAY = re.compile(rf"\b(?P<which>on)\s+(?P<day>{_DAY})\b", re.I)
_VAGUE = re.compile(
    r"\b(?:recently|lately|soon|shortly|the other day|a (?:while|moment|minute) ago|some time ago|just now|right now|"
    r"(?:in )?a few (?:minutes|hours|days|weeks|months)(?: ago)?|a couple of (?:days|weeks|months)(?: ago)?|"
    r"in an? (?:minute|moment|hour)|(?:an?|\d+) (?:minute|hour)s? ago|in \d+ (?:minute|hour)s?|at the moment|"
    r"for the time being|these days|neulich|bald|gerade eben|récemment|bientôt|recientemente|pronto)\b|"
    r"最近|もうすぐ|剛才|刚才",
    re.I,
)


def resolved(text: str, today: date, *, once: bool = False) -> str:
    """The text with dates for what is only true seen from today. `once`: "on Friday" is one day, not a habit."""
    for rule, build in _RESOLVED:
        text = rule.sub(lambda m, b=build: b(m, today), text)  # type: ignore[misc]
    return _ON_WEEKDAY.sub(lambda m: _weekday(m, today), text) if once else text


def vague_time(text: str) -> str:
    """Words for a time that nobody can tell later, such as "recently"; empty for none."""
    found = _VAGUE.search(text)
    return found[0] if found else ""


def days_said(text: str, today: date) -> set[date]:
    """The dates that a text names or comes to, seen from today."""
    out: set[date] = set()
    rest, left = text, 20
    while left and (found := find_due(rest, today)):
        out.add(found[0])
        if re.search(r"\d", found[1]) and not re.search(r"\bin\b|\d{4}", found[1], re.I):
            # A day that was named without its year may be the last or the next one.
            out |= {moved for years in (-12, 12) if (moved := add_months(found[0], years)).day == found[0].day}
        at = rest.find(found[1])
        rest, left = rest[at + max(1, len(found[1])) :], left - 1
    start, stop, _ = past_range(text, today)
    out |= {d for d in (start, stop - timedelta(days=1) if stop else None) if d}
    for m in _ISO.finditer(resolved(text, today, once=True)):
        out |= _dates((int(m[1]), int(m[2]), int(m[3])))
    for m in _SLASHED.finditer(text):
        year = today.year if m[3] is None else int(m[3]) if len(m[3]) == 4 else 2000 + int(m[3])
        for y in {year} if m[3] else {year - 1, year, year + 1}:
            out |= _dates((y, int(m[1]), int(m[2]))) | _dates((y, int(m[2]), int(m[1])))
    return out


def days_named(text: str, today: date) -> tuple[set[date], str]:
    """The dates that a text names by day and month, and the text without them.

    One that is named without a year may be that of this, the last or the next year.
    """
    out: set[date] = set()

    def named(m: re.Match[str]) -> str:
        found = days_said(_WEEKDAY.sub(" ", m[0]), today)
        out.update(found)
        return " " if found else m[0]

    for rule in (_ISO, _NAMED, _SLASHED):
        text = rule.sub(named, text)
    return out, text


def _dates(*found: tuple[int, int, int]) -> set[date]:
    out = set()
    for y, m, d in found:
        try:
            out.add(date(y, m, d))
        except ValueError:
            continue
    return out


def without_days(text: str, days: set[date]) -> str:
    """The text without the dates that it may name: those of `days`, in ISO or in words."""

    def iso(m: re.Match[str]) -> str:
        return " " if _dates((int(m[1]), int(m[2]), int(m[3]))) & days else m[0]

    text = _ISO.sub(iso, text)
    months = {d.month for d in days}
    years = {d.year for d in days}
    names = "|".join(f"{calendar.month_name[m]}|{calendar.month_abbr[m]}\\.?" for m in sorted(months))
    if names:
        numbers = "|".join(str(d.day) for d in sorted(days))
        year = "|".join(map(str, sorted(years)))
        text = re.sub(
            rf"\b(?:(?:{numbers})(?:st|nd|rd|th|\.)? (?:of )?)?(?:{names})(?!\w)(?: (?:{numbers})(?:st|nd|rd|th)?\b)?"
            rf"(?:,? (?:{year})\b)?",
            " ",
            text,
            flags=re.I,
        )
        text = re.sub(rf"\b(?:{'|'.join({calendar.day_name[d.weekday()] for d in days})})\b", " ", text, flags=re.I)
        text = re.sub(rf"\b(?:{year})\b", " ", text)
    return text
