"""Takes sessions of other agents over: each becomes a log of ours, which follows its source and is only read here."""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC
from itertools import chain
from pathlib import Path
from typing import Literal, TypeAlias

from sessions import ids
from sessions.clock import Clock, iso, parse_iso
from sessions.errors import LockedError, StoreError
from sessions.importers.base import Known, Progress, Reading, Report, Source, Tells
from sessions.importers.difference import changes
from sessions.importers.ledger import Entry, Ledger, beside_size
from sessions.importers.registry import FOLLOWED
from sessions.importers.sweeping import sweep
from sessions.messages import AssistantMessage, Json, Marker, Record, ToolMessage, Unknown
from sessions.paths import HomePaths
from sessions.store.atomic import TEMP_SUFFIX
from sessions.store.locks import FileLock
from sessions.store.log import LogWriter, read_log
from sessions.store.tail import STAYS, read_tail
from sessions.store.trash import delete, log_in
from sessions.store.whole import NothingInItError, write_log

_LARGE = 16 << 20
Status: TypeAlias = Literal["new", "grown", "same", "deleted", "empty", "busy"]


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a source."""

    status: Status
    """`deleted`: the person deleted it here, and it stays deleted; `busy`: another program has it open."""
    session: str = ""
    messages: int = 0
    """How many came now."""
    report: Report = field(default_factory=Report)


class Taking:
    """The one way in which a session of another agent comes into a home. Thread-safe through locks on files."""

    def __init__(self, paths: HomePaths, clock: Clock) -> None:
        self._paths = paths
        self._clock = clock
        self.ledger = Ledger(paths, clock)
        self._swept = False

    def due(self, source: Source) -> bool:
        """Whether there is something in it that was not taken over, as its digest, else its size and time tell."""
        entry = self.ledger.entry(source.kind, source.uuid)
        if entry is None:
            return True
        if source.digest:
            return entry.known.leaf != source.digest
        then = (entry.path, entry.size, entry.mtime_ns, entry.beside)
        return then != (str(source.path), source.size, source.mtime_ns, beside_size(source.beside))

    def let_go(self) -> list[str]:
        """Move to the trash what is gone there, as its own program cleaned up; which sessions. Raises StoreError."""
        gone = []
        self.ledger.refresh()
        for entry in self.ledger.entries():
            path, log = Path(entry.path), self._paths.session_log(entry.session)
            # An export is the person's own file, to be thrown away once it was taken over.
            if entry.kind not in FOLLOWED:
                continue
            # Where the folder is gone as well, a disk is missing, and nothing was cleaned up.
            if entry.session and path.parent.is_dir() and not path.exists() and log.exists():
                delete(self._paths, entry.session)
                gone.append(entry.session)
        return gone

    def sweep(self) -> None:
        """Once: take away what a kill left beside the sessions."""
        if not self._swept:
            self._swept = True
            sweep(self._paths)

    def take(self, reader: Tells, source: Source, progress: Progress | None = None) -> Taken:
        """Take over what is new in a source; doing it again changes nothing, whatever ended it in the middle.

        Raises OSError when the source cannot be opened, StoreError when ours cannot be written (LockedError when
        another program takes something over for longer than 5 s), and what `progress` raises.
        """
        with FileLock(self._paths.locks / "import.lock"):
            self.ledger.refresh()
            if not self.due(source):
                entry = self.ledger.entry(source.kind, source.uuid)
                return Taken("same", entry.session if entry is not None else "")
            with _no_collection(source.size):
                return self._take(reader, source, progress)

    def _take(self, reader: Tells, source: Source, progress: Progress | None) -> Taken:
        entry = self.ledger.entry(source.kind, source.uuid)
        there = bool(entry and entry.session and self._paths.session_log(entry.session).exists())
        if entry is not None and entry.session and not there:
            return Taken("deleted", entry.session)
        beside = beside_size(source.beside)
        # What a sub-agent said later stands in the middle of the conversation.
        goes_on = entry is not None and there and entry.beside == beside and entry.path == str(source.path)
        # As long as before and yet another: it was written anew.
        goes_on = goes_on and entry is not None and entry.size != source.size
        # A kill between log and ledger leaves more in the log than is noted.
        goes_on = goes_on and entry is not None and self._last(entry.session) == entry.known.last
        reading = reader.read(source, entry.known if goes_on and entry is not None else None, progress)
        session = entry.session if entry is not None and there else self._session_id(source, reading.at)
        tape = _Tape(self.ledger, source, session, reading.records)
        if self._paths.session_log(session).exists():
            status = self._grow(session, reading, tape, entry.title if entry is not None else "")
        elif log_in(self._paths, session).exists():
            return Taken("deleted", session)
        else:
            status = self._begin(session, reading, tape)
        if status == "busy":
            return Taken("busy", session)
        kept = "" if status == "empty" else session
        known = Known(
            reading.size,
            reading.leaf,
            tape.last or (entry.known.last if entry else ""),
            tape.turn,
            tape.open,
            reading.mark,
        )
        if reading.after is not None and entry is not None:
            known = replace(known, turn=max(known.turn, entry.known.turn), open_calls=tape.still(entry.known))
        title = _digest(reading.title) or (entry.title if entry is not None else "")
        where, size, time = str(source.path), source.size, source.mtime_ns
        self.ledger.append(Entry(source.kind, source.uuid, where, kept, size, beside, time, known, title), tape.uuids)
        return Taken(status, kept, tape.messages, reading.report)

    def _last(self, session: str) -> str:
        """Id of the last record of the log that is the source's."""
        records = read_tail(self._paths.session_log(session)).records
        own = (r for r in reversed(records) if not (isinstance(r, Marker) and r.kind in STAYS))
        return next((r.id for r in own), "")

    def _session_id(self, source: Source, at: str) -> str:
        """The same at every try, so that a kill between log and ledger doubles nothing."""
        began = parse_iso(at) or self._clock.now()
        digest = hashlib.sha256(f"{source.kind} {source.uuid}".encode()).hexdigest()
        return f"{ids.session_id(began.astimezone(UTC))[:-6]}{digest[:6]}"

    def _begin(self, session: str, reading: Reading, tape: _Tape) -> Status:
        source = reading.source
        kind = {"kind": source.kind, "path": str(source.path), "uuid": source.uuid}
        data = {"cwd": reading.cwd, "profile": source.kind, "model": reading.model, "memory": "on", "source": kind}
        first = Marker(ids.message_id(), reading.at or iso(self._clock.now()), "session", data)

        def rest() -> Iterator[Record]:
            if not tape.messages:
                raise NothingInItError(session)
            return self._about(reading, "")

        try:
            # Nobody else writes a log of this id: that is what a kill left of it.
            for left in self._paths.sessions.glob(f".{session}.jsonl.*{TEMP_SUFFIX}"):
                left.unlink(missing_ok=True)
            write_log(self._paths, session, chain((first,), tape, _lazily(rest)))
        except NothingInItError:
            return "empty"
        except OSError as e:
            path = self._paths.session_log(session)
            raise StoreError(f"The session cannot be taken over: {e.strerror or e}", path=path) from e
        return "new"

    def _grow(self, session: str, reading: Reading, tape: _Tape, title: str) -> Status:
        """Bring our log to what the source says now: append, and take back what is no longer on its way."""
        try:
            log = LogWriter.open(self._paths, session, wait_s=0.2)
        except LockedError:
            return "busy"
        try:
            new: Iterable[Record] = tape
            if reading.after is None:
                have = read_log(self._paths.session_log(session)).records
                title = title or _digest(_title(have))
                new = changes(have, tape, lambda to: self._marker("rewound", {"to": to}), tape.had)
            grown = False
            for record in new:
                log.append(record)
                grown = True
            for record in self._about(reading, title, grown=grown):
                log.append(record)
            log.sync()
        finally:
            log.close()
        return "grown" if grown else "same"

    def _about(self, reading: Reading, title: str, *, grown: bool = True) -> Iterator[Record]:
        """The title that it has there, and what could not be read: told when all of it was gone through."""
        if reading.title and _digest(reading.title) != title:
            yield self._marker("meta", {"title": reading.title, "by": reading.source.kind})
        report = reading.report.json()
        if grown and report and not (reading.after is not None and report.keys() <= {"lines", "skipped"}):
            yield self._marker("imported", {"report": report})

    def _marker(self, kind: str, data: Json) -> Marker:
        return Marker(ids.message_id(), iso(self._clock.now()), kind, data)


@contextmanager
def _no_collection(size: int) -> Iterator[None]:
    """Of a large source hundreds of thousands of things are kept until it is read: Python's collector would walk all of
    them again and again, and finds nothing."""
    if size < _LARGE or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class _Tape:
    """The records on their way into the log, and what has to be known of them afterwards."""

    def __init__(self, ledger: Ledger, source: Source, session: str, records: Iterator[Record]) -> None:
        self._ledger = ledger
        self._session = session
        self._records = records
        self.messages = self.turn = 0
        self.last = ""
        self.uuids: list[str] = []
        self.open: dict[str, tuple[str, str]] = {}
        self._answered: set[str] = set()

    def __iter__(self) -> Iterator[Record]:
        return map(self._passed, self._records)

    def _passed(self, record: Record) -> Record:
        self.last = record.id
        if isinstance(record, Marker | Unknown):
            return record
        self.messages += 1
        self.turn = max(self.turn, record.turn)
        first = self._ledger.session_of(record.id)
        if first is None:
            self.uuids.append(record.id)
        if isinstance(record, AssistantMessage):
            self.open |= {call.provider_id or call.id: (call.id, call.name) for call in record.tool_calls}
        elif isinstance(record, ToolMessage):
            self._answered.add(record.tool_call_id)
            self.open = {there: ours for there, ours in self.open.items() if ours[0] != record.tool_call_id}
        if first is not None and first != self._session:
            # A branch or a resumed session repeats its source's lines: they count where they came first.
            return replace(record, extra=record.extra | {"copied": True})
        return record

    def had(self, record: Record) -> None:
        """It stands in the log already."""
        self.messages -= not isinstance(record, Marker | Unknown)

    def still(self, known: Known) -> dict[str, tuple[str, str]]:
        """The calls that have no result yet, those of before among them."""
        before = {there: ours for there, ours in known.open_calls.items() if ours[0] not in self._answered}
        return before | self.open


def _digest(title: str) -> str:
    return hashlib.sha256(title.encode(errors="replace")).hexdigest()[:16] if title else ""


def _title(records: list[Record]) -> str:
    """The title that the log has from its source."""
    found = [
        r.data for r in records if isinstance(r, Marker) and r.kind == "meta" and isinstance(r.data.get("by"), str)
    ]
    titles = [d["title"] for d in found if isinstance(d.get("title"), str)]
    return titles[-1] if titles else ""


def _lazily(make: Callable[[], Iterator[Record]]) -> Iterator[Record]:
    """What is only known when all before it was gone through."""
    yield from make()
