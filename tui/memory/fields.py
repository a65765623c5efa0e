"""The one-line fields of a form: a label, and a value on a raised ground."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from tui.widgets.cells import pad
from tui.widgets.editline import EditLine
from tui.widgets.look import Look, look_of
from tui.widgets.rows import NO_STYLE, Part, fit, ground, width_of

LABEL_CELLS = 13
VALUE = 2 + LABEL_CELLS
"""The column where the raised ground begins; the value's text begins one later."""


class Field(Widget, can_focus=True):
    """One line of a form. Up and down go to the neighbours, which is the form's doing."""

    problem: reactive[str] = reactive("", layout=False)
    """What is wrong with the value."""

    class Changed(Message):
        def __init__(self, field: Field) -> None:
            super().__init__()
            self.field = field

        @property
        def control(self) -> Field:
            return self.field

    def __init__(self, name: str, label: str) -> None:
        super().__init__()
        self.field = name
        self.label = label

    def value_parts(self, look: Look, cells: int) -> list[Part]:
        raise NotImplementedError

    def fact_parts(self, look: Look) -> list[Part]:
        """The short fact at the right end of the field."""
        return []

    def render_line(self, y: int) -> Strip:
        look, width, focused = look_of(self.app), self.size.width, self.has_focus
        room = width - VALUE - 4
        if room < 4:
            return Strip.blank(max(0, width))
        right: list[Part] = [(self.problem, look.err)] if self.problem else self.fact_parts(look)
        right = fit(right, room - 4)
        taken = width_of(right)
        left = fit(self.value_parts(look, room - (taken + 2 if taken else 0)), room - (taken + 2 if taken else 0))
        fill = " " * (room - width_of(left) - taken)
        edge: Part = (look.marks.focus, look.accent) if focused else (" ", NO_STYLE)
        if not look.palette.steps and not focused:
            edge = (look.marks.guide, look.rule)
        label: Part = (pad(self.label, LABEL_CELLS), look.bold if focused else look.muted)
        parts = [edge, *left, (fill, NO_STYLE), *right, (" ", NO_STYLE)]
        segments = [Segment("  ", NO_STYLE), Segment(*label)]
        segments += [Segment(text, style if style.bgcolor else style + look.raised_bg) for text, style in parts if text]
        segments.append(Segment("  ", NO_STYLE))
        return Strip(segments, width).apply_style(ground(self))

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def _changed(self) -> None:
        self.refresh()
        self.post_message(self.Changed(self))


class TextField(Field):
    """A line of text. `most` characters are counted on the right."""

    def __init__(self, name: str, label: str, *, placeholder: str = "", most: int = 0) -> None:
        super().__init__(name, label)
        self.placeholder = placeholder
        self.most = most
        self.closed = ""
        """Why nothing can be typed here; shown instead of a value."""
        self._line = EditLine()

    @property
    def text(self) -> str:
        return self._line.text

    def set(self, text: str, *, selected: bool = False) -> None:
        self._line.set(text, selected=selected)
        self.refresh()

    def close(self, why: str) -> None:
        if why != self.closed:
            self.closed = why
            self.refresh()

    def value_parts(self, look: Look, cells: int) -> list[Part]:
        if self.closed:
            return [(self.closed, look.italic)]
        return self._line.parts(cells, look, look.fg, focused=self.has_focus, placeholder=self.placeholder)

    def fact_parts(self, look: Look) -> list[Part]:
        if not self.most or not (self.has_focus or len(self.text) > self.most):
            return []
        return [(f"{len(self.text)} of {self.most}", look.err if len(self.text) > self.most else look.muted)]

    def on_key(self, event: events.Key) -> None:
        before = self.text
        if self.closed:
            if event.is_printable:
                event.stop()
            return
        if self._line.key(event.key, event.character):
            event.stop()
            event.prevent_default()
            self.refresh()
            if self.text != before:
                self._changed()

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        if not self.closed:
            self._line.insert(event.text)
            self._changed()

    def on_click(self, event: events.Click) -> None:
        self._line.go_to_cell(event.x - VALUE - 1)
        self.refresh()


class ChoiceField(Field):
    """One of a few values: space and right go on, left goes back, a first letter goes there."""

    def __init__(self, name: str, label: str, choices: Sequence[str], hint: str) -> None:
        super().__init__(name, label)
        self.choices = tuple(choices)
        self.hint = hint
        self.value = self.choices[0]

    def set(self, value: str) -> None:
        self.value = value
        self.refresh()

    def value_parts(self, look: Look, cells: int) -> list[Part]:
        if self.has_focus:
            return [(self.value, look.bold), (" ", NO_STYLE), (" ", look.cursor)]
        return [(self.value, look.fg)]

    def fact_parts(self, look: Look) -> list[Part]:
        return [(self.hint, look.muted)]

    def _turn(self, by: int) -> None:
        at = self.choices.index(self.value) if self.value in self.choices else -by
        self.value = self.choices[(at + by) % len(self.choices)]
        self._changed()

    def on_key(self, event: events.Key) -> None:
        if event.key in {"space", "right"}:
            self._turn(1)
        elif event.key == "left":
            self._turn(-1)
        elif event.is_printable and event.character:
            start = self.choices.index(self.value) + 1 if self.value in self.choices else 0
            order = [*self.choices[start:], *self.choices[:start]]
            found = next((c for c in order if c.startswith(event.character.lower())), None)
            if found is not None:
                self.value = found
                self._changed()
        else:
            return
        event.stop()
        event.prevent_default()

    def on_click(self, event: events.Click) -> None:
        if event.x >= VALUE:
            self._turn(1)
