"""A change of a fact as a line of a journal."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from sessions.errors import FactError
from sessions.memory.fact import By, Fact, parse_fact
from sessions.memory.files import sha256
from sessions.memory.rules import ORIGINS, Origin

VERSION = 1

Action: TypeAlias = Literal[
    "created",
    "updated",
    "confirmed",
    "restored",
    "forgotten",
    "superseded",
    "undone",
    "completed",
    "renamed",
    "proposed",
    "accepted",
    "rejected",
    "rebased",
    "closed",
]


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of a change; None = no such file."""

    path: str
    """Relative to the memory folder, with slashes."""
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One change. Its files are those of one fact, and of the fact that it replaced."""

    op: str
    """uuid of the change."""
    at: str
    action: str
    id: str
    number: int
    name: str
    by: By
    files: tuple[FileChange, ...]
    undoes: str = ""
    """`op` of the change that this one takes back."""

    @property
    def before(self) -> Fact | None:
        """The fact before, None when there was none that could be read."""
        return self._fact("before")

    @property
    def after(self) -> Fact | None:
        return self._fact("after")

    def _fact(self, side: Literal["before", "after"]) -> Fact | None:
        for file in self.files:
            text = getattr(file, side)
            if text is None:
                continue
            try:
                fact = parse_fact(text, Path(file.path))
            except FactError:
                continue
            if not self.id or not fact.id or fact.id == self.id:
                return fact
        return None


@dataclass(frozen=True, slots=True)
class Row:
    """Where an entry stands, and what is needed to find it; the texts stay on the disk."""

    file: str
    offset: int
    length: int
    op: str
    at: str
    action: str
    id: str
    number: int
    undoes: str
    hashes: dict[str, tuple[str | None, str | None]]
    """Path -> sha256 before and after."""


def as_json(entry: JournalEntry) -> dict[str, Any]:
    """The object of a line."""
    by = {k: v for k, v in asdict(entry.by).items() if v}
    out: dict[str, Any] = {"v": VERSION, "op": entry.op, "at": entry.at, "action": entry.action}
    out |= {"id": entry.id, "number": entry.number, "name": entry.name, "by": by}
    if entry.undoes:
        out["undoes"] = entry.undoes
    out["files"] = [
        {"path": f.path, "before": f.before, "after": f.after}
        | {"before_sha256": _hash(f.before), "after_sha256": _hash(f.after)}
        for f in entry.files
    ]
    return out


def _hash(text: str | None) -> str | None:
    return None if text is None else sha256(text.encode())


def row_of(file: str, offset: int, line: bytes) -> Row | None:
    """The row of a line; None when it tells of no change that can be read."""
    try:
        raw = json.loads(line)
        if not isinstance(raw, dict) or raw["v"] > VERSION:
            return None
        hashes = {f["path"]: (f["before_sha256"], f["after_sha256"]) for f in raw["files"]}
        words = (raw["op"], raw["at"], raw["action"], raw["id"], raw.get("undoes", ""))
        texts = (*words, *hashes, *(h for pair in hashes.values() for h in pair if h is not None))
        if not all(isinstance(text, str) for text in texts):
            return None
        op, at, action, id_, undoes = words
        number = int(raw["number"])
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return None
    return Row(file, offset, len(line), op, at, action, id_, number, undoes, hashes)


def readable(line: bytes) -> bool:
    """Whether a line of a journal tells of a change, or of one that was erased."""
    return row_of("", 0, line) is not None or bool(erased_number(line))


def erased_number(line: bytes) -> int:
    """The number of the fact of an erased entry, so that it is never given again; 0 for another line."""
    try:
        raw = json.loads(line)
        return int(raw["number"]) if raw.get("erased") else 0
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return 0


def entry_of(raw: dict[str, Any]) -> JournalEntry:
    """The entry of a line's object, which `row_of` could read."""
    by = raw.get("by") or {}
    origin = by.get("origin")
    who = By(
        cast(Origin, origin) if origin in ORIGINS else "user",
        *(str(by.get(k, "")) for k in ("session", "message", "quote", "client")),
    )
    files = tuple(FileChange(f["path"], f["before"], f["after"]) for f in raw["files"])
    head = (raw["op"], raw["at"], raw["action"], raw["id"], int(raw["number"]), raw["name"])
    return JournalEntry(*head, who, files, raw.get("undoes", ""))
