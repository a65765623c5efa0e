"""The bar of a conversation stands where Textual's own would, however its numbers came to be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.color import Color
from textual.pilot import Pilot
from textual.scrollbar import ScrollBar, ScrollBarRender

from sessions import events as ev
from tests.tui.chat.stage import NOW, S, Stage, many
from tui.widgets.thinbar import PlainBar, ThinBar, thumb_cells

DRAWN = True
BACK, FRONT = Color.parse("#101010"), Color.parse("#a0a0a0")


@pytest.fixture(autouse=True)
def _thin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ScrollBar, "renderer", ThinBar)


def bar(render: type[ScrollBarRender], size: int, whole: int, window: int, position: float) -> list[bool]:
    """Which cells of a bar are the thumb's."""
    segments = render.render_bar(size, whole, window, position, back_color=BACK, bar_color=FRONT).segments
    return [bool(s.style and s.style.meta.get("@mouse.down") == "grab") for s in segments]


@given(st.integers(1, 60), st.integers(1, 5000), st.integers(1, 60), st.floats(0, 1))
def test_the_thumb_is_known_without_drawing_it(size: int, whole: int, window: int, part: float) -> None:
    position = round(max(0, whole - window) * part)
    first, end = thumb_cells(size, whole, window, position)
    shown = bar(PlainBar, size, whole, window if window < whole else 0, position)
    assert [first <= y < end for y in range(size)] == shown


def shown(app: Stage) -> list[bool]:
    """The cells of the thumb on the screen, by what the compositor last drew."""
    column = app.transcript.vertical_scrollbar
    lines = column.render_lines(column.size.region)
    return [line.text == "▐" for line in lines]


async def stands(app: Stage, pilot: Pilot[None]) -> None:
    await app.transcript.drawn()
    await pilot.pause()
    view = app.transcript
    whole, window = view.virtual_size.height, view.size.height
    assert shown(app) == bar(ThinBar, window, whole, window if whole > window else 0, round(view.scroll_y))


async def test_the_bar_follows_what_streams_and_who_scrolls() -> None:
    app = Stage(many(2))
    async with app.run_test(size=(80, 30)) as pilot:
        await stands(app, pilot)
        app.transcript.apply(ev.TurnStarted(session=S, turn=3, text="go on", at=NOW.isoformat()))
        app.transcript.apply(ev.StepStarted(session=S, turn=3, step=1, profile="p", model="m"))
        for k in range(40):
            app.transcript.apply(ev.TextDelta(session=S, turn=3, text=f"line {k}\n\n"))
            await stands(app, pilot)
        assert any(shown(app)) and not shown(app)[0]
        app.transcript.focus()
        for key in ("home", "pagedown", "end", "pageup"):
            await pilot.press(key)
            await stands(app, pilot)


async def test_a_page_down_by_a_click_under_the_thumb_and_the_colours_of_another_theme() -> None:
    app = Stage(many(10))
    async with app.run_test(size=(80, 30)) as pilot:
        await stands(app, pilot)
        await pilot.click(app.transcript.vertical_scrollbar, offset=(0, 0))
        await stands(app, pilot)
        assert not app.transcript.at_end
        before = app.transcript.vertical_scrollbar.render_line(0)._segments[0].style
        app.theme = "light"
        await pilot.pause()
        assert app.transcript.vertical_scrollbar.render_line(0)._segments[0].style != before
