"""What the keys do in a conversation: scroll, act on the facts under the newest answer, look at older ways."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from sessions.clock import Clock
from tui.chat.blocks import Block, Foot, FootItem, Learned
from tui.chat.document import Document
from tui.chat.foot import KEYS
from tui.chat.messages import FactOpened, FootAction, FootFocused, Left, WayTurned
from tui.chat.selecting import Selecting
from tui.chat.ways import Ways


class Reading(Selecting):
    """A document in which the reader can move. How it is drawn is the transcript's doing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", show=False),
        Binding("down", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("home", "end(-1)", show=False),
        Binding("end", "end(1)", show=False),
        Binding("left", "choose(-1)", show=False),
        Binding("right", "choose(1)", show=False),
        Binding("enter", "act('edit')", show=False),
        Binding("u", "act('undo')", show=False),
        Binding("space", "act('off')", show=False),
        Binding("r", "act('retry')", show=False),
        Binding("escape", "leave", show=False),
    ]

    def __init__(self, *, id: str | None = None, clock: Clock | None = None) -> None:
        super().__init__(id=id, clock=clock)
        self.document = Document()
        self.ways = Ways()
        self._chosen: int | None = None
        """The fact of the foot that the keys act on."""
        self._from_foot = False
        """The foot comes back with the newest way."""
        self._marked: int | None = None
        """Id of the block that was looked for."""

    def _draw(self) -> None:
        """Show what changed."""
        raise NotImplementedError

    def _show_from(self, first: int) -> None:
        """Show the blocks from index `first` on again."""
        raise NotImplementedError

    # The foot of the newest answer

    def focus_foot(self) -> bool:
        """Let the keys act on the foot of the newest answer. False when there is none."""
        self._draw()
        if self.document.foot() is None:
            return False
        self.show_newest()
        self._at_end = True
        self._choose(0)
        self.focus()
        return True

    @property
    def foot_focused(self) -> bool:
        """Whether the keys act on the foot."""
        return self._chosen is not None

    def _choose(self, index: int | None) -> None:
        changed = (index is None) != (self._chosen is None)
        self._chosen = index
        if foot := self.document.foot():
            self._sheet.redraw(foot)
            self._settle(self._hold())
            self.refresh()
        if changed:
            self.post_message(FootFocused(index is not None))

    def _leave_foot(self) -> None:
        self._from_foot = False
        if self._chosen is not None:
            self._choose(None)

    def on_blur(self) -> None:
        self._leave_foot()
        self._mark_block(None)

    # Older ways

    def show_newest(self) -> None:
        """No older way is shown any more."""
        if self.ways.reset():
            self.post_message(WayTurned())
            self._show_from(0)
            self.refresh()

    def to_newest(self) -> None:
        """To the end of what the model sees: who says something wants to see what comes of it."""
        self.show_newest()
        self.action_end(1)

    def _turn_way(self, block: Block, by: int) -> bool:
        """Show the way before or after the one that begins with this block, in the same place of the screen."""
        i = self._sheet.index.get(block.id)
        if i is None or not self.ways.turn(block, by):
            return False
        self.post_message(WayTurned())
        y = max(0, self._sheet.top(i) - round(self.scroll_y))
        self._at_end = False
        self._show_from(0)
        self.go(self._sheet.top(i) - y)
        return True

    def _fork(self) -> Block | None:
        """The newest place in sight where there is another way, or the one whose older way is shown."""
        found = self._first_visible(lambda block: self.ways.version(block) is not None)
        old = self.ways.old_from
        return found or (self._sheet.drawn[old].block if old is not None else None)

    # A message of the log

    def go_to(self, message: str, turn: int = 0, tool: str = "") -> bool:
        """Show the message of that id, in whichever way it is; `turn` and `tool` as of `Said`. False without one."""
        self._draw()
        block = self.ways.show_message(self.document.blocks, message, turn, tool)
        if block is None:
            return False
        self._at_end = False
        self._show_from(0)
        self._mark_block(block)
        self.go(max(0, self._sheet.top(self._sheet.index[block.id]) - 1))
        return True

    def _mark_block(self, block: Block | None) -> None:
        before, self._marked = self._marked, block.id if block else None
        for id_ in {before, self._marked} - {None}:
            i = self._sheet.index.get(id_ or 0)
            if i is not None:
                self._sheet.redraw(self._sheet.drawn[i].block)
        if before != self._marked:
            self._settle(self._hold())
            self.refresh()

    # Keys

    def action_move(self, rows: int) -> None:
        """Scroll; from the foot, down goes back to the composer."""
        if self._chosen is not None and rows > 0:
            self.action_leave()
            return
        self._leave_foot()
        self.go_by(rows)

    def action_page(self, pages: int) -> None:
        """Scroll by what is in sight, a row of it kept."""
        self.go_by(pages * max(1, self.size.height - 1))

    def action_end(self, which: int) -> None:
        """To the first or last row."""
        if which < 0:
            self.go_first()
        else:
            self.go(self._sheet.total)

    def action_choose(self, step: int) -> None:
        """The next fact of the foot; before the first, and without a foot, the other way of going on."""
        foot = self.document.foot()
        if foot is not None and self._chosen is not None:
            prompt = self.document.prompt()
            if self._chosen + step < 0 and prompt is not None and self.ways.version(prompt):
                self._leave_foot()
                self._from_foot = self._turn_way(prompt, step)
            else:
                self._choose(max(0, min(self._chosen + step, len(foot.items) - 1)))
            return
        fork = self._fork()
        if fork is not None and self._turn_way(fork, step) and self._from_foot and not self.ways.any:
            self.focus_foot()

    def action_act(self, action: str) -> None:
        """Do something with the chosen fact; without one, enter opens what is newest in sight."""
        foot = self.document.foot()
        if foot is None or self._chosen is None:
            if action == "edit":
                self.unfold()
        elif foot.items:
            self._post_action(action, foot, foot.items[self._chosen])
        elif action == "retry":
            self.post_message(FootAction(action, (), (), foot.turn))

    def _post_action(self, action: str, foot: Foot, item: FootItem) -> None:
        items = [item]
        if action == "undo" and item.kind not in {"saved", "forgot"}:
            items = [i for i in foot.items if i.kind in {"saved", "forgot"}]
            if not items:
                return
        if item.kind == "always" and action in {"edit", "off"}:
            action, items = "list", []
        if action == "retry":
            items = [i for i in foot.items if i.kind != "always"]
        names, numbers = tuple(i.name for i in items), tuple(i.number for i in items)
        self.post_message(FootAction(action, names, numbers, foot.turn))

    def action_leave(self) -> None:
        """esc: the selection first, then back to the composer and to what the model sees."""
        if self._selection is not None:
            self.clear_selection()
            return
        self._leave_foot()
        self.show_newest()
        self.post_message(Left())

    def _act(self, target: str, block: Block) -> None:
        kind, _, rest = target.partition(":")
        if kind in {"older", "newer"}:
            self._turn_way(block, -1 if kind == "older" else 1)
        elif kind == "fact" and isinstance(block, Learned):
            self.post_message(FactOpened(block.numbers[0]))
        elif target == KEYS:
            if block is self.document.foot() and self.focus_foot():
                self.focus()
        elif kind == "foot" and isinstance(block, Foot) and int(rest) < len(block.items):
            item = block.items[int(rest)]
            self._post_action("list" if item.kind == "always" else "edit", block, item)
        else:
            super()._act(target, block)
