"""The Metas of all sessions in one SQLite file under `local/`, because opening 10,000 small files takes seconds.

It only ever saves time: when it is missing, damaged or busy, the catalog is made from the sessions themselves.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sessions.store.meta import Meta

if TYPE_CHECKING:
    import sqlite3

_VERSION = 1
_PIECE = 200


class Stamp(NamedTuple):
    """By which a changed log is known."""

    size: int
    mtime_ns: int


class CatalogCache:
    """Reads and writes the file; no call raises."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / f"catalog-{_VERSION}.sqlite"

    def load(self) -> dict[str, tuple[Stamp, Meta]]:
        """What is kept, by session."""
        import sqlite3

        if not self._path.exists():
            return {}
        try:
            with closing(self._connect()) as db:
                rows = db.execute("SELECT id, size, mtime_ns, meta FROM metas")
                # In pieces: the parser keeps every other thread waiting while it reads one.
                return {k: v for piece in iter(lambda: rows.fetchmany(_PIECE), []) for k, v in _metas(piece)}
        except (sqlite3.Error, ValueError, TypeError):
            self._drop()
            return {}

    def save(self, changed: Mapping[str, tuple[Stamp, Meta]], gone: Iterable[str]) -> None:
        """Keep the changed ones and drop those that are gone."""
        import sqlite3

        rows = [(k, s.size, s.mtime_ns, json.dumps(m.values(), ensure_ascii=False)) for k, (s, m) in changed.items()]
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with closing(self._connect()) as db, db:
                db.execute("CREATE TABLE IF NOT EXISTS metas (id TEXT PRIMARY KEY, size INT, mtime_ns INT, meta TEXT)")
                db.executemany("INSERT OR REPLACE INTO metas VALUES (?, ?, ?, ?)", rows)
                db.executemany("DELETE FROM metas WHERE id = ?", [(k,) for k in gone])
        except sqlite3.OperationalError:
            pass  # busy or read-only: the next one keeps it
        except (sqlite3.Error, OSError):
            self._drop()

    def scrub(self) -> None:
        """Write the file anew, without the remains of what was replaced or dropped."""
        import sqlite3

        if not self._path.exists():
            return
        try:
            with closing(self._connect()) as db:
                db.execute("VACUUM")
        except (sqlite3.Error, OSError):
            self._drop()

    def _connect(self) -> sqlite3.Connection:
        import sqlite3

        db = sqlite3.connect(self._path, timeout=1.0)
        db.execute("PRAGMA synchronous = OFF")
        db.execute("PRAGMA secure_delete = ON")
        with suppress(OSError):
            self._path.chmod(0o600)
        return db

    def _drop(self) -> None:
        for suffix in ("", "-journal"):
            with suppress(OSError):
                self._path.with_name(self._path.name + suffix).unlink()


def _metas(rows: list[tuple[str, int, int, str]]) -> Iterator[tuple[str, tuple[Stamp, Meta]]]:
    # One document for the parser is several times faster than one each.
    values = json.loads("[" + ",".join(row[3] for row in rows) + "]")
    for (session, size, mtime_ns, _), its in zip(rows, values, strict=True):
        yield session, (Stamp(size, mtime_ns), Meta.from_values(its))
