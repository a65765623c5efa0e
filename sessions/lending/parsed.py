"""What the fact files say, as far as `context` needs it, kept from one call to the next: of thousands of files those
are read that changed, and next to nothing is loaded for that.

The rows hold facts; erasing looks through them as through all that is local.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sessions.errors import FactError
from sessions.lending.quick import Folders, entry_of
from sessions.memory.front_matter import load_front, split_front
from sessions.memory.rules import KINDS, ORIGINS, STATUSES, SUMMARY_MAX, USER, Kind, is_name, is_scope, one_line
from sessions.paths import HomePaths

if TYPE_CHECKING:
    from sessions.memory.fact import Fact

_MEMORY = Path(__file__).parents[1] / "memory"
_MADE_BY = (Path(__file__), *(_MEMORY / f"{name}.py" for name in ("fact", "files", "front_matter", "rules")))
"""Rows of another version are none of ours."""
_ENOUGH = 100
"""So many files read anew, or a tenth of all, are worth writing the rows again."""
_TYPES = {
    **dict.fromkeys(("id", "name", "summary", "kind", "scope", "status"), str),
    **dict.fromkeys(("schema", "number"), int),
    **dict.fromkeys(("pinned", "locked"), bool),
    **dict.fromkeys(("created_at", "updated_at", "confirmed_at"), datetime),
    **dict.fromkeys(("related", "supersedes"), list),
    "source": dict,
}
"""What the program writes into each front matter; `due` comes with some."""


class Row(NamedTuple):
    """A fact as it is told; the names are those of a Fact."""

    name: str
    summary: str
    kind: Kind
    body: str
    number: int
    id: str
    status: str
    pinned: bool
    day: str
    """The day on which it is due; empty without one."""
    scope: str = USER

    @property
    def active(self) -> bool:
        return self.status == "active"

    @property
    def due(self) -> date | None:
        return date.fromisoformat(self.day) if self.day else None


class Parsed:
    """`local/context/facts.json`: file -> its entry in the folder, and its row; no row where it is no fact."""

    def __init__(self, paths: HomePaths, folders: Folders) -> None:
        self._paths = paths
        self._folders = folders
        self._file = paths.local / "context" / "facts.json"
        self._known = self._read()
        self._now: dict[str, list[list[str | int]]] = {}
        self._anew = 0

    def facts(self) -> list[Row] | None:
        """The facts in use by number; None where names or numbers have to be made unique first."""
        rows = list(self._folder(self._paths.user_facts))
        for folder in self._folders.entries(self._paths.projects):
            if folder.name[0] != "." and folder.is_folder:
                place = self._paths.projects / folder.name
                scope = f"project:{folder.name.rpartition('-')[2]}"
                rows += [(file, row._replace(scope=scope)) for file, row in self._folder(place)]
        used = [row for _, row in rows if row.status in {"active", "off"}]
        plain = all(file == f"{row.name}.md" and row.number and row.id for file, row in rows)
        if not plain or len({r.number for r in used}) < len(used) or len({r.id for r in used}) < len(used):
            return None
        return sorted(used, key=lambda row: row.number)

    def waiting(self) -> int:
        """How many facts wait for review."""
        return sum(1 for _ in self._folder(self._paths.proposed))

    def keep(self) -> None:
        """Keep what was asked for, if enough of it is new and nothing changed meanwhile. Never raises."""
        if self._anew > _ENOUGH or self._anew * 10 > len(self._now):
            from sessions.store.atomic import make_folder, write_atomic

            try:
                if self._paths.local.is_dir() and self._folders.as_they_were():
                    make_folder(self._file.parent)
                    data = json.dumps({"by": _version(), "files": self._now}, ensure_ascii=False, separators=(",", ":"))
                    write_atomic(self._file, data.encode(), durable=False)
            except (OSError, ValueError):
                return

    def _folder(self, folder: Path) -> Iterator[tuple[str, Row]]:
        """The names of its files, and what they say."""
        prefix = folder.relative_to(self._paths.memory).as_posix()
        for entry in self._folders.entries(folder):
            if not entry.name.endswith(".md") or entry.name[0] in ".#~":
                continue
            rel = f"{prefix}/{entry.name}"
            known = self._known.get(rel)
            if known is None or known[0] != [*entry]:
                self._anew += 1
                row = _plain(folder / entry.name) if entry.is_small_file else None
                if row is None:
                    from sessions.memory.files import FactFiles

                    file = FactFiles(self._paths).read(rel)
                    if file is None or not file.sha:
                        continue  # it cannot be read now
                    row = _row(file.fact) if file.fact is not None else None
                known = [[*entry], [*row] if row is not None else []]
            self._now[rel] = known
            if known[1]:
                yield entry.name, Row._make(known[1])

    def _read(self) -> dict[str, list[list[str | int]]]:
        try:
            raw = json.loads(self._file.read_bytes())
            return raw["files"] if raw["by"] == _version() else {}
        except (OSError, ValueError, LookupError, TypeError):
            return {}


def _plain(path: Path) -> Row | None:
    """A fact as the program writes it; None for all else."""
    if "conflict" in path.name.lower():
        return None
    try:
        front, body = split_front(path.read_bytes().decode())
        table = load_front(front)
    except (OSError, ValueError, FactError):
        return None
    due = table.pop("due", None)
    if {key: type(value) for key, value in table.items()} != _TYPES or type(due) not in {date, type(None)}:
        return None
    name, summary, source = table["name"], table["summary"], table["source"]
    right = (
        is_name(name)
        and summary == one_line(summary)[:SUMMARY_MAX] != ""
        and table["kind"] in KINDS
        and table["status"] in STATUSES
        and is_scope(table["scope"])
        and table["number"] > 0
        and all(type(text) is str for text in (*table["related"], *table["supersedes"], *source.values()))
        and source.get("origin") in ORIGINS
    )
    if not right:
        return None
    number, id_, status, pinned = (table[key] for key in ("number", "id", "status", "pinned"))
    day = due.isoformat() if due else ""
    return Row(name, summary, table["kind"], body.strip("\n"), number, id_, status, pinned, day)


def _row(fact: Fact) -> Row:
    day = fact.due.isoformat() if fact.due else ""
    # What models elsewhere must not see is not lent: nobody knows where another agent's model is.
    status = "off" if fact.share == "local" else fact.status
    return Row(fact.name, fact.summary, fact.kind, fact.body, fact.number, fact.id, status, fact.pinned, day)


def _version() -> list[list[str | int]]:
    """Of what makes the rows."""
    return [[*entry_of(path.name, path)] for path in _MADE_BY]
