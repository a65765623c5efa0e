"""Logs into the index: which ones changed, where each is taken up, and which rows a record gives."""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sessions.clock import Clock
from sessions.errors import StoreError
from sessions.messages import THIS_MACHINE, AssistantMessage, Marker, Record, ToolCall, Unknown, UserMessage, clean
from sessions.paths import HomePaths
from sessions.store import copies, postings, taken_back, uses
from sessions.store.catalog import Catalog, Meta
from sessions.store.corpus import PLACE
from sessions.store.log import read_log
from sessions.store.meta import time_text
from sessions.store.sidefiles import full_content
from sessions.store.signals import ABOUT, ASSISTANT, NAMED, TOOL, USER, shape
from sessions.store.words import fold, terms

if TYPE_CHECKING:
    import sqlite3

_BATCH_S = 0.05
"""How long one transaction may last, so that other programs come in between."""
_BYTES = 1 << 18
"""Of a log, read at once."""
_HEAD = 4096
_FILE = 1 << 20
"""Bytes of a large result that are searched."""
_CALL = 4096
_TALK = 360
"""Characters after which a long message is cut at the next end of a sentence: about 60 words."""
_RESULT = 4000
_VERSION = 1
"""Of how logs are taken in, where the tables stay as they are."""
_QUIET = {"turn_end", "approval", "distilled", "fact"}
"""Markers that change neither title nor folder."""
_SPEAKERS = {"user": USER, "assistant": ASSISTANT, "tool": TOOL, "title": ABOUT, "recap": ABOUT}


_SENTENCE = re.compile(r"\n|[.!?]\s|[。！？]")
_SPACE = re.compile(r"\s")


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
    name: str = ""
    kind: int = postings.TALK
    tool: str = ""


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
        _put_right(db)
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
        turned = copies.turned(db, files.keys() - known.keys(), gone) - gone
        for session in (*gone, *turned):
            batch.begin()
            _drop(db, session)
            batch.pause()
        if turned:
            files |= {s: file for s in turned if (file := _file(self._paths.session_log(s)))}
            due = sorted({*due, *(turned & files.keys())}, reverse=True)
        metas = {m.id: m for m in self._catalog.list()} if len(due) > 100 else {}
        for done, session in enumerate(due):
            if self.stop.is_set():
                break
            if progress is not None:
                progress(done, len(due))
            try:
                self._take(batch, session, files[session], metas.get(session))
            except StoreError:  # removed or unreadable just now; the next time tells
                _drop(db, session)
            batch.pause()
        else:
            if progress is not None:
                progress(len(due), len(due))
        batch.end()

    def _take(self, batch: _Batch, session: str, file: _File, meta: Meta | None) -> None:
        """Index one log up to its size in `file`, from where the index stands now."""
        db, path = batch.db, self._paths.session_log(session)
        back = taken_back.TakenBack(path)
        while True:
            batch.begin()
            # Another program may have gone on meanwhile: only what is read inside the transaction counts.
            row = db.execute(
                "SELECT offset, size, mtime_ns, inode, head, head_bytes, number, title, cwd, source, away FROM files "
                "WHERE session = ?",
                (session,),
            ).fetchone()
            offset = _start(path, file, row)
            if row is not None and offset == 0:
                _forget(db, row[6])
                copies.forget(db, session)
                row = None
            number = row[6] if row is not None else _next_number(db)
            read = read_log(path, offset, limit=_BYTES)
            about = row[7:10] if row is not None and row[7] and not any(map(_renames, read.records)) else None
            if about is None:
                meta = meta or self._catalog.get(session)
                if meta is None:
                    return  # no session
                source = meta.source.get("kind") if meta.source else None
                # Without a title it is asked again when there is more of it.
                title = "" if meta.repeats else meta.title
                about = (title, meta.cwd, source if isinstance(source, str) else None)
            if about[2] is not None and back.more(read.records) and not taken_back.cut(db, session, number, back.ids):
                _drop(db, session)
                continue
            counted = [r for r in read.records if r.id not in back.ids]
            off, told_twice = _off_turns(db, session), copies.Copies(db, self._paths, session)
            rows = [r for record in counted for r in self._rows(session, record, off, told_twice)]
            _add(db, session, number, rows)
            uses.add(db, number, counted)
            done = read.size >= file.size or read.size == offset
            if done and meta is not None:
                _add_about(db, session, number, meta)
            head, head_bytes = _head(path, min(read.size, _HEAD))
            away = (row is not None and row[10]) or any(map(_is_away, read.records))
            # The size -1 stands for "not at the end yet": the session is taken up again after a kill.
            size = file.size if done else -1
            db.execute(
                "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (session, number, read.size, size, file.mtime_ns, file.inode, head, head_bytes, *about, away),
            )
            if done:
                return
            batch.pause()

    def _rows(self, session: str, record: Record, off: set[int], told_twice: copies.Copies) -> Iterator[_Row]:
        """The rows of a record; `off` holds the turns said with memory off and is kept up to date."""
        if isinstance(record, Marker | Unknown):
            return
        if isinstance(record, UserMessage):
            (off.add if record.memory == "off" else off.discard)(record.turn)
        if copies.is_copy(record) and not told_twice.counts(record):
            return
        hidden = record.turn in off or record.extra.get("memory") == "off"
        at = time_text(record.at) or ""
        name, tool, kind = "", "", postings.TALK
        if isinstance(record, UserMessage):
            role, text, name = "user", record.content, record.name or ""
        elif isinstance(record, AssistantMessage):
            role, text = "assistant", record.content
            named = record.extra.get("name")
            name = named if isinstance(named, str) else ""
            for call in record.tool_calls:
                yield _Row(record.id, record.turn, role, at, hidden, _call(call), "", postings.TOOLS, call.name)
        else:
            role, text, kind = "tool", full_content(self._paths, session, record, limit=_FILE), postings.TOOLS
            tool = record.name
        if not text.strip() and not (hidden and role == "user"):
            return
        for piece in pieces(text, _TALK if kind == postings.TALK else _RESULT):
            yield _Row(record.id, record.turn, role, at, hidden, piece, name, kind, tool)


def _put_right(db: sqlite3.Connection) -> None:
    """Once: have that taken in anew of which an earlier version kept what was taken back."""
    if db.execute("PRAGMA user_version").fetchone()[0] >= _VERSION:
        return
    db.execute("BEGIN IMMEDIATE")
    for session in taken_back.told_again(db):
        _drop(db, session)
    db.execute(f"PRAGMA user_version = {_VERSION}")
    db.commit()


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
    offset, size, mtime_ns, inode, head, head_bytes = row[:6]
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


def _next_number(db: sqlite3.Connection) -> int:
    db.execute("UPDATE state SET sessions = sessions + 1")
    (number,) = db.execute("SELECT sessions FROM state").fetchone()
    return int(number)


def _renames(record: Record) -> bool:
    """Whether it may change what the index says about the session."""
    return isinstance(record, Marker) and record.kind not in _QUIET


def _is_away(record: Record) -> bool:
    """Whether it was answered on another machine, to which all before it was sent then."""
    return isinstance(record, AssistantMessage) and record.place not in {"", THIS_MACHINE}


def _off_turns(db: sqlite3.Connection, session: str) -> set[int]:
    return {t for (t,) in db.execute("SELECT DISTINCT turn FROM rows WHERE session = ? AND off", (session,))}


def _ids(group: int) -> tuple[int, int]:
    """The first and the last id that a row of the group can have."""
    return group << PLACE, (group + 1 << PLACE) - 1


def _forget(db: sqlite3.Connection, number: int) -> None:
    uses.forget(db, number)
    for kind in (postings.TALK, postings.TOOLS, postings.ABOUT):
        _forget_group(db, number << 2 | kind)


def _forget_group(db: sqlite3.Connection, group: int) -> None:
    ids = _ids(group)
    texts = [text for (text,) in db.execute("SELECT text FROM rows WHERE id BETWEEN ? AND ?", ids)]
    if texts:
        postings.drop(db, group, texts)
        db.execute("DELETE FROM rows WHERE id BETWEEN ? AND ?", ids)


def _drop(db: sqlite3.Connection, session: str) -> None:
    row = db.execute("SELECT number FROM files WHERE session = ?", (session,)).fetchone()
    if row is not None:
        _forget(db, row[0])
        copies.forget(db, session)
        db.execute("DELETE FROM files WHERE session = ?", (session,))


def _add(db: sqlite3.Connection, session: str, number: int, rows: list[_Row]) -> None:
    for kind in (postings.TALK, postings.TOOLS, postings.ABOUT):
        some = [r for r in rows if r.kind == kind]
        if not some:
            continue
        group = number << 2 | kind
        found = db.execute("SELECT docs FROM groups WHERE id = ?", (group,)).fetchone()
        first = (group << PLACE) + (found[0] if found else 0)
        docs = []
        lines = []
        for id_, row in enumerate(some, first):
            text = clean(row.text)
            words = terms(text)
            docs.append((words, shape(text, len(words), _speaker(db, row), off=row.off)))
            lines.append(
                (id_, session, row.message, _small(row.turn), row.role, row.at, row.off, clean(row.tool), text)
            )
        db.executemany("INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", lines)
        times = [r.at for r in some if r.at] or [""]
        postings.add(db, group, docs, (min(times), max(times)))


def _add_about(db: sqlite3.Connection, session: str, number: int, meta: Meta) -> None:
    rows = list(_about(meta))
    group = number << 2 | postings.ABOUT
    there = db.execute("SELECT role, text FROM rows WHERE id BETWEEN ? AND ? ORDER BY id", _ids(group)).fetchall()
    if there != [(r.role, clean(r.text)) for r in rows]:
        _forget_group(db, group)
        _add(db, session, number, rows)


def _speaker(db: sqlite3.Connection, row: _Row) -> int:
    """The number of who speaks: by name where the log has one."""
    name = fold(clean(row.name)).strip()
    if not name:
        return _SPEAKERS[row.role]
    db.execute("INSERT OR IGNORE INTO speakers SELECT max(?, 1 + coalesce(max(id), 0)), ? FROM speakers", (NAMED, name))
    (number,) = db.execute("SELECT id FROM speakers WHERE name = ?", (name,)).fetchone()
    return int(number)


def pieces(text: str, size: int) -> Iterator[str]:
    """The text in pieces of about `size` characters, cut after sentences, else between words; short ones stay whole."""
    start = 0
    while len(text) - start > size * 5 // 3:
        near = text[start + size : start + 2 * size]
        cut = _SENTENCE.search(near) or _SPACE.search(near)
        end = start + size + (cut.end() if cut and cut.end() < size * 2 // 3 else 0)
        yield text[start:end]
        start = end
    yield text[start:]


def _about(meta: Meta) -> Iterator[_Row]:
    if meta.forked_from is not None or meta.repeats:
        return  # they may repeat copied words, which are found where they were said
    # A recap by rule only repeats what was said, and changes with every answer.
    recap = meta.recap.get("text") if meta.recap and meta.recap.get("by") != "rule" else None
    for role, text in (("title", meta.title), ("recap", recap)):
        if isinstance(text, str) and text:
            yield _Row("", 0, role, meta.updated_at, False, text, "", postings.ABOUT)


def _call(call: ToolCall) -> str:
    text = call.arguments_text or json.dumps(call.arguments or {}, ensure_ascii=False)
    return f"{call.name} {text[:_CALL]}"


def _small(number: int) -> int:
    """A number that SQLite can hold, whatever stands in the log."""
    return number if abs(number) < 1 << 62 else 0
