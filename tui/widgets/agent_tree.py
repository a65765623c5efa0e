"""What the agent does, live and after: turns, their steps, the calls and what these showed and changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message

from sessions.agent.trace import Trace, TurnNode
from sessions.events import Event
from tui.widgets.beat import Once
from tui.widgets.linelist import AIRY_ROWS, LineList
from tui.widgets.pane_title import PaneTitle
from tui.widgets.slices import in_slices, no_collection, tail_start
from tui.widgets.tree_rows import MORE_LINES, Cost, Flattener, Folds, NodeRow, turn_cost
from tui.widgets.when import counted, tokens

if TYPE_CHECKING:
    from sessions.hub.spending import Spent

_BATCH_S = 0.05


class AgentTree(Vertical):
    """The call tree of one session. It grows by events; many at once cost one drawing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "fold", "Fold", show=False),
        Binding("left", "close", "Fold", show=False),
        Binding("right", "unfold", "Open", show=False),
        Binding("y", "copy", "Copy", show=False),
        Binding("escape", "back", "Back", show=False),
    ]

    class Copy(Message):
        """Put this on the clipboard."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class FactOpened(Message):
        """Show this fact."""

        def __init__(self, name: str, number: int | None) -> None:
            super().__init__()
            self.name = name
            self.number = number

    class ReviewOpened(Message):
        """Go to what waits for review, rather to what has one of these numbers."""

        def __init__(self, numbers: tuple[int, ...]) -> None:
            super().__init__()
            self.numbers = numbers

    class KeysChanged(Message):
        """Other keys than before do something on the chosen row."""

    class StepsWanted(Message):
        """The owner gives the turn whose steps stand in this part of the log to `put_steps`."""

        def __init__(self, part: tuple[int, int]) -> None:
            super().__init__()
            self.part = part

    class Back(Message):
        """esc: to where one came from."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.title = PaneTitle("Agent", "no turns yet")
        self.list = LineList()
        self.list.quiet = True
        self.trace = Trace()
        self._later: list[Event] | None = None
        """What happened while a long session fills up; None when all is there."""
        self._above: tuple[Sequence[TurnNode], Sequence[TurnNode]] = ((), ())
        """The turns before those of the replay, and those that were taken back."""
        self._waits = False
        """Those are still to come."""
        self._folds = Folds()
        self._batch: Once | None = None
        self._cost: Cost | None = None
        self._costs: dict[tuple[int, object], Spent] = {}
        """Turns that are over -> what they cost."""
        self._visited = False
        self._width = 0
        self.idle: frozenset[str] = frozenset()
        """The actions that would do nothing on the chosen row."""

    def compose(self) -> ComposeResult:
        yield self.title
        yield self.list

    # ------------------------------------------------------------------ what is shown

    def load(self, events: Iterable[Event], above: int = 0) -> None:
        """Another session: the tree of its replay, newest turn open and in sight. A long one fills up afterwards.

        `above` = more turns come by `put_above`.
        """
        if self._later is not None:
            self.workers.cancel_group(self, "fill")
        events = list(events)
        start = tail_start(events) if self.is_attached else 0
        later: list[Event] | None = [] if start else None
        self.trace, self._later, self._above = Trace(events[start:]), later, ((), ())
        self._waits = above > 0
        self._folds = Folds()
        self._costs.clear()
        self._visited = False
        self._rebuild()
        if self.list.has_focus:
            self._visit()
        if later is not None:
            fill = partial(self._fill, events, later)
            self.run_worker(fill, group="fill", description="fill", exclusive=True)  # type: ignore[arg-type]

    async def _fill(self, events: list[Event], later: list[Event]) -> None:
        whole = Trace()
        with no_collection():
            await in_slices(events, whole.apply)
            before, flattener = len(self._above[0]), Flattener(self._folds, 0, cost=self._cost)
            counted = [(turn, n) for n, turn in enumerate(whole.turns, before + 1) if turn.ms is not None]
            await in_slices(counted, lambda one: flattener.folded(*one))
        if later is self._later:
            whole.put_above(*self._above)
            for event in later:
                whole.apply(event)
            self.trace, self._later = whole, None
            self._rebuild(anew=True)

    async def put_above(self, turns: Sequence[TurnNode], taken_back: Sequence[TurnNode]) -> None:
        """The turns before those that were loaded, without their steps, and those that count no more."""
        folds = self._folds
        with no_collection():
            flattener = Flattener(folds, 0, cost=self._cost)
            await in_slices([(turn, n) for n, turn in enumerate(turns, 1)], lambda one: flattener.folded(*one))
        if folds is not self._folds:
            return
        self._above, self._waits = (turns, taken_back), False
        if self._later is None:
            self.trace.put_above(turns, taken_back)
            self._rebuild(anew=True)

    def put_steps(self, turn: TurnNode) -> None:
        """The turn with its steps, in the place of the one without."""
        if self.trace.put_steps(turn):
            self._rebuild(anew=True)

    def clear(self) -> None:
        """An empty session."""
        self.load(())

    def priced(self, cost: Cost) -> None:
        """Say of each turn what it cost."""
        self._cost = cost
        self._costs.clear()
        self._folds.closed.clear()
        self._rebuild(anew=True)

    def apply(self, event: Event) -> None:
        """Take in an event of the shown session; drawn with others of the same moment."""
        if self._later is not None:
            self._later.append(event)
        revision, turns = self.trace.revision, len(self.trace.turns)
        changed = self.trace.apply(event)
        if changed is not None and changed.part is not None:
            self._folds.above = None
        if len(self.trace.turns) > turns > 0 and self.list.has_focus:
            # The turn that the person is in does not close because another begins.
            self._folds.open.setdefault(f"t{self.trace.turns[-2].number}", True)
        if self.trace.revision != revision and self._batch is None and self.is_attached:
            self._batch = Once(self, _BATCH_S, self._flush)

    def _flush(self) -> None:
        self._batch = None
        self._rebuild()

    def _rebuild(self, *, anew: bool = False) -> None:
        """Make the rows; those of turns long past only when they are made `anew`."""
        if anew:
            self._folds.above = None
        if not self.is_attached:
            return
        self._width = self.list.size.width
        follows = not self.list.has_focus
        flattener = Flattener(self._folds, self._width, whole=self._whole, cost=self._cost)
        self.list.set_rows(flattener.rows(self.trace))
        self._note_keys()
        if follows:
            self.list.show_end()
        if not self._whole:
            # Not all is counted yet.
            self.title.fact = ""
            return
        turns = self.trace.turns
        used = self.trace.usage
        total = used.input + used.output
        spent = self._spent()
        words = [counted(len(turns), "turn"), f"{tokens(total)} tok" if total else "", spent.brief if spent else ""]
        fact = " · ".join(word for word in words if word)
        self.title.fact = fact if turns else "no turns yet"

    def _spent(self) -> Spent | None:
        """What all turns cost; None where that is not known of one of them."""
        if self._cost is None:
            return None
        out = None
        for turn in (*self.trace.turns, *self.trace.taken_back):
            key = id(turn), turn.learning
            if (one := self._costs.get(key)) is None:
                one = turn_cost(turn, self._cost)
                if one is None and turn.usage is not None and (turn.usage.input or turn.usage.output):
                    return None
                if one is not None and turn.ms is not None:
                    self._costs[key] = one
            if one is not None:
                out = one if out is None else out + one
        return out

    @property
    def _whole(self) -> bool:
        """All turns of the session are here."""
        return self._later is None and not self._waits

    def count_of(self, turn: int) -> int:
        """The how many-th of the turns that count the newest is; its number in the log where that is not known yet."""
        turns = self.trace.turns
        return len(turns) if self._whole and turns and turns[-1].number == turn else turn

    # ------------------------------------------------------------------ acts

    @property
    def row(self) -> NodeRow | None:
        """The chosen node."""
        row = self.list.cursor_row
        return row if isinstance(row, NodeRow) else None

    def _note_keys(self) -> None:
        row = self.row
        wrong = {"open-node": row is None or not row.opens, "fold": row is None or not row.folds}
        idle = frozenset(name for name, nothing in wrong.items() if nothing)
        if idle != self.idle:
            self.idle = idle
            self.post_message(self.KeysChanged())

    def _toggle(self, want: bool | None = None) -> bool:
        """Fold or unfold the chosen node, or the call whose text is chosen; False when it cannot be."""
        row = self.row
        if row is None or not row.folds:
            return False
        if row.more and want is not False:
            # The cursor is then on the first of the lines that came.
            self._folds.more[row.more] = self._folds.more.get(row.more, 0) + MORE_LINES
            self._rebuild(anew=True)
            return True
        key = row.folds
        opened = self._is_open(key)
        if want is not None and opened == want:
            return False
        self._folds.open[key] = not opened
        turn = next((t for t in self.trace.turns if t.part and f"t{t.number}" == key), None)
        if turn is not None and turn.part is not None and not opened:
            self.post_message(self.StepsWanted(turn.part))
        if key != row.key:
            self.list.choose(key)
        self._rebuild(anew=True)
        return True

    def _is_open(self, key: str) -> bool:
        known = self._folds.open.get(key)
        if known is not None:
            return known
        if key.startswith("c:"):
            return False
        row = next((r for r in self.list.rows if r.key == key), None)
        return isinstance(row, NodeRow) and row.mark == "open"

    def action_fold(self) -> None:
        self._toggle()

    def action_unfold(self) -> None:
        self._toggle(True)

    def action_close(self) -> None:
        """Fold; on what is folded or cannot be, go to what it belongs to."""
        row = self.row
        if row is None or self._toggle(False):
            return
        rows = self.list.rows
        at = next((i for i, r in enumerate(rows) if r.key == row.key), 0)
        above = (r for r in reversed(rows[:at]) if isinstance(r, NodeRow) and r.depth < row.depth and r.selectable)
        parent = next(above, None)
        if parent is not None:
            self.list.choose(parent.key)

    def action_copy(self) -> None:
        if self.row is not None and self.row.copy:
            self.post_message(self.Copy(self.row.copy))

    def action_back(self) -> None:
        self.post_message(self.Back())

    # ------------------------------------------------------------------ events

    def on_mount(self) -> None:
        self._rebuild()

    def on_resize(self) -> None:
        self.set_class(self.app.size.height < AIRY_ROWS, "-compact")
        self.call_after_refresh(self._fit_width)

    def _fit_width(self) -> None:
        if self.list.size.width != self._width:
            self._rebuild(anew=True)

    def on_line_list_opened(self, event: LineList.Opened) -> None:
        event.stop()
        row = self.row
        if row is not None and row.fact is not None:
            self.post_message(self.FactOpened(row.fact.name, row.fact.number))
        elif row is not None and row.learned:
            self.post_message(self.ReviewOpened(tuple(fact.number for fact in row.learned if fact.number)))
        else:
            self._toggle()

    def on_line_list_highlighted(self, event: LineList.Highlighted) -> None:
        event.stop()
        self._note_keys()

    def on_descendant_focus(self) -> None:
        self.title.active = True
        self._visit()

    def _visit(self) -> None:
        """Coming here for the first time begins at the newest turn."""
        if not self._visited and self.trace.turns:
            self._visited = True
            self.list.choose(f"t{self.trace.turns[-1].number}")

    def on_descendant_blur(self) -> None:
        self.title.active = False
