"""Reads what memdir keeps: sessions and their items in `memory.db` (SQLite), and facts in `memories.md`.

The database is copied before it is opened, with what was not yet written into it: opening one can change the files
beside it. Tables and columns are found by what their names say, as they differ between versions.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

from sessions.errors import DamagedError, MemagentError, UsageError
from sessions.importers.base import Report, Source
from sessions.importers.export import Talk
from sessions.importers.memdir_rows import Rows, Tables, quoted
from sessions.importers.memories import Remembered
from sessions.importers.plain import EMPTY, open_plain
from sessions.importers.role_content import is_message, said_of
from sessions.importers.spoken import Said, digest, stamp
from sessions.memory.rules import one_line, slug
from sessions.messages import Json, clean
from sessions.store.lines import objects

_DB, _FACTS = "memory.db", "memories.md"
_BESIDE = ("-wal", "-journal")
_MOST = 4 << 20
_BULLET = re.compile(r"[ \t]*[-*+][ \t]+(?:\[[ xX]\][ \t]+)?(?:[\[(#]?\d{1,6}[\]).:]+[ \t]+)?(\S.*)")
_UNIQUE = 16
_DATA = ("item", "message_data", "data", "message", "payload", "json", "body", "content", "text")
_TIME = ("created_at", "timestamp", "created", "time", "at", "date")
_TITLE = ("title", "name", "label")


class Memdir:
    """The reader of a folder with these files, or of one of them."""

    kind = "memdir"
    name = "memdir"

    def size(self, path: Path) -> int:
        return sum(file.stat().st_size for file in _files(path) if file is not None)

    def talks(self, path: Path, report: Report, told: Callable[[int], None]) -> Iterator[Talk]:
        """The sessions of the database. UsageError when nothing of it can be read, and there are no facts either."""
        db, facts = _files(path)
        if db is None:
            return
        came = False
        with tempfile.TemporaryDirectory(prefix="memagent-") as folder:
            copied = Path(folder) / _DB
            _copy(db, copied)
            if not copied.stat().st_size:
                report.cannot(db.name, 0, EMPTY)
                return
            for suffix in _BESIDE:
                beside = db.with_name(db.name + suffix)
                if beside.is_file():
                    _copy(beside, copied.with_name(copied.name + suffix))
            try:
                with closing(sqlite3.connect(copied)) as base:
                    base.text_factory = lambda data: data.decode("utf-8", "replace")
                    # Else of a file that is shorter than it says nothing at all is given.
                    base.execute("PRAGMA writable_schema = ON")
                    for talk in _talks(Rows(base, tables := _tables(base, db), _DB, report), tables, db, told):
                        came = True
                        yield talk
            except (sqlite3.Error, UsageError, DamagedError) as e:
                if facts is None and not came:
                    raise _none_of(db, e) from e
                report.cannot(db.name, 0, str(e) if isinstance(e, UsageError) else f"it cannot be read: {e}")

    def remembered(self, path: Path, report: Report) -> Iterator[Remembered]:
        """A fact for each line that begins with a dash."""
        db, file = _files(path)
        if file is None:
            return
        with open_plain(file) as opened:
            text = opened.read(_MOST).decode("utf-8-sig", "replace")
        if db is None and not text.strip():
            report.cannot(file.name, 0, EMPTY)
        names: set[str] = set()
        place = file.resolve()
        for line in text.split("\n"):
            match = _BULLET.fullmatch(line.rstrip())
            summary = one_line(match[1]) if match is not None else ""
            if not summary:
                if line.strip() and not line.lstrip().startswith("#"):
                    report.skipped["no bullet"] += 1
                continue
            if (key := digest(summary)[:16]) in names:
                continue
            names.add(key)
            yield Remembered(place, key, slug(summary)[:48].strip("-"), summary, "", "user", "memdir", pinned=True)


def _files(path: Path) -> tuple[Path | None, Path | None]:
    """The database and the file of facts, as far as they are there. Raises UsageError when neither is."""
    db: Path | None = path / _DB if path.is_dir() else path
    facts = path / _FACTS if path.is_dir() else path.with_name(_FACTS)
    if path.suffix.lower() in {".md", ".txt"} and not path.is_dir():
        db, facts = None, path
    found = (db if db is not None and db.is_file() else None, facts if facts.is_file() else None)
    if found == (None, None) or not path.exists():
        raise UsageError(f"There is no {_DB} and no {_FACTS} at {path}", "Name memdir's folder")
    return found


def _copy(path: Path, to: Path) -> None:
    with open_plain(path) as file, to.open("wb") as out:
        shutil.copyfileobj(file, out, _MOST)


def _none_of(path: Path, error: Exception) -> MemagentError:
    if isinstance(error, UsageError):
        return error
    advice = "Name memdir's memory.db" if "not a database" in str(error) else "It is damaged: name an earlier copy"
    return DamagedError(f"{path} cannot be read: {error}", advice)


def _tables(base: sqlite3.Connection, path: Path) -> Tables:
    found = base.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").fetchall()
    columns = {name: [c[1] for c in base.execute(f"PRAGMA table_info({quoted(name)})")] for (name,) in found}
    for items, own in columns.items():
        session = next((c for c in own if "session" in c.lower()), "")
        data = _first(own, _DATA)
        if not session or not data or ("item" not in items.lower() and "message" not in items.lower()):
            continue
        sessions = next((t for t in columns if "session" in t.lower() and t != items), "")
        about = columns.get(sessions, [])
        return Tables(
            items, session, _first(own, ("id", "seq", "position")) or "rowid", data, _first(own, ("role",)),
            _first(own, _TIME), sessions, _first(about, ("id", "session_id", "uuid")) or _first(about, _TITLE),
            _first(about, _TITLE), _first(about, _TIME),
        )  # fmt: skip
    raise UsageError(f"{path} has no table with the items of sessions", "Name memdir's memory.db")


def _first(columns: list[str], wanted: tuple[str, ...]) -> str:
    """The column that comes first in what is wanted; empty when none is there."""
    named = {column.lower(): column for column in columns}
    return next((named[name] for name in wanted if name in named), "")


def _talks(rows: Rows, tables: Tables, path: Path, told: Callable[[int], None]) -> Iterator[Talk]:
    place = str(path.resolve())
    stat = path.stat()
    for there in rows.sessions():
        title, began = rows.about(there)
        hashed, size = hashlib.sha256(), 0
        for row in rows.each(there):
            line = repr(row[1:]).encode("utf-8", "replace")
            hashed.update(line)
            size += len(line)
        told(size)
        key = str(there)
        uuid = clean(key) if len(key) >= _UNIQUE else digest(f"{place}\0{key}")
        source = Source(Memdir.kind, uuid, path, size, stat.st_mtime_ns, digest=hashed.hexdigest()[:32])
        first = next((at for row in rows.each(there) if (at := stamp(row[3]))), "")
        at = began or first or stamp(stat.st_mtime_ns / 10**9)

        def said(own: Report, there: Any = there, uuid: str = uuid) -> Iterator[Said]:
            return said_of(_messages(rows.each(there), tables.items, own), uuid, own)

        yield Talk(source, said, title, at)


def _messages(rows: Iterator[tuple[Any, ...]], items: str, report: Report) -> Iterator[Json]:
    for number in count(1):
        try:
            row = next(rows, None)
        except sqlite3.Error as e:
            report.cannot(f"{_DB}: {items}", number, f"it cannot be read from here on: {e}")
            return
        if row is None:
            return
        place, data, role, time = row
        report.lines += 1
        text = data.decode("utf-8", "replace") if isinstance(data, bytes) else data
        found = objects(text.encode("utf-8", "replace"), '{"', is_message).found if isinstance(text, str) else ()
        raw = found[0] if found else None
        if isinstance(text, str) and isinstance(role, str) and not (raw is not None and is_message(raw)):
            raw = {"role": role, "content": text}
        if raw is None or not (is_message(raw) or raw.get("type")):
            where = place if isinstance(place, int) else number
            report.cannot(f"{_DB}: {items}", where, "no message")
            continue
        yield raw if any(raw.get(key) for key in _TIME) or time is None else raw | {"created_at": time}


READER = Memdir()
