"""What of a session's log stands before the records that are in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sessions.agent.context import Built
from sessions.messages import Marker, Record
from sessions.store.line import main_line
from sessions.store.outline import Outline
from sessions.typed import Typed


@dataclass(frozen=True, slots=True)
class Before:
    """As far as a turn asks for it; of what was not taken back."""

    typed: tuple[Typed, ...] = ()
    """What the person typed."""
    turns: int = 0
    off: int = 0
    """Turns that were said while memory was off; the others are `turns`."""
    messages: int = 0
    summary: str = ""
    """What stands for it, unless the records hold something newer that does."""
    summary_off: str = ""
    """The same while memory is off."""

    def counted(self, built: Built, records: Sequence[Record], off: bool) -> Built:
        """What a request of these records leaves out, with what was never looked at."""
        left = built.left_out
        if built.request.summary:
            return replace(built, left_out=replace(left, summarised=left.summarised + self.messages))
        if any(isinstance(record, Marker) and record.kind == "cleared" for record in main_line(records)):
            return built
        here = (left.off, left.older + self.turns + self.off) if off else (left.off + self.off, left.older + self.turns)
        return replace(built, left_out=replace(left, off=here[0], older=here[1]))


def before(outline: Outline, start: int) -> Before:
    """What the log of this outline holds before byte `start`."""
    lines = [line for line in outline.turns if line.start < start]
    off = sum(line.off for line in lines)
    typed = tuple(line.typed for line in lines if line.typed is not None)
    shorts = [short for short in outline.shorts if short.at < start]
    cleared = max((i + 1 for i, short in enumerate(shorts) if short.cleared), default=0)
    here = ["", *(short.content for short in shorts[cleared:])]
    on = ["", *(short.content for short in shorts[cleared:] if not short.off)]
    return Before(typed, len(lines) - off, off, sum(line.messages for line in lines), on[-1], here[-1])
