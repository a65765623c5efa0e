"""Conversations that rest: where what is learned of them is read and written down."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from sessions import ids
from sessions.agent import fact_lines
from sessions.clock import iso, parse_iso
from sessions.events import FactWritten
from sessions.home import Home
from sessions.messages import Marker, Record, UserMessage
from sessions.store.line import main_line
from sessions.store.log import LogWriter
from sessions.store.tail import read_tail

if TYPE_CHECKING:
    from sessions.memory.distill import Learned, Portion

_DAYS = 14
_NEWEST = 50
_BYTES = 32 << 20
"""A longer log is not read through for this; of one that is or was open, so much of its end."""
_WAIT_S = 0.2

Take: TypeAlias = "Callable[[Portion, Path], list[Learned]]"
"""Saves or proposes what a model found in a portion; not for the event loop."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What was learned of a portion, and the events of what was saved without a question."""

    learned: tuple[Learned, ...]
    saved: tuple[FactWritten, ...]


class Conversation(Protocol):
    """An open session, as the background sees it."""

    id: str

    @property
    def records(self) -> list[Record]: ...

    @property
    def whole(self) -> bool:
        """Whether the records are the whole log; else they are its end."""
        ...

    @property
    def learns(self) -> bool:
        """Whether anything of it may be kept now."""
        ...

    @property
    def folder(self) -> Path: ...

    @property
    def private(self) -> bool: ...

    async def mark(self, kind: str, data: dict[str, Any]) -> None: ...


class OpenPlace:
    """A session that this program has open."""

    def __init__(self, home: Home, talk: Conversation) -> None:
        self.id = talk.id
        self.cwd = talk.folder
        self._home = home
        self._talk = talk

    async def portions(self) -> list[Portion]:
        return await asyncio.to_thread(_portions, await self._records()) if self._talk.learns else []

    async def keep(self, portion: Portion, take: Take, usage: dict[str, Any] | None) -> Kept | None:
        """What was learned, written down with a mark of how far was read. None when the portion no longer counts."""
        from sessions.memory import distill

        records = await self._records()
        if not self._talk.learns or not distill.still(portion, records, main_line(records)):
            return None
        kept = _kept(self.id, portion, await asyncio.to_thread(take, portion, self.cwd), records)
        for line in _lines(self._home, portion, kept, usage):
            await self._talk.mark(line.kind, line.data)
        return kept

    async def _records(self) -> list[Record]:
        if self._talk.whole:
            return list(self._talk.records)
        return await asyncio.to_thread(_unread, self._home.paths.session_log(self.id))


class ClosedPlace:
    """A session that nobody has open: one that was left, or that `ask` had."""

    def __init__(self, home: Home, session: str) -> None:
        self.id = session
        self.cwd = Path()
        self._home = home

    async def portions(self) -> list[Portion]:
        return await asyncio.to_thread(self._read)

    async def keep(self, portion: Portion, take: Take, usage: dict[str, Any] | None) -> Kept | None:
        """As of an open session. Raises LockedError when a program has opened it meanwhile."""
        return await asyncio.to_thread(self._keep, portion, take, usage)

    def _read(self) -> list[Portion]:
        home = self._home
        meta = home.catalog.get(self.id)
        if meta is None or meta.memory != "on" or meta.source is not None:
            return []
        self.cwd = Path(meta.cwd) if meta.cwd else Path.home()
        return _portions(_unread(home.paths.session_log(self.id)))

    def _keep(self, portion: Portion, take: Take, usage: dict[str, Any] | None) -> Kept | None:
        from sessions.memory import distill

        home = self._home
        log = LogWriter.open(home.paths, self.id, wait_s=_WAIT_S)
        try:
            records = _unread(log.path)
            if not distill.still(portion, records, main_line(records)):
                return None
            kept = _kept(self.id, portion, take(portion, self.cwd), records)
            for line in _lines(home, portion, kept, usage):
                log.append(line, sync=True)
        finally:
            log.close()
        home.catalog.refresh(self.id)
        return kept


def recent(home: Home, open_: Collection[str], looked: Mapping[str, int]) -> list[tuple[str, int]]:
    """Sessions of the last days that are not open here and grew since they were looked at, with their logs' sizes."""
    now = home.clock.now()
    out = []
    for meta in home.catalog.list()[:_NEWEST]:
        at = parse_iso(meta.updated_at)
        if at is None or now - at > timedelta(days=_DAYS):
            break
        if meta.id in open_ or meta.archived or not meta.turns or meta.source is not None or meta.memory != "on":
            continue
        try:
            size = home.paths.session_log(meta.id).stat().st_size
        except OSError:
            continue
        if size <= _BYTES and looked.get(meta.id) != size:
            out.append((meta.id, size))
    return out


def _unread(path: Path) -> list[Record]:
    """The end of a log, from before the first turn on that was not read."""
    room, read = _BYTES, -1

    def far_enough(record: Record) -> bool:
        nonlocal room, read
        if isinstance(record, Marker):
            turn = record.data.get("turn")
            read = max(read, turn) if record.kind == "distilled" and isinstance(turn, int) else read
            return False
        room -= len(getattr(record, "content", ""))
        return room < 0 or (isinstance(record, UserMessage) and record.turn <= read)

    return read_tail(path, least=0, until=far_enough).records


def _portions(records: list[Record]) -> list[Portion]:
    from sessions.memory import distill

    return [] if distill.imported(records) else distill.portions(records, main_line(records))


def _kept(session: str, portion: Portion, learned: Sequence[Learned], records: Sequence[Record]) -> Kept:
    told = {
        r.data.get("name")
        for r in records
        if isinstance(r, Marker) and r.kind == "fact" and r.data.get("turn") == portion.turn
    }
    head: dict[str, Any] = {"session": session, "turn": portion.turn}
    saved = tuple(
        FactWritten(**head, names=(one.name,), numbers=(one.number,), summaries=(one.summary,), op=one.op)
        for one in learned
        # A run that ended too early may have said so already.
        if one.op != "proposed" and one.name not in told
    )
    return Kept(tuple(learned), saved)


def _lines(home: Home, portion: Portion, kept: Kept, usage: dict[str, Any] | None) -> list[Marker]:
    from sessions.memory import distill

    at = iso(home.clock.now())
    lines = [fact_lines.marker(event, ids.message_id(), at) for event in kept.saved]
    lines = [replace(line, data=line.data | {"by": distill.BY}) for line in lines]
    return [*lines, Marker(ids.message_id(), at, "distilled", distill.marker_data(portion, kept.learned, usage))]
