from __future__ import annotations

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.strip import Strip

from tui.widgets.barrier import Barrier

BLACK = Color(0, 0, 0)
RED = Style(color="red")


def through(*texts: str, plain: bool = False) -> Strip:
    barrier = Barrier()
    barrier.plain = plain
    strip = Strip([Segment(text, RED) for text in texts])
    return strip.apply_filter(barrier, BLACK)


def test_a_line_of_plain_text_is_the_same_line():
    segments = [Segment("Grüße, 世界 · ✓", RED), Segment("  ")]
    assert Barrier().apply(segments, BLACK) == segments


def test_what_a_terminal_would_obey_or_not_show_is_a_mark_and_the_line_keeps_its_cells():
    strip = through("a\x1b]52;c;x\x07\u202eb", "          ")
    assert strip.text == "a␛]52;c;x␇\ufffdb       "
    assert strip.cell_length == sum(segment.cell_length for segment in strip)


@given(st.lists(st.text(min_size=1), min_size=1))
def test_any_line_keeps_its_cells_and_shows_nothing_unsafe(texts: list[str]):
    strip = through(*texts)
    assert sum(segment.cell_length for segment in strip) == strip.cell_length
    assert all(char not in strip.text for char in "\x1b\x07\x9b\u202e\n\t")


def test_ornaments_are_plain_where_a_terminal_may_draw_them_wide():
    assert through("1 turn · 3 → “x” …", plain=True).text == '1 turn - 3 > "x" ~'


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("⚠️ no place named Hakonne", "⚠  no place named Hakonne"),
        ("🌡️ 19°C", "🌡  19°C"),
        ("☁️ cloud coverage 40%", "☁  cloud coverage 40%"),
        ("💨 wind", "💨 wind"),
        ("1️⃣ first", "1  first"),
        ("👍🏽 and ✌🏽", "👍 and ✌"),
        ("👨\u200d👩\u200d👧 family", "👨 family"),
        ("🇩🇪🇫🇷 flags", "DEFR flags"),
        ("日本語 stays", "日本語 stays"),
        ("क्\u200dष stays", "क्\u200dष stays"),
    ],
)
def test_a_row_is_as_wide_in_a_terminal_as_the_toolkit_takes_it_to_be(text: str, drawn: str) -> None:
    strip = through(text, "|")
    assert strip.text == f"{drawn}|"
    assert strip.cell_length == cell_len(text) + 1 == sum(segment.cell_length for segment in strip)
    if text.isprintable():
        screen = pyte.Screen(80, 1)
        pyte.Stream(screen).feed(strip.text)
        assert screen.cursor.x == strip.cell_length
