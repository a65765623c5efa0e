from __future__ import annotations

from typing import Any

import pytest
from textual.timer import Timer

from sessions import events as ev
from tests.tui.chat.stage import S, Stage
from tests.waiting import until
from tui.widgets.beat import Beat


@pytest.fixture
def held_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A timer of Textual's that is held up between its two looks at the clock does not call when it is to call once."""
    run = Timer._run

    async def late(self: Timer) -> None:
        if self._repeat is None:
            await run(self)

    monkeypatch.setattr(Timer, "_run", late)


async def test_a_turn_is_drawn_however_late_the_loop_comes_to_it(held_up: Any) -> None:
    app = Stage()
    async with app.run_test(size=(60, 20)):
        app.transcript.apply(ev.TurnStarted(session=S, turn=1, text="the prompt"))
        await until(lambda: app.transcript._frame is None, "the frame")
        await until(lambda: app.transcript.virtual_size.height > 0, "the prompt on the screen")


async def test_a_beat_goes_on_however_late_the_loop_comes_to_it(held_up: Any) -> None:
    app = Stage()
    async with app.run_test(size=(60, 20)):
        beats: list[int] = []
        beat = Beat(app, lambda: beats.append(1))
        beat.run(True)
        await until(lambda: len(beats) > 2, "three beats")
        beat.run(False)
        assert not beat.runs
