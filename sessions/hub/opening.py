"""Taking up a session from its file."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from sessions import ids
from sessions.clock import parse_iso
from sessions.errors import LockedError, StoreError, UsageError
from sessions.events import Notice
from sessions.home import Home
from sessions.hub.above import Above
from sessions.hub.live import LiveSession
from sessions.hub.shared import Known, Shared
from sessions.importers.registry import name_of
from sessions.settings import MemoryMode, Profile
from sessions.store.catalog import Meta
from sessions.store.log import LogRead, LogWriter, held_elsewhere, source_of
from sessions.store.tail import read_tail

HELD = "The session is open in another program and only read here"
# Another program may be about to let go.
_WAIT_S = 0.2
_QUIET = timedelta(minutes=10)


@dataclass(slots=True)
class _Found:
    log: LogWriter | None
    read: LogRead
    meta: Meta | None
    exact: bool
    """The meta was made of the whole log."""
    note: str = ""
    follow: bool = False
    mirror: bool = False
    """It says what another agent's file says; only that brings something into it."""
    notices: list[Notice] = field(default_factory=list)


async def opened(
    shared: Shared, session: str, *, profile: str | None, model: str | None, memory: MemoryMode | None
) -> tuple[LiveSession, int | None, bool]:
    """The session, the byte from which to follow it when others write it, and whether it may be written here once they
    let go of it. StoreError when there is none.

    Folder, memory mode and profile are as the session had them, unless an option says otherwise.
    """
    home = shared.home
    found = await asyncio.to_thread(_find, home, session)
    meta = found.meta
    cwd = Path(meta.cwd) if meta is not None and meta.cwd else Path.cwd()
    mode: MemoryMode = memory or mode_of(meta.memory if meta is not None else None) or home.settings.memory.mode
    await shared.pool.renew()
    chosen = _profile(home, profile, model, meta, found)
    if not cwd.is_dir() and not found.mirror:
        text = f"The folder {cwd} of this session is no longer there"
        found.notices.append(Notice(session=session, level="warning", text=text))
    provider = await shared.pool.take(chosen.name, chosen.model)
    shared.pool.give_back(provider)
    known = Known(
        session,
        cwd,
        chosen.name,
        model or "",
        mode,
        provider,
        share=(meta.share or "") if meta is not None else "",
        title=meta.title if meta is not None else "",
        meta=meta,
        skipped=len(found.read.problems),
        notices=found.notices,
        rests=found.mirror and _rests(meta, home),
    )
    read = found.read
    above = Above(home.paths.session_log(session), read.start, read.file)
    live = await asyncio.to_thread(LiveSession, shared, known, found.log, read.records, found.note, above)
    if not found.exact:
        shared.spawn(live.settle())
    return live, read.size if found.follow else None, not found.mirror


def _find(home: Home, session: str) -> _Found:
    paths = home.paths
    path = paths.session_log(session)
    if not ids.is_session_id(session) or not path.exists():
        raise StoreError(f"There is no session {session}", "`memagent-tui sessions list` shows them")
    log, note, held = None, "", held_elsewhere(paths, session)
    source = source_of(path)
    if source:
        note, held = f"{name_of(str(source.get('kind')))}'s session, only read here", True
    elif held:
        note = HELD
    else:
        try:
            log = LogWriter.open(paths, session, wait_s=_WAIT_S)
        except LockedError:
            note, held = HELD, True
        except StoreError as e:
            note = e.message
    try:
        # Read after the lock is taken, so that no line of another program is missed.
        read = read_tail(path)
        return _Found(log, read, *home.catalog.glance(session, read.records), note, held, bool(source))
    except BaseException:
        if log is not None:
            log.close()
        raise


def _profile(home: Home, profile: str | None, model: str | None, meta: Meta | None, found: _Found) -> Profile:
    had = meta.profile if meta is not None and meta.profile and not found.mirror else None
    try:
        return home.profile(profile or had, model)
    except UsageError as e:
        if profile is not None:
            if found.log is not None:
                found.log.close()
            raise
        chosen = home.profile(None, model)
        text = f"{e.message}, which this session had: {chosen.name} answers now"
        found.notices.append(Notice(session=meta.id if meta is not None else "", level="warning", text=text))
        return chosen


def _rests(meta: Meta | None, home: Home) -> bool:
    said = parse_iso(meta.updated_at) if meta is not None else None
    return said is None or home.clock.now() - said > _QUIET


def mode_of(text: object) -> MemoryMode | None:
    """A memory mode as a log has it; None for what is none."""
    match text:
        case "on" | "read-only" | "off":
            return text
        case _:
            return None
