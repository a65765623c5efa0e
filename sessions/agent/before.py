"""What of a session's log stands before the records that are in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sessions.agent.context import Built
from sessions.agent.line import main_line
from sessions.messages import Marker, Record
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

    def counted(self, built: Built, records: Sequence[Record], off: bool) -> Built:
        """What a request of these records leaves out, with what was never looked at."""
        left = built.left_out
        if built.request.summary:
            return replace(built, left_out=replace(left, summarised=left.summarised + self.messages))
        if any(isinstance(record, Marker) and record.kind == "cleared" for record in main_line(records)):
            return built
        here = (left.off, left.older + self.turns + self.off) if off else (left.off + self.off, left.older + self.turns)
        return replace(built, left_out=replace(left, off=here[0], older=here[1]))
