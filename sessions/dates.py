"""Dates as people say them: when something is due, and which past days a question means."""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta

WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
MONTHS = [m.lower() for m in calendar.month_name]
_DAY = (
    "|".join(f"{d[:3]}(?:{d[3:]})?" for d in WEEKDAYS)
    .replace("tue(?:sday)?", "tues?(?:day)?")
    .replace("thu(?:rsday)?", "thu(?:rs?)?(?:day)?")
)
_MONTH = "|".join(f"{m[:3]}(?:{m[3:]})?\\.?" if len(m) > 3 else m for m in MONTHS[1:]).replace(
    "sep(?:tember)", "sept?(?:ember)"
)
_COUNT = {w: i for i, w in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())} | {
    "a": 1, "an": 1, "a couple of": 2, "a few": 3,
}  # fmt: skip
_N = r"(?P<n>\d{1,4}|a couple of|a few|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_YEAR = r"(?:19|20)\d\d"
_UNIT = r"(?P<unit>day|week|month|year)s?"
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_CALENDAR = (
    rf"(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?\s+(?P<m>{_MONTH})(?:,?\s+(?P<y>{_YEAR}))?\b|"
    rf"(?P<m2>{_MONTH})\s+(?:the\s+)?(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,?\s+(?P<y2>{_YEAR}))?\b|"
    rf"(?P<iso>{_YEAR}-\d\d?-\d\d?)\b|(?<![\d.])(?P<d3>\d{{1,2}})\.(?P<m3>\d{{1,2}})\.(?:(?P<y3>{_YEAR})|(?![\d\w]))"
)
_WHEN = r"(?:\b(?:by|on|before|until|till|due|for|no later than|at the latest(?: by)?)\s+)?(?:the\s+)?"
_DUE = re.compile(
    rf"{_WHEN}(?:(?P<cal>{_CALENDAR})|(?P<word>\b(?:the day after tomorrow|day after tomorrow|tomorrow|today|"
    rf"tonight|eod|eow|eom)\b)|"
    rf"\b(?P<which>this|next|coming)?\s*(?P<day>{_DAY})\b|\bin\s+{_N}\s+{_UNIT}\b|"
    r"\bend of (?:the |this )?(?P<end>day|week|month|year)\b|\bnext (?P<next>week|month|year)\b|"
    r"\bthis (?P<this>week|month)\b)",
    re.I,
)


def month_number(name: str) -> int:
    """1 to 12 for a month's name or its first three letters."""
    return next(i for i, m in enumerate(MONTHS) if m and m.startswith(name.lower().rstrip(".")[:3]))


def _weekday(name: str) -> int:
    return next(i for i, d in enumerate(WEEKDAYS) if d.startswith(name.lower()[:3]))


def _month_end(day: date) -> date:
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


def add_months(day: date, months: int) -> date:
    """The same day some months on, or that month's last."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return date(year, month + 1, min(day.day, last))


def _count(text: str) -> int:
    return int(text) if text.isdigit() else _COUNT[text.lower()]


def _moved(day: date, n: int, unit: str) -> date:
    if unit.lower() in {"month", "year"}:
        return add_months(day, n * (12 if unit.lower() == "year" else 1))
    return day + timedelta(days=n * (7 if unit.lower() == "week" else 1))


def _on_calendar(m: re.Match[str], today: date, *, past: bool) -> date | None:
    try:
        if m["iso"]:
            return date(*map(int, m["iso"].split("-")))
        day = int(m["d"] or m["d2"] or m["d3"])
        month = int(m["m3"]) if m["m3"] else month_number(m["m"] or m["m2"])
        year = m["y"] or m["y2"] or m["y3"]
        at = date(int(year) if year else today.year, month, day)
        if year or (at <= today if past else at >= today):
            return at
        return at.replace(year=at.year + (-1 if past else 1))
    except ValueError:
        return None


def find_due(text: str, today: date) -> tuple[date, str] | None:
    """The first date in the text that lies ahead, and the words that name it.

    A weekday is the next one after today, "next Friday" that of the next calendar week, "next week" its Friday.
    """
    for m in _DUE.finditer(text):
        at: date | None = None
        if m["cal"]:
            at = _on_calendar(m, today, past=False)
        elif m["word"]:
            word = m["word"].lower()
            days = 2 if "after" in word else 1 if word == "tomorrow" else 0
            at = today + timedelta(days=days)
            at = _week_end(today) if word == "eow" else _month_end(today) if word == "eom" else at
        elif m["day"]:
            day = _weekday(m["day"])
            if (m["which"] or "").lower() == "next":
                at = today + timedelta(days=7 - today.weekday() + day)
            else:
                at = today + timedelta(days=(day - today.weekday() - 1) % 7 + 1)
        elif m["n"]:
            at = _moved(today, _count(m["n"]), m["unit"])
        elif m["end"]:
            at = _end(m["end"].lower(), today)
        elif m["next"]:
            unit = m["next"].lower()
            at = today + timedelta(days=7 - today.weekday() + 4) if unit == "week" else None
            at = at or (_month_end(add_months(today, 1)) if unit == "month" else date(today.year + 1, 12, 31))
        elif m["this"]:
            at = _end(m["this"].lower(), today)
        if at:
            return at, m[0].strip()
    return None


def _week_end(today: date) -> date:
    """This week's Friday; on a weekend, the Sunday."""
    return today + timedelta(days=4 - today.weekday() if today.weekday() <= 4 else 6 - today.weekday())


def _end(unit: str, today: date) -> date:
    ends = {"day": today, "week": _week_end(today), "month": _month_end(today)}
    return ends.get(unit, date(today.year, 12, 31))


_PAST = re.compile(
    rf"(?:\b(?P<rel>since|before|after|until|in|on|during|from|back in|over|for)\s+)?(?:the\s+)?(?:"
    rf"(?P<cal>{_CALENDAR})|(?P<word>\byesterday\b|\btoday\b|\bthis morning\b|\blast night\b|"
    rf"\bthe day before yesterday\b|\bday before yesterday\b)|"
    rf"\b(?P<n>\d{{1,4}}|a couple of|a few|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|"
    rf"twelve)\s+{_UNIT}\s+ago\b|"
    r"\b(?:last|past)\s+(?P<lastn>\d{1,4}|two|three|four|five|six|seven|few)\s+(?P<lastunit>day|week|month|year)s\b|"
    r"\b(?P<which>last|this|past)\s+(?P<unit2>week|month|year)\b|"
    rf"\b(?P<mod>last|this|past)?\s*(?P<season>spring|summer|autumn|winter)\b(?:\s+(?:of\s+)?(?P<sy>{_YEAR}))?|"
    rf"\b(?:last|this|past|on)\s+(?P<day>{_DAY})\b|"
    rf"\b(?P<lastm>last\s+|this\s+|past\s+|"
    rf"in\s+)?(?P<month>{_MONTH})(?![\w])(?:\s+(?:of\s+)?(?:(?P<my>{_YEAR})|(?P<lasty>last year)))?|"
    rf"\b(?P<year>{_YEAR})\b)",
    re.I,
)
Span = tuple[date, date]
"""The first day, and the first day after."""


def past_range(text: str, today: date) -> tuple[date | None, date | None, str]:
    """Which days a question about the past means: first day, first day after (None = open), and the rest of the text.

    "Last March" is the newest March that is over; a month without a year the newest one that has begun.
    """
    between = re.search(r"\bbetween\s+(.+?)\s+and\s+(.+)$", text, re.I)
    if between:
        # "in" makes a month of a bare "may".
        first, second = (_find_past(f"in {part}", today) for part in between.groups())
        if first and second:
            end = between.start(2) + second[1].end() - 3
            return first[0][0], second[0][1], _without(text, between.start(), end)
    found = _find_past(text, today)
    if not found:
        return None, None, text
    (start, stop), m = found
    rel = (m["rel"] or "").lower()
    rest = _without(text, m.start(), m.end())
    if rel in {"since", "from"}:
        return start, None, rest
    if rel in {"before", "until"}:
        return None, start if rel == "before" else stop, rest
    return (stop, None, rest) if rel == "after" else (start, stop, rest)


def said_range(text: str, today: date) -> tuple[date | None, date | None, str]:
    """As `past_range`, for mere words to look for: only what can hardly be anything but a time counts.

    "Last March", "yesterday", "2 weeks ago", "12 March 2026" and "since May" do; a bare "spring", "march" or "2026"
    is a word like any other.
    """
    found = _find_past(text, today)
    if not found:
        return None, None, text
    m = found[1]
    sure = ("cal", "word", "n", "lastn", "which", "mod", "sy", "day", "my", "lasty")
    since = (m["rel"] or "").lower() in {"since", "before", "after", "until"} and not m["season"]
    last = (m["lastm"] or "").strip().lower() in {"last", "past", "this"}
    return past_range(text, today) if since or last or any(m[name] for name in sure) else (None, None, text)


def _without(text: str, start: int, end: int) -> str:
    return re.sub(r"\s+", " ", f"{text[:start].rstrip()} {text[end:].lstrip()}").strip(" ,?.")


def _find_past(text: str, today: date) -> tuple[Span, re.Match[str]] | None:
    for m in _PAST.finditer(text):
        span = _span(m, today)
        if span:
            return span, m
    return None


def _span(m: re.Match[str], today: date) -> Span | None:
    day, week_start = timedelta(days=1), today - timedelta(days=today.weekday())
    if m["cal"]:
        at = _on_calendar(m, today, past=True)
        return (at, at + day) if at else None
    if m["word"]:
        word = m["word"].lower()
        ago = 2 if "before" in word else 1 if word in {"yesterday", "last night"} else 0
        return today - ago * day, today - (ago - 1) * day
    if m["n"]:
        unit, at = m["unit"].lower(), _moved(today, -_count(m["n"]), m["unit"])
        if unit == "week":
            at -= timedelta(days=at.weekday())
        elif unit in {"month", "year"}:
            at = at.replace(day=1) if unit == "month" else date(at.year, 1, 1)
        return at, _moved(at, 1, unit)
    if m["lastn"]:
        n = 3 if m["lastn"].lower() == "few" else _count(m["lastn"])
        return _moved(today, -n, m["lastunit"]), today + day
    if m["unit2"]:
        back = m["which"].lower() != "this"
        unit = m["unit2"].lower()
        start = week_start if unit == "week" else today.replace(day=1) if unit == "month" else date(today.year, 1, 1)
        return (_moved(start, -1, unit), start) if back else (start, today + day)
    if m["season"]:
        first = _SEASONS[m["season"].lower()]
        start = date(int(m["sy"]) if m["sy"] else today.year, first, 1)
        if not m["sy"] and (start > today or ((m["mod"] or "").lower() == "last" and add_months(start, 3) > today)):
            start = start.replace(year=start.year - 1)
        return start, add_months(start, 3)
    if m["day"]:
        at = today - timedelta(days=(today.weekday() - _weekday(m["day"]) - 1) % 7 + 1)
        return at, at + day
    if m["month"]:
        name = m["month"]
        sure = m["lastm"] or m["my"] or m["lasty"] or m["rel"] or (name[0].isupper() and name.lower() != "may")
        if not sure:
            return None
        month = month_number(name)
        year = int(m["my"]) if m["my"] else today.year - 1 if m["lasty"] else today.year
        over = (m["lastm"] or "").strip().lower() in {"last", "past"}
        if not (m["my"] or m["lasty"]) and (month > today.month or (over and month == today.month)):
            year -= 1
        return date(year, month, 1), add_months(date(year, month, 1), 1)
    year = int(m["year"])
    return date(year, 1, 1), date(year + 1, 1, 1)


def named(day: date, today: date) -> str:
    """`today`, `tomorrow`, `Friday 4 December`, `4 March 2027`."""
    if day == today:
        return "today"
    if day == today + timedelta(days=1):
        return "tomorrow"
    tail = f"{day.day} {calendar.month_name[day.month]}"
    if day.year != today.year and abs((day - today).days) > 60:
        return f"{tail} {day.year}"
    return f"{calendar.day_name[day.weekday()]} {tail}"
