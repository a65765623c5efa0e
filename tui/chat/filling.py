"""A long session on screen: its end at once, the rest a little at a time while the program stays quick.

What is built in slices is the same as what would be built at once; it takes the place of the end when it is whole.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sessions.events import Event
from tui.chat.blocks import Block, Said
from tui.chat.document import Document
from tui.chat.rows import Canvas
from tui.chat.sheet import Sheet
from tui.widgets.slices import in_slices, no_collection

_BLOCKS = 200


class Filling:
    """Builds document and sheet of a whole session. What happens meanwhile is given to `later`."""

    def __init__(self, events: Sequence[Event], above: int = 0) -> None:
        self.document = Document()
        self.later: list[Event] = []
        self.said: Said | None = None
        """What somebody wants to see when all is there."""
        self._events = events
        self._above = above

    async def build(self, canvas: Callable[[Block], Canvas], width: int) -> Sheet:
        """The sheet of all blocks, none of them drawn."""
        sheet = Sheet(canvas)
        sheet.width = width
        with no_collection():
            await in_slices(self._events, self.document.apply)
            if self._above:
                self.document.begin_with_gap(self._above)
            blocks = self.document.blocks
            await in_slices(range(0, len(blocks), _BLOCKS), lambda i: sheet.sync(blocks, i, i + _BLOCKS))
        self.document.take_changed()
        return sheet
