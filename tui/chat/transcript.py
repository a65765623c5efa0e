"""The conversation: one widget that draws any number of turns, live and replayed alike."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from functools import partial

from textual.reactive import reactive

from sessions.clock import Clock
from sessions.events import Event, Rewound, ToolCallStarted, TurnFailed, TurnFinished, TurnStarted
from tui.chat.blocks import Block, Call, Foot, Note, Prompt, Said, Thought
from tui.chat.document import Document, TurnState
from tui.chat.filling import Filling
from tui.chat.messages import CameBelow
from tui.chat.rows import Canvas
from tui.chat.seeking import Seeking
from tui.widgets.beat import BEAT_S, Beat, Once, to_beat
from tui.widgets.look import look_of
from tui.widgets.slices import tail_start

_FRAME_S = BEAT_S
"""Time between two frames while text streams in."""
_SHARE = 6
"""Frames that take long are followed by a pause of this many times as long; a single one is not (something loaded)."""


class Transcript(Seeking):
    """Shows a session. The owner gives it events; it posts what the person wants."""

    tool_detail: reactive[str] = reactive("line", init=False)
    """`line`, or `full` for arguments and results under each call."""
    animations: reactive[bool] = reactive(True, init=False)
    """False: what runs has a still mark."""

    def __init__(self, *, id: str | None = None, clock: Clock | None = None) -> None:
        super().__init__(id=id, clock=clock)
        self._extras: list[Block] = []
        self._notes = 0
        self._since: dict[str, float] = {}
        self._filling: Filling | None = None
        self._frame: Once | None = None
        self._next_frame = self._took = 0.0
        self._beat = Beat(self, self._on_tick)
        self._slow_beat = Beat(self, self._on_tick, 10)
        self._tick = 0
        self._dim = 0
        self._who = "", ""
        self._came = False
        """Something was told since the last frame."""
        self._below = False
        """Something new stands below what is in sight."""

    @property
    def turn_state(self) -> TurnState:
        """What the newest turn does."""
        return self.document.state

    # What the owner says

    def answered_by(self, profile: str, model: str) -> None:
        """Who answers now."""
        if self._who != (profile, model):
            self._who = profile, model
            self._redraw(Foot)

    def _redraw(self, kind: type[Block]) -> None:
        """Other rows for all blocks of a kind; the reader stays where he was."""
        held = self._hold()
        for block in self.document.blocks:
            if isinstance(block, kind):
                self._sheet.redraw(block)
        self._settle(held)
        self.refresh()

    def load(self, events: Iterable[Event], above: int = 0) -> None:
        """Show a session from its replay, at its end. Of a long one the end is there at once, the rest follows.

        `above`: the events begin at this byte of the log; what is before is asked for when it is wanted.
        """
        self.clear()
        events = list(events)
        start = tail_start(events) if self.is_attached else 0
        self.document.load(events[start:])
        if above and not start:
            self.document.begin_with_gap(above)
        self._draw()
        if start:
            self._filling = filling = Filling(events, above)
            self.run_worker(partial(self._fill, filling), group="fill", exclusive=True)  # type: ignore[arg-type]

    async def _fill(self, filling: Filling) -> None:
        sheet = await filling.build(self._canvas, self._sheet.width)
        if filling is not self._filling:
            return
        held = self._hold()
        document = filling.document
        for event in filling.later:
            document.apply(event)
        # What was marked, opened or read keeps its block.
        sheet.sync([], max(0, len(document.blocks) - len(self.document.blocks)))
        first = document.adopt(self.document)
        self.document, self._sheet, self._filling = document, sheet, None
        self._renew_dim()
        document.take_changed()
        self._show_from(min(first, len(sheet.drawn)))
        if held is not None and (i := self._sheet.index.get(held[0])) is not None:
            for part in range(held[1] + 1):
                self._sheet.ensure(i, part)
            self._settle(held)
        self.refresh()
        if filling.said is not None:
            self.go_to(*filling.said)

    def go_to(self, message: str, turn: int = 0, tool: str = "") -> bool:
        """The same, though not all may be there yet."""
        if self._filling is not None and not super().go_to(message):
            self._filling.said = Said(message, turn, tool)
            return True
        return super().go_to(message, turn, tool)

    def apply(self, event: Event) -> None:
        """Take one event; the screen follows within a frame."""
        if self._filling is not None:
            self._filling.later.append(event)
        if isinstance(event, ToolCallStarted):
            self._since[event.call_id] = time.monotonic()
        elif isinstance(event, TurnStarted | Rewound):
            self._since.clear()
            self._leave_foot()
            self.show_newest()
        self.document.apply(event)
        self._came = True
        # A turn's begin and end are waited for; what comes between may wait for the next frame.
        self._ask_frame(soon=isinstance(event, TurnStarted | TurnFinished | TurnFailed))

    def clear(self) -> None:
        """Show nothing."""
        if self._filling is not None:
            self.workers.cancel_group(self, "fill")
        self.document, self._filling = Document(), None
        self._forget_wanted()
        self._opened.clear()
        self._whole.clear()
        self._since.clear()
        self._selection = None
        self._chosen, self._marked, self._dim, self._at_end = None, None, 0, True
        self.ways.reset()
        self._sheet.sync([], 0)
        self._draw()
        self._tell_below(False)

    # Frames

    async def drawn(self) -> None:
        """Wait until all that was loaded and applied is on the screen."""
        while self._frame is not None or self._filling is not None:
            await asyncio.sleep(0.005)

    def _ask_frame(self, *, soon: bool = False) -> None:
        if not self.is_attached:
            return
        wait = 0.0 if soon else self._next_frame - time.monotonic()
        if soon and self._frame is not None:
            self._frame.stop()
            self._frame = None
        if self._frame is None:
            self._frame = Once(self, to_beat(wait - BEAT_S / 2) if wait > 0 else 0.001, self._draw)

    def _draw(self) -> None:
        """Show what changed."""
        if self._frame is not None:
            self._frame.stop()
            self._frame = None
        started = time.perf_counter()
        changed, came, total = self.document.take_changed(), self._came, self._sheet.total
        self._came = False
        if changed is not None and self.is_attached:
            self._renew_dim()
            self._show_from(changed)
            if came and not self._at_end and self._sheet.total > total:
                self._tell_below(True)
        took = time.perf_counter() - started
        self._next_frame = time.monotonic() + max(_FRAME_S - took, min(took, self._took) * _SHARE)
        self._took = took
        self._watch_live()

    def _settle(self, held: tuple[int, int, int] | None = None, top: int | None = None) -> None:
        super()._settle(held, top)
        if self._at_end:
            self._tell_below(False)

    def _tell_below(self, on: bool) -> None:
        if on != self._below:
            self._below = on
            self.post_message(CameBelow(on))

    def _show_from(self, first: int) -> None:
        before, total = round(self.scroll_y), self._sheet.total
        self._extras = self._make_extras()
        blocks = [*self.ways.view(self.document.blocks), *self._extras]
        if self.ways.old_from is not None:
            first = min(first, self.ways.old_from)
        row = min(self._sheet.top(min(first, len(self._sheet.drawn))), total)
        self._take(blocks, first)
        if round(self.scroll_y) == before:
            self._refresh_from(row)

    def _filled(self, first: int) -> None:
        self._renew_dim()
        self._show_from(first)
        self.refresh()

    def _make_extras(self) -> list[Block]:
        """What stands behind the document: why the answer takes long."""
        reason = self.document.retrying
        if not reason:
            return []
        if self._extras and self._extras[0].source == reason:
            return self._extras
        self._notes += 1
        return [Note(id=-self._notes, level="warning", text=reason)]

    def _renew_dim(self) -> None:
        dim = self.document.dim_before
        if dim != self._dim:
            self._dim = dim
            self._sheet.restyle()
            self.refresh()

    def _is_dim(self, index: int) -> bool:
        old = self.ways.old_from
        return index < self._dim or (old is not None and index >= old)

    # What runs

    def _live(self) -> list[Block]:
        out: list[Block] = []
        for block in reversed(self.document.blocks):
            if isinstance(block, Prompt):
                break
            if (isinstance(block, Call) and block.state == "running") or self._is_thinking(block):
                out.append(block)
        return out

    def _is_thinking(self, block: Block) -> bool:
        """A folded thought has a spinner; an open one is text that grows, drawn by the frames."""
        return isinstance(block, Thought) and block.open and block.id not in self._opened

    def _watch_live(self) -> None:
        runs = self.is_attached and bool(self._live())
        self._beat.run(runs and self.animations)
        self._slow_beat.run(runs and not self.animations)

    def _on_tick(self) -> None:
        self._tick += 1
        top = round(self.scroll_y)
        for block in self._live():
            i = self._sheet.index.get(block.id)
            if i is None or not top - 1 <= self._sheet.top(i) < top + self.size.height:
                continue
            self._sheet.redraw(block)
            if self._sheet.ensure(i, 0):
                self._settle(self._hold())
            self.refresh_lines(self._sheet.top(i), max(1, self._sheet.top(i + 1) - self._sheet.top(i)))

    def _canvas(self, block: Block) -> Canvas:
        marks = look_of(self.app).marks
        opened = block.id in self._opened
        if isinstance(block, Call):
            opened ^= self.tool_detail == "full"
        since = self._since.get(block.call_id) if isinstance(block, Call) else None
        elapsed = round((time.monotonic() - since) * 1000) if since is not None else 0
        spinner = marks.spinner[self._tick % len(marks.spinner)] if self.animations else marks.elsewhere
        chosen = self._chosen if self._chosen is not None and block is self.document.foot() else None
        marked = block.id == self._marked
        version = self.ways.version(block)
        return Canvas(
            self._sheet.width,
            marks,
            self._now(),
            opened,
            self._shown_whole(block),
            chosen,
            spinner,
            elapsed,
            version,
            marked,
            self._who,
        )

    def watch_tool_detail(self) -> None:
        self._redraw(Call)

    def watch_animations(self) -> None:
        self._watch_live()

    def on_mount(self) -> None:
        self.document.take_changed()
        self._show_from(0)

    def on_unmount(self) -> None:
        if self._frame is not None:
            self._frame.stop()
            self._frame = None
        self._beat.run(False)
        self._slow_beat.run(False)
