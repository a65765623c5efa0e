from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tui.chat.start import StartState, greeting


@pytest.mark.parametrize(
    ("hour", "hello"),
    [(0, "Hello."), (2, "Hello."), (4, "Hello."), (5, "Good morning."), (11, "Good morning."),
     (12, "Good afternoon."), (18, "Good evening."), (23, "Good evening.")],
)  # fmt: skip
def test_the_greeting_follows_the_hour_and_the_small_hours_have_none_of_their_own(hour: int, hello: str) -> None:
    now = datetime(2026, 11, 30, hour, 30, tzinfo=UTC)
    assert greeting(StartState(), now) == hello
    assert greeting(StartState(facts=1, sessions=1), now) == f"{hello} I remember 1 fact and 1 session."
