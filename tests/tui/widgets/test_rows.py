import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.style import Style

from tests.tui.widgets.harness import STRANGE
from tui.widgets.cells import cell_len
from tui.widgets.look import make_look
from tui.widgets.match import fold, matches, spans, terms
from tui.widgets.rows import GroupHead, RowState, fit, line, marked, row_line, section, width_of, wrap

LOOK = make_look("dark")
TEXTS = st.one_of(st.text(max_size=60), st.sampled_from(STRANGE), st.text("漢字かな🌡️👨‍👩‍👧é \n\t", max_size=40))


@given(st.integers(0, 120), st.lists(TEXTS, max_size=4), st.lists(TEXTS, max_size=3), st.booleans(), st.integers(0, 3))
@example(10, ["漢"], ["漢字漢字"], True, 2)
def test_every_line_is_exactly_as_wide_as_its_pane(width, left, right, rule, gap):
    strip = line(
        width,
        [(t, LOOK.fg) for t in left],
        [(t, LOOK.muted) for t in right],
        gap=gap,
        rule=("─", LOOK.rule) if rule else None,
    )
    assert strip.cell_length == width
    assert sum(cell_len(segment.text) for segment in strip) == width


@given(TEXTS, st.integers(0, 40))
def test_parts_that_are_fitted_never_take_more_cells_than_there_are(text, cells):
    assert width_of(fit([("ab", LOOK.fg), (text, LOOK.muted), ("cd", LOOK.fg)], cells)) <= cells


def test_what_is_cut_ends_in_dots_even_where_the_cut_falls_between_two_parts():
    assert [t for t, _ in fit([("abcd", Style()), ("efgh", Style())], 4)] == ["abc…"]
    assert [t for t, _ in fit([("abcd", Style()), ("efgh", Style())], 6)] == ["abcd", "e…"]
    assert [t for t, _ in fit([("abcd", Style()), ("efgh", Style())], 8)] == ["abcd", "efgh"]


def test_text_stands_on_the_grid_and_facts_end_three_cells_before_the_edge():
    strip = row_line(
        40, LOOK, RowState(chosen=True, focused=True), [("◆", LOOK.accent), (" Lives", LOOK.fg)], [("off", LOOK.muted)]
    )
    text = strip.text
    assert text[0] == " "
    assert text[1] == "▌"
    assert text[2] == "◆"
    assert text[4:9] == "Lives"
    assert text[35:38] == "off"
    ground = [segment.style.bgcolor for segment in strip]
    assert ground[0] is None
    assert ground[-1] is None
    assert all(ground[1:-1])


def test_a_chosen_row_without_focus_has_the_thin_bar():
    assert row_line(20, LOOK, RowState(chosen=True), [("x", LOOK.fg)]).text[1] == "▏"
    assert row_line(20, LOOK, RowState(hover=True), [("x", LOOK.fg)]).text[1] == " "


def test_control_sequences_and_markup_are_drawn_as_text():
    text = line(60, [("\x1b[31m[bold]x[/]\u202e", LOOK.fg)]).text
    assert "\x1b" not in text
    assert "␛[31m[bold]x[/]<U+202E>" in text


def test_a_fact_that_leaves_no_room_for_the_text_is_left_out():
    assert "far too long a fact" not in line(24, [("The title", LOOK.fg)], [("far too long a fact", LOOK.muted)]).text


def test_a_group_head_has_a_rule_only_where_there_are_no_blank_lines():
    head = GroupHead("g", "About you", "5")
    assert "─" not in head.draw(40, LOOK, RowState(airy=True))[0].text
    assert "About you ───" in head.draw(40, LOOK, RowState(airy=False))[0].text


def test_a_section_has_a_rule_between_title_and_fact():
    assert section(30, LOOK, "Recap", "by rule").text == "  Recap ──────────── by rule  "


@given(TEXTS, st.integers(2, 40))
@example("\u200d\u200d\x80", 2)
def test_wrapped_lines_fit_and_lose_no_word(text, cells):
    lines = wrap(text, cells)
    assert all(cell_len(part) <= cells for part in lines)
    assert "".join("".join(lines).split()) == "".join("".join(wrap(text, 10_000)).split())


@given(TEXTS, TEXTS)
def test_marked_matches_keep_the_text(text, query):
    found = spans(text, terms(query))
    assert "".join(part for part, _ in marked(text, found, LOOK.fg, LOOK)) == text
    assert all(0 <= start < end <= len(text) for start, end in found)


@pytest.mark.parametrize(("query", "found"), [("tok", True), ("LIVES tokyo", True), ("lives osaka", False), ("", True)])
def test_every_word_of_a_filter_has_to_occur(query, found):
    assert matches(fold("Lives in Tokyo"), terms(query)) is found
