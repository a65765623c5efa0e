"""The one-line box in which something is looked for inside of what is shown."""

from __future__ import annotations

from textual import events
from textual.message import Message

from tui.widgets.filterbox import FilterBox

STEPS = {"enter": 1, "tab": 1, "shift+tab": -1, "shift+enter": -1}
"""Keys that go from place to place."""


class FindBox(FilterBox):
    """`/ importer      3 of 17`. Its messages name it, as there are several."""

    place = "find"

    class Typed(Message):
        """Look for this."""

        def __init__(self, box: FindBox, text: str) -> None:
            super().__init__()
            self.box = box
            self.text = text

    class Stepped(Message):
        """To the next place, or (-1) to the one before."""

        def __init__(self, box: FindBox, by: int) -> None:
            super().__init__()
            self.box = box
            self.by = by

    class Scrolled(Message):
        """Scroll what is looked through by so many rows; 10 and more are a page."""

        def __init__(self, box: FindBox, by: int) -> None:
            super().__init__()
            self.box = box
            self.by = by

    class Closed(Message):
        """Nothing is looked for any more."""

        def __init__(self, box: FindBox) -> None:
            super().__init__()
            self.box = box

    def on_key(self, event: events.Key) -> None:
        if event.key in STEPS:
            self.post_message(self.Stepped(self, STEPS[event.key]))
        elif event.key == "escape":
            self.post_message(self.Closed(self))
        else:
            return
        event.stop()
        event.prevent_default()

    def on_filter_box_moved(self, event: FilterBox.Moved) -> None:
        event.stop()
        self.post_message(self.Scrolled(self, event.by))

    def on_filter_box_changed(self, event: FilterBox.Changed) -> None:
        event.stop()
        self.post_message(self.Typed(self, event.text))
