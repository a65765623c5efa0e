from __future__ import annotations

import pytest

from sessions.store.stems import stem
from sessions.store.words import fold, snippet, terms


def test_a_snippet_shows_the_line_with_one_before_and_one_after():
    text = "one\n\ntwo\nthe café is here\nfour\nfive"
    assert snippet(text, ("cafe",)) == "two\nthe café is here\nfour"
    assert snippet(text, ("nowhere",)) == "one\ntwo"


def test_a_long_line_is_cut_around_the_match():
    text = "x " * 500 + "needle" + " y" * 500
    cut = snippet(text, ("needle",))
    assert "needle" in cut and cut[0] == cut[-1] == "…" and len(cut) <= 202


def test_folding_takes_case_and_accents_away():
    assert fold("ÉCOLE Straße Ω") == "ecole strasse ω"
    assert fold("が 각") == "が 각"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Went to Zoë's", ["go", "to", "zoe", "s"]),
        ("会議室", ["会議", "議室", "室"]),
        ("Q3会議", ["q3", "会議", "議"]),
        ("getUserName", ["getusernam", "get", "user", "name"]),
        ("save_memory src/store.py", ["save", "memori", "src", "store", "py"]),
    ],
)
def test_a_text_is_taken_apart_into_terms(text, expected):
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("connect connected connecting connection connections", "connect"),
        ("relate related relating", "relat"),
        ("happy happiness", "happi"),
        ("hopping hopped hop hops", "hop"),
        ("hoping hoped hope", "hope"),
        ("libraries library", "librari"),
        ("caught catch catches catching", "catch"),
        ("agreed agree agrees", "agre"),
        ("generalizations generalization generalize", "gener"),
        ("12 twelve", "twelv"),
        ("controlling controlled control", "control"),
    ],
)
def test_forms_of_a_word_have_one_stem(words, expected):
    assert {stem(w) for w in words.split()} == {expected}


def test_what_is_no_plain_word_stays_as_it_is():
    assert [stem(w) for w in ("is", "q3", "2026", "über", "会議", "")] == ["is", "q3", "2026", "über", "会議", ""]
