"""A file or folder that the person names, whatever it is: recognised, its sessions taken over, its facts proposed."""

from __future__ import annotations

import shlex
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sessions.clock import Clock
from sessions.errors import UsageError
from sessions.importers import conversations, messages_jsonl
from sessions.importers.base import Report
from sessions.importers.exports import Way, export, take_export
from sessions.importers.passing import Step, Tally, take_all
from sessions.importers.plain import EMPTY, open_plain
from sessions.importers.proposing import Proposed, Proposing
from sessions.importers.registry import FOLLOWED, name_of, reader
from sessions.importers.taking import Taking
from sessions.memory.store import FactStore
from sessions.paths import HomePaths

_ADVICE = (
    "Name an export of ChatGPT or Claude.ai (the ZIP, its folder or conversations.json), a messages.jsonl, "
    "a memory.json, or memdir's folder"
)


@dataclass(frozen=True, slots=True)
class Brought:
    """What came of it."""

    kind: str
    tally: Tally
    proposed: Proposed
    bad: tuple[tuple[str, int, str], ...] = ()
    """What could not be read of the facts: file, line (0 for a key that the words name), why."""

    @property
    def name(self) -> str:
        """As people call it."""
        return name_of(self.kind)


def named(text: str, folder: Path) -> Path:
    """The path that a person typed, pasted or dropped into a terminal: with `~`, quotes or backslashes, or none."""
    typed = text.strip()
    found = [typed]
    try:
        found.append(" ".join(shlex.split(typed)))
    except ValueError:
        pass
    ways = [folder / Path(one.removeprefix("file://")).expanduser() for one in found]
    return next((way for way in ways if way.exists()), ways[0])


def what(path: Path) -> str:
    """The kind of a file or folder, by its name and its first bytes. Raises UsageError and OSError."""
    if not path.exists():
        raise UsageError(f"There is no file {path}", _ADVICE)
    if path.is_file() and not path.stat().st_size:
        raise UsageError(f"{path} cannot be taken over: {EMPTY}", _ADVICE)
    for kind in FOLLOWED:
        if path.is_file() and reader(kind).at(path) is not None:
            return kind
    found = _of_folder(path) if path.is_dir() else _of_file(path)
    if not found:
        raise UsageError(f"{path} is nothing that can be taken over", _ADVICE)
    return found


def bring(
    paths: HomePaths,
    facts: FactStore,
    clock: Clock,
    path: Path,
    *,
    progress: Callable[[Way], None] | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> Brought:
    """Take over all that is in it and is not here. Raises UsageError when it is nothing of that, and OSError."""
    kind = what(path)
    taking = Taking(paths, clock)
    if kind in FOLLOWED:
        one = reader(kind)
        source = one.at(path)
        tell = _as_way(progress) if progress is not None else None
        sources = [(one, source)] if source is not None else []
        return Brought(kind, take_all(taking, sources, progress=tell, stop=stop), Proposed())
    tally = take_export(taking, export(kind), path, progress=progress, stop=stop)
    if tally.stopped:
        return Brought(kind, tally, Proposed())
    report = Report()
    found = list(export(kind).remembered(path, report))
    return Brought(kind, tally, Proposing(paths, facts, clock).propose(found), tuple(report.bad))


def _as_way(progress: Callable[[Way], None]) -> Callable[[Step], None]:
    return lambda step: progress(Way(step.done, step.bytes_done, step.bytes_total))


def _of_folder(folder: Path) -> str:
    if any((folder / name).is_file() for name in ("memory.db", "memories.md")):
        return "memdir"
    for kind, name in (("messages-jsonl", "messages.jsonl"), ("memory-json", "memory.json")):
        if (folder / name).is_file():
            return kind
    return conversations.sniff(folder)


def _of_file(path: Path) -> str:
    with open_plain(path) as file:
        head, packed = file.read(1 << 16), zipfile.is_zipfile(file)
    suffix = path.suffix.lower()
    if head.startswith(b"SQLite format 3\0") or path.name == "memories.md":
        return "memdir"
    if suffix in {".jsonl", ".ndjson"}:
        return "messages-jsonl" if messages_jsonl.is_one(path) else ""
    if suffix == ".zip" or packed or head.lstrip(b"\xef\xbb\xbf\0 \r\n\t")[:1] == b"[":
        return conversations.sniff(path)
    if head.lstrip(b"\xef\xbb\xbf \r\n\t")[:1] == b"{":
        return conversations.sniff(path) or "memory-json"
    return ""
