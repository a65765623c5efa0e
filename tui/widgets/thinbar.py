"""A scrollbar of half a cell's width: it tells where the reader is and draws no eye."""

from __future__ import annotations

from typing import Any, ClassVar

from rich.segment import Segment, Segments
from rich.style import Style
from textual.scrollbar import ScrollBarRender


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
