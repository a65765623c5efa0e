from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui.chat.layout import Stack, clamp


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 5)), max_size=60))
def test_tops_and_rows_agree_with_plain_sums_after_any_changes(steps):
    stack, plain = Stack(), []
    for at, height in steps:
        index = min(at, len(plain))
        plain[index : index + 1] = [height]
        stack.set(index, height)
        if at == 7:
            del plain[at // 2 :]
            stack.cut(at // 2)
        assert [stack.top(i) for i in range(len(plain) + 1)] == [sum(plain[:i]) for i in range(len(plain) + 1)]
    rows = [i for i, height in enumerate(plain) for _ in range(height)]
    assert [stack.find(y) for y in range(len(rows))] == rows


def test_an_empty_stack_has_nothing_at_any_row():
    assert Stack().find(3) == -1


def test_a_view_shows_no_more_emptiness_than_it_must():
    assert (clamp(90, 100, 20), clamp(-3, 100, 20), clamp(5, 10, 20)) == (80, 0, 0)
