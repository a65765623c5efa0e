"""What the hub tells about a session and about an empty screen."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from sessions.events import Event
from sessions.settings import MemoryMode

if TYPE_CHECKING:
    from sessions.store.catalog import Meta


@dataclass(frozen=True, slots=True)
class ContextUse:
    """How full the model's window is, in tokens."""

    tokens: int
    window: int

    @property
    def part(self) -> float:
        """0.0 to 1.0 and, when it is over, more."""
        return self.tokens / self.window if self.window else 0.0


@dataclass(frozen=True, slots=True)
class SessionState:
    """A session as it is at one moment. What happens later comes as events."""

    id: str
    title: str
    """Empty until there is something to name it after."""
    cwd: Path
    writable: bool
    memory: MemoryMode
    profile: str
    model: str
    place: str
    """Where words go: `this machine` or a host."""
    meta: Meta | None = None
    """None for a session without a file."""
    holder_note: str = ""
    """Why it cannot be written, if it cannot."""
    events: list[Event] = field(default_factory=list)
    """What happened so far, also in the turn that runs: of a long session its end."""
    above: int = 0
    """The byte of the log where the events begin; 0 = they are all."""
    running: bool = False
    private: bool = False
    cwd_missing: bool = False
    share: str = ""
    """What models elsewhere may see of what was told to models here: `any`, `local`; empty: nobody was asked."""
    stays: int = 0
    """Turns that the model does not see now because they stay on this machine."""
    queued: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WaitingOn:
    """An open thread that is due soon, or overdue."""

    number: int
    name: str
    summary: str
    due: date
    days: int
    """Until it is due; below 0 = overdue."""


@dataclass(frozen=True, slots=True)
class StartInfo:
    """What the start lines of an empty session say."""

    newest: Meta | None
    """The session that Enter continues: the newest of this folder, else the newest."""
    newest_here: bool
    """Whether it is of this folder."""
    more: tuple[Meta, ...]
    """Two more recent ones."""
    waiting: tuple[WaitingOn, ...]
    facts: int
    sessions: int
    to_review: int
