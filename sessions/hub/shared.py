"""What an open session is given: the hub's parts that all share, and what is known of it before it does anything."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sessions.agent.approval import Consent
from sessions.events import Event, Notice
from sessions.home import Home
from sessions.hub.background import Background
from sessions.hub.pool import Pool
from sessions.hub.threads import Threads
from sessions.messages import THIS_MACHINE, UserMessage
from sessions.providers.base import Provider
from sessions.settings import MemoryMode
from sessions.tools.base import Offered

if TYPE_CHECKING:
    from sessions.store.catalog import Meta


@dataclass(slots=True)
class Shared:
    """What all sessions of a hub have in common."""

    home: Home
    threads: Threads
    pool: Pool
    publish: Callable[[Event], None]
    spawn: Callable[[Coroutine[Any, Any, Any]], object]
    """Runs work in the background; its failure is told."""
    index_soon: Callable[[str], None]
    """Lets the search index take in a session that grew."""
    background: Background
    consent: Callable[[], Consent]
    """Made for each session: what its calls may do."""
    offered: Callable[[Path, Callable[[], bool]], Offered]
    """Tools of other programs, as they are now."""
    screen: bool = True
    """Whether the person sees the workbench, with its keys and slash commands."""


@dataclass(slots=True)
class Known:
    """What is known of a session before it does anything."""

    session: str
    cwd: Path
    profile: str
    model: str
    """In place of the profile's own; empty = that one, whatever it is by now."""
    memory: MemoryMode
    provider: Provider
    """Tells the model's limits and place; a turn takes one that is free."""
    private: bool = False
    share: str = ""
    """`any`: all of it may go to models elsewhere, `local`: what was told to models here stays here; empty: so, too,
    but nobody was asked."""
    title: str = ""
    meta: Meta | None = None
    skipped: int = 0
    """Lines of its log that could not be read."""
    notices: list[Notice] = field(default_factory=list)
    rests: bool = False
    """Of what another agent said: nothing came for a while, so that a turn without an end does not run any more."""

    using: Provider | None = None
    """The one that the running turn has, whatever was chosen since."""

    def far(self) -> bool:
        """Whether the model that asks now, or would ask next, is on another machine."""
        return (self.using or self.provider).place != THIS_MACHINE


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message on its way."""

    text: str
    typed: tuple[tuple[int, int], ...] | None
    instead: UserMessage | None = None
    """It is said in the place of this one, and of all that followed."""
    off: bool = False
    """It was sent while memory was off; that holds, however long it waits."""
    focus: str | None = None
    """No message: older turns are put in short, with special care of this."""
