"""What an empty session has to say, read from the files."""

from __future__ import annotations

from pathlib import Path

from sessions.home import Home
from sessions.hub.state import StartInfo, WaitingOn

_SOON_DAYS = 3
_MORE = 2


def start_info(home: Home, cwd: Path) -> StartInfo:
    """Reads the catalog and the facts: not for the event loop."""
    sessions = [m for m in home.catalog.list() if not m.archived and not m.repeats]
    here = home.catalog.newest(str(cwd))
    newest = here or next((m for m in sessions if not m.source), None)
    more = tuple(m for m in sessions if newest is not None and m.id != newest.id)[:_MORE]
    counts = home.facts.counts()
    return StartInfo(
        newest=newest,
        newest_here=here is not None,
        more=more,
        waiting=waiting_on(home, cwd),
        facts=counts.active,
        sessions=home.catalog.count(),
        to_review=counts.to_review,
    )


def waiting_on(home: Home, cwd: Path) -> tuple[WaitingOn, ...]:
    """Open threads that are overdue or due within three days, the most urgent first."""
    today = home.clock.now().astimezone().date()
    found = [
        WaitingOn(fact.number, fact.name, fact.summary, fact.due, (fact.due - today).days)
        for fact in home.facts.visible(cwd)
        if fact.kind == "open-thread" and fact.due is not None and (fact.due - today).days <= _SOON_DAYS
    ]
    return tuple(sorted(found, key=lambda w: (w.due, w.number)))
