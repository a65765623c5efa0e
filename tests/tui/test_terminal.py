from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from textual import events

from tui.terminal import PasteParser

START, END = "\x1b[200~", "\x1b[201~"
PASTED = "two\rlines \x1b[31mred\x1b[0m \x1b]52;c;x\x07 \x1b[A \x1b[200~ \x03\x1b"


def told(*chunks: str) -> list[str]:
    """Keys by name and pastes by text."""
    parser = PasteParser()
    out = []
    for chunk in chunks:
        for message in parser.feed(chunk):
            match message:
                case events.Key():
                    out.append(message.key)
                case events.Paste():
                    out.append(f"pasted {message.text}")
                case events.MouseDown():
                    out.append("mouse")
    return out


def test_nothing_in_a_paste_is_a_key_and_all_around_it_is():
    keys = ["a", "up", f"pasted {PASTED}", "down", "b", "mouse"]
    assert told(f"a\x1b[A{START}{PASTED}{END}\x1b[Bb\x1b[<0;3;4M") == keys


@given(st.lists(st.integers(0, 80), max_size=8))
def test_however_the_bytes_come_in_a_paste_is_whole(cuts: list[int]):
    data = f"a\x1b[A{START}{PASTED}{END}\x1b[B{START}{END}{START}x{END}b"
    edges = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    chunks = [data[i:j] for i, j in pairwise(edges)]
    assert told(*chunks) == ["a", "up", f"pasted {PASTED}", "down", "pasted ", "pasted x", "b"]


def test_a_lone_escape_is_told_as_soon_as_it_cannot_be_more():
    parser = PasteParser()
    assert list(parser.feed("\x1b")) == []
    assert 0 < parser.wait_s() <= 0.1
    assert [m.key for m in parser.feed("[A") if isinstance(m, events.Key)] == ["up"]
    assert parser.wait_s() == 0.1
