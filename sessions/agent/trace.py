"""The call tree of a session: turns, their steps, their calls. A plain model that events grow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, assert_never

from sessions.events import (
    ApprovalDecided,
    ApprovalRequested,
    CompactionFinished,
    CompactionStarted,
    DistillFinished,
    DistillStarted,
    Event,
    FactDeleted,
    FactProposed,
    FactsRecalled,
    FactWritten,
    Notice,
    ReasoningDelta,
    Retrying,
    Rewound,
    SessionChanged,
    StepFinished,
    StepStarted,
    TextDelta,
    ToolCallDelta,
    ToolCallFinished,
    ToolCallStarted,
    TurnFailed,
    TurnFinished,
    TurnStarted,
    retry_text,
)
from sessions.messages import Usage

State: TypeAlias = Literal["running", "done", "stopped", "failed", "waiting"]

_OPS: dict[type[Event], str] = {FactsRecalled: "recalled", FactProposed: "proposed", FactDeleted: "deleted"}


@dataclass(slots=True)
class FactNode:
    op: str
    """recalled, created, updated, confirmed, restored, deleted, proposed, learned."""
    name: str
    number: int | None = None
    summary: str = ""


@dataclass(slots=True)
class CallNode:
    id: str
    name: str
    arguments: dict[str, Any] | str
    state: State = "running"
    content: str = ""
    """The result, or the error."""
    ms: int | None = None
    progress: str = ""
    """Newest line of a tool at work."""
    facts: list[FactNode] = field(default_factory=list)
    children: list[CallNode] = field(default_factory=list)


@dataclass(slots=True)
class StepNode:
    number: int
    profile: str = ""
    model: str = ""
    state: State = "running"
    stop: str = ""
    usage: Usage | None = None
    ms: int | None = None
    first_token_ms: int | None = None
    reasoning_ms: int | None = None
    message: str = ""
    calls: list[CallNode] = field(default_factory=list)


@dataclass(slots=True)
class NoteNode:
    """A line that is no call: a warning, a compaction, learning; a wait for the provider, for as long as it lasts."""

    kind: Literal["notice", "compaction", "distill", "retry"]
    text: str
    level: str = "info"
    state: State = "done"
    content: str = ""
    """What a compaction left of what was said earlier."""
    first: bool = False
    """It was there before the turn's first step."""


@dataclass(slots=True)
class TurnNode:
    number: int
    text: str
    at: str = ""
    message: str = ""
    state: State = "running"
    ms: int | None = None
    stop: str = ""
    error: str = ""
    advice: str = ""
    usage: Usage | None = None
    always_sent: int = 0
    steps: list[StepNode] = field(default_factory=list)
    facts: list[FactNode] = field(default_factory=list)
    """Changed in this turn by the person, not by a call."""
    learned: list[FactNode] = field(default_factory=list)
    """What distillation found."""
    learning: State | None = None
    """Whether distillation ran, runs or is done; None = not at all."""
    learning_usage: Usage | None = None
    """What it cost; not a part of `usage`."""
    notes: list[NoteNode] = field(default_factory=list)
    part: tuple[int, int] | None = None
    """The bytes of the log where its steps are to be read; None = they are here."""


class Trace:
    """Grows by `apply`. `revision` tells whether anything changed."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.turns: list[TurnNode] = []
        self.notes: list[NoteNode] = []
        """What belongs to no turn."""
        self.taken_back: list[TurnNode] = []
        """Turns that the conversation went back before; their tokens were spent all the same."""
        self.above = 0
        """How many of the first turns were put there whole: nothing happens in them any more."""
        self.revision = 0
        self._spent = Usage()
        self._early: list[DistillFinished] = []
        """Of turns that are not here yet."""
        self._turns: dict[int, TurnNode] = {}
        self._calls: dict[str, CallNode] = {}
        for event in events:
            self.apply(event)

    @property
    def usage(self) -> Usage:
        """All tokens of the session's turns, those that were taken back too, and of what was learned from them."""
        return self._spent

    def put_above(self, turns: Sequence[TurnNode], taken_back: Sequence[TurnNode]) -> None:
        """The turns before those that were told, and those that the conversation went back before."""
        self.turns[:0] = turns
        self.taken_back[:0] = taken_back
        self._turns = {turn.number: turn for turn in turns} | self._turns
        self._spent = sum((use for turn in (*turns, *taken_back) for use in _uses(turn)), self._spent)
        self.above += len(turns)
        self.revision += 1
        early, self._early = self._early, []
        for event in early:
            self.apply(event)

    def put_steps(self, turn: TurnNode) -> bool:
        """Put a whole turn in the place of the one without steps; False when it is not here any more."""
        known = self._turns.get(turn.number)
        if known is None or known.part is None or known.message != turn.message:
            return False
        turn.learned, turn.learning, turn.learning_usage = known.learned, known.learning, known.learning_usage
        turn.facts += known.facts
        self.turns[self.turns.index(known)] = self._turns[turn.number] = turn
        self.revision += 1
        return True

    def apply(self, event: Event) -> TurnNode | None:
        """Take the event in; the turn that changed, None if none did."""
        turn = self._turns.get(event.turn)
        over = turn is not None and not isinstance(event, SessionChanged) and _end_waits(turn)
        changed = self._apply(event, turn) or over
        self.revision += changed
        return self._turns.get(event.turn) if changed else None

    def _apply(self, event: Event, turn: TurnNode | None) -> bool:
        match event:
            case TurnStarted():
                node = TurnNode(event.turn, event.text, event.at, event.message)
                self._turns[event.turn] = node
                self.turns.append(node)
            case StepStarted() if turn:
                turn.steps.append(StepNode(event.step, event.profile, event.model))
            case StepFinished() if turn and turn.steps:
                _finish_step(turn.steps[-1], event)
            case ToolCallStarted():
                call = CallNode(event.call_id, event.name, event.arguments)
                parent = self._calls.get(event.parent or "")
                if parent is not None:
                    parent.children.append(call)
                elif turn and turn.steps:
                    turn.steps[-1].calls.append(call)
                else:
                    return False
                self._calls[event.call_id] = call
            case ToolCallDelta():
                return self._set(event.call_id, progress=event.text)
            case ToolCallFinished():
                state = "done" if event.ok else "failed"
                return self._set(event.call_id, state=state, content=event.content, ms=event.ms, progress="")
            case FactsRecalled() | FactWritten() | FactProposed() | FactDeleted():
                return self._facts(event, turn)
            case ApprovalRequested():
                return self._set(event.call_id, state="waiting")
            case ApprovalDecided():
                call_node = self._calls.get(event.call_id)
                if call_node is None or call_node.state != "waiting":
                    return False
                call_node.state = "running"
            case TurnFinished() if turn:
                turn.state = "stopped" if event.stop in {"cancelled", "max_steps", "repeat"} else "done"
                turn.stop, turn.ms, turn.usage, turn.always_sent = event.stop, event.ms, event.usage, event.always_sent
                self._spent += event.usage or Usage()
                _close(turn, "stopped")
            case TurnFailed() if turn:
                turn.state, turn.ms, turn.error, turn.advice = "failed", event.ms, event.error, event.advice
                _close(turn, "failed")
            case DistillStarted() if turn:
                turn.learning = "running"
            case DistillFinished() if turn:
                if event.stop:
                    turn.learning = None if turn.learning == "running" else turn.learning
                    return True
                turn.learning, turn.learning_usage = "done", event.usage
                self._spent += event.usage or Usage()
                # What was saved by itself stands among the turn's facts.
                saved = {fact.name for fact in turn.facts}
                turn.learned = [n for n in _nodes("learned", event.facts, event) if n.name not in saved]
            case Retrying() | CompactionStarted() | CompactionFinished() | Notice():
                return self._note(event, turn)
            case Rewound():
                return self._rewound(event)
            case TextDelta() | ReasoningDelta() | SessionChanged():
                return False
            case StepStarted() | StepFinished() | TurnFinished() | TurnFailed() | DistillStarted():
                return False  # of a turn that was not told
            case DistillFinished():
                self._early.append(event)
                return False
            case _ as unreachable:
                assert_never(unreachable)
        return True

    def _rewound(self, event: Rewound) -> bool:
        first = next((i for i, turn in enumerate(self.turns) if turn.message == event.message), None)
        if first is None:
            return False
        gone = self.turns[first:]
        del self.turns[first:]
        self.taken_back += gone
        self.above = min(self.above, first)
        for turn in gone:
            self._turns.pop(turn.number, None)
        return True

    def _set(self, call_id: str, **values: Any) -> bool:
        call = self._calls.get(call_id)
        if call is None:
            return False
        for name, value in values.items():
            setattr(call, name, value)
        return True

    def _facts(self, event: FactsRecalled | FactWritten | FactProposed | FactDeleted, turn: TurnNode | None) -> bool:
        op = event.op if isinstance(event, FactWritten) else _OPS[type(event)]
        nodes = _nodes(op, event.names, event)
        call = self._calls.get(event.call_id or "")
        if call is not None:
            call.facts += nodes
        elif turn is not None:
            turn.facts += nodes
        else:
            return False
        return True

    def _note(self, event: Retrying | CompactionStarted | CompactionFinished | Notice, turn: TurnNode | None) -> bool:
        notes = turn.notes if turn else self.notes
        match event:
            case Notice():
                if event.level == "info":
                    return False
                first = turn is not None and not turn.steps
                notes.append(NoteNode("notice", event.text, event.level, first=first))
            case Retrying():
                notes.append(NoteNode("retry", retry_text(event), "warning", "running"))
            case CompactionStarted():
                notes.append(NoteNode("compaction", "earlier, in short", state="running"))
            case CompactionFinished():
                notes[:] = [n for n in notes if not (n.kind == "compaction" and n.state == "running")]
                if event.tokens_after is not None:
                    notes.append(NoteNode("compaction", "earlier, in short", content=event.content))
        return True


def _uses(turn: TurnNode) -> list[Usage]:
    return [usage for usage in (turn.usage, turn.learning_usage) if usage]


def _nodes(
    op: str,
    names: tuple[str, ...],
    event: FactsRecalled | FactWritten | FactProposed | FactDeleted | DistillFinished,
) -> list[FactNode]:
    numbers: list[int | None] = [*event.numbers, *[None] * (len(names) - len(event.numbers))]
    summaries = [*event.summaries, *[""] * (len(names) - len(event.summaries))]
    return [FactNode(op, *fact) for fact in zip(names, numbers, summaries, strict=False)]


def _finish_step(step: StepNode, event: StepFinished) -> None:
    step.stop, step.usage, step.ms = event.stop, event.usage, event.ms
    step.first_token_ms, step.reasoning_ms, step.message = event.first_token_ms, event.reasoning_ms, event.message
    step.state = {"cancelled": "stopped", "error": "failed"}.get(event.stop, "done")  # type: ignore[assignment]


def _close(turn: TurnNode, state: State) -> None:
    """Nothing runs in a turn that is over."""
    for step in turn.steps:
        if step.state == "running":
            step.state = state
        for call in step.calls:
            if call.state in {"running", "waiting"}:
                call.state = state


def _end_waits(turn: TurnNode) -> bool:
    """As soon as anything comes, the wait for it is over and leaves no line: the log does not know of it."""
    if not turn.notes:
        return False
    before = len(turn.notes)
    turn.notes = [note for note in turn.notes if note.kind != "retry"]
    return len(turn.notes) < before
