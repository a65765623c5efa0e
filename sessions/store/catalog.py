"""The list of sessions: one Meta each, as new as the logs, without reading the logs that did not change."""

from __future__ import annotations

import os
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from stat import S_ISREG
from typing import TypeAlias

from sessions.clock import Clock
from sessions.errors import StoreError
from sessions.messages import Record
from sessions.paths import HomePaths
from sessions.store.atomic import write_atomic
from sessions.store.catalog_cache import CatalogCache, Stamp
from sessions.store.log import read_log
from sessions.store.meta import Derivation, Meta, as_file, carried_on, derive, from_file

__all__ = ["Catalog", "Meta", "derive"]

_SUFFIX = ".jsonl"
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,120}")
_FOLDS = 8
"""Sessions whose derivation is kept in memory, to be carried on when they grow."""
_BYTES = 4 << 20
"""Of a log, in memory at once."""
_LARGE = 8 << 20
_HEAD = 64 << 10


_LOOK = 500
"""Files of the newest sessions that every `list` looks at, and as many of the others in turns."""
_SETTLED_NS = 50_000_000
_Entry: TypeAlias = tuple[Stamp, Meta]


@dataclass(slots=True)
class _Fold:
    derivation: Derivation
    size: int
    inode: int
    damaged: int = 0
    """Whole lines that cannot be read."""


class Catalog:
    """All sessions of a home. Thread-safe.

    The first `list` looks at every file. Later ones look at the folder and at the files of the newest sessions, and
    at the others in turns: a log that grows in place far down the list is noticed some calls later, or at once by
    `get` and `refresh`, which are always exact.
    """

    def __init__(self, paths: HomePaths, clock: Clock) -> None:
        self._paths = paths
        self._clock = clock
        self._guard = threading.RLock()
        self._known: dict[str, _Entry] | None = None
        self._inodes: dict[str, int] = {}
        self._folder_ns = -1
        """When the folder last changed, as seen before it was last read."""
        self._listed = False
        self._sorted: Sequence[Meta] = ()
        self._stale = True
        """Whether `_sorted` is older than `_known`."""
        self._turn = 0
        self._folds: OrderedDict[str, _Fold] = OrderedDict()
        self._cache = CatalogCache(paths.local)

    def list(self) -> list[Meta]:
        """Every session, the one in which something was said last first."""
        with self._guard:
            known = self._load()
            due = self._changed_names() | (self._inodes.keys() - known.keys())
            due.update(self._inodes if not self._listed else self._some())
            self._listed = True
            fresh = {}
            for session in due:
                stamp = self._stamp(session)
                entry = known.get(session)
                if stamp is None or (entry is not None and entry[0] == stamp):
                    continue
                made = self._make(session, stamp)
                if made is not None:
                    fresh[session] = (stamp, made)
            gone = known.keys() - self._inodes.keys()
            for session in gone:
                del known[session]
                self._folds.pop(session, None)
            known.update(fresh)
            if fresh or gone:
                self._cache.save(fresh, gone)
            if fresh or gone or self._stale:
                metas = (entry[1].counted(self._inodes.__contains__) for entry in known.values())
                self._sorted = sorted(metas, key=lambda m: (m.updated_at, m.id), reverse=True)
                self._stale = False
            return [*self._sorted]

    def known(self) -> Sequence[Meta]:
        """The same as it was told last, without a look at any file; empty before the first time."""
        return self._sorted

    def get(self, session: str) -> Meta | None:
        """One session, or None when there is none of that id."""
        if not _NAME.fullmatch(session):
            return None
        with self._guard:
            stamp = self._stamp(session)
            if stamp is None:
                return None
            # Asking for one does not load all: what meta.json says is enough.
            entry = self._known.get(session) if self._known is not None else None
            if entry is None or entry[0] != stamp:
                made = self._make(session, stamp)
                if made is None:
                    return None
                entry = (stamp, made)
                if self._known is not None:
                    self._known[session] = entry
                self._stale = True
                self._cache.save({session: entry}, ())
            return entry[1].counted(lambda origin: self._paths.session_log(origin).exists())

    def glance(self, session: str, end: Sequence[Record]) -> tuple[Meta | None, bool]:
        """The same without reading a large log through, and whether it is exact. `end` = the log's last records."""
        stamp = self._stamp(session)
        file, path = self._paths.session_meta(session), self._paths.session_log(session)
        if stamp is None or stamp.size <= _LARGE or from_file(file, session, stamp.size):
            return self.get(session), True
        base = from_file(file, session, None) or derive(session, read_log(path, limit=_HEAD).records)
        return carried_on(base, end), False

    def refresh(self, session: str) -> Meta:
        """The same after reading what was appended; meta.json says it too. StoreError when there is no such session."""
        meta = self.get(session)
        if meta is None:
            raise StoreError("There is no such session", path=self._paths.session_log(session))
        return meta

    def newest(self, cwd: str | None) -> Meta | None:
        """The session to go on with: the newest of the folder (None = of all) with words in it, not archived."""
        for meta in self.list():
            ours = (meta.turns or meta.forked_from) and not meta.archived and not meta.source
            if ours and cwd in {None, meta.cwd}:
                return meta
        return None

    def scrub(self) -> None:
        """Leave nothing of what changed in the cache's file."""
        self._cache.scrub()

    def count(self) -> int:
        """How many sessions there are."""
        return len(_inodes(self._paths.sessions))

    def _load(self) -> dict[str, _Entry]:
        if self._known is None:
            self._known = self._cache.load()
        return self._known

    def _changed_names(self) -> set[str]:
        """Sessions that came or were replaced since the folder was last read."""
        try:
            now = self._paths.sessions.stat().st_mtime_ns
        except OSError:
            now = 0
        if now == self._folder_ns:
            return set()
        # A second change within one tick of the file system's clock leaves no trace in its time.
        self._folder_ns = now if time.time_ns() - now > _SETTLED_NS else -1
        before, self._inodes = self._inodes, _inodes(self._paths.sessions)
        return {name for name, inode in self._inodes.items() if before.get(name) != inode}

    def _some(self) -> set[str]:
        """The newest sessions, and as many of the others."""
        metas = self._sorted
        rest = max(len(metas) - _LOOK, 0)
        self._turn = self._turn + _LOOK if self._turn + _LOOK < rest else 0
        at = _LOOK + self._turn
        return {m.id for m in (*metas[:_LOOK], *metas[at : at + _LOOK])}

    def _stamp(self, session: str) -> Stamp | None:
        try:
            found = self._paths.session_log(session).stat()
        except OSError:
            return None
        return Stamp(found.st_size, found.st_mtime_ns) if S_ISREG(found.st_mode) else None

    def _make(self, session: str, stamp: Stamp) -> Meta | None:
        """The Meta of a log that is new or grew; None for a file that is no session. Writes meta.json."""
        file = self._paths.session_meta(session)
        if session not in self._folds and (kept := from_file(file, session, stamp.size)):
            return kept
        path = self._paths.session_log(session)
        try:
            inode = path.stat().st_ino
            fold = self._folds.pop(session, None)
            if fold is None or fold.inode != inode or fold.size >= stamp.size:
                fold = _Fold(Derivation(session), 0, inode)
            known = fold.size > 0
            while True:
                read = read_log(path, fold.size, limit=_BYTES)
                for record in read.records:
                    fold.derivation.feed(record)
                fold.damaged += sum(problem.offset < read.size for problem in read.problems)
                known = known or bool(read.records)
                took, fold.size = read.size - fold.size, read.size
                if took < _BYTES:
                    break
        except (OSError, StoreError):
            return None
        if not known:
            return None
        self._folds[session] = fold
        while len(self._folds) > _FOLDS:
            self._folds.popitem(last=False)
        # What stands behind the last whole line was being written when something ended.
        damaged = fold.damaged + (fold.size < stamp.size)
        meta = replace(fold.derivation.meta(), damaged=damaged or None)
        with suppress(OSError):  # a home that is only read shows its sessions too
            write_atomic(file, as_file(meta, stamp.size), durable=False)
        return meta


def _inodes(folder: Path) -> dict[str, int]:
    """The sessions of the folder and their logs' inodes, which the listing gives without a look at each file."""
    found: dict[str, int] = {}
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            # One that cannot be looked at, such as a link to itself, hides no other.
            with suppress(OSError):
                if entry.name.endswith(_SUFFIX) and not entry.name.startswith(".") and entry.is_file():
                    found[entry.name[: -len(_SUFFIX)]] = entry.inode()
    return found
