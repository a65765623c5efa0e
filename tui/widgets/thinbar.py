"""A scrollbar of half a cell's width: it tells where the reader is and draws no eye."""

from __future__ import annotations

from math import ceil
from typing import Any, ClassVar

from rich.segment import Segment, Segments
from rich.style import Style
from textual.reactive import Reactive
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip


class PlainBar(ScrollBarRender):
    """Textual's bar without block characters, which some terminals draw two cells wide."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8
    """The ends are whole cells."""


class ThinBar(PlainBar):
    """Its filled cells drawn as half blocks."""

    @classmethod
    def render_bar(cls, *args: Any, **values: Any) -> Segments:
        bar = super().render_bar(*args, **values)
        bar.segments = [_thin(segment, values) for segment in bar.segments]
        return bar


def _thin(segment: Segment, values: dict[str, Any]) -> Segment:
    style = segment.style
    if style is None or not style.reverse:
        return segment
    return Segment("▐", Style(color=values["bar_color"], bgcolor=values["back_color"], meta=style.meta))


class SteadyBar(ScrollBar):
    """A scrollbar that is drawn when its thumb comes to stand on other cells, not whenever a row is added.

    Textual's draws all its cells through a renderable at each change of its numbers, which under an answer that
    streams in costs more than the answer.
    """

    window_virtual_size: Reactive[int] = Reactive(100, repaint=False)
    window_size: Reactive[int] = Reactive(0, repaint=False)
    position: Reactive[float] = Reactive(0, repaint=False)

    def __init__(self, *, thickness: int = 1) -> None:
        super().__init__(vertical=True, name="vertical", thickness=thickness)
        self._thumb = (0, 0)
        self._rows: list[Strip] = []
        self._drawn: object = None

    def stand(self, window: int, whole: int, position: int) -> None:
        """Take all three numbers at once: one after the other, the thumb would go forth and back."""
        self.set_reactive(SteadyBar.window_size, window)
        self.set_reactive(SteadyBar.window_virtual_size, whole)
        self.set_reactive(SteadyBar.position, float(position))
        self._moved()

    def watch_window_virtual_size(self) -> None:
        """The whole is longer or shorter."""
        self._moved()

    def watch_window_size(self) -> None:
        """More or less of it is in sight."""
        self._moved()

    def watch_position(self) -> None:
        """Another part of it is in sight."""
        self._moved()

    def _moved(self) -> None:
        thumb = thumb_cells(self.size.height, self.window_virtual_size, self.window_size, self.position)
        if thumb != self._thumb:
            self._thumb = thumb
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """One cell of the bar."""
        numbers = (self.window_virtual_size, self.window_size, self.position)
        drawn = (self.size, self._thumb, self.grabbed, self.mouse_over, self.app.theme, numbers)
        if drawn != self._drawn:
            self._drawn, self._rows = drawn, self._draw()
        return self._rows[y] if y < len(self._rows) else Strip.blank(self.size.width)

    def _draw(self) -> list[Strip]:
        bar = self.render()
        assert isinstance(bar, ScrollBarRender) and isinstance(bar.style, Style)
        assert bar.style.color is not None and bar.style.bgcolor is not None
        segments = bar.render_bar(
            size=self.size.height,
            virtual_size=bar.virtual_size,
            window_size=bar.window_size,
            position=bar.position,
            thickness=self.thickness,
            back_color=bar.style.bgcolor,
            bar_color=bar.style.color,
        ).segments
        strips: dict[Segment, Strip] = {}
        return [strips.setdefault(s, Strip([s], self.thickness)) for s in segments]


def thumb_cells(size: int, whole: float, window: float, position: float) -> tuple[int, int]:
    """The first cell of the thumb and the one after its last, of a bar of `size` cells; (0, 0): there is no thumb."""
    if not window or not size or not whole or window >= whole or size == whole:
        return 0, 0
    length = max(1, window / (whole / size))
    start = int((size - length) * position / (whole - window) * 8)
    return max(0, start) // 8, max(0, start + ceil(length * 8)) // 8
