from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sessions.clock import iso
from tui.widgets import when

NOW = datetime(2026, 11, 29, 17, 14, 8, tzinfo=UTC)


def test_a_time_is_told_by_how_far_it_is():
    assert when.short("2026-11-29T09:41:00Z", NOW) == "09:41"
    assert when.short("2026-11-28T22:41:00Z", NOW) == "Sat 28"
    assert when.short("2026-11-23T18:05:00Z", NOW) == "Mon 23"
    assert when.short("2026-11-12T18:05:00Z", NOW) == "12 Nov"
    assert when.short("2025-11-12T18:05:00Z", NOW) == "12 Nov 2025"
    assert when.in_group("2026-11-28T22:41:00Z", NOW) == "22:41"
    assert when.long("2026-11-23T18:05:00Z", NOW) == "Mon 23 Nov 18:05"
    assert when.told("2026-11-29T09:41:00Z", NOW) == "today 09:41"
    assert when.told("2026-11-28T09:41:00Z", NOW) == "yesterday 09:41"
    assert when.told("2026-11-23T09:41:00Z", NOW) == "Mon 23 Nov"


def test_the_zone_of_the_reader_decides_which_day_it_is():
    tokyo = NOW.astimezone(timezone(timedelta(hours=9)))
    assert when.short("2026-11-29T16:00:00Z", tokyo) == "01:00"
    assert when.short("2026-11-29T14:00:00Z", tokyo) == "Sun 29"
    assert when.groups(["2026-11-29T16:00:00.000Z", "2026-11-29T14:00:00.000Z"], tokyo) == [
        ("Today", 0, 1),
        ("Yesterday", 1, 2),
    ]


def test_what_is_no_time_says_nothing():
    for tell in (when.short, when.in_group, when.long, when.told, when.clock_time):
        assert tell("yesterday", NOW) == ""
        assert tell("", NOW) == ""


def test_what_is_due_says_how_soon_or_how_late():
    assert when.due(date(2026, 12, 4), NOW) == ("due Fri 4", False)
    assert when.due(date(2026, 11, 29), NOW) == ("due today", False)
    assert when.due(date(2026, 11, 30), NOW) == ("due tomorrow", False)
    assert when.due(date(2026, 11, 27), NOW) == ("overdue 2 d", True)
    assert when.due(date(2027, 1, 12), NOW) == ("due 12 Jan 2027", False)


def test_durations_and_numbers_are_in_the_words_of_the_look():
    told = [when.duration(ms) for ms in (2, 310, 1234, 59_949, 59_950, 125_000, 3_780_000)]
    assert told == ["2 ms", "310 ms", "1.2 s", "59.9 s", "1 min 0 s", "2 min 5 s", "1 h 3 min"]
    assert [when.span(ms) for ms in (2, 99, 800, 2900)] == ["2 ms", "99 ms", "0.8 s", "2.9 s"]
    told = [when.tokens(n) for n in (412, 999, 1000, 9400, 41_000, 128_000, 1_200_000)]
    assert told == ["412", "999", "1k", "9.4k", "41k", "128k", "1.2M"]
    assert when.counted(1, "turn") == "1 turn"
    assert when.counted(1204, "session") == "1,204 sessions"


def test_a_path_below_the_own_folder_begins_with_a_tilde():
    home = Path("/home/ada")
    assert when.folder("/home/ada/code", home) == "~/code"
    assert when.folder("/home/ada", home) == "~"
    assert when.folder("/home/adam/code", home) == "/home/adam/code"


def test_sessions_are_grouped_by_day_week_and_month():
    days = [
        "2026-11-29",
        "2026-11-28",
        "2026-11-24",
        "2026-11-22",
        "2026-11-19",
        "2026-10-31",
        "2026-01-01",
        "2025-12-31",
    ]
    stamps = [f"{day}T12:00:00.000Z" for day in days]
    titles = ["Today", "Yesterday", "Last week", "Earlier in November", "October", "January", "December 2025"]
    groups = when.groups(stamps, NOW)
    assert [title for title, _, _ in groups] == titles
    assert groups[2] == ("Last week", 2, 4)


@given(st.lists(st.datetimes(datetime(1990, 1, 1), datetime(2030, 1, 1)), max_size=60))
def test_groups_cover_every_session_once_and_in_order(times):
    stamps = sorted((iso(at.replace(tzinfo=UTC)) for at in times), reverse=True)
    groups = when.groups(stamps, NOW)
    assert [i for _, start, end in groups for i in range(start, end)] == list(range(len(stamps)))
    assert len({title for title, _, _ in groups}) == len(groups)


def test_times_that_are_broken_or_very_old_end_in_the_last_group():
    assert when.groups(["1969-01-01T00:00:00Z", ""], NOW) == [("Long ago", 0, 2)]
