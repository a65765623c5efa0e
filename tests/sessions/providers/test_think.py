from __future__ import annotations

import pytest

from sessions.providers.think import ThinkSplitter


def split(*pieces: str) -> tuple[str, str]:
    """(reasoning, text)."""
    splitter = ThinkSplitter()
    out = [pair for piece in pieces for pair in splitter.feed(piece)] + splitter.close()
    return "".join(t for r, t in out if r), "".join(t for r, t in out if not r)


@pytest.mark.parametrize(
    ("whole", "reasoning", "text"),
    [
        ("<think>\nplan\n</think>\n\nAnswer", "plan", "Answer"),
        ("\n <think>plan</think>Answer", "plan", "Answer"),
        ("<thinking>plan</thinking> Answer", "plan", "Answer"),
        ("<think></think>\n\nAnswer", "", "Answer"),
        ("<think>a < b </thi</think>Answer", "a < b </thi", "Answer"),
        ("<think>one</think>\n<think>two</think>\nAnswer", "onetwo", "Answer"),
        ("<think>never closed", "never closed", ""),
        ("Answer", "", "Answer"),
        ("  Answer ", "", "  Answer "),
        ("The tag <think> opens </think> and closes", "", "The tag <think> opens </think> and closes"),
        ("<thinner> is no tag", "", "<thinner> is no tag"),
        ("<thi", "", "<thi"),
        ("<", "", "<"),
        ("<think>x</think>\n", "x", ""),
    ],
)
def test_reasoning_is_taken_out_however_the_text_is_split(whole, reasoning, text):
    assert split(whole) == (reasoning, text)
    assert split(*whole) == (reasoning, text)
    for at in range(len(whole)):
        assert split(whole[:at], whole[at:]) == (reasoning, text), at


def test_nothing_is_held_back_once_the_answer_has_begun():
    splitter = ThinkSplitter()
    assert splitter.feed("A") == [(False, "A")]
    assert splitter.plain
    assert splitter.feed("<think") == [(False, "<think")]
