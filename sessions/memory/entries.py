"""A change of a fact as a line of a journal."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from sessions.errors import FactError
from sessions.memory.fact import By, Fact, parse_fact
from sessions.memory.files import sha256
from sessions.memory.rules import ORIGINS, Origin

VERSION = 1
_WITH_ANOTHER = 3
"""A change of one fact alone has two files at most."""
_ID = re.compile(r'^id = "([^"\n]+)"$', re.M)
_HEAD = 500
"""Characters of a fact's file in which its id stands."""

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

    @property
    def replaced(self) -> Fact | None:
        """The first fact that went because this one came in its place, as it was."""
        if self.undoes or self.action not in {"created", "updated", "restored", "accepted"}:
            return None
        return next((f for f in self._facts("before") if f.id != self.id and f.status in {"active", "off"}), None)

    def seen_from(self, id_: str) -> JournalEntry:
        """The same change as it was for another fact that it took away or brought back."""
        if id_ == self.id:
            return self
        return replace(self, id=id_, action="undone" if self.undoes else "superseded")

    def _fact(self, side: Literal["before", "after"]) -> Fact | None:
        return next((f for f in self._facts(side) if not self.id or not f.id or f.id == self.id), None)

    def _facts(self, side: Literal["before", "after"]) -> Iterator[Fact]:
        for file in self.files:
            text = getattr(file, side)
            if text is not None:
                with suppress(FactError):
                    yield parse_fact(text, Path(file.path))


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
    others: tuple[str, ...] = ()
    """Ids of the facts that it took away or brought back beside its own."""


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
        others = _others(raw["files"], id_)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return None
    return Row(file, offset, len(line), op, at, action, id_, number, undoes, hashes, others)


def _others(files: list[dict[str, Any]], id_: str) -> tuple[str, ...]:
    if len(files) < _WITH_ANOTHER:
        return ()
    texts = (f.get(side) or "" for f in files for side in ("before", "after"))
    found = dict.fromkeys(m[1] for text in texts if (m := _ID.search(text[:_HEAD])))
    found.pop(id_, None)
    return tuple(found)


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
