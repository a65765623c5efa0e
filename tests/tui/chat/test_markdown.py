from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tui.chat.markdown import draw_markdown, prepare
from tui.chat.runs import Line, plain, width_of
from tui.chat.segments import Splitter
from tui.chat.selection import cut_source
from tui.widgets.look import UNICODE

UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\ufeff]")
ATOMS = [
    *("word ", "a", "**", "*", "_", "`", "```", "```py\n", "\n", "\n\n", "- ", "  - ", "1. ", "2) ", "> ", "# "),
    *("| a | b |\n", "|---|---|\n", "[x](http://a.b)", "[y](javascript:z)", "![i](u)", "http://q.com/x", "~~"),
    *("\\*", "&amp;", "&lt;", "日本語", "🌡️", "\t", "\r\n", "\r", "\x1b[31m", "\x00", "\u202e", "    ", "[ ] ", "[x] "),
    *("👨\u200d👩\u200d👧", "---\n", "===\n", "\\|", "<b>", "|", "<http://z.y>", "\ud800", "  \n"),
]
markdown = st.lists(st.sampled_from(ATOMS), max_size=40).map("".join)


def text(source: str, width: int = 60) -> list[str]:
    return [plain(line).rstrip() for line in draw_markdown(source, width, UNICODE)]


def lines(source: str, width: int = 60) -> list[Line]:
    return draw_markdown(source, width, UNICODE)


def inks(source: str, words: str) -> set[str]:
    return {run.ink for line in lines(source) for run in line if words in run.text}


def test_headings_lists_quotes_and_rules_are_drawn_with_marks_and_hanging_indent():
    source = "# Title\n\n- one two three four\n  - nested\n- last\n\n3. three\n4. four\n\n> said\n> so\n\n---\n"
    drawn = "Title||• one two|  three four|  • nested|• last||3. three|4. four||▏ said|▏ so||" + "─" * 14
    assert text(source, 14) == drawn.split("|")
    assert inks(source, "Title") == {"fg+b"}


def test_line_breaks_stay_where_they_were_written():
    weather = "Here is the weather:\n\n🌡️ 21°C\n💨 wind 8 km/h"
    assert text(weather) == ["Here is the weather:", "", "🌡️ 21°C", "💨 wind 8 km/h"]


def test_tasks_have_marks_instead_of_brackets():
    assert text("- [ ] open\n- [x] done") == ["○ open", "✓ done"]


def test_emphasis_code_and_strike_have_their_inks():
    source = "plain **bold *both*** and `code` ~~gone~~"
    assert text(source) == ["plain bold both and code gone"]
    assert (inks(source, "bold"), inks(source, "both")) == ({"fg+b"}, {"fg+bi"})
    assert (inks(source, "code"), inks(source, "gone")) == ({"fg@raised"}, {"muted"})


def test_only_web_and_mail_links_are_links_and_others_show_where_they_point():
    source = "[a](https://x.y) [b](javascript:evil) [c](mailto:d@e.f) https://g.h/i. [j](file:///etc)"
    targets = {run.text: run.target for line in lines(source, 200) for run in line if run.target}
    assert targets == {"a": "link:https://x.y", "c": "link:mailto:d@e.f", "https://g.h/i": "link:https://g.h/i"}
    assert "(file:///etc)" in text(source, 200)[0]
    assert "javascript:evil" in text(source, 200)[0]


def test_a_table_stands_in_columns_with_numbers_right_aligned():
    source = "| Place | High |\n|---|---|\n| Kyoto | 13 °C |\n| Hakone | 7 °C |"
    assert text(source) == ["Place     High", "──────────────", "Kyoto    13 °C", "Hakone    7 °C"]


def test_a_table_wider_than_the_pane_is_cut_in_its_widest_columns():
    source = f"| id | text |\n|---|---|\n| 1 | {'long ' * 40} |\n| 2 | short |"
    drawn = lines(source, 30)
    assert all(width_of(line) <= 30 for line in drawn)
    assert plain(drawn[2]).endswith("…")
    assert "short" in plain(drawn[3])


def test_code_keeps_its_spaces_and_names_its_language_once():
    source = "```python\ndef f():\n    return 1\n```"
    drawn = text(source, 40)
    assert drawn == ["  def f():                       python", "      return 1"]
    assert inks(source, "def") == {"accent@raised"}


def test_html_and_markup_of_other_kinds_are_text():
    assert text("<b>x</b> [bold]y[/] [link=z]") == ["<b>x</b> [bold]y[/] [link=z]"]


def test_a_definition_of_a_reference_does_not_vanish():
    assert text("see [a][1]\n\n[1]: https://x.y") == ["see [a][1]", "", "[1]: https://x.y"]


def test_wide_characters_are_measured_by_cells():
    drawn = lines("日本語のとても長い文章はセルの幅で折り返されます。絵文字👍も。", 20)
    assert len(drawn) > 1
    assert all(width_of(line) <= 20 for line in drawn)


def test_an_ordered_list_goes_on_counting_over_blank_lines():
    assert [row for row in text("1. a\n\n1. b\n\n1. c") if row] == ["1. a", "2. b", "3. c"]


@settings(max_examples=400, deadline=None)
@example("- a\n\n  ```\n  x\n\n  y\n  ```\n- b")
@example("|a|\n|-|\n|`x\\|y`|")
@given(markdown)
def test_nothing_unsafe_is_drawn_and_no_line_is_too_wide(source):
    for line in draw_markdown(source, 40, UNICODE):
        assert not UNSAFE.search(plain(line)), repr(plain(line))
        assert width_of(line) <= 40


@settings(max_examples=400, deadline=None)
@given(markdown)
def test_every_character_shown_comes_from_where_its_offset_says(source):
    for line in draw_markdown(source, 40, UNICODE):
        for run in line:
            if run.start < 0:
                continue
            assert 0 <= run.start <= run.end <= len(source)
            shown = prepare(source)[run.start : run.end]
            if run.linear and shown.isprintable() and "&" not in shown and "\\" not in shown:
                assert run.text == shown


@settings(max_examples=300, deadline=None)
@given(markdown, st.lists(st.integers(1, 12), min_size=1, max_size=30))
def test_pieces_do_not_depend_on_how_the_text_arrived(source, sizes):
    source = source.replace("\r", "")
    whole, growing = Splitter(), Splitter()
    whole.update(source)
    at = k = 0
    while at < len(source):
        at += sizes[k % len(sizes)]
        k += 1
        growing.update(source[:at])
        growing.tail(source[:at])
    assert (growing.segments, growing.tail(source)) == (whole.segments, whole.tail(source))


@settings(max_examples=300, deadline=None)
@given(markdown)
def test_no_word_is_lost_between_pieces(source):
    splitter = Splitter()
    splitter.update(source)
    tail = splitter.tail(source)
    covered = [*splitter.segments, *([tail] if tail else [])]
    at = 0
    for segment in covered:
        assert not source[at : segment.start].strip()
        at = segment.end
    assert not source[at:].strip()


def test_a_long_open_fence_is_cut_by_lines_and_still_looks_like_one():
    code = "".join(f"line {n}\n" for n in range(500))
    splitter = Splitter()
    splitter.update("```text\n" + code)
    assert len(splitter.segments) >= 500 // 64
    rest = splitter.tail("```text\n" + code)
    assert rest is None or rest.end - rest.start < 64 * 10
    drawn = text("```text\n" + code + "```")
    assert [row.strip().removesuffix("text").strip() for row in drawn] == code.split("\n")[:-1]


def test_a_long_list_is_cut_between_items_and_keeps_its_numbers():
    source = "".join(f"{n}. item\n" for n in range(1, 201))
    splitter = Splitter()
    splitter.update(source)
    assert len(splitter.segments) >= 4
    assert [row.strip() for row in text(source)] == [f"{n}. item" for n in range(1, 201)]


def test_a_fence_inside_a_list_does_not_end_at_a_blank_line():
    source = "- a\n\n  ```\n  x\n\n  y\n  ```\n- b"
    assert [row.strip() for row in text(source) if row.strip()] == ["• a", "x", "y", "• b"]


def test_a_fence_of_four_ticks_holds_one_of_three():
    assert [row.strip() for row in text("````\n```\nx\n```\n````\nafter")] == ["```", "x", "```", "", "after"]


@pytest.mark.parametrize(
    ("source", "shown", "span", "want"),
    [
        ("**all of it**", (2, 11), (2, 11), "**all of it**"),
        ("say **bold** word", (0, 17), (6, 10), "bold"),
        ("say **bold** word", (0, 17), (6, 17), "**bold** word"),
        ("say **bold** word", (0, 17), (0, 10), "say **bold**"),
        ("- one\n- two\n- three", (2, 19), (8, 19), "- two\n- three"),
        ("- one\n- two\n- three", (2, 19), (8, 11), "two"),
        ("x\n\n- one\n- two\n\ny", (0, 16), (5, 13), "- one\n- tw"),
        ("# Title\n\ntext", (2, 13), (2, 13), "# Title\n\ntext"),
    ],
)
def test_what_is_copied_keeps_the_markdown_that_belongs_to_it(source, shown, span, want):
    assert cut_source(source, *span, shown) == want
