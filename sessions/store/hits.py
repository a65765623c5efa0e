"""From ranked documents to what a reader sees: the place, the line that matches, one before and one after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sessions.store.corpus import PLACE, Asked, Place
from sessions.store.postings import ABOUT, TALK, TOOLS
from sessions.store.signals import LAST
from sessions.store.words import is_cjk, runs, snippet

if TYPE_CHECKING:
    import sqlite3

_EACH = 2
"""Places of a session that are told when only a time is asked for."""
_ROWS = 200
"""Rows that are read at once when many of them may not be wanted."""
_ECHOES = {"recall_memory", "search_history", "save_memory", "delete_memory"}
"""Tools whose calls and results repeat what is found elsewhere, and are found only when they are asked for."""
_FIELDS = "id, rows.session, message, turn, role, at, tool, text, title, cwd, source"


@dataclass(frozen=True, slots=True)
class Hit:
    """A place where something was said."""

    session: str
    message: str
    """Id of the message; empty for a hit in the title or the recap."""
    turn: int
    role: str
    """user, assistant, tool, title, recap."""
    at: str
    text: str
    """The line that matches, one before and one after."""
    title: str
    """The session's."""
    cwd: str
    source: str | None
    """The kind of program that wrote the session, when it was not this one."""
    score: float
    """Higher is better; comparable within one search."""
    tool: str = ""
    """Of a tool's call or result, its name."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which of the rows are wanted; times as ISO text."""

    after: str | None = None
    before: str | None = None
    off: bool = False
    """Those said with memory off as well."""
    tool: str = ""
    """The beginning of the tool's name; empty = any row."""

    def meets(self, first: str, last: str) -> bool:
        """Whether something between these times may be wanted."""
        return (not self.after or last >= self.after) and (not self.before or first < self.before)

    @property
    def of_few(self) -> bool:
        return bool(self.after or self.before or self.tool)


def hits(
    db: sqlite3.Connection, asked: Asked, places: Sequence[Place], wanted: Wanted, limit: int
) -> Iterator[tuple[Place, Hit]]:
    """The best `limit` places that are wanted, one a message, best first."""
    seen: set[tuple[str, str]] = set()
    # Title and recap repeat what was said: they stand for a session only when none of its messages was found.
    said = {p.group >> 2 for p in places if p.group & 3 != ABOUT}
    places = said_first([p for p in places if p.group & 3 != ABOUT or p.group >> 2 not in said])
    step = limit + 5 if not (asked.phrases or wanted.of_few) else _ROWS
    for start in range(0, len(places), step):
        some = places[start : start + step]
        found = rows(db, [p.group << PLACE | p.place for p in some])
        for place in some:
            row = found.get(place.group << PLACE | place.place)
            if row is None or (row[1], row[2]) in seen or not wanted.meets(row[5], row[5]):
                continue
            if not row[6].startswith(wanted.tool) or (row[6] in _ECHOES and not wanted.tool):
                continue
            if asked.phrases and not _holds(row[7], asked.phrases):
                continue
            seen.add((row[1], row[2]))
            yield place, hit(row, asked.needles, place.score)
            if len(seen) == limit:
                return


def said_first(places: Sequence[Place]) -> list[Place]:
    """The same, but no call or result before what was said in its session and holds all that it holds."""
    if all(p.group & 3 != TOOLS for p in places):
        return [*places]
    talk: dict[int, list[Place]] = {}
    for p in places:
        if p.group & 3 == TALK:
            talk.setdefault(p.group >> 2, []).append(p)
    out: list[Place] = []
    taken: set[int] = set()
    for p in places:
        if id(p) in taken:
            continue
        if p.group & 3 == TOOLS:
            near = (t for t in talk.get(p.group >> 2, ()) if t.score > p.score - LAST / 2)  # but for what is no news
            said = next((t for t in near if t.found & p.found == p.found), None)
            if said is not None and id(said) not in taken:
                taken.add(id(said))
                out.append(said)
        taken.add(id(p))
        out.append(p)
    return out


def newest(
    db: sqlite3.Connection, wanted: Wanted, limit: int, sessions: set[str] | None, exclude: str | None
) -> list[Hit]:
    """What was said then, or by that tool, newest first, a few places a session; of `sessions` only, when given."""
    where = "role IN ('user', 'assistant') AND tool = ''"
    values: list[Any] = []
    if wanted.tool:
        where, values = "tool >= ? AND tool < ?", [wanted.tool, wanted.tool + "\U0010ffff"]
    where += " AND at >= ? AND at < ? AND session != ? AND (? OR NOT off)"
    values += [wanted.after or "", wanted.before or "\U0010ffff", exclude or "", wanted.off]
    ids: list[int] = []
    had: Counter[str] = Counter()
    for id_, session in db.execute(f"SELECT id, session FROM rows WHERE {where} ORDER BY at DESC", values):
        if had[session] < _EACH and (sessions is None or session in sessions):
            had[session] += 1
            ids.append(id_)
            if len(ids) == limit:
                break
    found = rows(db, ids)
    return [hit(row, (), 0.0) for row in sorted(found.values(), key=lambda row: row[5], reverse=True)]


def rows(db: sqlite3.Connection, ids: Sequence[int]) -> dict[int, tuple[Any, ...]]:
    marks = ",".join("?" * len(ids))
    found = db.execute(f"SELECT {_FIELDS} FROM rows JOIN files USING (session) WHERE id IN ({marks})", ids)
    return {row[0]: row for row in found}


def hit(row: tuple[Any, ...], needles: tuple[str, ...], score: float) -> Hit:
    _, session, message, turn, role, at, tool, text, title, cwd, source = row
    return Hit(session, message, turn, role, at, snippet(text, needles), title, cwd, source, score, tool)


def _holds(text: str, phrases: list[str]) -> bool:
    """Whether all phrases stand in the text; words count as wholes, runs of CJK as parts."""
    words = f" {' '.join(runs(text))} "
    return all((p if is_cjk(p) else f" {p} ") in words for p in phrases)
