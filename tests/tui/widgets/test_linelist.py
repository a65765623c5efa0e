from dataclasses import dataclass

import pytest

from tests.tui.widgets.harness import STRANGE, Harness, least_cpu_s, shown, text_of
from tests.waiting import until
from tui.widgets.linelist import LineList
from tui.widgets.rows import GroupHead, row_line


@dataclass
class Plain:
    key: str
    text: str
    height: int = 1
    selectable: bool = True
    head: bool = False
    live: bool = False
    drawn: int = 0

    def draw(self, width, look, state):
        self.drawn += 1
        lines = [row_line(width, look, state, [("  ", look.fg), (self.text, look.fg)], [("end", look.muted)])]
        return lines * self.height


def rows(n, height=1):
    return [Plain(f"k{i}", f"row {i}", height) for i in range(n)]


def grouped(*sizes):
    out = []
    for g, size in enumerate(sizes):
        out.append(GroupHead(f"g{g}", f"Group {g}", str(size)))
        out += [Plain(f"k{g}.{i}", f"row {g}.{i}") for i in range(size)]
    return out


async def test_ten_thousand_rows_open_at_once_and_only_those_in_sight_are_drawn():
    listed = LineList()
    app = Harness(listed)
    many = rows(10_000, height=2)
    async with app.run_test(size=(80, 24)):
        assert least_cpu_s(lambda: (listed.set_rows(many), text_of(listed))) < 0.06
        assert "row 0" in text_of(listed)
        assert sum(row.drawn > 0 for row in many) <= 24


async def test_the_keys_move_the_cursor_over_heads_and_stop_at_the_ends():
    listed = LineList()
    app = Harness(listed)
    async with app.run_test(size=(80, 40)) as pilot:
        listed.set_rows(grouped(2, 2))
        listed.focus()
        assert listed.cursor == "k0.0"
        await pilot.press("j", "down")
        assert listed.cursor == "k1.0"
        await pilot.press("k")
        assert listed.cursor == "k0.1"
        await pilot.press("end")
        assert listed.cursor == "k1.1"
        await pilot.press("down")
        assert listed.cursor == "k1.1"
        await pilot.press("home", "up")
        assert listed.cursor == "k0.0"
        await pilot.press("enter")
        assert [m.key for m in app.heard(LineList.Opened)] == ["k0.0"]


async def test_paging_goes_through_the_whole_list_and_back():
    listed = LineList()
    async with Harness(listed).run_test(size=(80, 24)) as pilot:
        listed.set_rows(rows(100))
        listed.focus()
        seen = [listed.cursor]
        for _ in range(6):
            await pilot.press("pagedown")
            seen.append(listed.cursor)
        assert len(set(seen)) >= 5
        assert listed.cursor == "k99"
        for _ in range(6):
            await pilot.press("pageup")
        assert listed.cursor == "k0"


async def test_the_chosen_row_is_always_in_sight_and_the_view_moves_as_little_as_it_can():
    listed = LineList()
    async with Harness(listed).run_test(size=(80, 24)) as pilot:
        listed.set_rows(rows(60, height=2))
        listed.focus()
        for _ in range(11):
            await pilot.press("down")
        assert listed.scroll_offset.y == 0
        await pilot.press("down")
        assert listed.scroll_offset.y == 2
        await pilot.press("up")
        assert listed.scroll_offset.y == 2


async def test_the_cursor_keeps_its_key_and_its_place_on_the_screen_when_rows_come_above():
    listed = LineList()
    async with Harness(listed).run_test(size=(80, 24)) as pilot:
        listed.set_rows(rows(100))
        listed.focus()
        listed.choose("k50")
        await pilot.pause()
        at = next(y for y, text in enumerate(shown(listed)) if "row 50" in text)
        listed.set_rows([Plain(f"new{i}", "new") for i in range(7)] + rows(100))
        await pilot.pause()
        assert listed.cursor == "k50"
        assert "row 50" in shown(listed)[at]


async def test_a_cursor_whose_row_is_gone_stays_near():
    listed = LineList()
    async with Harness(listed).run_test(size=(80, 24)):
        listed.set_rows(rows(10))
        listed.choose("k5")
        listed.set_rows([row for row in rows(10) if row.key != "k5"])
        assert listed.cursor == "k6"
        listed.set_rows([])
        assert listed.cursor is None
        listed.set_rows(rows(3))
        assert listed.cursor == "k0"


async def test_an_airy_list_has_a_blank_line_above_each_group_but_the_first_and_a_low_one_a_rule():
    listed = LineList()
    async with Harness(listed).run_test(size=(40, 40)) as pilot:
        listed.set_rows(grouped(1, 1))
        assert [bool(text.strip()) for text in shown(listed)[:5]] == [True, True, False, True, True]
        await pilot.resize_terminal(40, 20)
        await until(lambda: "─" in shown(listed)[0], "the group's rule")
        assert [bool(text.strip()) for text in shown(listed)[:5]] == [True, True, True, True, False]


async def test_the_last_line_counts_what_is_below():
    listed = LineList()
    listed.foot = "All folders"
    async with Harness(listed).run_test(size=(40, 40)) as pilot:
        listed.set_rows(rows(50))
        listed.focus()
        lines = shown(listed)
        assert lines[38].startswith("  All folders")
        assert lines[38].rstrip().endswith("↓ 13 more")
        assert not lines[37].strip()
        await pilot.press("end")
        await pilot.pause()
        lines = shown(listed)
        assert "row 49" in lines[36]
        assert "more" not in lines[38]


async def test_a_click_chooses_and_a_second_one_opens():
    listed = LineList()
    app = Harness(listed)
    async with app.run_test(size=(40, 24)) as pilot:
        listed.set_rows(rows(10, height=2))
        await pilot.click(listed, offset=(6, 5))
        assert listed.cursor == "k2"
        assert not app.heard(LineList.Opened)
        listed.choose("k4")
        await pilot.click(listed, offset=(6, 9))
        assert [m.key for m in app.heard(LineList.Opened)] == ["k4"]


async def test_the_click_that_brings_the_focus_opens_nothing():
    listed, other = LineList(), LineList()
    app = Harness(listed, other)
    async with app.run_test(size=(40, 24)) as pilot:
        listed.set_rows(rows(3))
        other.set_rows(rows(3))
        other.focus()
        await pilot.click(listed, offset=(6, 0))
        assert listed.has_focus
        assert not app.heard(LineList.Opened)


async def test_the_bar_is_thick_with_focus_and_thin_without():
    listed, other = LineList(), LineList()
    async with Harness(listed, other).run_test(size=(40, 24)) as pilot:
        listed.set_rows(rows(3))
        listed.focus()
        await pilot.pause()
        assert shown(listed)[0][1] == "▌"
        other.focus()
        await pilot.pause()
        assert shown(listed)[0][1] == "▏"
        listed.driven = True
        assert shown(listed)[0][1] == "▌"


async def test_rows_that_run_are_drawn_again_and_the_timer_ends_with_them():
    listed = LineList()
    running = Plain("k0", "busy", live=True)
    async with Harness(listed).run_test(size=(40, 24)):
        listed.set_rows([running, Plain("k1", "still")])
        shown(listed)
        before = running.drawn
        await until(lambda: (shown(listed), running.drawn > before + 2)[1], "drawn again")
        assert listed.rows[1].drawn == 1
        listed.set_rows([Plain("k0", "rests")])
        assert not listed._beat.runs


@pytest.mark.parametrize("width", [20, 41, 80])
async def test_strange_texts_keep_every_line_as_wide_as_the_list(width):
    listed = LineList()
    async with Harness(listed).run_test(size=(width, 24)):
        listed.set_rows([Plain(str(i), text, 2) for i, text in enumerate(STRANGE)])
        for y in range(24):
            assert listed.render_line(y).cell_length == width


async def test_another_theme_draws_everything_anew():
    listed = LineList()
    app = Harness(listed)
    async with app.run_test(size=(40, 24)) as pilot:
        listed.set_rows(rows(3))
        before = list(listed.render_line(1))
        app.theme = "light"
        await pilot.pause()
        assert list(listed.render_line(1)) != before
