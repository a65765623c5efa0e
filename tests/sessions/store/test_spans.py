from __future__ import annotations

from sessions.store.spans import fold, spans_in

MIXED = "Ein CAFÉ in Straße 7, İstanbul und 각 und ﬁn. "


def test_a_long_text_is_folded_as_a_short_one_is_and_keeps_its_positions() -> None:
    assert fold(MIXED * 2000) == fold(MIXED) * 2000
    assert len(fold(MIXED)) == len(MIXED) and "cafe" in fold(MIXED)


def test_places_do_not_overlap_and_an_empty_word_has_none() -> None:
    assert spans_in("aaaa.a", ("aa",)) == [(0, 2), (2, 4)]
    assert spans_in("a+a", ("+",)) == [(1, 2)]
    assert spans_in("abc", ("",)) == spans_in("abc", ()) == []
    assert spans_in("abcd", ("ab", "bc")) == [(0, 3)]
