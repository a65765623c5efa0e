from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tui.widgets.visible import held, one_cell, released, visible, without_controls

ODD = [chr(c) for c in (*range(0x20), *range(0x7F, 0xA0), 0x61C, 0x200B, 0x202E, 0x2066, 0xFEFF, 0xD800, 0xE0041)]
TEXTS = st.text(st.one_of(st.sampled_from(ODD), st.characters()))


@given(TEXTS)
def test_no_control_and_no_bidi_character_is_left_of_a_text_made_visible(text: str):
    for char in visible(text).replace("\n", ""):
        assert unicodedata.category(char) not in {"Cc", "Cs", "Zl", "Zp"}
        assert unicodedata.bidirectional(char) not in {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


@given(TEXTS)
def test_a_text_held_by_a_field_comes_back_and_every_character_of_it_has_cells(text: str):
    if any(0x100000 <= ord(char) for char in text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if released(text) == text:
        assert released(held(text)) == text
    assert len(held(text)) == len(text)
    assert all(cell_len(char) == 1 for char in held("".join(ODD)) if char not in "\t\n\r")


def test_a_private_character_that_stands_for_another_cannot_be_smuggled_in():
    assert "\x1b" not in released(held("a\U0010001bb"))


@given(TEXTS)
def test_marks_of_one_cell_keep_the_number_of_characters(text: str):
    assert len(one_cell(held(text))) == len(text)
    assert "\x1b" not in one_cell(text) and "\u202e" not in one_cell(text)


def test_a_clipboard_gets_words_as_they_are_and_no_control():
    text = "שלום\u200f ok\t1\r\n\x1b[201~rm\r\x9b\x07\ud800"
    assert without_controls(text) == "שלום\u200f ok\t1\r\n␛[201~rm␍<9B>␇<U+D800>"
