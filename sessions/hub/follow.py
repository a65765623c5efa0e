"""A session that another program writes, followed by its lines; taken over when that program lets go."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from sessions.agent.replay import Replayer
from sessions.errors import LockedError, StoreError
from sessions.events import SessionChanged
from sessions.hub.live import LiveSession, Shared
from sessions.store.log import LogRead, LogWriter, held_elsewhere, read_log

POLL_S = 0.25


@dataclass(slots=True)
class _Look:
    """What one look at the file gave."""

    read: LogRead | None
    log: LogWriter | None = None


async def follow(shared: Shared, live: LiveSession, size: int) -> None:
    """Publish what is appended after byte `size`, until the session can be written here."""
    replayer = Replayer(live.id)
    for record in live.records:
        replayer.feed(record)
    while True:
        await asyncio.sleep(POLL_S)
        look = await shared.threads.run(_look, shared, live.id, size)
        if look.read is not None:
            size = look.read.size
            live.records.extend(look.read.records)
            for record in look.read.records:
                for event in replayer.feed(record):
                    shared.publish(event)
        if look.log is not None:
            for event in replayer.end():
                shared.publish(event)
            live.take_over(look.log)
            shared.publish(SessionChanged(session=live.id, what={"writable": True}))
            return


def _look(shared: Shared, session: str, size: int) -> _Look:
    paths = shared.home.paths
    path = paths.session_log(session)
    log = None
    try:
        if not held_elsewhere(paths, session):
            log = LogWriter.open(paths, session, wait_s=0)
    except (LockedError, StoreError):
        log = None
    try:
        grown = path.stat().st_size > size
        return _Look(read_log(path, size) if grown else None, log)
    except (OSError, StoreError):
        return _Look(None, log)
