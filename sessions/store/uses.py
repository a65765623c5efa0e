"""Where facts were shown to a model: one row a tool result and fact, kept in the index with the sessions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sessions.messages import Record, ToolMessage
from sessions.store.meta import time_text

if TYPE_CHECKING:
    import sqlite3

TABLES = """
CREATE TABLE uses (
    session INT NOT NULL, fact INT NOT NULL, name TEXT NOT NULL, message TEXT NOT NULL, turn INT NOT NULL,
    at TEXT NOT NULL
);
CREATE INDEX uses_fact ON uses (fact, at);
CREATE INDEX uses_session ON uses (session);
"""


@dataclass(frozen=True, slots=True)
class Use:
    """A turn in which a fact was recalled."""

    session: str
    title: str
    """The session's."""
    message: str
    """The tool's line."""
    turn: int
    at: str


@dataclass(frozen=True, slots=True)
class Uses:
    """How often a fact was recalled, and where last."""

    turns: int = 0
    sessions: int = 0
    newest: tuple[Use, ...] = ()
    """One a turn, newest first."""


def add(db: sqlite3.Connection, number: int, records: Iterable[Record]) -> None:
    """Take in lines of the session of this number."""
    rows = []
    for record in records:
        if isinstance(record, ToolMessage) and record.facts and record.extra.get("copied") is not True:
            numbers = record.fact_numbers if len(record.fact_numbers) == len(record.facts) else (0,) * len(record.facts)
            at, turn = time_text(record.at) or "", record.turn if abs(record.turn) < 1 << 62 else 0
            for fact, name in zip(numbers, record.facts, strict=True):
                rows.append((number, fact if abs(fact) < 1 << 62 else 0, name, record.id, turn, at))
    if rows:
        db.executemany("INSERT INTO uses VALUES (?, ?, ?, ?, ?, ?)", rows)


def forget(db: sqlite3.Connection, number: int) -> None:
    """Drop what is known of the session of this number."""
    db.execute("DELETE FROM uses WHERE session = ?", (number,))


def of_fact(db: sqlite3.Connection, fact: int, name: str, limit: int) -> Uses:
    """The uses of the fact of this number; lines without numbers count by its name."""
    where = "(fact = ? OR (fact = 0 AND name = ?))"
    turns, sessions = db.execute(
        f"SELECT count(*), count(DISTINCT session) FROM (SELECT DISTINCT session, turn FROM uses WHERE {where})",
        (fact, name),
    ).fetchone()
    rows = db.execute(
        "SELECT files.session, title, last.message, last.turn, last.at FROM ("
        f"SELECT session, message, turn, max(at) AS at FROM uses WHERE {where} GROUP BY session, turn "
        "ORDER BY at DESC LIMIT ?) AS last JOIN files ON files.number = last.session ORDER BY last.at DESC",
        (fact, name, limit),
    )
    newest = tuple(Use(*row) for row in rows)
    return Uses(turns, sessions, newest)
