"""A session that another program writes, followed by its lines; taken over when that program lets go."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from sessions.agent.replay import Replayer
from sessions.errors import LockedError, StoreError, UsageError
from sessions.events import SessionChanged
from sessions.hub.live import LiveSession
from sessions.hub.opening import mode_of
from sessions.hub.shared import Shared
from sessions.messages import Marker, Record
from sessions.settings import MemoryMode
from sessions.store.log import LogRead, LogWriter, held_elsewhere, read_log
from sessions.store.meta import SHARES
from sessions.store.tail import names, read_tail
from sessions.store.trash import log_in

POLL_S = 0.25
TRASHED = "Another program has moved this session to the trash; brought back, it goes on here"
ERASED = "This session is gone: its file was deleted by another program"


@dataclass(slots=True)
class _Look:
    """What one look at the file gave."""

    read: LogRead | None
    log: LogWriter | None = None
    anew: bool = False
    """The file is another one: lines were erased, and its end was read again."""
    free: bool = False
    """No other program has the session."""
    gone: str = ""
    """Why there is no file."""


@dataclass(frozen=True, slots=True)
class ByOption:
    """What the command line said and no session changes."""

    memory: MemoryMode | None
    model: str | None
    """A profile or a model."""


async def follow(shared: Shared, live: LiveSession, size: int, options: ByOption, *, ours: bool = True) -> None:
    """Publish what is appended after byte `size`, until the session can be written here: never if it is not `ours`."""
    replayer = _fed(live)
    file: list[int] = []
    free, gone, note = False, "", live.note
    while True:
        await asyncio.sleep(POLL_S)
        # Free at two looks: who has just let go of it may be about to move it to the trash.
        look = await shared.threads.run(_look, shared, live.id, size, file, free)
        free = look.free and ours
        if look.gone != gone:
            gone = look.gone
            live.note = gone or note
            shared.publish(SessionChanged(session=live.id, what={"deleted": bool(gone), "note": live.note}))
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
                await _as_there(shared, live, record, options)
        if look.log is not None:
            for event in replayer.end():
                shared.publish(event)
            live.take_over(look.log)
            shared.background.rests(live.id)
            shared.publish(SessionChanged(session=live.id, what={"writable": True}))
            return


async def look_again(shared: Shared, open_: Mapping[str, LiveSession], session: str) -> None:
    """Other programs may give an open session another title, whoever writes it."""
    live = open_.get(session)
    if live is None or not live.kept:
        return
    meta = await asyncio.to_thread(shared.home.catalog.get, session)
    if meta is not None:
        live.known.meta = meta
        if meta.title != live.known.title:
            live.known.title = meta.title
            shared.publish(SessionChanged(session=session, what={"title": meta.title}))


async def _as_there(shared: Shared, live: LiveSession, record: Record, options: ByOption) -> None:
    """Have the memory mode and the model that the session was given in the other program."""
    if not isinstance(record, Marker) or record.kind != "meta":
        return
    if (share := record.data.get("share")) in SHARES:
        live.known.share = share
    mode, profile = mode_of(record.data.get("memory")), record.data.get("profile")
    if mode is not None and options.memory is None:
        live.known.memory = mode
    if isinstance(profile, str) and options.model is None:
        try:
            chosen = await shared.pool.chosen(profile, None)
            provider = await shared.pool.take(chosen.name, chosen.model)
        except UsageError:
            return  # it is not known here: what was chosen at the opening stays
        shared.pool.give_back(provider)
        live.use(chosen.name, "", provider)
        what = {"model": provider.model, "place": provider.place}
        shared.publish(SessionChanged(session=live.id, what=what))


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


def _look(shared: Shared, session: str, size: int, file: list[int], free: bool) -> _Look:
    """`file` keeps the inode of the log from one look to the next, `free` is what the last one saw."""
    paths = shared.home.paths
    path = paths.session_log(session)
    look = _Look(None, free=not held_elsewhere(paths, session))
    try:
        if look.free and free:
            look.log = LogWriter.open(paths, session, wait_s=0)
    except (LockedError, StoreError):
        pass
    try:
        now = path.stat()
        look.anew = file not in ([], [now.st_ino])
        file[:] = [now.st_ino]
        if look.anew:
            look.read = read_tail(path)
        elif now.st_size > size:
            look.read = read_log(path, size)
    except FileNotFoundError:
        look.gone = TRASHED if log_in(paths, session).exists() else ERASED
    except (OSError, StoreError):
        pass
    return look
