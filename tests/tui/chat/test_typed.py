from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.chat.typed import Spans, TypedSpans, carried


def test_all_typed_gives_none_and_a_paste_in_the_middle_is_left_out() -> None:
    spans = TypedSpans()
    spans.changed("see ", True)
    assert spans.spans() is None
    spans.changed("see PASTED", False)
    spans.changed("see PASTED here", True)
    assert spans.spans() == ((0, 4), (10, 15))


def test_editing_inside_a_paste_counts_only_what_was_typed_there() -> None:
    spans = TypedSpans()
    spans.changed("abcdef", False)
    spans.changed("abcXdef", True)
    assert spans.spans() == ((3, 4),)
    spans.changed("abcX", True)
    assert spans.spans() == ((3, 4),)


def test_an_undo_brings_back_what_was_typed_and_a_part_is_counted_from_its_start() -> None:
    spans = TypedSpans()
    spans.changed("pasted", False)
    spans.changed("pasted typed", True)
    spans.changed("", True)
    spans.changed("pasted typed", None)
    assert spans.spans() == ((6, 12),)
    assert spans.spans(7, 12) is None
    assert spans.spans(3, 12) == ((3, 9),)


def test_what_an_undo_brings_from_nowhere_is_not_typed() -> None:
    spans = TypedSpans()
    spans.changed("unknown", None)
    assert spans.spans() == ()


@given(st.lists(st.tuples(st.text("abc\n", max_size=6), st.booleans(), st.integers(0, 20)), max_size=12))
def test_spans_always_lie_in_the_text_and_apart(edits: list[tuple[str, bool, int]]) -> None:
    spans, text = TypedSpans(), ""
    for insert, typed, at in edits:
        at = min(at, len(text))
        text = text[:at] + insert + text[at + 1 :]
        spans.changed(text, typed)
        found = spans.spans() or ()
        assert all(0 <= start < end <= len(text) for start, end in found)
        assert all(a[1] < b[0] for a, b in itertools.pairwise(found))


@pytest.mark.parametrize(
    ("old", "typed", "new", "left"),
    [
        ("I live in Rome", None, "I live in Rome", None),
        ("I live in Rome", None, "I live in Rome\nand more", ((0, 14),)),
        ("I live in Rome", None, "I work in Rome", ((0, 2), (6, 14))),
        ("I do not trust it", None, "I do trust it", None),
        ("see PASTED ok", ((0, 4), (10, 13)), "see PASTED, ok", ((0, 4), (11, 14))),
        ("one two three four", None, "zero two and four", ((4, 9), (12, 17))),
        ("word " * 3_000, None, "x" + "other " * 3_000 + "x", ()),
        ("", None, "all new", ()),
        ("mine", None, "", None),
    ],
)
def test_of_a_text_that_another_program_changed_only_what_stood_there_is_typed(
    old: str, typed: Spans | None, new: str, left: Spans | None
) -> None:
    assert carried(old, typed, new) == left
