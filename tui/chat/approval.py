"""The question before a call that can change something: a sheet above the composer, while all else stays usable."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.widgets.cells import cell_len, cut, pad
from tui.widgets.look import Look, look_of
from tui.widgets.rows import NO_STYLE, Part, RowState, ground, line, row_line, wrap
from tui.widgets.when import counted

if TYPE_CHECKING:
    from sessions.agent.approval import ApprovalRequest, Decision

_AHEAD_S = 0.6
"""Keys that come sooner after the question were meant for something else."""
_LABEL = 16
_TITLE = 15
"""Cells of the first row beside the tool's name and what is said about it."""
_ROWS, _FEWEST = 6, 2
"""Rows of arguments before the rest has to be asked for; fewer where the sheet would take over half of the screen."""
_OTHER_ROWS = 6
"""Of a compact sheet."""
CHOICES: tuple[tuple[Decision, str, str, str], ...] = (
    ("once", "o", "Once", "this call only"),
    ("session", "s", "This session", "{} until the session ends"),
    ("always", "w", "Always", "{}, written to config.toml"),
    ("no", "n", "No", "the model is told that you declined"),
)
_HINT = "The turn waits; scroll, browse and type meanwhile."


def argument_lines(arguments: Mapping[str, Any], cells: int) -> list[tuple[str, str]]:
    """The arguments in lines of `cells` cells: a label, empty but in the first line of each, and a text."""
    out: list[tuple[str, str]] = []
    for name, value in arguments.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        lines = wrap(text.rstrip("\n"), cells)
        out += [(name if i == 0 else "", part) for i, part in enumerate(lines)]
    return out


def some_of(lines: list[tuple[str, str]], most: int) -> list[tuple[str, str]]:
    """The first lines, and of every argument at least its first one as far as there is room: none hides the others."""
    firsts = [i for i, (name, _) in enumerate(lines) if name or i == 0][:most]
    rest = [i for i in range(len(lines)) if i not in firsts]
    return [lines[i] for i in sorted([*firsts, *rest[: most - len(firsts)]])]


def label_cells(arguments: Mapping[str, Any]) -> int:
    return min(_LABEL, max((cell_len(name) for name in arguments), default=0))


class ApprovalSheet(Widget, can_focus=True):
    """Shows one question; the answer goes out as `Answered`."""

    place = "approval"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("enter", "choose", show=False),
        Binding("right", "read", show=False),
        Binding("tab", "composer", show=False),
        Binding("escape,n", "answer('no')", show=False),
        Binding("o", "answer('once')", show=False),
        Binding("s", "answer('session')", show=False),
        Binding("w", "answer('always')", show=False),
    ]

    @dataclass
    class Answered(Message):
        request: ApprovalRequest
        decision: Decision

    @dataclass
    class ReadAll(Message):
        """All of the arguments are wanted."""

        request: ApprovalRequest

    def __init__(self, write: Callable[[str], None]) -> None:
        """`write` goes back to the message and puts this into it; the question stays."""
        super().__init__(id="approval")
        self._write = write
        self.display = False
        self.request: ApprovalRequest | None = None
        self._more = 0
        self._at = 0
        self._since = 0.0
        self._answered = -_AHEAD_S
        self._hit: dict[int, int | str] = {}
        self._wrapped: tuple[int, list[tuple[str, str]]] = (0, [])

    def show(self, request: ApprovalRequest | None, more: int = 0) -> None:
        """Ask this; `more` questions wait behind it. None = nothing is to be asked."""
        if request is not None and (self.request is None or request.call_id != self.request.call_id):
            self._at, self._since = 0, time.monotonic()
        self.request, self._more = request, more
        self.display = request is not None
        self._wrapped = (0, [])
        self.refresh(layout=True)

    def hold(self) -> None:
        """The question was answered and the next one is about to come: till then no key is an answer, and the focus
        stays."""
        self._since = math.inf

    @property
    def just_answered(self) -> bool:
        """Whether a key that comes now may have been meant for a question that was answered."""
        return time.monotonic() - self._answered < _AHEAD_S

    @property
    def listens(self) -> bool:
        """Whether a key can be an answer already."""
        return self.request is not None and time.monotonic() - self._since >= _AHEAD_S

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def on_key(self, event: events.Key) -> None:
        """What is typed ahead, or is no key of the sheet, is written into the message."""
        letter = event.character if event.character is not None and event.is_printable else " "
        if letter != " " and (not self.listens or letter not in "oswnjk"):
            self._write(letter)
        elif self.listens or event.key in {"tab", "up", "down"}:
            return
        event.stop()
        event.prevent_default()

    def action_move(self, by: int) -> None:
        self._at = max(0, min(len(CHOICES) - 1, self._at + by))
        self.refresh()

    def action_choose(self) -> None:
        self.action_answer(CHOICES[self._at][0])

    def action_answer(self, decision: Decision) -> None:
        if self.request is not None and self.listens:
            self._answered = time.monotonic()
            self.post_message(self.Answered(self.request, decision))

    def action_read(self) -> None:
        if self.request is not None:
            self.post_message(self.ReadAll(self.request))

    def action_composer(self) -> None:
        self._write("")

    def on_click(self, event: events.Click) -> None:
        event.stop()
        hit = self._hit.get(event.y)
        if hit == "read":
            self.action_read()
        elif isinstance(hit, int):
            self._at = hit
            self.action_choose()

    # ------------------------------------------------------------------ drawing

    @property
    def _airy(self) -> bool:
        return not (self.parent is not None and self.parent.has_class("-compact"))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines(look_of(self.app), width)) if self.request is not None and width else 0

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        lines = self._lines(look_of(self.app), width) if self.request is not None else []
        strip = lines[y] if y < len(lines) else Strip.blank(width)
        free = Strip.blank(1, ground(self))
        return Strip.join([free, strip.crop(1, width - 1).apply_style(look_of(self.app).panel_bg), free])

    def _lines(self, look: Look, width: int) -> list[Strip]:
        request = self.request
        assert request is not None
        self._hit = {}
        gap = [Strip.blank(width)] if self._airy else []
        more = f" · {counted(self._more, 'more question', 'more questions')}" if self._more else ""
        title: list[Part] = [(look.marks.approval, look.warn), (" ", NO_STYLE), (f"Allow {request.name}?", look.bold)]
        out = [Strip([Segment(look.marks.edge * width, look.warn)], width)]
        # What would run is never cut for what is said about it.
        room = width - _TITLE - cell_len(request.name)
        about = [(cut(request.about, max(0, room - cell_len(more))) + more, look.muted)]
        out += [line(width, title, about), *gap]
        out += [*self._arguments(look, request, width, len(out)), *gap]
        cells = max(len(words) for _, _, words, _ in CHOICES)
        for i, (_, letter, words, note) in enumerate(CHOICES):
            state = RowState(chosen=i == self._at, focused=self.has_focus, airy=self._airy)
            reverse = state.chosen and state.focused and not look.palette.steps
            styles = (
                (NO_STYLE,) * 3 if reverse else (look.accent_bold, look.bold if state.chosen else look.fg, look.muted)
            )
            left: list[Part] = [("  ", NO_STYLE), (letter, styles[0]), ("  ", NO_STYLE), (pad(words, cells), styles[1])]
            left += [("   ", NO_STYLE), (note.format(request.name), styles[2])]
            self._hit[len(out)] = i
            out.append(row_line(width, look, state, left))
        return [*out, *gap, line(width, [("  ", NO_STYLE), (_HINT, look.muted)]), *gap] if gap else out

    def _arguments(self, look: Look, request: ApprovalRequest, width: int, top: int) -> list[Strip]:
        label, most = label_cells(request.arguments), _ROWS
        if not self._airy:
            most = max(_FEWEST, min(_ROWS, self.app.size.height // 2 - _OTHER_ROWS))
        room = width - 6  # columns 4 to w-3
        if self._wrapped[0] != room:
            self._wrapped = room, argument_lines(request.arguments, room - label - 5)
        hidden = len(self._wrapped[1]) - most
        lines = some_of(self._wrapped[1], most)
        # Where there are no steps of background, a line tells what belongs together.
        edge = " " if look.palette.steps else look.marks.guide
        out = []
        for i, (name, text) in enumerate(lines):
            right = (
                f"+{hidden} lines {look.marks.dot} {look.marks.arrow} reads all" if hidden > 0 and i == most - 1 else ""
            )
            cells = room - label - 5 - (cell_len(right) + 2 if right else 0)
            parts = [
                (edge + pad(cut(name, label), label) + "   ", look.muted),
                (pad(cut(text, cells), cells), look.fg),
                ("  " + right if right else "", look.muted),
                (" ", NO_STYLE),
            ]
            segments = [Segment("    ")] + [Segment(part, style + look.raised_bg) for part, style in parts if part]
            out.append(Strip(segments).adjust_cell_length(width))
            if right:
                self._hit[top + i] = "read"
        return out
