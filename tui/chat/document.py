"""Events fold into blocks. The same for a live turn and a log replayed; knows nothing of a screen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias, assert_never

from sessions import events as ev
from tui.chat.blocks import (
    Answer,
    Block,
    Call,
    Divider,
    Failed,
    Foot,
    FootItem,
    Growing,
    Learned,
    More,
    Note,
    Prompt,
    TakenBack,
    Thought,
)
from tui.chat.parts import Parts, new_id
from tui.chat.pieces import HUGE, pieces

TurnState: TypeAlias = Literal["idle", "running", "waiting", "done", "stopped", "failed"]
SHORTENING = "Putting what was said earlier in short"


class Document(Parts):
    """The blocks of one session, in order. `take_changed` tells a view where to look again."""

    def __init__(self) -> None:
        super().__init__()
        self.state: TurnState = "idle"
        self.turn = 0
        self.retrying = ""
        """Why the provider is asked again; empty as soon as anything comes."""
        self._items: dict[tuple[str, str], tuple[int, FootItem]] = {}
        """What the foot will name, with its place: calls count in their order, however they finish."""
        self._who = "", ""
        """Profile and model of the running turn."""
        self._nested: set[str] = set()
        """Calls of sub-agents that run."""
        self._growing: dict[type[Growing], Growing] = {}
        """The texts of the running step."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Document):
            return NotImplemented
        self._settle()
        other._settle()
        return (self.blocks, self.state, self.turn) == (other.blocks, other.state, other.turn)

    __hash__ = None  # type: ignore[assignment]

    def _settle(self) -> None:
        for block in self.blocks:
            if isinstance(block, Growing):
                _ = block.text

    def load(self, events: Iterable[ev.Event]) -> None:
        """Apply a replay."""
        for event in events:
            self.apply(event)

    def apply(self, event: ev.Event) -> None:
        """Fold one event in."""
        if self.retrying and not isinstance(event, ev.SessionChanged):
            self.retrying = ""
        match event:
            case ev.TurnStarted():
                self._start(event)
            case ev.StepStarted():
                self._close_text()
                self._who = event.profile, event.model
                self._step = new_id()
            case ev.TextDelta(text=text) | ev.ReasoningDelta(text=text):
                self._grow(Answer if isinstance(event, ev.TextDelta) else Thought, text, event.turn)
            case ev.ToolCallStarted():
                self._call_started(event)
            case ev.ToolCallDelta():
                if call := self.call(event.call_id):
                    call.progress = event.text
                    self._touch(call)
            case ev.ToolCallFinished():
                self._call_finished(event)
            case ev.StepFinished():
                self._step_finished(event)
            case ev.Retrying():
                self.retrying = ev.retry_text(event)
                self._mark(len(self.blocks))
            case ev.CompactionStarted():
                self._close_text()
                self.retrying = SHORTENING
                self._mark(len(self.blocks))
            case ev.CompactionFinished():
                self._compacted(event)
            case ev.FactsRecalled() | ev.FactWritten() | ev.FactProposed() | ev.FactDeleted():
                self._facts(event)
            case ev.ApprovalRequested() | ev.ApprovalDecided():
                self._approval(event)
            case ev.Notice():
                self._close_text()
                self._add(Note(turn=event.turn, level=event.level, text=event.text))
            case ev.TurnFinished():
                self._finished(event)
            case ev.TurnFailed():
                self._failed(event)
            case ev.SessionChanged():
                if event.what.get("cleared"):
                    self._divide(Divider(turn=event.turn, cleared=True))
            case ev.Rewound():
                self._rewound(event)
            case ev.DistillStarted() | ev.DistillFinished():
                pass
            case _ as unreachable:
                assert_never(unreachable)

    def call(self, call_id: str) -> Call | None:
        """The newest call of that id."""
        calls = self._calls.get(call_id)
        return calls[-1] if calls else None

    def foot(self) -> Foot | None:
        """The foot of the newest turn, when it names a fact or the turn has older ways."""
        foot = self._newest(Foot)
        if foot is None or foot.turn != self.turn:
            return None
        prompt = None if foot.items else self._newest(Prompt)
        return foot if foot.items or (prompt and prompt.older) else None

    def prompt(self) -> Prompt | None:
        """The newest prompt that counts."""
        return self._newest(Prompt)

    def _close_text(self) -> None:
        """The text that grew is done; an empty one leaves no block."""
        growing, self._growing = self._growing, {}
        for block in growing.values():
            block.open = False
            self._touch(block)
            if not block.text.strip():
                del self.blocks[self._index(block)]
            elif isinstance(block, Answer) and len(block.text) > HUGE:
                self._cut(block)

    def _cut(self, answer: Answer) -> None:
        """A huge answer becomes a row of blocks."""
        first, *more = pieces(answer.text)
        answer.text_ = first.text
        at = self._index(answer)
        for i, piece in enumerate(more, 1):
            block = Answer(turn=answer.turn, text_=piece.text, open=False, message=answer.message, piece=piece)
            self._add(block, at + i)

    def _start(self, event: ev.TurnStarted) -> None:
        self._close_text()
        self.state, self.turn, self._items, self._who = "running", event.turn, {}, ("", "")
        place = self._messages, self.dim_before
        self._messages += 1
        text, *more = (piece.text for piece in pieces(event.text))
        prompt = Prompt(turn=event.turn, text=text, at=event.at, name=event.name, message=event.message)
        prompt.unremembered = event.memory == "off"
        if self.blocks and isinstance(gone := self.blocks[-1], TakenBack):
            prompt.older = gone.older
            del self.blocks[-1]
        self._add(prompt)
        self._places[prompt.id] = place
        for piece in more:
            self._add(More(turn=event.turn, text=piece))

    def _rewound(self, event: ev.Rewound) -> None:
        """What was said since becomes an older way, in the place where the next prompt will stand."""
        self._close_text()
        prompt = self._newest(Prompt, lambda p: p.message == event.message)
        if prompt is None:
            return
        first = self._index(prompt)
        way = self._drop(first)
        older, prompt.older = prompt.older, ()
        before = self.dim_before
        self._messages, self.dim_before = self._places.get(prompt.id, (0, 0))
        self._add(TakenBack(turn=event.turn, text=prompt.text, older=(*older, way)))
        if before != self.dim_before:
            self._mark(0)
        last, foot = self._newest(Prompt), self._newest(Foot)
        self.turn, self._items = last.turn if last else 0, {}
        stops: dict[str, TurnState] = {"cancelled": "stopped", "failed": "failed"}
        self.state = stops.get(foot.stop, "done") if foot else "idle"

    def _grow(self, kind: type[Growing], text: str, turn: int) -> None:
        block = self._growing.get(kind)
        if block is None:
            block = self._growing[kind] = kind(turn=turn)
            # The log keeps one thought and one text a step, the thought first: so does the screen.
            answer = self._growing.get(Answer) if kind is Thought else None
            self._add(block, self._index(answer) if answer else None)
        block.add(text)
        block.rev += 1
        self._mark(self._index(block))

    def _call_started(self, event: ev.ToolCallStarted) -> None:
        if event.parent is not None:
            # What a sub-agent does, the tree shows.
            self._nested.add(event.call_id)
            return
        self._close_text()
        call = Call(
            turn=event.turn,
            call_id=event.call_id,
            name=event.name,
            arguments=event.arguments,
        )
        self._add(call)

    def _call_finished(self, event: ev.ToolCallFinished) -> None:
        if event.call_id in self._nested:
            self._nested.discard(event.call_id)
            return
        self._close_text()
        self._messages += 1
        call = self.call(event.call_id)
        if call is None:
            call = Call(turn=event.turn, call_id=event.call_id, name=event.name, arguments={})
            self._add(call)
        call.state = "done" if event.ok else "failed"
        call.content, call.file, call.ms, call.progress = event.content, event.file, event.ms, ""
        self._touch(call)

    def _step_finished(self, event: ev.StepFinished) -> None:
        self._close_text()
        self._messages += 1
        for block in reversed(self.blocks):
            if isinstance(block, Prompt) or block.id < self._step:
                break
            if isinstance(block, Answer) and not block.message:
                block.message = event.message
            if isinstance(block, Thought):
                block.message = event.message
                if block.ms is None and event.reasoning_ms is not None:
                    block.ms = event.reasoning_ms
                    self._touch(block)
                break

    def _compacted(self, event: ev.CompactionFinished) -> None:
        self._close_text()
        if event.tokens_after is None:
            self._mark(len(self.blocks))
            return
        if event.results_only:
            sizes = f"{event.tokens_before:,} to {event.tokens_after:,} tok"
            self._add(Note(turn=event.turn, level="info", text=f"Old results of tools are no longer sent: {sizes}"))
            return
        kept = self._newest(Prompt, lambda p: event.first_kept and p.message == event.first_kept)
        divider = Divider(
            turn=event.turn,
            messages=self._places[kept.id][0] if kept else self._messages,
            tokens_before=event.tokens_before,
            tokens_after=event.tokens_after,
            content=event.content,
            message=event.message,
        )
        self._divide(divider, kept)

    def _divide(self, divider: Divider, before: Prompt | None = None) -> None:
        """What stands above, or above `before`, is out of the model's sight."""
        self._close_text()
        at = self._index(before) if before else len(self.blocks)
        above = self._places[before.id][0] if before else self._messages
        self._add(divider, at)
        self.dim_before = at
        self._messages -= above
        for block in self.blocks[at:]:
            if block.id in self._places:
                self._places[block.id] = self._places[block.id][0] - above, at
        self._mark(0)

    def _facts(self, event: ev.FactEvent) -> None:
        self._close_text()
        call = self.call(event.call_id) if event.call_id else None
        op = ""
        if call and isinstance(event, ev.FactsRecalled):
            call.recalled += len(event.names)
            self._touch(call)
        elif call:
            call.changed += event.numbers
            self._touch(call)
        match event:
            case ev.FactsRecalled():
                self._remember(event, "recalled")
            case ev.FactWritten():
                op = event.op
                if op != "confirmed":
                    self._remember(event, "saved")
            case ev.FactProposed():
                op = "proposed"
            case ev.FactDeleted():
                op = "forgotten"
                self._remember(event, "forgot")
        if op:
            row = Learned(
                turn=event.turn,
                op=op,
                names=event.names,
                numbers=event.numbers,
                summaries=event.summaries,
                call_id=event.call_id,
            )
            self._add(row, self._behind(call) if call else None)

    def _behind(self, call: Call) -> int:
        """Behind the call and the facts that it wrote before: the order of the calls, however they finish."""
        at = self._index(call) + 1
        while at < len(self.blocks):
            row = self.blocks[at]
            if not (isinstance(row, Learned) and row.call_id == call.call_id):
                break
            at += 1
        return at

    def _remember(self, event: ev.FactEvent, kind: Literal["recalled", "saved", "forgot"]) -> None:
        if event.turn != self.turn or self.state not in {"running", "waiting"}:
            return
        call = self.call(event.call_id) if event.call_id else None
        place = call.id if call else new_id()
        for name, number in zip(event.names, event.numbers or (0,) * len(event.names), strict=False):
            known = self._items.get((kind, name))
            if known is None or place < known[0]:
                self._items.pop((kind, name), None)
                self._items[kind, name] = place, FootItem(kind, name, number)

    def _foot_items(self) -> list[FootItem]:
        order = ("recalled", "saved", "forgot")
        return [item for _, item in sorted(self._items.values(), key=lambda i: (order.index(i[1].kind), i[0]))]

    def _approval(self, event: ev.ApprovalRequested | ev.ApprovalDecided) -> None:
        asked = isinstance(event, ev.ApprovalRequested)
        call = self.call(event.call_id)
        if call is None and isinstance(event, ev.ApprovalRequested):
            call = Call(turn=event.turn, call_id=event.call_id, name=event.name, arguments=event.arguments)
            self._add(call)
        if call and call.state in {"running", "waiting"}:
            call.state = "waiting" if asked else "running"
            self._touch(call)
        if self.state in {"running", "waiting"}:
            self.state = "waiting" if asked else "running"

    def _finished(self, event: ev.TurnFinished) -> None:
        self._close_text()
        answered = any(isinstance(b, Answer) for b in self._of_turn())
        if event.text.strip() and not answered:
            answer = Answer(turn=event.turn, text_=event.text, open=False)
            self._add(answer)
            if len(event.text) > HUGE:
                self._cut(answer)
        self._end_calls()
        self.state = "stopped" if event.stop == "cancelled" else "done"
        items = self._foot_items()
        if event.always_sent:
            items.append(FootItem("always", count=event.always_sent))
        self._add(Foot(turn=event.turn, stop=event.stop, ms=event.ms, items=tuple(items), who=self._who))

    def _failed(self, event: ev.TurnFailed) -> None:
        self._close_text()
        self._end_calls()
        self.state = "failed"
        self._add(Failed(turn=event.turn, error=event.error, advice=event.advice))
        items = tuple(item for item in self._foot_items() if item.kind != "recalled")
        self._add(Foot(turn=event.turn, stop="failed", ms=event.ms, items=items, who=self._who))

    def _of_turn(self) -> Iterable[Block]:
        for block in reversed(self.blocks):
            if isinstance(block, Prompt):
                return
            yield block

    def _end_calls(self) -> None:
        """A turn that ended runs nothing any more."""
        for block in self._of_turn():
            if isinstance(block, Call) and block.state in {"running", "waiting"}:
                block.state = "failed"
                block.content = block.content or "stopped"
                self._touch(block)
