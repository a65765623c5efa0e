"""The rows of memdir's database: as they are asked for, and of a damaged one those that SQLite still gives.

Where a page cannot be read, the rows behind it are looked for by their ids: each is tried at first, then in growing
steps, as a page may hold a few or a great many. Indices are not trusted then.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sessions.importers.base import Report
from sessions.importers.spoken import stamp
from sessions.memory.rules import one_line
from sessions.messages import clean

_LAST = (1 << 63) - 1
_STEP = 8
"""A part of what was lost so far, by which is gone on."""


@dataclass(frozen=True, slots=True)
class Tables:
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


def quoted(name: str) -> str:
    """As SQL has a name."""
    return '"' + name.replace('"', '""') + '"'


class Rows:
    """The items of each session; `report` gets what cannot be read."""

    def __init__(self, base: sqlite3.Connection, tables: Tables, name: str, report: Report) -> None:
        self._base = base
        self._tables = tables
        self._name = name
        """Of the file."""
        self._report = report
        self._ids: dict[Any, list[tuple[Any, int]]] | None = None
        """Of a damaged database: session -> (what it is ordered by, row) of each item that can be read."""
        self._untold = True
        columns = [tables.order, tables.data, tables.role, tables.time]
        self._columns = ", ".join("rowid" if c == "rowid" else quoted(c) if c else "NULL" for c in columns)

    def sessions(self) -> list[Any]:
        """Their keys."""
        session, items = quoted(self._tables.session), quoted(self._tables.items)
        try:
            return [key for (key,) in self._base.execute(f"SELECT DISTINCT {session} FROM {items} ORDER BY 1")]
        except sqlite3.DatabaseError:
            return list(self._readable())

    def about(self, there: Any) -> tuple[str, str]:
        """Title of a session, when it began."""
        tables = self._tables
        if not tables.sessions or not tables.id:
            return "", ""
        columns = [quoted(c) if c else "NULL" for c in (tables.title, tables.began)]
        asked = f"SELECT {', '.join(columns)} FROM {quoted(tables.sessions)} WHERE {quoted(tables.id)} = ?"
        try:
            title, began = self._base.execute(asked, (there,)).fetchone() or (None, None)
        except sqlite3.DatabaseError as e:
            if self._untold:
                self._untold = False
                self._report.cannot(f"{self._name}: {tables.sessions}", 0, f"titles and times cannot be read: {e}")
            return "", ""
        return clean(one_line(title)) if isinstance(title, str) else "", stamp(began)

    def each(self, there: Any) -> Iterator[tuple[Any, ...]]:
        """(place, data, role, time) of each item of a session, in order."""
        tables, came = self._tables, 0
        order = "rowid" if tables.order == "rowid" else quoted(tables.order)
        items = quoted(tables.items)
        if self._ids is None:
            asked = f"SELECT {self._columns} FROM {items} WHERE {quoted(tables.session)} IS ? ORDER BY {order}"
            try:
                for row in self._base.execute(asked, (there,)):
                    yield row
                    came += 1
                return
            except sqlite3.DatabaseError:
                pass
        asked = f"SELECT {self._columns} FROM {items} NOT INDEXED WHERE rowid = ?"
        for _, row_id in self._readable().get(there, [])[came:]:
            yield from self._base.execute(asked, (row_id,))

    def _readable(self) -> dict[Any, list[tuple[Any, int]]]:
        """What can be read at all; told once what cannot."""
        if self._ids is None:
            found: dict[Any, list[tuple[Any, int]]] = {}
            for row_id, session, place in self._walk():
                found.setdefault(session, []).append((place, row_id))
            for rows in found.values():
                rows.sort(key=_rank)
            self._ids = found
        return self._ids

    def _walk(self) -> Iterator[tuple[int, Any, Any]]:
        """(id, session, what it is ordered by) of each row that can be read wholly."""
        items = quoted(self._tables.items)
        asked = f"SELECT rowid, {quoted(self._tables.session)}, {self._columns} FROM {items} NOT INDEXED"
        # Of a table that has no such ids it is told at once.
        self._base.execute(f"{asked} LIMIT 0").fetchall()
        asked += " WHERE rowid >= ? ORDER BY rowid"
        at = -_LAST
        while True:
            try:
                for row in self._base.execute(asked, (at,)):
                    yield row[:3]
                    at = row[0] + 1
                return
            except sqlite3.DatabaseError as e:
                why = str(e)
            # The last one before was withheld, as the one behind it was asked for already.
            if (row := self._row_at(f"{asked} LIMIT 1", at)) is not None:
                if not row:
                    return
                yield row[:3]
                at = row[0] + 1
            lost, at = at, self._behind(f"{asked} LIMIT 1", at)
            self._lost(lost, at, why)
            if at < 0:
                return

    def _behind(self, asked: str, lost: int) -> int:
        """The next id from which on can be read; -1 when there is none."""
        # Before the first row that came, ids may be any: those that programs give begin at 1.
        bad = lost = max(lost, 0)
        while (found := self._row_at(asked, at := min(_LAST, bad + max(1, (bad - lost) // _STEP)))) is None:
            if at == _LAST:
                return -1
            bad = at
        while at - bad > 1:
            middle = (at + bad) // 2
            if (nearer := self._row_at(asked, middle)) is None:
                bad = middle
            else:
                at, found = middle, nearer
        return found[0] if found else -1

    def _row_at(self, asked: str, at: int) -> tuple[Any, ...] | None:
        """The first row from an id on, an empty one when none follows; None when it cannot be read."""
        try:
            return self._base.execute(asked, (at,)).fetchone() or ()
        except sqlite3.DatabaseError:
            return None

    def _lost(self, first: int, behind: int, why: str) -> None:
        first = max(first, 1)
        ids = f"ids {first} to {behind - 1}" if behind - 1 > first else f"id {first}"
        named = ids if behind >= 0 else f"all from id {first} on"
        self._report.cannot(f"{self._name}: {self._tables.items}", 0, f"{named} cannot be read: {why}")


def _rank(row: tuple[Any, int]) -> tuple[int, Any, int]:
    """SQLite's order: nothing, numbers, texts, bytes."""
    place, row_id = row
    if isinstance(place, int | float):
        return 1, place, row_id
    return (0, 0, row_id) if place is None else (2 if isinstance(place, str) else 3, place, row_id)
