"""The end of a conversation as lines to be read, drawn as the transcript draws it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import islice

from textual.strip import Strip

from sessions.clock import parse_iso
from sessions.events import Event
from sessions.store.spans import fold, spans_in
from tui.chat.blocks import Block, Call, Divider, Prompt, Thought
from tui.chat.document import Document
from tui.chat.found import mark_words
from tui.chat.inks import Inks
from tui.chat.rows import TEXT, Canvas
from tui.chat.runs import Run, blank
from tui.chat.sheet import Sheet, Spot
from tui.widgets.look import Look

_BLOCK_LINES = 60
"""Of one block; what is longer is read by opening the session."""
_ENDS = 20
"""Of very many blocks the first and last so many are drawn, and between them as many of those that hold the words."""


class Excerpt:
    """The last turns of a session, `most` at the most; or the turns around one of them."""

    def __init__(self, events: Iterable[Event], *, most: int, around: int = 0, who: tuple[str, str] = ("", "")) -> None:
        """`who`: profile and model that answer in the session now."""
        self._who = who
        document = Document()
        document.load(events)
        prompts = [i for i, block in enumerate(document.blocks) if isinstance(block, Prompt)]
        first = prompts[-most] if len(prompts) >= most else prompts[0] if prompts else 0
        end = len(document.blocks)
        at = next((n for n, i in enumerate(prompts) if document.blocks[i].turn == around), None)
        self.around = around if around and at is not None else 0
        """The turn in the middle; 0 = these are the last ones."""
        if self.around and at is not None:
            first = prompts[max(0, at - 1)]
            end = prompts[at + 2] if at + 2 < len(prompts) else end
        self.blocks = document.blocks[first:end]
        self.turns = len(prompts)
        """Turns that the events hold."""
        self.shown = sum(isinstance(block, Prompt) for block in self.blocks)
        """Turns that are drawn."""
        self._dim_before = document.dim_before - first
        self._last = parse_iso(next((b.at for b in reversed(self.blocks) if isinstance(b, Prompt)), ""))

    def draw(self, width: int, look: Look, now: datetime, needles: Sequence[str] = ()) -> list[Strip]:
        """The lines, each exactly `width` cells wide, these words marked. Times are those of the last turn's day."""
        if self._last is not None:
            now = self._last.astimezone(now.tzinfo)

        def canvas(block: Block) -> Canvas:
            folded = isinstance(block, Thought | Divider)
            opened = folded and bool(needles) and bool(spans_in(fold(block.source), needles))
            return Canvas(width, look.marks, now, opened, who=self._who)

        sheet = Sheet(canvas)
        sheet.width = width
        sheet.sync(self.blocks, 0)
        inks = {dim: Inks(look, dim=dim) for dim in (False, True)}
        out: list[Strip] = []
        drawn = -1
        for i in self._chosen(needles):
            ink = inks[i < self._dim_before]
            if passed := i - drawn - 1:
                out.append(ink.strip([blank(TEXT), Run(f"{look.marks.down} {passed:,} more", "muted")], width))
            out += self._block(sheet, i, ink, width, look, needles)
            drawn = i
        return out

    def _chosen(self, needles: Sequence[str]) -> list[int]:
        """Which blocks are drawn: a turn may have thousands of calls, and each key in the search box draws anew."""
        count = len(self.blocks)
        if count <= 3 * _ENDS:
            return [*range(count)]
        between = range(_ENDS, count - _ENDS)
        telling = (i for i in between if needles and spans_in(fold(_text(self.blocks[i])), needles))
        return [*range(_ENDS), *islice(telling, _ENDS), *range(count - _ENDS, count)]

    def _block(self, sheet: Sheet, i: int, inks: Inks, width: int, look: Look, needles: Sequence[str]) -> list[Strip]:
        out: list[Strip] = []
        sheet.ensure(i, 0)
        for j in range(len(sheet.drawn[i].parts)):
            sheet.ensure(i, j)
            part = sheet.drawn[i].parts[j]
            for row in range(part.gap + len(part.lines) if part.lines else 0):
                if len(out) >= _BLOCK_LINES:
                    more = [blank(TEXT), Run(f"{look.marks.down} more", "muted")]
                    return [*out, inks.strip(more, width)]
                line = sheet.line(Spot(i, j, row))
                out.append(inks.strip(mark_words(line, needles) if needles else line, width))
        return out


def _text(block: Block) -> str:
    return f"{block.source}\n{block.content}" if isinstance(block, Call) else block.source
