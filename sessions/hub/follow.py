"""A session that another program writes, followed by its lines; taken over when that program lets go."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from sessions.agent.replay import Replayer
from sessions.errors import LockedError, StoreError
from sessions.events import SessionChanged
from sessions.hub.live import LiveSession
from sessions.hub.shared import Shared
from sessions.store.log import LogRead, LogWriter, held_elsewhere, read_log
from sessions.store.tail import names, read_tail

POLL_S = 0.25


@dataclass(slots=True)
class _Look:
    """What one look at the file gave."""

    read: LogRead | None
    log: LogWriter | None = None
    anew: bool = False
    """The file is another one: lines were erased, and its end was read again."""


async def follow(shared: Shared, live: LiveSession, size: int) -> None:
    """Publish what is appended after byte `size`, until the session can be written here."""
    replayer = _fed(live)
    file: list[int] = []
    while True:
        await asyncio.sleep(POLL_S)
        look = await shared.threads.run(_look, shared, live.id, size, file)
        if look.read is not None and look.anew:
            size = look.read.size
            live.begin_at(look.read)
            replayer = _fed(live)
            shared.publish(SessionChanged(session=live.id, what={"erased": True}))
        elif look.read is not None:
            size = look.read.size
            if live.above.start and await _widened(live, look.read):
                replayer = _fed(live)
            live.records.extend(look.read.records)
            for record in look.read.records:
                for event in replayer.feed(record):
                    shared.publish(event)
        if look.log is not None:
            for event in replayer.end():
                shared.publish(event)
            live.take_over(look.log)
            shared.background.rests(live.id)
            shared.publish(SessionChanged(session=live.id, what={"writable": True}))
            return


async def _widened(live: LiveSession, read: LogRead) -> bool:
    """Have in memory what the new lines name; False when they name nothing."""
    named = {name for record in read.records if (name := names(record)) is not None}
    if named:
        await live.load(lambda records: named <= {record.id for record in records})
    return bool(named)


def _fed(live: LiveSession) -> Replayer:
    replayer = Replayer(live.id)
    for record in live.records:
        replayer.feed(record)
    return replayer


def _look(shared: Shared, session: str, size: int, file: list[int]) -> _Look:
    """`file` keeps the inode of the log from one look to the next."""
    paths = shared.home.paths
    path = paths.session_log(session)
    log = None
    try:
        if not held_elsewhere(paths, session):
            log = LogWriter.open(paths, session, wait_s=0)
    except (LockedError, StoreError):
        log = None
    try:
        now = path.stat()
        anew = file not in ([], [now.st_ino])
        file[:] = [now.st_ino]
        if anew:
            return _Look(read_tail(path), log, anew)
        return _Look(read_log(path, size) if now.st_size > size else None, log)
    except (OSError, StoreError):
        return _Look(None, log)
