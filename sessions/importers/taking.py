"""Takes sessions of other agents over: each becomes a log of ours, which follows its source and is only read here."""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
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
from sessions.importers.mending import mend_all, mend_one
from sessions.importers.places import stem_in
from sessions.importers.registry import FOLLOWED
from sessions.importers.sweeping import sweep
from sessions.importers.tape import AgainError, Tape
from sessions.messages import Json, Marker, Record
from sessions.paths import HomePaths
from sessions.store.atomic import TEMP_SUFFIX
from sessions.store.locks import FileLock
from sessions.store.log import LogWriter, read_log
from sessions.store.tail import STAYS, read_tail
from sessions.store.trash import delete, log_in, restore
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
        if not self._paths.session_log(entry.session).exists() and entry.session:
            return self._comes_back(entry)
        if source.digest:
            return entry.known.leaf != source.digest
        then = (entry.path, entry.size, entry.mtime_ns, entry.beside)
        return then != (str(source.path), source.size, source.mtime_ns, beside_size(source.beside))

    def deleted(self, source: Source) -> bool:
        """Whether the person deleted it here, so that it is left so."""
        entry = self.ledger.entry(source.kind, source.uuid)
        gone = entry is not None and entry.session and not self._paths.session_log(entry.session).exists()
        return bool(gone and entry is not None and not self._comes_back(entry))

    def _comes_back(self, entry: Entry) -> bool:
        """Whether it is in the trash only because it was gone there for a while."""
        return entry.let_go and log_in(self._paths, entry.session).exists()

    def let_go(self) -> list[str]:
        """Move to the trash what is gone there, as its own program cleaned up; which sessions. Raises StoreError."""
        gone = []
        self.ledger.refresh()
        try:
            # What another machine met was nowhere else, perhaps.
            own = self.ledger.own_entries()
        except OSError as e:
            raise StoreError(f"What this machine took over is not known: {e.strerror or e}") from e
        for entry in own:
            path, log = Path(entry.path), self._paths.session_log(entry.session)
            # An export is the person's own file, to be thrown away once it was taken over.
            if entry.kind not in FOLLOWED or entry.let_go:
                continue  # Once: what the person brought back stays.
            # Where the folder is gone as well, a disk is missing, and nothing was cleaned up.
            if entry.session and path.parent.is_dir() and not path.exists() and log.exists():
                delete(self._paths, entry.session)
                self.ledger.append(replace(entry, let_go=True))
                gone.append(entry.session)
        return gone

    def sweep(self) -> None:
        """Once: take away what a kill left beside the sessions, and put right what earlier versions took over."""
        if self._swept:
            return
        self._swept = True
        sweep(self._paths)
        with suppress(StoreError, OSError), FileLock(self._paths.locks / "import.lock"):
            self.ledger.refresh()
            mend_all(self._paths, self.ledger)

    def take(self, reader: Tells, source: Source, progress: Progress | None = None) -> Taken:
        """Take over what is new in a source; doing it again changes nothing, whatever ended it in the middle.

        Raises OSError when the source cannot be opened, StoreError when ours cannot be written (LockedError when
        another program takes something over for longer than 5 s), and what `progress` raises.
        """
        with FileLock(self._paths.locks / "import.lock"):
            self.ledger.refresh()
            entry = self.ledger.entry(source.kind, source.uuid)
            if not self.due(source):
                session = entry.session if entry is not None else ""
                return Taken("deleted" if self.deleted(source) else "same", session)
            if entry is not None and self._comes_back(entry):
                try:
                    restore(self._paths, entry.session)
                except LockedError:
                    return Taken("busy", entry.session)
            with _no_collection(source.size):
                return self._take(reader, source, entry, progress)

    def _take(self, reader: Tells, source: Source, entry: Entry | None, progress: Progress | None) -> Taken:
        there = entry is not None and entry.session
        if entry is not None and there:
            if not entry.ids and not mend_one(self._paths, self.ledger, entry):
                return Taken("busy", entry.session)
            source = replace(source, ids=entry.ids or stem_in(self._paths.session_log(entry.session), source.uuid))
            if self._goes_on(source, entry):
                session = entry.session
                known = replace(entry.known, told=lambda name: self.ledger.told(session, name))
                with suppress(AgainError):
                    return self._told(reader, source, entry, known, progress)
        return self._told(reader, source, entry, None, progress)

    def _goes_on(self, source: Source, entry: Entry) -> bool:
        """Whether only what is new has to be read, as far as the ledger tells."""
        # What a sub-agent said later stands in the middle of the conversation.
        if entry.beside != beside_size(source.beside) or entry.path != str(source.path):
            return False
        # As long as before and yet another: it was written anew.
        if not entry.ids or entry.size == source.size:
            return False
        # A kill between log and ledger leaves more in the log than is noted.
        return self._last(entry.session) == entry.known.last

    def _told(
        self, reader: Tells, source: Source, entry: Entry | None, known: Known | None, progress: Progress | None
    ) -> Taken:
        """Read it and bring it into its log. Raises AgainError when it does not go on behind what is `known`."""
        beside = beside_size(source.beside)
        reading = reader.read(source, known, progress)
        session = entry.session if entry is not None and entry.session else self._session_id(source, reading.at)
        if entry is None and self._paths.session_log(session).exists():
            ids_ = stem_in(self._paths.session_log(session), source.uuid)
            if ids_ != source.stem:
                # The ledger was lost: the log tells how it is gone on with.
                for _ in reading.records:
                    pass
                source = replace(source, ids=ids_)
                reading = reader.read(source, None, progress)
        tape = Tape(self.ledger, source, session, reading.records, goes_on=reading.after is not None)
        if self._paths.session_log(session).exists():
            status = self._grow(session, reading, tape, entry.title if entry is not None else "")
        elif log_in(self._paths, session).exists():
            return Taken("deleted", session)
        else:
            status = self._begin(session, reading, tape)
        if status == "busy":
            return Taken("busy", session)
        tape.met(reading.report.named)
        kept = "" if status == "empty" else session
        now = Known(
            reading.size,
            reading.leaf,
            tape.last or (entry.known.last if entry else ""),
            tape.turn,
            tape.open,
            reading.mark,
        )
        if reading.after is not None and entry is not None:
            now = replace(now, turn=max(now.turn, entry.known.turn), open_calls=tape.still(entry.known))
        title = _digest(reading.title) or (entry.title if entry is not None else "")
        where, size, time = str(source.path), source.size, source.mtime_ns
        noted = Entry(source.kind, source.uuid, where, kept, size, beside, time, now, title, source.stem)
        self.ledger.append(noted, tape.uuids, tape.names)
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

    def _begin(self, session: str, reading: Reading, tape: Tape) -> Status:
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

    def _grow(self, session: str, reading: Reading, tape: Tape, title: str) -> Status:
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
