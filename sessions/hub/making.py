"""The agent of an open session."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sessions.agent.agent import Agent
from sessions.agent.environment import session_notes
from sessions.agent.logs import Log
from sessions.messages import Record

if TYPE_CHECKING:
    from sessions.agent.approval import Consent
    from sessions.hub.shared import Known, Shared


def agent_of(
    shared: Shared,
    known: Known,
    log: Log,
    records: list[Record],
    consent: Consent,
    report: Callable[[Exception], None],
) -> Agent:
    """What the session knows of itself is asked anew at each turn."""
    home = shared.home
    return Agent(
        known.provider,
        log,
        records,
        home.sources(known.cwd, lambda: known.memory, private=known.private, remote=known.far),
        home.tools(known.session, remote=known.far),
        home.settings,
        home.clock,
        known.session,
        known.cwd,
        mode=lambda: known.memory,
        notes=lambda: session_notes(private=known.private, screen=shared.screen),
        io=shared.threads.log,
        report=report,
        consent=consent,
        offered=shared.offered(known.cwd, known.far),
        shared=lambda: known.share == "any",
    )
