"""The agent's call tree as rows: which of its nodes are seen, and how each is drawn."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from textual.strip import Strip

from sessions.agent.trace import CallNode, FactNode, NoteNode, State, StepNode, Trace, TurnNode
from sessions.messages import Usage
from tui.widgets.calls import arguments_block, pretty, told_arguments, told_error
from tui.widgets.cells import cell_len
from tui.widgets.look import Look
from tui.widgets.rows import (
    LEFT,
    MIN_SECOND,
    NO_STYLE,
    TIME_CELLS,
    Part,
    Row,
    RowState,
    TextRow,
    row_line,
    spinner,
    width_of,
    wrap,
)  # fmt: skip
from tui.widgets.when import counted, duration, span, tokens

if TYPE_CHECKING:
    from sessions.hub.spending import Spent

DETAIL_LINES = 14
"""Of a text that was opened; the rest is counted."""
MORE_LINES = 200
"""So many come with each step after that."""
_AT_ONCE = 4000
"""Characters of a line that are wrapped at once."""
_ERROR_LINES = 3
_LONG_PROMPT = 1000
_NOTE_LINES = 4
_OPS = {"recalled": "", "created": "saved", "updated": "changed", "deleted": "forgotten", "proposed": "to review"}


@dataclass(slots=True)
class NodeRow:
    """A node in one line: guides, mark, name, a second text that may give way, and facts on the right."""

    key: str
    depth: int
    mark: str
    """Name of a mark; `running` turns, empty = none."""
    mark_kind: str
    """Name of the look's style for the mark."""
    name: str
    name_kind: str = "fg"
    second: str = ""
    facts: str = ""
    """Tokens; left out where there is no room."""
    time: str = ""
    time_kind: str = "muted"
    number: str = ""
    """Muted, before the name."""
    began: float | None = None
    """`time.monotonic()` when it began to run; None = does not run."""
    copy: str = ""
    """What `y` copies."""
    fact: FactNode | None = None
    learned: tuple[FactNode, ...] = ()
    """What was learned and is told of here: it waits in Memory."""
    folds: str = ""
    """Key of the node that is folded and unfolded from here; empty = nothing is."""
    more: str = ""
    """Key of the text of which more lines can be shown from here."""
    selectable: bool = True
    height: ClassVar[int] = 1
    head: ClassVar[bool] = False

    @property
    def live(self) -> bool:
        return self.began is not None

    @property
    def opens(self) -> bool:
        """Whether there is something to open, here or elsewhere."""
        return bool(self.folds or self.fact or self.learned)

    def draw(self, width: int, look: Look, state: RowState) -> list[Strip]:
        mark = spinner(look, state) if self.mark == "running" else getattr(look.marks, self.mark) if self.mark else " "
        left = guides(self.depth, look)
        left += [(mark, getattr(look, self.mark_kind)), (" ", NO_STYLE)]
        left += [(f"{self.number} ", look.muted)] if self.number else []
        left.append((self.name, getattr(look, self.name_kind)))
        clock = self.time
        if self.began is not None and not clock:
            clock = duration(max(0, int((time.monotonic() - self.began) * 10) * 100))
        turn = self.depth == 0
        wide = 0 if turn and not self.facts else TIME_CELLS
        right: list[Part] = [(clock.rjust(wide), getattr(look, self.time_kind))] if clock else []
        # The column of the times has blanks of its own in front.
        gap = 1 if turn or len(clock) < TIME_CELLS else 2
        room = width - LEFT - 2 - width_of(left) - width_of(right) - gap
        if self.facts and room >= len(self.facts):
            right = [(self.facts, look.muted), *right]
            room -= len(self.facts)
        second = self.second
        if second and cell_len(second) >= room and room - 1 < MIN_SECOND:
            # Cut only where enough of it stays to be of use.
            second = ""
        if second:
            left += [(" ", NO_STYLE), (second, look.muted)]
        return [row_line(width, look, state, left, right, gap=gap)]


def guides(depth: int, look: Look) -> list[Part]:
    """The lines that lead to a node, from the second level on."""
    if depth == 0:
        return []
    return [("  ", NO_STYLE), *[(f"{look.marks.guide} ", look.rule)] * (depth - 1)]


@dataclass(slots=True)
class Folds:
    """What is open, and since when things run."""

    open: dict[str, bool] = field(default_factory=dict)
    """Key -> the person's choice."""
    more: dict[str, int] = field(default_factory=dict)
    """Key of a text -> how many more of its lines are shown."""
    began: dict[str, float] = field(default_factory=dict)
    closed: dict[int, tuple[tuple[TurnNode, State, int], Row]] = field(default_factory=dict)
    """Number of a turn that has ended and is folded -> what its row was made of, and the row."""
    calls: dict[str, tuple[tuple[CallNode, State, int, int, int], list[Row]]] = field(default_factory=dict)
    """Id of a call that has ended and is folded -> what its rows were made of, and the rows."""
    above: tuple[int, list[Row]] | None = None
    """The rows of the first turns, in which nothing happens, and how many turns those are; None = to be made again."""

    def is_open(self, key: str, default: bool) -> bool:
        return self.open.get(key, default)

    def since(self, key: str, state: State, ms: int | None) -> float | None:
        """When a running node began; remembered from the first time that it is asked for."""
        if state != "running" or ms is not None:
            self.began.pop(key, None)
            return None
        return self.began.setdefault(key, time.monotonic())


Cost: TypeAlias = "Callable[[str, str, Usage], Spent]"
"""What so many tokens of a profile and model cost."""


def turn_cost(turn: TurnNode, cost: Cost) -> Spent | None:
    """Of all its steps and of what was learned from it; None where they are not known."""
    used = [(step.profile, step.model, step.usage) for step in turn.steps if step.usage is not None]
    if not used:
        return None
    if turn.learning_usage is not None:
        used.append((*used[-1][:2], turn.learning_usage))
    first, *others = (cost(*one) for one in used)
    return sum(others, first)


class Flattener:
    """Makes the rows of a trace for a width. `whole`: it begins with the first turn, so that they can be counted."""

    def __init__(self, folds: Folds, width: int, *, whole: bool = True, cost: Cost | None = None) -> None:
        self.folds = folds
        self._cost = cost
        self.width = width
        self._whole = whole

    def rows(self, trace: Trace) -> list[Row]:
        if not trace.turns and not trace.notes:
            return list(EMPTY)
        out: list[Row] = []
        for i, note in enumerate(trace.notes):
            out += self._note(f"n{i}", 0, note)
        above = max(0, min(trace.above, len(trace.turns) - 1))
        if self.folds.above is None or self.folds.above[0] != above:
            self.folds.above = above, [*self._turns(trace.turns[:above], 1, None)]
        out += self.folds.above[1]
        out += self._turns(trace.turns[above:], above + 1, trace.turns[-1] if trace.turns else None)
        return out

    def _turns(self, turns: Sequence[TurnNode], first: int, newest: TurnNode | None) -> Iterator[Row]:
        for count, turn in enumerate(turns, first):
            opened = self.folds.is_open(f"t{turn.number}", turn is newest)
            if opened or turn.ms is None:
                yield from self._turn(turn, count, opened)
            else:
                yield self.folded(turn, count)

    def folded(self, turn: TurnNode, count: int) -> Row:
        """The one row of a turn that has ended, the how many-th of those that count; made once."""
        made = turn, turn.state, count
        known = self.folds.closed.get(turn.number)
        if known is None or known[0][0] is not turn or known[0] != made:
            known = self.folds.closed[turn.number] = made, next(self._turn(turn, count, False))
        return known[1]

    def _turn(self, turn: TurnNode, count: int, opened: bool) -> Iterator[Row]:
        key = f"t{turn.number}"
        began = self.folds.since(key, turn.state, turn.ms)
        clock = span(turn.ms) if turn.ms is not None else ""
        word, kind = _TURN_WORDS.get(turn.state, ("", "muted"))
        if turn.state == "waiting":
            clock = word
        elif word:
            clock = f"{word}  {clock}".strip()
        number = str(count if self._whole else turn.number)
        yield NodeRow(
            key, 0, "open" if opened else "folded", "muted", " ".join(turn.text[:_LONG_PROMPT].split()) or "erased",
            "bold" if opened else "muted", facts=self._price(turn), time=clock, time_kind=kind,
            number=number, began=began, copy=turn.text, folds=key,
        )  # fmt: skip
        if not opened:
            return
        if turn.part is not None:
            yield NodeRow(f"{key}.w", 1, "", "muted", "…", "muted", selectable=False)
        notes = [(note.first, row) for i, note in enumerate(turn.notes) for row in self._note(f"{key}.n{i}", 1, note)]
        yield from (row for first, row in notes if first)
        for step in turn.steps:
            yield from self._step(f"{key}.s{step.number}", step)
        yield from (_fact(f"{key}.f{i}", 1, fact) for i, fact in enumerate(turn.facts))
        yield from (row for first, row in notes if not first)
        if turn.error:
            yield from self._text(f"{key}.e", 1, turn.error, "err", _ERROR_LINES)
            yield from self._text(f"{key}.a", 1, turn.advice, "muted", _ERROR_LINES)
        yield from self._learned(key, turn)

    def _price(self, turn: TurnNode) -> str:
        spent = turn_cost(turn, self._cost) if self._cost is not None else None
        return str(spent) if spent else ""

    def _learned(self, key: str, turn: TurnNode) -> Iterator[Row]:
        if turn.learning == "running":
            yield NodeRow(f"{key}.l", 1, "running", "accent", "learning", "muted", began=self.folds.since(
                f"{key}.l", "running", None))  # fmt: skip
            return
        used = turn.learning_usage
        cost = f"{tokens(used.input)} in, {tokens(used.output)} out" if used else ""
        if turn.learned:
            name = f"learned: {len(turn.learned)} to review"
            yield NodeRow(f"{key}.l", 1, "new", "warn", name, facts=cost, learned=tuple(turn.learned))
            for i, fact in enumerate(turn.learned):
                yield NodeRow(f"{key}.l{i}", 2, "", "muted", fact.summary or fact.name, "muted", fact=fact)
        elif turn.learning == "done":
            saved = sum(fact.op != "deleted" for fact in turn.facts)
            name = f"learned: {saved} saved" if saved else "nothing new to remember"
            yield NodeRow(f"{key}.l", 1, "", "muted", name, "muted", facts=cost)

    def _step(self, key: str, step: StepNode) -> Iterator[Row]:
        opened = self.folds.is_open(key, bool(step.calls))
        began = self.folds.since(key, step.state, step.ms)
        usage = f"{tokens(step.usage.input)} in, {tokens(step.usage.output)} out" if step.usage else ""
        kind = "err" if step.state == "failed" else "muted"
        second = _STOPS.get(step.stop, step.stop) if not step.calls or step.stop in {"length", "cancelled"} else ""
        yield NodeRow(
            key, 1, "open" if opened else "folded", "muted", f"step {step.number}", "fg", second, usage,
            span(step.ms) if step.ms is not None else "", kind, began=began, copy=step.model, folds=key,
        )  # fmt: skip
        if not opened:
            return
        if self.folds.open.get(key) or not step.calls:
            words = [step.model, f"first word {duration(step.first_token_ms)}" if step.first_token_ms else ""]
            words += [f"thought {duration(step.reasoning_ms)}" if step.reasoning_ms else ""]
            words += [f"{tokens(step.usage.cached)} cached" if step.usage and step.usage.cached else ""]
            text = " · ".join(word for word in words if word)
            if text:
                yield NodeRow(f"{key}.i", 2, "", "muted", text, "muted", copy=text)
        for call in step.calls:
            yield from self._told(call)

    def _told(self, call: CallNode) -> Sequence[Row]:
        """The rows of a call; those of one that has ended and is folded are made once."""
        if call.state in {"running", "waiting"} or call.children or self.folds.is_open(f"c:{call.id}", False):
            return [*self._call(call, 2)]
        made = call, call.state, call.ms or 0, len(call.facts), self.width
        known = self.folds.calls.get(call.id)
        if known is None or known[0][0] is not call or known[0][1:] != made[1:]:
            known = self.folds.calls[call.id] = made, [*self._call(call, 2)]
        return known[1]

    def _call(self, call: CallNode, depth: int) -> Iterator[Row]:
        key = f"c:{call.id}"
        mark, mark_kind = _CALL_MARKS[call.state]
        began = self.folds.since(key, call.state, call.ms)
        waiting = call.state == "waiting"
        clock = "waits for you" if waiting else "stopped" if call.state == "stopped" else ""
        if call.ms is not None and call.state != "stopped":
            clock = duration(call.ms)
        kind = "warn" if waiting else "accent" if call.state == "running" else "muted"
        about = told_arguments(call.name, call.arguments)
        opened = self.folds.is_open(key, False)
        inside = counted(len(call.children), "call") if call.children and not opened else ""
        yield NodeRow(
            key, depth, mark, mark_kind, call.name, "fg", "" if waiting else about, inside, clock, kind,
            began=began, copy=call.content or pretty(call.arguments), folds=key,
        )  # fmt: skip
        for i, fact in enumerate(call.facts):
            yield _fact(f"{key}.f{i}", depth + 1, fact)
        if waiting:
            yield from self._text(f"{key}.w", depth, about, "muted", 1)
        elif call.progress:
            yield from self._text(f"{key}.p", depth + 1, call.progress, "muted", 1)
        elif call.state == "failed" and not opened:
            yield from self._text(f"{key}.e", depth + 1, told_error(call.content), "err", _ERROR_LINES)
        arguments = arguments_block(call.arguments) if opened else ""
        if arguments:
            yield from self._text(f"{key}.A", depth + 1, arguments, "muted", DETAIL_LINES, copy=arguments, folds=key)
        if opened or call.state == "running":
            for child in call.children:
                yield from self._call(child, depth + 1)
        # What came of it is said last, as it came after all that a sub-agent did.
        if opened and call.content:
            kind = "err" if call.state == "failed" else "fg"
            yield from self._text(
                f"{key}.R", depth + 1, pretty(call.content), kind, DETAIL_LINES, copy=call.content, folds=key
            )

    def _note(self, key: str, depth: int, note: NoteNode) -> Iterator[Row]:
        if note.content:
            opened = self.folds.is_open(key, False)
            mark = "open" if opened else "folded"
            yield NodeRow(key, depth, mark, "muted", note.text, "muted", copy=note.content, folds=key)
            if opened:
                yield from self._text(f"{key}.t", depth + 1, note.content, "muted", DETAIL_LINES, folds=key)
            return
        running = note.state == "running"
        kind = {"warning": "warn", "error": "err"}.get(note.level, "accent" if running else "muted")
        mark = "running" if running else {"warning": "overdue", "error": "failed"}.get(note.level, "item")
        began = self.folds.since(key, "running", None) if running else None
        room = self.width - LEFT - 4 - 2 * depth - (TIME_CELLS + 1 if running else 0)
        first, *more = wrap(note.text, room)
        if len(more) >= _NOTE_LINES:
            more = [*more[: _NOTE_LINES - 2], f"{more[_NOTE_LINES - 2]}…"]
        yield NodeRow(key, depth, mark, kind, first, "muted", began=began, copy=note.text)
        for i, line in enumerate(more):
            yield NodeRow(f"{key}.{i}", depth, "", "muted", line, "muted", selectable=False)

    def _text(
        self, key: str, depth: int, text: str, kind: str, most: int, *, copy: str = "", folds: str = ""
    ) -> Iterator[Row]:
        """A text on lines of its own; the cursor stops on them only when they fold something."""
        if not text.strip():
            return
        # Of a huge result only its beginning is wrapped; the count of what is left is then of its own lines.
        most += self.folds.more.get(key, 0)
        source = [
            line[at : at + _AT_ONCE]
            for line in text.strip("\n").split("\n")
            for at in range(0, max(1, len(line)), _AT_ONCE)
        ]
        lines = [part for line in source[:most] for part in wrap(line, self.width - LEFT - 4 - 2 * depth)]
        more = len(source) - most if len(source) > most else 0
        if len(lines) > most:
            more += len(lines) - most
        shown = [(part, kind) for part in lines[:most]]
        if more:
            shown.append((f"… {counted(more, 'more line')} · y copies all", "muted"))
        for i, (part, style) in enumerate(shown):
            yield NodeRow(
                f"{key}{i}", depth, "", "muted", part, style, copy=copy or text, folds=folds,
                more=key if folds and i == most else "", selectable=bool(folds),
            )  # fmt: skip


_TURN_WORDS = {"stopped": ("stopped", "muted"), "failed": ("failed", "err"), "waiting": ("waits for you", "warn")}
_CALL_MARKS: Mapping[State, tuple[str, str]] = {
    "running": ("running", "accent"),
    "done": ("done", "ok"),
    "failed": ("failed", "err"),
    "stopped": ("off", "muted"),
    "waiting": ("approval", "warn"),
}
_STOPS = {"stop": "answer", "tool_calls": "", "length": "cut at the limit", "cancelled": "stopped", "error": "failed"}
EMPTY: tuple[Row, ...] = (
    TextRow("e0", "What the agent does appears here:"),
    TextRow("e1", ""),
    TextRow("e2", "each turn and its steps", "open"),
    TextRow("e3", "tools, with arguments and time", "done", "ok"),
    TextRow("e4", "facts recalled and learned", "pinned", "accent"),
)


def _fact(key: str, depth: int, fact: FactNode) -> Row:
    word = _OPS.get(fact.op, fact.op)
    number = str(fact.number) if fact.number else ""
    mark = "off" if fact.op == "deleted" else "pinned"
    kind = "muted" if fact.op == "deleted" else "accent"
    return NodeRow(key, depth, mark, kind, fact.name, "muted", time=word, number=number, copy=fact.name, fact=fact)
