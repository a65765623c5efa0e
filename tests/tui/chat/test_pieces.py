from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions import events as ev
from tests.tui.chat.stage import S, Stage, drag, find, rows, turn
from tui.chat import pieces as cutting
from tui.chat.blocks import Answer, More, Prompt
from tui.chat.document import Document
from tui.chat.pieces import HUGE, pieces
from tui.chat.segments import Splitter

LINES = ["", "some words", "- an item", "```python", "```", "~~~~", "~~~", "    code", "x" * 90, "`` ` ``", "```a`b"]


def segments(text: str, fence: str = "") -> list[tuple[bool, str]]:
    """What is code and what is not."""
    splitter = Splitter(fence)
    splitter.update(text)
    tail = splitter.tail(text)
    return [(s.code, s.lang) for s in [*splitter.segments, *([tail] if tail else [])]]


@given(lines=st.lists(st.sampled_from(LINES), max_size=60), ended=st.booleans())
def test_pieces_are_the_text_and_know_whether_they_begin_in_code(lines, ended):
    text = "\n".join(lines) + "\n" * ended
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cutting, "HUGE", 120)
        patch.setattr(cutting, "_PIECE", 60)
        found = pieces(text)
    assert "".join(p.text for p in found) == text
    assert not found[0].fence
    at = 0
    for before, piece in pairwise(found):
        at += len(before.text)
        if "\n" in text[:at]:
            whole = Splitter()
            whole.update(text[:at])
            assert bool(piece.fence) == (whole._fence is not None)


def test_a_short_text_is_one_piece():
    assert [p.text for p in pieces("a\n\nb")] == ["a\n\nb"] and pieces("")[0].text == ""


def test_a_huge_message_is_the_same_live_and_again_and_is_copied_as_it_was_written():
    text = "## Part\n\nwords\n\n```\n" + "code\n" * 60_000 + "```\n\nend"
    live, again = Document(), Document()
    events = turn(1, "line of a prompt\n" * 20_000, text)
    again.load(events)
    for event in events:
        if isinstance(event, ev.TextDelta):
            for i in range(0, len(text), 5000):
                live.apply(ev.TextDelta(session=S, turn=1, text=text[i : i + 5000]))
        else:
            live.apply(event)
    assert live == again
    answers = [b for b in again.blocks if isinstance(b, Answer)]
    assert len(answers) > 3 and "".join(b.text for b in answers) == text and {b.message for b in answers} == {"m1"}
    assert segments(answers[2].text, answers[2].piece.fence)[0][0]
    prompt = [b.text for b in again.blocks if isinstance(b, Prompt | More)]
    assert "".join(prompt) == "line of a prompt\n" * 20_000


async def test_a_message_of_12_mb_is_on_screen_at_once_and_selected_over_its_pieces():
    text = "\n\n".join(f"paragraph {n} with **words**" for n in range(400_000))
    assert len(text) > 12_000_000
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        view = app.transcript
        began = time.perf_counter()
        view.load(turn(1, "all of it", text))
        assert "paragraph 399999 with words" in "\n".join(rows(view))
        assert time.perf_counter() - began < 3
        seam = [b for b in view.document.blocks if isinstance(b, Answer)][-1]
        view.go(view._sheet.top(view._sheet.index[seam.id]) - 6)
        x, y = find(view, seam.text.split("\n")[0].replace("**", ""))
        await pilot.mouse_down("#transcript", offset=(x, y - 2))
        await drag(pilot, (x + 8, y))
        await pilot.mouse_up("#transcript", offset=(x + 8, y))
        first = int(seam.text.split()[1])
        assert view.selected_text() == f"paragraph {first - 1} with **words**\n\nparagraph"
        view.action_end(-1)
        assert "all of it" in rows(view)[0] and "paragraph 0 with words" in "\n".join(rows(view))
        assert HUGE < len(text)
