from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
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
