"""What was taken over from other agents, so that nothing comes twice: one append-only file a machine.

A line tells how far a source was read and which of its records, by their uuids, came with that:
`{"v":1,"at":…,"kind":…,"source":uuid,"path":…,"session":ours,"size":…,"beside":…,"mtime_ns":…,"leaf":…,"last":…,
"turn":…,"mark":…,"title":…,"ids":…,"open":{call: [ours, tool]},"uuids":[…],"names":[…]}`. An empty `session`: there was
nothing in it. `names` are other ids that were told or named in the session.
`{"v":1,"at":…,"mended":[sessions]}`: logs of earlier versions that were looked through.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sessions.clock import Clock, iso
from sessions.importers.base import Known
from sessions.messages import clean
from sessions.paths import HomePaths
from sessions.store.atomic import append_line, fsync_dir, make_folder
from sessions.store.machine import machine

_VERSION = 1
_UUIDS = 2_000
"""In one line at most."""


@dataclass(frozen=True, slots=True)
class Entry:
    """How far one source was taken over."""

    kind: str
    source: str
    path: str
    session: str
    size: int
    """In bytes, of the source as it was then."""
    beside: int
    """In bytes, of the files that belong to it."""
    mtime_ns: int
    known: Known
    title: str = ""
    """A digest of the title that it has there: no words of a session stand here."""
    ids: str = ""
    """What ids that are made of a line's place begin with; empty: noted by an earlier version, without `names`."""
    let_go: bool = False
    """It was gone there, and so ours went to the trash."""


class Ledger:
    """Reads what all machines wrote, writes its own file. Callers hold a lock while they write."""

    def __init__(self, paths: HomePaths, clock: Clock) -> None:
        self._folder = paths.imports
        self._paths = paths
        self._clock = clock
        self._read: dict[str, int] = {}
        self._entries: dict[tuple[str, str], Entry] = {}
        self._by_file: dict[str, dict[tuple[str, str], Entry]] = {}
        """The same, each machine's own, by the name of its file."""
        self._sessions: list[str] = []
        self._numbers: dict[str, int] = {}
        self._taken: dict[int, int] = {}
        """Hash of a record's uuid -> number of the session that has it."""
        self._names: set[int] = set()
        """Hashes of session and id."""
        self._mended: set[str] = set()

    def refresh(self) -> None:
        """Read what was appended since the last time, by whomever."""
        try:
            files = sorted(p for p in self._folder.iterdir() if p.suffix == ".jsonl")
        except OSError:
            return
        for path in files:
            start = self._read.get(path.name, 0)
            try:
                with path.open("rb") as file:
                    if os.fstat(file.fileno()).st_size <= start:
                        continue
                    file.seek(start)
                    for line in file:
                        if not line.endswith(b"\n"):
                            break
                        start += len(line)
                        self._take(line, path.name)
            except OSError:
                continue
            self._read[path.name] = start

    def entry(self, kind: str, source: str) -> Entry | None:
        """How far a source was taken over; None when it is new."""
        return self._entries.get((kind, source))

    def own_entries(self) -> list[Entry]:
        """How far every source was taken over that was met on this machine. Raises OSError."""
        return [*self._by_file.get(self._own_file(), {}).values()]

    def session_of(self, uuid: str) -> str | None:
        """The session into which a record came first."""
        number = self._taken.get(hash(uuid))
        return self._sessions[number] if number is not None else None

    def told(self, session: str, name: str) -> bool:
        """Whether a record or a call of this id was told in a session."""
        return hash((session, name)) in self._names or self.session_of(name) == session

    def early(self) -> list[Entry]:
        """What earlier versions took over, whose logs were not looked through yet."""
        return [e for e in self._entries.values() if e.session and not e.ids and e.session not in self._mended]

    def mended(self, sessions: list[str]) -> None:
        """Note logs that were looked through. On the disk when this returns. Raises OSError."""
        self._write([{"v": _VERSION, "at": iso(self._clock.now()), "mended": sessions}])

    def append(self, entry: Entry, uuids: Sequence[str] = (), names: Sequence[str] = ()) -> None:
        """Note how far a source was taken over, and what came. On the disk when this returns. Raises OSError."""
        # The last line alone has how far it was read: a kill before it lets all be read again.
        count = max(1, len(uuids), len(names))
        self._write(
            self._line(entry, uuids[at : at + _UUIDS], names[at : at + _UUIDS], last=at + _UUIDS >= count)
            for at in range(0, count, _UUIDS)
        )

    def _own_file(self) -> str:
        return f"{machine(self._paths)}.jsonl"

    def _write(self, lines: Iterable[dict[str, Any]]) -> None:
        path = self._folder / self._own_file()
        make_folder(self._folder)
        new = not path.exists()
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            for line in lines:
                append_line(fd, clean(json.dumps(line, ensure_ascii=False, separators=(",", ":"))).encode())
            os.fsync(fd)
        finally:
            os.close(fd)
        if new:
            fsync_dir(self._folder)
        self.refresh()

    def _line(self, entry: Entry, uuids: Sequence[str], names: Sequence[str], *, last: bool) -> dict[str, Any]:
        out: dict[str, Any] = {"v": _VERSION, "at": iso(self._clock.now()), "kind": entry.kind, "source": entry.source}
        out |= {"session": entry.session}
        if last:
            known = entry.known
            out |= {"path": entry.path, "size": entry.size, "beside": entry.beside, "mtime_ns": entry.mtime_ns}
            out |= {"read": known.size, "leaf": known.leaf, "last": known.last, "turn": known.turn}
            out |= {"mark": known.mark} if known.mark else {}
            out |= {"title": entry.title} if entry.title else {}
            out |= {"ids": entry.ids} if entry.ids else {}
            out |= {"let_go": True} if entry.let_go else {}
            out |= {"open": {call: list(ours) for call, ours in known.open_calls.items()}} if known.open_calls else {}
        return out | ({"uuids": uuids} if uuids else {}) | ({"names": names} if names else {})

    def _take(self, line: bytes, file: str) -> None:
        try:
            raw = json.loads(line)
        except (ValueError, RecursionError):
            return
        if not isinstance(raw, dict) or raw.get("v") != _VERSION:
            return
        if isinstance(mended := raw.get("mended"), list):
            self._mended.update(map(str, mended))
        kind, source, session = (raw.get(key) for key in ("kind", "source", "session"))
        if not (isinstance(kind, str) and isinstance(source, str) and isinstance(session, str)):
            return
        uuids = raw.get("uuids")
        if isinstance(uuids, list) and uuids:
            number = self._numbers.setdefault(session, len(self._sessions))
            if number == len(self._sessions):
                self._sessions.append(session)
            for uuid in uuids:
                self._taken.setdefault(hash(str(uuid)), number)
        names = raw.get("names")
        if isinstance(names, list):
            self._names.update(hash((session, str(name))) for name in names)
        entry = _entry(kind, source, session, raw)
        if entry is not None:
            self._entries[kind, source] = entry
            self._by_file.setdefault(file, {})[kind, source] = entry


def _entry(kind: str, source: str, session: str, raw: dict[str, Any]) -> Entry | None:
    numbers = [raw.get(key) for key in ("size", "beside", "mtime_ns", "read", "turn")]
    words = [raw.get(key) for key in ("path", "leaf", "last")]
    calls = raw.get("open", {})
    if not all(isinstance(n, int) for n in numbers) or not all(isinstance(w, str) for w in words):
        return None
    size, beside, mtime_ns, read, turn = (int(n) for n in numbers if isinstance(n, int))
    path, leaf, last = (str(w) for w in words)
    shaped = isinstance(calls, dict) and all(isinstance(c, list) and len(c) == 2 for c in calls.values())
    open_calls = {str(call): (str(ours), str(tool)) for call, (ours, tool) in calls.items()} if shaped else {}
    known = Known(read, leaf, last, turn, open_calls, str(raw.get("mark", "")))
    title, ids, gone = str(raw.get("title", "")), str(raw.get("ids", "")), raw.get("let_go") is True
    return Entry(kind, source, path, session, size, beside, mtime_ns, known, title, ids, gone)


def beside_size(paths: tuple[Path, ...]) -> int:
    """Bytes of the files together; those that are gone count nothing."""
    total = 0
    for path in paths:
        try:
            total += path.stat().st_size
        except OSError:
            continue
    return total
