from __future__ import annotations

import itertools

import pytest

from styles.themes import PALETTES, textual_theme

WORDS = ("fg", "muted", "accent", "ok", "warn", "err")
GROUNDS = ("bar", "bg", "panel", "raised", "sel_blur", "add", "delete")


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: str, b: str) -> float:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", PALETTES)
def test_words_can_be_read_on_every_ground(name: str):
    p = PALETTES[name]
    pairs = list(itertools.product(WORDS, GROUNDS))
    pairs += [("bg", "accent"), ("sel_text", "sel"), ("hit_text", "hit")]
    if p.steps:
        pairs += [(word, "sel") for word in WORDS]
    low = {(w, g): round(c, 2) for w, g in pairs if (c := contrast(getattr(p, w), getattr(p, g))) < 4.5}
    assert low == {}


@pytest.mark.parametrize("name", PALETTES)
def test_every_colour_of_the_palette_is_a_css_variable(name: str):
    variables = textual_theme(name).variables
    assert {"raised", "sel", "sel-blur", "rule", "fg", "muted", "bar"} <= set(variables)
