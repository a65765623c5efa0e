"""A log as the events that its turns gave when they ran."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, assert_never

from sessions.agent import fact_lines
from sessions.agent.shapes import approval_decided, call_finished, call_started, compacted, step_finished, turn_ended
from sessions.events import (
    DistillFinished,
    Event,
    Notice,
    ReasoningDelta,
    Rewound,
    SessionChanged,
    StepFinished,
    StepStarted,
    TextDelta,
    ToolCallFinished,
    TurnFinished,
    TurnStarted,
)
from sessions.messages import AssistantMessage, Marker, Record, ToolMessage, Unknown, Usage, UserMessage
from sessions.numbers import whole
from sessions.store.line import kept, staying

_FOUND = ("facts", "numbers", "summaries")

ERASED = "erased"
"""What stands for a line that the person erased."""


def replay(records: Iterable[Record], session: str, *, skipped: int = 0, running: bool = False) -> Iterator[Event]:
    """The events of the log, in order: also of what a `rewound` took back later, which is then told by `Rewound`.

    `skipped` lines that could not be read are said first. A last turn without an end counts as stopped, unless
    `running`, when more lines are to come.
    """
    if skipped:
        lines = "1 line of this session" if skipped == 1 else f"{skipped} lines of this session"
        yield Notice(session=session, level="warning", text=f"{lines} could not be read and {_is(skipped)} left out")
    replayer = Replayer(session)
    for record in records:
        yield from replayer.feed(record)
    if not running:
        yield from replayer.end()


def told_again(
    records: Sequence[Record], session: str, *, skipped: int, running: bool, notices: Sequence[Notice], at: int
) -> list[Event]:
    """The same of an open session, with the `notices` that were given when its log held `at` of the records."""
    out = list(replay((), session, skipped=skipped))
    replayer = Replayer(session)
    for i, record in enumerate(records):
        out += notices if i == at else ()
        out += replayer.feed(record)
    out += () if running else replayer.end()
    return [*out, *(notices if at >= len(records) else ())]


class Replayer:
    """Turns records into events one by one, as they are read."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._turn: int | None = None
        """The turn that is open."""
        self._step = 0
        self._text = ""
        self._finished: StepFinished | None = None
        """Held back until the step's calls have their results."""
        self._waiting: dict[str, str] = {}
        """Calls without their result, in order, and the names of the tools."""
        self._newer = 0
        self._gone: Unknown | None = None
        """An erased line where a prompt may have stood: what follows tells."""
        self._line: list[Record] = []
        """The records that no `rewound` took back."""
        self._inside: set[str] = set()
        """Calls of sub-agents."""

    def feed(self, record: Record) -> list[Event]:
        """The events of the log's next record."""
        if isinstance(record, Marker) and record.kind == "rewound":
            return self._rewound(record)
        self._line.append(record)
        return self._told(record)

    def _told(self, record: Record) -> list[Event]:
        match record:
            case UserMessage():
                return [] if record.parent else self._user(record)
            case AssistantMessage():
                return self._nested(record) if record.parent else self._assistant(record)
            case ToolMessage():
                return self._nested(record) if record.parent else self._tool(record)
            case Marker():
                return self._marker(record)
            case Unknown():
                return self._unknown(record)
            case _ as unreachable:
                assert_never(unreachable)

    def _rewound(self, marker: Marker) -> list[Event]:
        to = marker.data.get("to")
        keep = kept(self._line, to)
        if keep is None:
            return []
        out = self.end()
        start = next((i for i in range(keep, len(self._line)) if _is_prompt(self._line[i])), len(self._line))
        stay, again = staying(self._line[:keep], self._line[keep:]), []
        if any(_is_of_turn(r) for r in self._line[keep:start]):
            # Back into the middle of a turn: it is told again as far as it is kept.
            start = next((i for i in range(keep - 1, -1, -1) if _is_prompt(self._line[i])), keep)
            again = self._line[start:keep]
        prompt = self._line[start] if start < len(self._line) else None
        del self._line[start if again else keep :]
        if isinstance(prompt, UserMessage):
            last = to if isinstance(to, str) else None
            out.append(Rewound(**self._head(prompt.turn), message=prompt.id, to=last))
        for record in again:
            out += self.feed(record)
        self._line += stay
        return out

    def end(self) -> list[Event]:
        """Close what is open: the program that wrote the log ended in the middle of a turn."""
        out = self._end_step()
        if self._turn is not None:
            out.append(TurnFinished(**self._head(self._turn), stop="cancelled", text=self._text))
            self._turn = None
        return out

    def _user(self, record: UserMessage) -> list[Event]:
        out = self.end()
        self._gone = None
        self._turn, self._step, self._text = record.turn, 0, ""
        head = self._head(record.turn) | {"name": record.name, "memory": record.memory}
        return [*out, TurnStarted(**head, text=record.content, at=record.at, message=record.id)]

    def _assistant(self, record: AssistantMessage) -> list[Event]:
        out = self._end_step() + self._begin(record.turn)
        self._step += 1
        self._text = record.content
        head = self._head(record.turn)
        out.append(StepStarted(**head, step=self._step, profile=record.profile, model=record.model))
        if record.reasoning:
            out.append(ReasoningDelta(**head, text=record.reasoning))
        if record.content:
            out.append(TextDelta(**head, text=record.content))
        out += [call_started(call, head) for call in record.tool_calls]
        self._finished = step_finished(record, self._step, head)
        self._waiting = {call.id: call.name for call in record.tool_calls}
        return out if self._waiting else out + self._end_step()

    def _nested(self, record: AssistantMessage | ToolMessage) -> list[Event]:
        """Of a sub-agent only what it did: what came of it is the result of the call that it belongs to."""
        head = self._head(record.turn)
        if isinstance(record, ToolMessage):
            # Of one at work in the background the call may stand further up than the log was read.
            return [call_finished(record, head)] if record.tool_call_id in self._inside else []
        self._inside.update(call.id for call in record.tool_calls)
        return [replace(call_started(call, head), parent=record.parent) for call in record.tool_calls]

    def _tool(self, record: ToolMessage) -> list[Event]:
        out: list[Event] = []
        shown = fact_lines.recalled(record, self._session)
        if shown is not None:
            out.append(shown)
        out.append(call_finished(record, self._head(record.turn)))
        self._waiting.pop(record.tool_call_id, None)
        return out if self._waiting else out + self._end_step()

    def _end_step(self) -> list[Event]:
        finished, self._finished, self._waiting = self._finished, None, {}
        return [finished] if finished is not None else []

    def _marker(self, record: Marker) -> list[Event]:
        data, turn = record.data, whole(record.data.get("turn")) or 0
        match record.kind:
            case "turn_end":
                out = self._end_step() + self._begin(turn) + turn_ended(data, self._text, self._head(turn))
                self._turn = None
                return out
            case "fact":
                event = fact_lines.from_marker(record, self._session)
                return [event] if event is not None else []
            case "meta":
                return [SessionChanged(session=self._session, what=dict(data))]
            case "cleared":
                return [SessionChanged(session=self._session, what={"cleared": True})]
            case "compaction":
                return compacted(record, self._head(self._turn or 0))
            case "distilled":
                return [_distilled(data, self._head(turn))]
            case "approval":
                return [approval_decided(data, self._head(self._turn or 0))]
            case _:
                return []

    def _begin(self, turn: int) -> list[Event]:
        """A turn whose prompt was erased begins with what is left of it."""
        gone, self._gone = self._gone, None
        if self._turn is not None or gone is None:
            return []
        self._turn, self._step, self._text = turn, 0, ""
        return [TurnStarted(**self._head(turn), text="", message=gone.id)]

    def _erased(self, record: Unknown) -> list[Event]:
        """The place of an erased line: the result that a call waits for, a part of a turn, or its prompt."""
        if self._waiting:
            call, name = next(iter(self._waiting.items()))
            del self._waiting[call]
            head = self._head(self._turn or 0)
            done = ToolCallFinished(**head, call_id=call, name=name, content=ERASED, ok=True, ms=0)
            return [done] if self._waiting else [done, *self._end_step()]
        if self._turn is None:
            self._gone = self._gone or record
            return []
        again = len(self._line) > 1 and isinstance(self._line[-2], Unknown) and self._line[-2].erased
        said = [] if again else [Notice(**self._head(self._turn), level="info", text=ERASED)]
        return [*self._end_step(), *said]

    def _unknown(self, record: Unknown) -> list[Event]:
        if record.erased:
            return self._erased(record)
        if not record.why.startswith("version") or self._newer:
            return []
        self._newer = 1
        text = "Some lines were written by a newer version of this program and are left out"
        return [Notice(session=self._session, level="warning", text=text)]

    def _head(self, turn: int) -> dict[str, Any]:
        return {"session": self._session, "turn": turn}


def _distilled(data: dict[str, Any], head: dict[str, Any]) -> DistillFinished:
    names, numbers, summaries = (v if isinstance(v := data.get(k), list) else [] for k in _FOUND)
    return DistillFinished(
        **head,
        facts=tuple(map(str, names)),
        numbers=tuple(whole(n) or 0 for n in numbers),
        summaries=tuple(map(str, summaries)),
        usage=_usage(data.get("usage")),
    )


def _is_prompt(record: Record) -> bool:
    return isinstance(record, UserMessage) and record.parent is None


def _is_of_turn(record: Record) -> bool:
    """Whether it is a part of a turn after its prompt."""
    if isinstance(record, Marker):
        return record.kind == "turn_end"
    return isinstance(record, AssistantMessage | ToolMessage) and record.parent is None


def _usage(raw: object) -> Usage | None:
    return Usage.of(raw) if isinstance(raw, dict) else None


def _is(count: int) -> str:
    return "is" if count == 1 else "are"
