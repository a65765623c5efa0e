"""The panes and where they stand. Panes are made when they are first shown, and are the same in every view."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.strip import Strip
from textual.widget import AwaitMount, Widget

from tui.chat.chat_pane import ChatPane
from tui.views import Arrangement
from tui.widgets.look import look_of
from tui.widgets.rows import ground

if TYPE_CHECKING:
    from tui.history.history_list import HistoryList
    from tui.history.session_detail import SessionDetail
    from tui.memory.fact_pane import FactPane
    from tui.memory.memory_list import MemoryList
    from tui.widgets.agent_tree import AgentTree
    from tui.widgets.findbox import FindBox
    from tui.widgets.footer import Key

PLACES = {
    "composer": "composer",
    "transcript": "transcript",
    "find": "find",
    "approval": "approval",
    "slot-tree": "tree",
    "slot-history": "history",
    "slot-session": "session",
    "slot-memory": "memory",
    "slot-fact": "form",
}
"""Id of a widget that holds the focus -> the place, as the registry of commands calls it."""


class _Rule(Widget):
    """Between the tree and the list under it."""

    def render_line(self, y: int) -> Strip:
        look = look_of(self.app)
        rule = Segment(look.marks.rule * max(0, self.size.width - 2), look.rule)
        return Strip([Segment(" "), rule, Segment(" ")]).apply_style(ground(self))


class Body(Horizontal):
    """Shows what an `Arrangement` names."""

    def __init__(self) -> None:
        super().__init__(id="body")
        self.chat = ChatPane()
        self._made: dict[str, Widget] = {}
        self._mounts: dict[str, AwaitMount] = {}
        self._slots = {
            name: Vertical(id=f"slot-{name}", classes="slot")
            for name in ("history", "session", "tree", "memory", "fact")
        }
        self._rule = _Rule(id="right-rule")
        self._right = Vertical(id="right")
        self._find: FindBox | None = None
        self.arrangement = Arrangement({})

    def compose(self) -> ComposeResult:
        yield self._slots["history"]
        yield self._slots["session"]
        yield self.chat
        with self._right:
            yield self._slots["tree"]
            yield self._rule
            yield self._slots["memory"]
        yield self._slots["fact"]

    def show(self, arrangement: Arrangement, *, make: bool = True) -> None:
        """Show these panes; without `make` those that are not made yet are empty places."""
        if arrangement == self.arrangement and not make:
            return
        self.arrangement = arrangement
        widths = arrangement.widths
        for name in widths if make else ():
            if name in self._slots and name not in self._made:
                self._make(name)
        for name, slot in self._slots.items():
            slot.set_class(name in widths, "-shown")
            if name in widths and name not in {"tree", "memory"}:
                slot.styles.width = widths[name] or "1fr"
        right = max((widths[n] for n in ("tree", "memory") if n in widths), default=-1)
        self._right.set_class(right >= 0, "-shown")
        self._right.set_class(arrangement.drawer, "-drawer")
        if right >= 0:
            self._right.styles.width = right or "1fr"
        self._rule.set_class("tree" in widths and "memory" in widths, "-shown")
        self.chat.display = "chat" in widths
        self.chat.set_class(arrangement.drawer, "-dimmed")
        self.chat.set_class(not arrangement.airy, "-compact")

    def shows(self, pane: str) -> bool:
        return pane in self.arrangement.widths

    def offered(self, place: str, keys: list[Key], *, typing: bool = False) -> list[Key]:
        """The keys of a place without those that would do nothing there now; `typing`: in its search box."""
        idle: Collection[str] = self.agent.idle if place == "tree" else self._of_others(place)
        keys = [key for key in keys if key[0] not in idle]
        if not typing or place not in {"history", "found", "trash", "memory"}:
            return keys
        # Letters and arrows are the box's there.
        kept = [key for key in keys if len(key[1]) > 1 and key[0] != "back"]
        return [*kept[:1], ("", "↑↓", "Choose"), *kept[1:-2], ("back", "esc", "Clear"), *kept[-2:]]

    def _of_others(self, place: str) -> Collection[str]:
        """The keys that the chosen session has no use for, as it is one of another agent or ours."""
        from sessions.importers.registry import FOLLOWED

        if place not in {"history", "found", "session"}:
            return ()
        shown = self.session.shown if place == "session" else None
        meta = shown.meta if shown is not None else self.history.session
        if meta is None or not meta.source:
            return ("read-session", "session-continue", "session-command")
        return ("open-session", *(() if meta.source.get("kind") in FOLLOWED else ("session-command",)))

    @property
    def find_in_session(self) -> FindBox:
        """The box above the detail of a session, hidden until something is to be found there."""
        if self._find is None:
            from tui.widgets.findbox import FindBox

            self._find = FindBox("Find in this session", id="find-session")
            self._find.display = False
        return self._find

    def has(self, pane: str) -> bool:
        """Whether the pane has been made."""
        return pane in self._made

    @staticmethod
    def load_parts() -> None:
        """Load the code of History beforehand, in a thread: the first key that asks for it need not wait for that."""
        from tui.history import history_list, session_detail  # noqa: F401

    def _make(self, name: str) -> Widget:
        made: Widget
        match name:
            case "history":
                from tui.history.history_list import HistoryList

                made = HistoryList(id="history")
            case "session":
                from tui.history.session_detail import SessionDetail

                made = SessionDetail(id="session")
            case "tree":
                from tui.widgets.agent_tree import AgentTree

                made = AgentTree(id="tree")
            case "memory":
                from tui.memory.memory_list import MemoryList

                made = MemoryList(id="memory")
            case _:
                from tui.memory.fact_pane import FactPane

                made = FactPane(id="fact")
        self._made[name] = made
        above = [self.find_in_session] if name == "session" else []
        self._mounts[name] = self._slots[name].mount(*above, made)
        return made

    async def mounted(self, name: str) -> None:
        """Return when the pane is there with all its parts."""
        self.pane(name)
        mount = self._mounts.get(name)
        if mount is not None:
            await mount
            self._mounts.pop(name, None)

    def pane(self, name: str) -> Widget:
        """The pane, made if need be."""
        return self._made.get(name) or self._make(name)

    @property
    def history(self) -> HistoryList:
        return self.pane("history")  # type: ignore[return-value]

    @property
    def session(self) -> SessionDetail:
        return self.pane("session")  # type: ignore[return-value]

    @property
    def agent(self) -> AgentTree:
        return self.pane("tree")  # type: ignore[return-value]

    @property
    def memory(self) -> MemoryList:
        return self.pane("memory")  # type: ignore[return-value]

    @property
    def fact(self) -> FactPane:
        return self.pane("fact")  # type: ignore[return-value]


def place_of(widget: Widget | None) -> str:
    """The place of the focused widget; empty when it is none of the body's."""
    place = ""
    while widget is not None:
        # What a pane shows can have keys of its own.
        place = place or getattr(widget, "place", "")
        if widget.id in PLACES:
            return place or PLACES[widget.id]
        parent = widget.parent
        widget = parent if isinstance(parent, Widget) else None
    return ""
