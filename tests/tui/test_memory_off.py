from __future__ import annotations

from pathlib import Path

import pytest

from sessions.clock import FixedClock
from styles.themes import PALETTES
from tests.tui.workbench import NOW, Bench, say, text_of, workbench, write
from tests.waiting import until
from tui.app import MemagentApp
from tui.chat.blocks import Prompt
from tui.chat.rows import Canvas, draw_row
from tui.chat.runs import width_of
from tui.widgets.look import UNICODE

SIZES = [(120, 40), (80, 24)]


async def mode(app: MemagentApp, pilot: Bench, words: str, shown: str) -> None:
    write(app, f"/memory {words}")
    await pilot.press("enter")
    await until(lambda: shown in text_of(app.header), shown)


def flags(app: MemagentApp) -> list[bool]:
    return [b.unremembered for b in app.body.chat.transcript.document.blocks if isinstance(b, Prompt)]


def newest_prompt(app: MemagentApp) -> str:
    lines = [line.strip() for line in text_of(app.body.chat.transcript).splitlines()]
    return next((line for line in reversed(lines) if line.startswith("›")), "")


@pytest.mark.parametrize("size", SIZES)
async def test_what_is_said_with_memory_off_says_so_dimly_live_and_when_it_is_taken_up_again(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with workbench(tmp_path / "home", size) as (app, pilot):
        await say(app, pilot, "thanks")
        assert newest_prompt(app).split() == ["›", "thanks", "17:14"]
        await mode(app, pilot, "read-only", "memory: use")
        await say(app, pilot, "hello")
        assert newest_prompt(app).split() == ["›", "hello", "17:14"]
        await mode(app, pilot, "off", "memory off")
        await say(app, pilot, "thank you")
        live, session = newest_prompt(app), app.desk.session
        assert live.split() == ["›", "thank", "you", "memory", "off", "17:14"]
        transcript, inks = app.body.chat.transcript, set()
        for y in range(transcript.size.height):
            inks |= {s.style.color.triplet.hex for s in transcript.render_line(y) if "memory off" in s.text}
        assert inks == {PALETTES["dark"].muted.lower()}
        assert flags(app) == [False, False, True]
    async with workbench(tmp_path / "home", size, resume=session) as (app, pilot):
        await until(lambda: newest_prompt(app), "the conversation")
        assert newest_prompt(app) == live
        await until(lambda: flags(app) == [False, False, True], "as it was said")


@pytest.mark.parametrize("width", range(20, 130, 7))
def test_a_prompt_with_all_that_is_told_of_it_fits_its_line(width: int) -> None:
    text = "What did I say about the roadmap of the second half of the year, and about the offsite?"
    prompt = Prompt(turn=1, text=text, at=NOW.isoformat(), unremembered=True)
    lines = draw_row(prompt, Canvas(width, UNICODE, FixedClock(NOW).now(), version=(1, 2)))
    assert all(width_of(line) == width - 1 or width < 40 for line in lines), [width_of(line) for line in lines]
    told = "".join(run.text for run in lines[0])
    assert "not sent" in told or width < 40
    assert ("memory off" in told) == (width >= 67)
