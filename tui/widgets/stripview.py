"""A text that is only read: lines drawn for a width, kept until width or theme change, and scrolled."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, TypeAlias

from rich.style import Style
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tui.widgets.linelist import AIRY_ROWS
from tui.widgets.look import Look, look_of
from tui.widgets.rows import ground

Builder: TypeAlias = Callable[[int, Look], list[Strip]]
"""Width of the pane and look -> lines of exactly that width."""


class StripView(ScrollView, can_focus=True):
    """Shows what its builder draws."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_up", "Up", show=False),
        Binding("down,j", "scroll_down", "Down", show=False),
        Binding("pageup", "page_up", "Page up", show=False),
        Binding("pagedown,space", "page_down", "Page down", show=False),
        Binding("home", "scroll_home", "Top", show=False),
        Binding("end", "scroll_end", "Bottom", show=False),
    ]

    def __init__(self, builder: Builder | None = None, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._builder = builder
        self._lines: list[Strip] = []
        self._built = 0

    def set_builder(self, builder: Builder, *, top: bool = True) -> None:
        """Show another text, from its top or where the reader is."""
        self._builder = builder
        self._build()
        if top:
            self.scroll_to(y=0, animate=False)

    def _build(self) -> None:
        width = self.size.width
        self._built = width
        if self._builder is None or width < 8:
            self._lines = []
        else:
            self._lines = self._builder(width, look_of(self.app))
        self.virtual_size = Size(width, len(self._lines))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        at = y + self.scroll_offset.y
        strip = self._lines[at] if at < len(self._lines) else Strip.blank(self.size.width, Style())
        return strip.apply_style(ground(self))

    @property
    def lines_of_text(self) -> list[str]:
        """What is drawn, as text."""
        return [strip.text for strip in self._lines]

    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, lambda _: self._build())

    def on_resize(self) -> None:
        if self.size.width != self._built:
            self._build()

    def action_page_up(self) -> None:
        self.scroll_page_up(animate=False)

    def action_page_down(self) -> None:
        self.scroll_page_down(animate=False)

    @property
    def airy(self) -> bool:
        """Whether the terminal has room for blank lines."""
        return self.app.size.height >= AIRY_ROWS

    def on_focus(self) -> None:
        self._build()

    def on_blur(self) -> None:
        self._build()
