from __future__ import annotations

from datetime import date

import pytest

from sessions.dates import find_due, named, past_range

SUNDAY = date(2026, 11, 29)


@pytest.mark.parametrize(
    ("said", "due"),
    [
        ("by Friday", "2026-12-04"),
        ("by sunday", "2026-12-06"),
        ("this Monday", "2026-11-30"),
        ("next Friday", "2026-12-04"),
        ("on Tues", "2026-12-01"),
        ("today", "2026-11-29"),
        ("by tomorrow evening", "2026-11-30"),
        ("the day after tomorrow", "2026-12-01"),
        ("in 3 days", "2026-12-02"),
        ("in a week", "2026-12-06"),
        ("in two weeks", "2026-12-13"),
        ("in a month", "2026-12-29"),
        ("by 4 December", "2026-12-04"),
        ("by the 4th of December", "2026-12-04"),
        ("before December 4th, 2027", "2027-12-04"),
        ("Dec 24", "2026-12-24"),
        ("on 3 May", "2027-05-03"),
        ("2026-12-24", "2026-12-24"),
        ("am 4.12.2026", "2026-12-04"),
        ("by the end of the month", "2026-11-30"),
        ("end of year", "2026-12-31"),
        ("next week", "2026-12-04"),
        ("next month", "2026-12-31"),
        ("EOD", "2026-11-29"),
    ],
)
def test_a_date_that_lies_ahead_is_found(said: str, due: str):
    found = find_due(f"she needs it {said}", SUNDAY)
    assert found and found[0].isoformat() == due


@pytest.mark.parametrize(
    "said", ["nothing here", "I may go", "version 3.11.2", "31 February", "9999999 days", "in a way"]
)
def test_what_names_no_day_is_not_due(said: str):
    assert find_due(said, SUNDAY) is None


@pytest.mark.parametrize("day", range(1, 8))
def test_a_weekday_is_always_the_next_one_after_today(day: int):
    today = date(2026, 12, day)
    found = find_due("by Friday", today)
    assert found and 1 <= (found[0] - today).days <= 7 and found[0].weekday() == 4


@pytest.mark.parametrize(
    ("said", "after", "before", "rest"),
    [
        ("the roadmap last March", "2026-03-01", "2026-04-01", "the roadmap"),
        ("the roadmap in March 2025", "2025-03-01", "2025-04-01", "the roadmap"),
        ("the roadmap in March last year", "2025-03-01", "2025-04-01", "the roadmap"),
        ("last November", "2025-11-01", "2025-12-01", ""),
        ("last December", "2025-12-01", "2026-01-01", ""),
        ("pricing in 2025", "2025-01-01", "2026-01-01", "pricing"),
        ("yesterday", "2026-11-28", "2026-11-29", ""),
        ("about tea last week", "2026-11-16", "2026-11-23", "about tea"),
        ("this month", "2026-11-01", "2026-11-30", ""),
        ("last year", "2025-01-01", "2026-01-01", ""),
        ("on Monday", "2026-11-23", "2026-11-24", ""),
        ("two weeks ago", "2026-11-09", "2026-11-16", ""),
        ("three months ago", "2026-08-01", "2026-09-01", ""),
        ("last summer", "2026-06-01", "2026-09-01", ""),
        ("since June", "2026-06-01", None, ""),
        ("before May 2026", None, "2026-05-01", ""),
        ("between March and May", "2026-03-01", "2026-06-01", ""),
        ("on 4 March", "2026-03-04", "2026-03-05", ""),
        ("the March plan", "2026-03-01", "2026-04-01", "plan"),
        ("what may come", None, None, "what may come"),
        ("the second option", None, None, "the second option"),
    ],
)
def test_the_days_of_a_question_about_the_past(said: str, after: str | None, before: str | None, rest: str):
    start, stop, left = past_range(said, SUNDAY)
    assert (start and start.isoformat(), stop and stop.isoformat(), left) == (after, before, rest)


def test_a_day_is_named_as_people_do():
    assert named(SUNDAY, SUNDAY) == "today"
    assert named(date(2026, 11, 30), SUNDAY) == "tomorrow"
    assert named(date(2026, 12, 4), SUNDAY) == "Friday 4 December"
    assert named(date(2027, 5, 3), SUNDAY) == "3 May 2027"
