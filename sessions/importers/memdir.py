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
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from sessions.errors import UsageError
from sessions.importers.base import Report, Source
from sessions.importers.export import Talk
from sessions.importers.memories import Remembered
from sessions.importers.plain import open_plain
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
        """The sessions of the database. UsageError when it is none, or when its tables are others."""
        db, _ = _files(path)
        if db is None:
            return
        with tempfile.TemporaryDirectory(prefix="memagent-") as folder:
            copied = Path(folder) / _DB
            _copy(db, copied)
            for suffix in _BESIDE:
                beside = db.with_name(db.name + suffix)
                if beside.is_file():
                    _copy(beside, copied.with_name(copied.name + suffix))
            try:
                with closing(sqlite3.connect(copied)) as base:
                    base.text_factory = lambda data: data.decode("utf-8", "replace")
                    tables = _tables(base, db)
                    yield from _talks(base, tables, db, report, told)
            except sqlite3.Error as e:
                raise UsageError(f"{db} cannot be read: {e}", "Name memdir's memory.db") from e

    def remembered(self, path: Path, report: Report) -> Iterator[Remembered]:
        """A fact for each line that begins with a dash."""
        _, file = _files(path)
        if file is None:
            return
        with open_plain(file) as opened:
            text = opened.read(_MOST).decode("utf-8-sig", "replace")
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


@dataclass(frozen=True, slots=True)
class _Tables:
    """Where in the database things are; an empty column is not there."""

    items: str
    session: str
    order: str
    data: str
    role: str
    time: str
    sessions: str
    id: str
    title: str
    began: str


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


def _tables(base: sqlite3.Connection, path: Path) -> _Tables:
    found = base.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").fetchall()
    columns = {name: [c[1] for c in base.execute(f"PRAGMA table_info({_quoted(name)})")] for (name,) in found}
    for items, own in columns.items():
        session = next((c for c in own if "session" in c.lower()), "")
        data = _first(own, _DATA)
        if not session or not data or ("item" not in items.lower() and "message" not in items.lower()):
            continue
        sessions = next((t for t in columns if "session" in t.lower() and t != items), "")
        about = columns.get(sessions, [])
        return _Tables(
            items, session, _first(own, ("id", "seq", "position")) or "rowid", data, _first(own, ("role",)),
            _first(own, _TIME), sessions, _first(about, ("id", "session_id", "uuid")) or _first(about, _TITLE),
            _first(about, _TITLE), _first(about, _TIME),
        )  # fmt: skip
    raise UsageError(f"{path} has no table with the items of sessions", "Name memdir's memory.db")


def _first(columns: list[str], wanted: tuple[str, ...]) -> str:
    """The column that comes first in what is wanted; empty when none is there."""
    named = {column.lower(): column for column in columns}
    return next((named[name] for name in wanted if name in named), "")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _talks(
    base: sqlite3.Connection, tables: _Tables, path: Path, report: Report, told: Callable[[int], None]
) -> Iterator[Talk]:
    place = str(path.resolve())
    stat = path.stat()
    session = _quoted(tables.session)
    for (there,) in base.execute(f"SELECT DISTINCT {session} FROM {_quoted(tables.items)} ORDER BY 1").fetchall():
        title, began = _about(base, tables, there)
        hashed, size = hashlib.sha256(), 0
        for row in _rows(base, tables, there):
            line = repr(row[1:]).encode("utf-8", "replace")
            hashed.update(line)
            size += len(line)
        told(size)
        key = str(there)
        uuid = clean(key) if len(key) >= _UNIQUE else digest(f"{place}\0{key}")
        source = Source(Memdir.kind, uuid, path, size, stat.st_mtime_ns, digest=hashed.hexdigest()[:32])
        first = next((at for row in _rows(base, tables, there) if (at := stamp(row[3]))), "")
        at = began or first or stamp(stat.st_mtime_ns / 10**9)

        def said(own: Report, there: Any = there, uuid: str = uuid) -> Iterator[Said]:
            return said_of(_messages(base, tables, there, own), uuid, own)

        yield Talk(source, said, title, at)


def _about(base: sqlite3.Connection, tables: _Tables, there: Any) -> tuple[str, str]:
    """Title of a session, when it began."""
    if not tables.sessions or not tables.id:
        return "", ""
    columns = [_quoted(c) if c else "NULL" for c in (tables.title, tables.began)]
    asked = f"SELECT {', '.join(columns)} FROM {_quoted(tables.sessions)} WHERE {_quoted(tables.id)} = ?"
    title, began = base.execute(asked, (there,)).fetchone() or (None, None)
    return clean(one_line(title)) if isinstance(title, str) else "", stamp(began)


def _rows(base: sqlite3.Connection, tables: _Tables, there: Any) -> Iterator[tuple[Any, ...]]:
    """(place, data, role, time) of each item of a session, in order."""
    columns = [tables.order, tables.data, tables.role, tables.time]
    named = ", ".join("rowid" if c == "rowid" else _quoted(c) if c else "NULL" for c in columns)
    order = "rowid" if tables.order == "rowid" else _quoted(tables.order)
    asked = f"SELECT {named} FROM {_quoted(tables.items)} WHERE {_quoted(tables.session)} IS ? ORDER BY {order}"
    yield from base.execute(asked, (there,))


def _messages(base: sqlite3.Connection, tables: _Tables, there: Any, report: Report) -> Iterator[Json]:
    rows = _rows(base, tables, there)
    for number in count(1):
        try:
            row = next(rows, None)
        except sqlite3.Error as e:
            report.cannot(f"{_DB}: {tables.items}", number, f"it cannot be read from here on: {e}")
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
            report.cannot(f"{_DB}: {tables.items}", where, "no message")
            continue
        yield raw if any(raw.get(key) for key in _TIME) or time is None else raw | {"created_at": time}


READER = Memdir()
