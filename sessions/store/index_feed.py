"""Logs into the index: which ones changed, where each is taken up, and which rows a record gives."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sessions.clock import Clock
from sessions.errors import StoreError
from sessions.messages import AssistantMessage, Marker, Record, ToolCall, Unknown, UserMessage, clean
from sessions.paths import HomePaths
from sessions.store.catalog import Catalog, Meta
from sessions.store.log import read_log
from sessions.store.meta import time_text
from sessions.store.sidefiles import full_content
from sessions.store.words import extra_words

if TYPE_CHECKING:
    import sqlite3

_BATCH_S = 0.05
"""How long one transaction may last, so that other programs come in between."""
_BYTES = 1 << 18
"""Of a log, read at once."""
_HEAD = 4096
_ROW = 1 << 16
"""Characters of one row; a longer text gives several."""
_FILE = 1 << 20
"""Bytes of a large result that are searched."""
_CALL = 4096


class _File(NamedTuple):
    size: int
    mtime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class _Row:
    message: str
    turn: int
    role: str
    at: str
    off: bool
    text: str


class Feed:
    """Brings an index up to date with the logs of a home."""

    def __init__(self, paths: HomePaths, clock: Clock) -> None:
        self._paths = paths
        self._catalog = Catalog(paths, clock)
        self.stop = threading.Event()
        """Set, it ends a catching-up after the session under way; what was taken in stays."""

    def catch_up(
        self, db: sqlite3.Connection, progress: Callable[[int, int], None] | None, only: Collection[str] | None
    ) -> None:
        """Index what changed (of `only` some sessions), in short transactions; each leaves the index whole."""
        stamps = "SELECT session, size, mtime_ns, inode FROM files"
        if only is None:
            files = _files(self._paths.sessions)
            found = db.execute(stamps)
        else:
            files = {s: file for s in only if (file := _file(self._paths.session_log(s)))}
            found = db.execute(f"{stamps} WHERE session IN ({','.join('?' * len(only))})", [*only])
        known = {s: _File(*rest) for s, *rest in found}
        gone = known.keys() - files.keys()
        due = sorted((s for s, file in files.items() if known.get(s) != file), reverse=True)
        if not gone and not due:
            return
        batch = _Batch(db)
        for session in gone:
            batch.begin()
            _drop(db, session)
            batch.pause()
        metas = {m.id: m for m in self._catalog.list()} if len(due) > 100 else {}
        for done, session in enumerate(due):
            if self.stop.is_set():
                break
            if progress is not None:
                progress(done, len(due))
            meta = metas.get(session) or self._catalog.get(session)
            if meta is not None:
                try:
                    self._take(batch, session, files[session], meta)
                except StoreError:  # removed or unreadable just now; the next time tells
                    _drop(db, session)
            batch.pause()
        else:
            if progress is not None:
                progress(len(due), len(due))
        batch.end()

    def _take(self, batch: _Batch, session: str, file: _File, meta: Meta) -> None:
        """Index one log up to its size in `file`, from where the index stands now."""
        db, path = batch.db, self._paths.session_log(session)
        source = meta.source.get("kind") if meta.source else None
        about = (meta.title, meta.cwd, source if isinstance(source, str) else None)
        while True:
            batch.begin()
            # Another program may have gone on meanwhile: only what is read inside the transaction counts.
            row = db.execute(
                "SELECT offset, size, mtime_ns, inode, head, head_bytes FROM files WHERE session = ?", (session,)
            ).fetchone()
            offset = _start(path, file, row)
            if row is not None and offset == 0:
                _forget(db, session)
            read = read_log(path, offset, limit=_BYTES)
            off = {t for (t,) in db.execute("SELECT DISTINCT turn FROM rows WHERE session = ? AND off", (session,))}
            rows = [r for record in read.records for r in self._rows(session, record, off)]
            done = read.size >= file.size or read.size == offset
            if done:
                db.execute(
                    "DELETE FROM words WHERE rowid IN "
                    "(SELECT id FROM rows WHERE session = ? AND role IN ('title', 'recap'))",
                    (session,),
                )
                db.execute("DELETE FROM rows WHERE session = ? AND role IN ('title', 'recap')", (session,))
                rows += _about(meta)
            _add(db, session, rows)
            head, head_bytes = _head(path, min(read.size, _HEAD))
            # The size -1 stands for "not at the end yet": the session is taken up again after a kill.
            size = file.size if done else -1
            db.execute(
                "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (session, read.size, size, file.mtime_ns, file.inode, head, head_bytes, *about),
            )
            if done:
                return
            batch.pause()

    def _rows(self, session: str, record: Record, off: set[int]) -> Iterator[_Row]:
        """The rows of a record; `off` holds the turns said with memory off and is kept up to date."""
        if isinstance(record, Marker | Unknown):
            return
        if isinstance(record, UserMessage):
            (off.add if record.memory == "off" else off.discard)(record.turn)
        if record.extra.get("copied") is True:
            return
        hidden = record.turn in off or record.extra.get("memory") == "off"
        at = time_text(record.at) or ""
        if isinstance(record, UserMessage):
            role, text = "user", record.content
        elif isinstance(record, AssistantMessage):
            role, text = "assistant", "\n".join(filter(None, (record.content, *map(_call, record.tool_calls))))
        else:
            role, text = "tool", full_content(self._paths, session, record, limit=_FILE)
        if not text.strip() and not (hidden and role == "user"):
            return
        for start in range(0, max(len(text), 1), _ROW):
            yield _Row(record.id, record.turn, role, at, hidden, text[start : start + _ROW])


class _Batch:
    """Work in transactions of about 50 ms."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db
        self._end = 0.0

    def begin(self) -> None:
        if not self.db.in_transaction:
            self.db.execute("BEGIN IMMEDIATE")
            self._end = time.monotonic() + _BATCH_S

    def pause(self) -> None:
        if time.monotonic() > self._end:
            self.end()

    def end(self) -> None:
        if self.db.in_transaction:
            self.db.commit()


def _files(folder: Path) -> dict[str, _File]:
    files = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(".jsonl") and not entry.name.startswith("."):
                    with suppress(OSError):
                        found = entry.stat()
                        if entry.is_file():
                            files[entry.name[:-6]] = _File(found.st_size, found.st_mtime_ns, found.st_ino)
    except OSError:
        pass
    return files


def _file(path: Path) -> _File | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return _File(found.st_size, found.st_mtime_ns, found.st_ino) if path.is_file() else None


def _start(path: Path, file: _File, row: tuple[Any, ...] | None) -> int:
    """Where to take the log up: the indexed offset when it is the same file grown, else 0."""
    if row is None:
        return 0
    offset, size, mtime_ns, inode, head, head_bytes = row
    changed_in_place = size == file.size and mtime_ns != file.mtime_ns
    if inode != file.inode or file.size < offset or changed_in_place or _head(path, head_bytes)[0] != head:
        return 0
    return int(offset)


def _head(path: Path, size: int) -> tuple[bytes, int]:
    try:
        with path.open("rb") as file:
            return hashlib.sha256(file.read(size)).digest(), size
    except OSError as e:
        raise StoreError(f"The session's log cannot be read: {e.strerror or e}", path=path) from e


def _forget(db: sqlite3.Connection, session: str) -> None:
    db.execute("DELETE FROM words WHERE rowid IN (SELECT id FROM rows WHERE session = ?)", (session,))
    db.execute("DELETE FROM rows WHERE session = ?", (session,))


def _drop(db: sqlite3.Connection, session: str) -> None:
    _forget(db, session)
    db.execute("DELETE FROM files WHERE session = ?", (session,))


def _add(db: sqlite3.Connection, session: str, rows: list[_Row]) -> None:
    (first,) = db.execute("SELECT coalesce(max(id), 0) + 1 FROM rows").fetchone()
    texts = [clean(r.text) for r in rows]
    db.executemany(
        "INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(i, session, r.message, _small(r.turn), r.role, r.at, r.off) for i, r in enumerate(rows, first)],
    )
    db.executemany(
        "INSERT INTO words (rowid, text, extra) VALUES (?, ?, ?)",
        [(i, text, extra_words(text)) for i, text in enumerate(texts, first)],
    )


def _about(meta: Meta) -> Iterator[_Row]:
    if meta.forked_from is not None:
        return  # they may repeat copied words, which are found where they were said
    recap = meta.recap.get("text") if meta.recap else None
    for role, text in (("title", meta.title), ("recap", recap)):
        if isinstance(text, str) and text:
            yield _Row("", 0, role, meta.updated_at, False, text)


def _call(call: ToolCall) -> str:
    text = call.arguments_text or json.dumps(call.arguments or {}, ensure_ascii=False)
    return f"{call.name} {text[:_CALL]}"


def _small(number: int) -> int:
    """A number that SQLite can hold, whatever stands in the log."""
    return number if abs(number) < 1 << 62 else 0
