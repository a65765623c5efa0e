from datetime import timedelta

import pytest

from sessions.clock import iso
from tests.tui.widgets.harness import NOW, STRANGE, Harness, least_cpu_s, meta, shown, text_of
from tests.waiting import until
from tui.history.history_list import HistoryList

pytestmark = pytest.mark.usefixtures("utc")

METAS = [
    meta("s1", "Weather in Tokyo", "2026-11-29T09:41:00.000Z", recap="Asked: What?\nAnswer: Learned two preferences"),
    meta("s2", "Friday's offsite", "2026-11-29T12:00:00.000Z", recap="Compared Kyoto and Hakone", turns=4),
    meta("s3", "Retry loop rewrite", "2026-11-28T22:41:00.000Z", source={"kind": "claude-code"}, turns=48),
    meta("s4", "Q3 staffing notes", "2026-11-23T18:05:00.000Z", cwd="/code/planning", turns=7),
    meta("s5", "Release checklist", "2026-11-12T10:00:00.000Z", pinned=True, turns=34),
    meta("s6", "", "2026-10-02T10:00:00.000Z"),
    meta("s7", "Put away", "2026-11-29T10:00:00.000Z", archived=True),
]


def harness():
    history = HistoryList()
    return history, Harness(history)


async def test_sessions_stand_in_groups_by_day_with_the_pinned_first():
    history, app = harness()
    async with app.run_test(size=(50, 40)):
        history.show(METAS, now=NOW)
        text = text_of(history.list)
        heads = [head for head in ("Pinned", "Today", "Yesterday", "Last week", "October")]
        assert [text.index(head) for head in heads] == sorted(text.index(head) for head in heads)
        lines = shown(history.list)
        today = next(y for y, line in enumerate(lines) if "Today" in line)
        assert lines[today].rstrip().endswith("2")
        assert lines[today + 1][4:].startswith("Friday's offsite")
        assert lines[today + 1].rstrip().endswith("12:00")
        assert lines[today + 2].rstrip().endswith("4 turns")
        assert "Learned two preferences" in lines[today + 4]
        assert "Claude Code" in text
        assert "Put away" not in text
        assert history.title.fact == "6 sessions · 1 archived"


async def test_what_runs_is_marked_here_and_elsewhere():
    history, app = harness()
    async with app.run_test(size=(50, 40)):
        history.show(METAS, now=NOW, states={"s1": "running elsewhere", "s2": "running", "s4": "read-only"})
        text = text_of(history.list)
        assert "● Weather in Tokyo" in text
        assert "running elsewhere" in text
        assert "read-only" in text
        history.show_states({})
        assert "running" not in text_of(history.list)


async def test_what_cannot_be_read_of_a_log_and_what_is_new_stand_in_the_row():
    history, app = harness()
    async with app.run_test(size=(50, 40)):
        damaged = meta("s1", "Half a log", "2026-11-29T09:41:00.000Z", recap="Answer: It goes on", damaged=3)
        history.show([damaged, METAS[1]], now=NOW, states={"s2": "new"})
        lines = shown(history.list)
        row = next(y for y, line in enumerate(lines) if "Half a log" in line)
        assert lines[row + 1].rstrip().endswith("! 3 lines lost · 2 turns")
        new = next(line for line in lines if "Friday's offsite" in line)
        assert new[2] == "•" and new.rstrip().endswith("new")


async def test_only_in_the_search_box_do_letters_type():
    history, app = harness()
    async with app.run_test(size=(50, 40)) as pilot:
        history.show(METAS, now=NOW)
        history.focus_list()
        await pilot.press("n", "e", "p", "j")
        assert history.filter_text == ""
        await pilot.press("slash")
        await pilot.press("n", "e", "p", "j", "q", "slash")
        assert history.filter_text == "nepjq/"


@pytest.mark.parametrize(
    ("query", "found"), [("tokyo", "s1"), ("kyoto hak", "s2"), ("planning", "s4"), ("CLAUDE", "s3")]
)
async def test_the_filter_looks_in_title_recap_folder_and_source(query, found):
    history, app = harness()
    async with app.run_test(size=(50, 40)) as pilot:
        history.show(METAS, now=NOW)
        history.focus_list()
        await pilot.press("slash", *("space" if c == " " else c for c in query))
        assert [row.key for row in history.list.rows if row.selectable] == [found]
        assert [m.text for m in app.heard(HistoryList.Filtered)][-1] == query


async def test_enter_in_the_box_opens_the_top_row_and_arrows_choose_another():
    history, app = harness()
    async with app.run_test(size=(50, 40)) as pilot:
        history.show(METAS, now=NOW)
        history.focus_list()
        await pilot.press("slash", "o", "enter")
        first = [row.key for row in history.list.rows if row.selectable]
        assert [m.session for m in app.heard(HistoryList.Opened)] == first[:1]
        assert shown(history.box)[0][1] == "▌"
        assert any(line[1] == "▌" for line in shown(history.list))
        await pilot.press("down", "enter")
        assert [m.session for m in app.heard(HistoryList.Opened)][-1] == first[1]


async def test_esc_leaves_the_filter_first_and_then_the_view():
    history, app = harness()
    async with app.run_test(size=(50, 40)) as pilot:
        history.show(METAS, now=NOW)
        history.focus_list()
        await pilot.press("slash", "t", "o", "k", "escape")
        assert history.list.has_focus
        assert history.filter_text == ""
        assert not app.heard(HistoryList.Back)
        await pilot.press("slash", "t", "tab")
        assert history.list.has_focus
        assert history.filter_text == "t"
        await pilot.press("escape")
        assert history.filter_text == ""
        assert not app.heard(HistoryList.Back)
        await pilot.press("escape")
        assert len(app.heard(HistoryList.Back)) == 1


async def test_enter_resumes_and_right_asks_for_the_detail():
    history, app = harness()
    async with app.run_test(size=(50, 40)) as pilot:
        history.show(METAS, now=NOW)
        history.focus_list()
        await pilot.press("down", "right", "enter")
        assert [m.session for m in app.heard(HistoryList.Detail)] == ["s2"]
        assert [m.session for m in app.heard(HistoryList.Opened)] == ["s2"]
        assert history.session.title == "Friday's offsite"


async def test_matches_are_marked_where_they_stand():
    history, app = harness()
    async with app.run_test(size=(50, 40)):
        history.show(METAS, now=NOW)
        history.set_filter("tokyo")
        strip = history.list.render_line(1)
        marked = [segment.text for segment in strip if segment.style and segment.style.bgcolor and segment.style.bold]
        assert "Tokyo" in marked


async def test_in_a_low_terminal_the_box_has_the_place_of_the_title():
    history, app = harness()
    async with app.run_test(size=(80, 24)) as pilot:
        history.show(METAS, now=NOW)
        await pilot.pause()
        assert not history.title.display
        assert shown(history.box)[0].rstrip().endswith("6 sessions · 1 archived")
        await pilot.resize_terminal(80, 40)
        await until(lambda: history.title.display, "the title")
        assert "sessions" not in shown(history.box)[0]


async def test_ten_thousand_sessions_are_listed_and_filtered_without_a_pause():
    history, app = harness()
    metas = [meta(f"s{i}", f"Session {i}", iso(NOW - timedelta(hours=i)), recap="Something") for i in range(10_000)]
    async with app.run_test(size=(50, 40)):
        assert least_cpu_s(lambda: (history.show(metas, now=NOW), shown(history.list))) < 0.12
        history.set_filter("session 9999")
        assert [row.key for row in history.list.rows if row.selectable] == ["s9999"]


@pytest.mark.parametrize("width", [30, 50, 81])
async def test_strange_texts_keep_every_line_as_wide_as_the_list(width):
    history, app = harness()
    async with app.run_test(size=(width, 40)) as pilot:
        metas = [
            meta(
                f"s{i}",
                text,
                "2026-11-29T09:41:00.000Z",
                recap=text,
                cwd=text,
                source={"kind": text} if i % 2 else None,
            )
            for i, text in enumerate(STRANGE)
        ]
        history.show(metas, now=NOW)
        await pilot.pause()
        for query in ("", "w", "漢", "日"):
            history.set_filter(query)
            for y in range(history.list.size.height):
                strip = history.list.render_line(y)
                assert strip.cell_length == width
                assert "\x1b" not in strip.text
