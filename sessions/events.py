"""What happens in a session, as plain frozen values.

The hub sends them while a turn runs, and a log replayed gives the same ones, so that a screen has one `apply`.
`as_json` is what `ask --json` prints. Times are milliseconds, `at` is an ISO time, `session` is a session id, and
`turn` counts from 1 (0 = outside any turn).
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from sessions.messages import Usage

TurnStop: TypeAlias = Literal["stop", "length", "cancelled", "max_steps", "repeat"]
Level: TypeAlias = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Base:
    session: str
    turn: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted(_Base):
    text: str
    at: str = ""
    message: str = ""
    """Id of the user's message in the log."""
    name: str | None = None
    """The speaker, where the log has one."""
    memory: str | None = None
    """`off` or `read-only` when the message was said with memory so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepStarted(_Base):
    step: int
    profile: str
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningDelta(_Base):
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta(_Base):
    """A piece of the answer. A replay gives a whole message as one piece."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallStarted(_Base):
    call_id: str
    name: str
    arguments: dict[str, Any] | str
    """The object, or the model's text when it was not JSON."""
    parent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallDelta(_Base):
    """Progress of a long tool: the newest line replaces the one before. Live only."""

    call_id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallFinished(_Base):
    call_id: str
    name: str
    content: str
    ok: bool
    ms: int
    file: str = ""
    """Of a result too large to be told whole: the name of the file beside the log that holds all of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFinished(_Base):
    step: int
    stop: str
    usage: Usage | None = None
    ms: int = 0
    first_token_ms: int | None = None
    reasoning_ms: int | None = None
    message: str = ""
    """Id of the assistant's message in the log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrying(_Base):
    """The provider asks for patience; live only."""

    reason: str
    wait_s: float
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionStarted(_Base):
    """Room is made in the model's window; live only."""

    tokens_before: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionFinished(_Base):
    tokens_before: int
    tokens_after: int | None = None
    """None when it came to nothing."""
    content: str = ""
    """The summary that now stands for what is above."""
    first_kept: str = ""
    """Id of the first message that is sent as it was; empty when none is."""
    message: str = ""
    """Id of its line in the log."""
    results_only: bool = False
    """Old results of tools are left out from now on, and nothing else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts(_Base):
    names: tuple[str, ...]
    numbers: tuple[int, ...]
    summaries: tuple[str, ...] = ()
    call_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactsRecalled(_Facts):
    """Facts that a tool's result showed to the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactWritten(_Facts):
    """Facts created, changed or brought back."""

    op: str = "created"
    """created, updated, restored, confirmed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactProposed(_Facts):
    """Facts that wait for the person's yes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactDeleted(_Facts):
    """Facts forgotten: in the archive now, and an undo brings them back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DistillStarted(_Base):
    """The conversation rests and is looked through; live only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DistillFinished(_Base):
    """What was learned of the turns up to this one; only a run that came to its end is in the log."""

    facts: tuple[str, ...] = ()
    """Names of what was found: saved, or waiting for the person's yes."""
    numbers: tuple[int, ...] = ()
    summaries: tuple[str, ...] = ()
    usage: Usage | None = None
    stop: Literal["", "cancelled", "failed"] = ""
    """Why it came to nothing; it is then tried again at another rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequested(_Base):
    call_id: str
    name: str
    arguments: dict[str, Any]
    about: str = ""
    """What kind of tool it is: `MCP server notes · can write`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalDecided(_Base):
    call_id: str
    decision: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionChanged(_Base):
    what: dict[str, Any] = field(default_factory=dict)
    """The changed fields and their new values: title, pinned, archived, cwd, memory, profile, model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewound(_Base):
    """The conversation goes back to before a message: it and all after it leave the context and stay readable.

    `turn` is the first turn taken back. What was told since is now an older way of going on from here; the next turn
    is the newest. A replay tells all ways in the order in which they were written.
    """

    message: str
    """Id of the user's message that is taken back."""
    to: str | None = None
    """Id of the last line kept; None = none is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice(_Base):
    level: Level
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFinished(_Base):
    stop: TurnStop
    text: str
    """The answer."""
    usage: Usage | None = None
    ms: int = 0
    always_sent: int = 0
    """How many facts stood in the turn's requests because they are always sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFailed(_Base):
    error: str
    advice: str = ""
    ms: int = 0


Event: TypeAlias = (
    TurnStarted
    | StepStarted
    | ReasoningDelta
    | TextDelta
    | ToolCallStarted
    | ToolCallDelta
    | ToolCallFinished
    | StepFinished
    | Retrying
    | CompactionStarted
    | CompactionFinished
    | FactsRecalled
    | FactWritten
    | FactProposed
    | FactDeleted
    | DistillStarted
    | DistillFinished
    | ApprovalRequested
    | ApprovalDecided
    | SessionChanged
    | Rewound
    | Notice
    | TurnFinished
    | TurnFailed
)
FactEvent: TypeAlias = FactsRecalled | FactWritten | FactProposed | FactDeleted


def retry_text(event: Retrying) -> str:
    """`busy, again in 2 s`; the reason alone where nothing is waited for."""
    return f"{event.reason}, again in {event.wait_s:.3g} s" if event.wait_s else event.reason


def event_name(event: Event) -> str:
    """`turn_finished` for a `TurnFinished`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", type(event).__name__).lower()


def as_json(event: Event) -> dict[str, Any]:
    """`{"event": "turn_finished", "session": …, "turn": …, …}`; what is unset is left out."""
    out: dict[str, Any] = {"event": event_name(event)}
    for f in dataclasses.fields(event):
        value = getattr(event, f.name)
        if value is None or value == () or ((value == "" or value is False) and value == f.default):
            continue
        if isinstance(value, Usage):
            value = value.as_json
        out[f.name] = list(value) if isinstance(value, tuple) else value
    return out
