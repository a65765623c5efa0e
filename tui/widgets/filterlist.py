"""What History and Memory have in common: a title, a search box, and the list that it drives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message

from tui.widgets.filterbox import FilterBox
from tui.widgets.linelist import AIRY_ROWS, LineList
from tui.widgets.match import terms
from tui.widgets.pane_title import PaneTitle
from tui.widgets.rows import Row


class FilterList(Vertical):
    """A pane with a filtered list. In a low terminal the title gives its place to the search box."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "Search", show=False),
        Binding("escape", "back", "Back", show=False),
    ]

    class Highlighted(Message):
        """Another row is chosen; None when there is none."""

        def __init__(self, source: FilterList, key: str | None) -> None:
            super().__init__()
            self.source = source
            self.key = key

        @property
        def control(self) -> FilterList:
            return self.source

    class Filtered(Message):
        """The person typed in the search box."""

        def __init__(self, source: FilterList, text: str) -> None:
            super().__init__()
            self.source = source
            self.text = text

        @property
        def control(self) -> FilterList:
            return self.source

    class Back(Message):
        """esc, with nothing left to clear."""

    TITLE = ""
    HINT = ""
    EMPTY = ""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.title = PaneTitle(self.TITLE)
        self.box = FilterBox(self.HINT)
        self.list = LineList(empty=self.EMPTY)
        self.words: tuple[str, ...] = ()
        """The words of the filter, folded."""

    def compose(self) -> ComposeResult:
        yield self.title
        yield self.box
        yield self.list

    @property
    def cursor(self) -> str | None:
        """The key of the chosen row."""
        return self.list.cursor

    @property
    def filter_text(self) -> str:
        return self.box.text

    def focus_list(self) -> None:
        self.list.focus()

    def set_filter(self, text: str) -> None:
        """Filter as if this had been typed."""
        self.box.text = text
        self._filter(text)

    def rebuild(self, *, keep: bool = True) -> None:
        """Make the rows from the data and the filter."""
        self.list.empty = self.why_empty()
        self.list.set_rows(self.make_rows(), keep=keep)

    def why_empty(self) -> str:
        """What is told where there are no rows."""
        return "Nothing found" if self.words else self.EMPTY

    def make_rows(self) -> Sequence[Row]:
        """The rows that the filter leaves."""
        raise NotImplementedError

    def opened(self, key: str) -> None:
        """A row was opened; the heir says upward what that means."""
        raise NotImplementedError

    def set_fact(self, fact: str) -> None:
        """The short fact beside the title, or in the search box where there is no room for a title."""
        self.title.fact = fact
        self._place_fact()

    def _place_fact(self) -> None:
        airy = self.app.size.height >= AIRY_ROWS
        self.set_class(not airy, "-compact")
        self.box.fact = "" if airy else self.title.fact

    def _filter(self, text: str) -> None:
        self.words = terms(text)
        self.rebuild(keep=False)
        self.post_message(self.Filtered(self, text))

    def action_search(self) -> None:
        # At once: the next key may already be there. It replaces what was looked for.
        self.box.select()
        self.screen.set_focus(self.box)

    def action_back(self) -> None:
        if self.filter_text:
            self.set_filter("")
        else:
            self.post_message(self.Back())

    def on_resize(self) -> None:
        self._place_fact()

    def on_descendant_focus(self) -> None:
        self._follow_focus()

    def on_descendant_blur(self) -> None:
        self._follow_focus()

    def _follow_focus(self) -> None:
        self.list.driven = self.box.has_focus
        self.title.active = self.box.has_focus or self.list.has_focus

    def on_filter_box_changed(self, event: FilterBox.Changed) -> None:
        event.stop()
        self._filter(event.text)

    def on_filter_box_moved(self, event: FilterBox.Moved) -> None:
        event.stop()
        if abs(event.by) > 1:
            self.list.action_page(1 if event.by > 0 else -1)
        else:
            self.list.action_move(event.by)

    def on_filter_box_submitted(self, event: FilterBox.Submitted) -> None:
        event.stop()
        self.submitted()

    def submitted(self) -> None:
        """Enter in the search box."""
        self.list.action_open()

    def on_filter_box_left(self, event: FilterBox.Left) -> None:
        event.stop()
        if event.keep:
            self.tabbed()
            return
        if self.filter_text:
            self.set_filter("")
        self.list.focus()

    def tabbed(self) -> None:
        """Tab in the search box: the filter stays."""
        self.list.focus()

    def on_line_list_highlighted(self, event: LineList.Highlighted) -> None:
        event.stop()
        self.post_message(self.Highlighted(self, event.key))

    def on_line_list_opened(self, event: LineList.Opened) -> None:
        event.stop()
        self.opened(event.key)
