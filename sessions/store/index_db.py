"""The SQLite file of the search index: opened, made, and thrown away when it is damaged."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from sessions.errors import LockedError, StoreError
from sessions.store.meanings import TABLES as MEANING_TABLES
from sessions.store.uses import TABLES

if TYPE_CHECKING:
    import sqlite3

SCHEMA = 8
_BUSY_S = 5.0
_DAMAGE = ("malformed", "not a database", "no such table", "no such column", "vtable constructor", "has no column")
_TABLES = f"""{TABLES}
CREATE TABLE files (
    session TEXT PRIMARY KEY, number INT NOT NULL, offset INT NOT NULL, size INT NOT NULL, mtime_ns INT NOT NULL,
    inode INT NOT NULL, head BLOB NOT NULL, head_bytes INT NOT NULL, title TEXT NOT NULL, cwd TEXT NOT NULL,
    source TEXT, away INT NOT NULL
) WITHOUT ROWID;
CREATE INDEX files_away ON files (number) WHERE away;
CREATE TABLE rows (
    id INTEGER PRIMARY KEY, session TEXT NOT NULL, message TEXT NOT NULL, turn INT NOT NULL, role TEXT NOT NULL,
    at TEXT NOT NULL, off INT NOT NULL, tool TEXT NOT NULL, text TEXT NOT NULL
);
CREATE INDEX rows_at ON rows (at);
CREATE INDEX rows_off ON rows (session, turn) WHERE off;
CREATE INDEX rows_tool ON rows (tool, at) WHERE tool != '';
CREATE TABLE postings (
    shelf INT NOT NULL, term TEXT NOT NULL, grp INT NOT NULL, tf INT NOT NULL, docs BLOB NOT NULL,
    PRIMARY KEY (shelf, term, grp)
) WITHOUT ROWID;
CREATE TABLE terms (term TEXT PRIMARY KEY, docs INT NOT NULL) WITHOUT ROWID;
CREATE TABLE groups (
    id INTEGER PRIMARY KEY, docs INT NOT NULL, length INT NOT NULL, first TEXT NOT NULL, last TEXT NOT NULL,
    generation INT NOT NULL
);
CREATE INDEX groups_generation ON groups (generation);
CREATE TABLE shapes (id INTEGER PRIMARY KEY, docs BLOB NOT NULL);
CREATE TABLE speakers (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
{MEANING_TABLES}
CREATE TABLE copies (
    message TEXT NOT NULL, session TEXT NOT NULL, origin TEXT NOT NULL, counted INT NOT NULL,
    PRIMARY KEY (message, session)
) WITHOUT ROWID;
CREATE INDEX copies_session ON copies (session);
CREATE INDEX copies_origin ON copies (origin, counted);
CREATE TABLE state (epoch INT NOT NULL, generation INT NOT NULL, sessions INT NOT NULL);
INSERT INTO state VALUES (abs(random()) / 2, 0, 0);
"""
_NAMES = tuple(re.findall(r"CREATE TABLE (\w+)", _TABLES))
T = TypeVar("T")


class IndexDb:
    """One connection, used by one thread at a time. Damage is answered by an empty index, once a call."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / f"index-{SCHEMA}.sqlite"
        self._guard = threading.RLock()
        self._db: sqlite3.Connection | None = None
        self._inode = 0

    def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """The result of `work`, which may be called again from the start on an empty index.

        LockedError when other programs keep the file busy for more than 5 s, StoreError when it cannot be used.
        """
        import sqlite3

        with self._guard:
            try:
                return self._tried(work)
            except sqlite3.DatabaseError as e:
                if not any(word in str(e) for word in _DAMAGE):
                    raise self._said(e) from e
            self.drop()
            try:
                return self._tried(work)
            except sqlite3.DatabaseError as e:
                raise self._said(e) from e

    def drop(self) -> None:
        """Remove the index; the next call makes it again, empty."""
        with self._guard:
            self.close()
            for suffix in ("", "-wal", "-shm"):
                with suppress(OSError):
                    self.path.with_name(self.path.name + suffix).unlink()

    def scrub(self) -> None:
        """Write the file anew without what was deleted, and empty the log of writes beside it."""

        def work(db: sqlite3.Connection) -> None:
            for statement in ("PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                db.execute(statement).fetchall()

        self.run(work)

    def close(self) -> None:
        """Let the file go; a later call opens it again."""
        import sqlite3

        with self._guard:
            db, self._db = self._db, None
            if db is not None:
                with suppress(sqlite3.Error):
                    db.close()

    def _tried(self, work: Callable[[sqlite3.Connection], T]) -> T:
        db = self._open()
        try:
            return work(db)
        except BaseException:
            if db.in_transaction:
                db.rollback()
            raise

    def _open(self) -> sqlite3.Connection:
        if self._db is not None and self._inode == _inode(self.path):
            return self._db
        self.close()
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.path.touch(mode=0o600)
        except OSError as e:
            raise StoreError(f"The index cannot be made: {e.strerror or e}", path=self.path) from e
        self._inode = _inode(self.path)
        self._db = _patient(self._connect)
        return self._db

    def _connect(self) -> sqlite3.Connection:
        import sqlite3

        # Searches and the catching-up may come from different threads; the guard lets one in at a time.
        db = sqlite3.connect(self.path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute("PRAGMA secure_delete = ON")
            if _there(db) == 0:
                db.execute("BEGIN IMMEDIATE")
                if _there(db) == 0:
                    for statement in _TABLES.split(";\n"):
                        db.execute(statement)
                db.execute("COMMIT")
            if _there(db) < len(_NAMES):
                raise sqlite3.DatabaseError("no such table: the index is incomplete")
        except BaseException:
            db.close()
            raise
        return db

    def _said(self, e: sqlite3.DatabaseError) -> StoreError:
        if _is_busy(e):
            return LockedError("Other programs keep the search index busy", "Try again", path=self.path)
        return StoreError(f"The search index cannot be used: {e}", "memagent-tui index rebuild", path=self.path)


def _there(db: sqlite3.Connection) -> int:
    marks = ",".join("?" * len(_NAMES))
    count: int
    (count,) = db.execute(
        f"SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ({marks})", _NAMES
    ).fetchone()
    return count


def _patient(connect: Callable[[], sqlite3.Connection]) -> sqlite3.Connection:
    """SQLite does not wait by itself while another program switches the file to its write-ahead log."""
    import sqlite3

    end = time.monotonic() + _BUSY_S
    while True:
        try:
            return connect()
        except sqlite3.OperationalError as e:
            if not _is_busy(e) or time.monotonic() > end:
                raise
        time.sleep(0.02)


def _is_busy(e: sqlite3.DatabaseError) -> bool:
    return "locked" in str(e) or "busy" in str(e)


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return 0
