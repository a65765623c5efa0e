"""Reads the sessions of Codex: `rollout-<time>-<id>.jsonl`, one conversation that only grows, old ones compressed."""

from __future__ import annotations

import os
import re
import shlex
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from sessions.errors import StoreError
from sessions.importers import codex_lines as line
from sessions.importers.base import Head, Known, Progress, Reading, Report, Source, folder_named
from sessions.importers.codex_lines import Conversation, Rollout, arrange, goes_on, is_record, item_of, kind_of, said
from sessions.importers.codex_records import KIND, Tale, item_id
from sessions.importers.jsonl import Lines, dict_of, text_of, told_on
from sessions.importers.places import place_id
from sessions.importers.zst import unpacked
from sessions.messages import Json, Record
from sessions.store.meta import time_text
from sessions.store.recap import one_line

_FOLDERS = ("sessions", "archived_sessions")
_NAME = re.compile(r"rollout-.*?([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})?\.jsonl(\.zst)?")
_INDEX = "session_index.jsonl"
_HEAD = 512 << 10
_BACK = 1 << 20
"""Bytes before the new ones that are looked at."""
_FIRST = 1_000
"""Characters of what was said first."""


class Codex:
    """The reader of Codex's sessions."""

    kind = KIND
    name = "Codex"

    def __init__(self) -> None:
        self._titles: dict[Path, tuple[tuple[int, int], dict[str, str]]] = {}
        """Index file -> its size and time, and session -> title."""

    def roots(self, environ: Mapping[str, str], user: Path) -> list[Path]:
        """`$CODEX_HOME`, else the usual folder."""
        named = environ.get("CODEX_HOME", "").strip()
        folder = folder_named(named, user) if named else user / ".codex"
        with suppress(OSError):
            if any((folder / name).is_dir() for name in _FOLDERS):
                return [folder]
        return []

    def find(self, roots: Iterable[Path]) -> Iterator[Source]:
        """The sessions in use and the archived ones; of one that is there twice the one that is not compressed."""
        for root in roots:
            found: dict[str, Source] = {}
            for folder in _FOLDERS:
                for path in _rollouts(root / folder):
                    source = _source(path)
                    if source is None or not source.size:
                        continue
                    if source.uuid not in found or found[source.uuid].path.suffix == ".zst":
                        found[source.uuid] = source
            yield from found.values()

    def at(self, path: Path) -> Source | None:
        """The session in this file; None when name or first lines say that it is none."""
        source = _source(path)
        if source is None:
            return None
        try:
            lines = _open(path, _HEAD)
        except OSError:
            return None
        except StoreError:
            return source  # Reading it says what is missing.
        try:
            first = next(lines.first(1), {})
            return source if is_record(first) or item_of(first) or {"id", "timestamp"} <= first.keys() else None
        finally:
            lines.close()

    def head(self, source: Source) -> Head:
        """Folder, time, model and words of the beginning; the title stands in a file for all sessions."""
        title = self._title(source)
        try:
            lines = _open(source.path, _HEAD)
        except StoreError:
            return Head(title)
        try:
            cwd = at = first = model = ""
            for raw in lines.first(_HEAD):
                payload = dict_of(raw.get("payload"))
                at = at or time_text(text_of(raw.get("timestamp"))) or ""
                if text_of(raw.get("type")) in {"session_meta", "turn_context"}:
                    cwd, model = cwd or text_of(payload.get("cwd")), model or text_of(payload.get("model"))
                elif not first and kind_of(raw)[0] is line.USER:
                    first = "\n".join(text_of(b.get("text")) for b in said(item_of(raw))).strip()[:_FIRST]
                if cwd and at and first and model:
                    break
            return Head(title or one_line(first), cwd, at, first, model)
        finally:
            lines.close()

    def read(self, source: Source, known: Known | None = None, progress: Progress | None = None) -> Reading:
        """The conversation, or what came since. OSError when the file cannot be opened, StoreError when it is
        compressed and nothing here can unpack it."""
        lines = _open(source.path)
        if progress is not None and lines.length > source.size:
            progress = _scaled(progress, source.size, lines.length)
        try:
            report = Report()
            rollout = _grown(lines, source.stem, known, report) if known is not None else None
            if rollout is None:
                known, report, rollout = None, Report(), Rollout()
                rollout.read(lines, 0, report, progress)
            calls = known.open_calls if known is not None else {}
            conversation = arrange(rollout.items, report, calls)
            size = _hold_back(rollout, conversation, lines.size)
            leaf = item_id(source.stem, rollout.items[-1]) if rollout.items else ""
            records = _records(source, lines, conversation, rollout.says_ends, report, known, progress)
            title = self._title(source)
            mark = lines.mark(size)
            return Reading.of(source, records, rollout, known, report, leaf=leaf, size=size, mark=mark, title=title)
        except BaseException:
            lines.close()
            raise

    def resume_command(self, uuid: str, cwd: str) -> str:
        """Works from everywhere: the session knows its folder."""
        return f"codex resume {shlex.quote(uuid)}"

    def _title(self, source: Source) -> str:
        """What the session is called in the index of all sessions; the last word counts."""
        root = next((p.parent for p in source.path.parents if p.name in _FOLDERS), None)
        if root is None:
            return ""
        path = root / _INDEX
        try:
            found = path.stat()
            stamp = (found.st_size, found.st_mtime_ns)
            known = self._titles.get(path)
            if known is None or known[0] != stamp:
                known = self._titles[path] = (stamp, _titles(path))
            return known[1].get(source.uuid, "")
        except OSError:
            return ""


def _titles(path: Path) -> dict[str, str]:
    lines = Lines(path, _is_title)
    try:
        return {
            raw["id"]: " ".join(text_of(raw.get("thread_name")).split()) for *_, raw in lines.each() if _is_title(raw)
        }
    finally:
        lines.close()


def _is_title(raw: Json) -> bool:
    return isinstance(raw.get("id"), str) and bool(text_of(raw.get("thread_name")).strip())


def _records(
    source: Source,
    lines: Lines,
    conversation: Conversation,
    says_ends: bool,
    report: Report,
    known: Known | None,
    progress: Progress | None,
) -> Iterator[Record]:
    def records(told: Callable[[int], None]) -> Iterator[Record]:
        return Tale(lines, source.stem, conversation, report, says_ends=says_ends, known=known, told=told).records()

    return told_on(lines, records, progress)


def _grown(lines: Lines, stem: str, known: Known, report: Report) -> Rollout | None:
    """The new lines; None when all must be read: the file was cut, replaced or changed, the new lines take turns back,
    compact, are a part of a reply that was told before, or say something again."""
    if lines.length < known.size or not lines.goes_on(known):
        return None
    before = Rollout()
    for raw, offset in _before(lines, stem, known):
        before.take(raw, offset, 0, 0, Report())
    if known.leaf not in {item_id(stem, item) for item in before.items}:
        return None
    new = Rollout()
    new.model = before.model
    new.says_ends = before.says_ends or _says_ends(lines)
    new.read(lines, known.size, report)
    compacts = any(item.kind is line.COMPACTED for item in new.items)
    if new.rolled_back or compacts or _again(new, known) or goes_on(before.items, new.items):
        return None
    return new


def _again(new: Rollout, known: Known) -> bool:
    """Whether a call comes that was told before, or the result of one that has its own by now."""
    asked = {item.call for item in new.items if item.kind is line.CALL}
    if any(map(known.told, asked)):
        return True
    open_ = asked | known.open_calls.keys()
    return any(item.kind is line.OUTPUT and item.call not in open_ for item in new.items)


def _before(lines: Lines, stem: str, known: Known) -> list[tuple[Json, int]]:
    """The lines before the new ones with where they begin, back to the newest that was told and to its turn's model."""
    found: list[tuple[Json, int]] = []
    met = model = False
    for back, raw in lines.back(known.size):
        offset = known.size - back
        found.append((raw, offset))
        met = met or known.leaf == place_id(stem, offset)
        model = model or raw.get("type") == "turn_context"
        if (met and model) or back > _BACK:
            break
    return found[::-1]


def _says_ends(lines: Lines) -> bool:
    rollout = Rollout()
    for raw in lines.first(64 << 10):
        rollout.take(raw, 0, 0, 0, Report())
    return rollout.says_ends


def _hold_back(rollout: Rollout, conversation: Conversation, size: int) -> int:
    """Leave a reply that has nothing but thoughts for the next time, when its words are there; the bytes that count."""
    last = conversation.steps[-1] if conversation.steps else None
    if last is None or any(item.kind is not line.THOUGHT for item in last.items):
        return size
    conversation.steps.pop()
    for before in conversation.steps[-1:]:
        before.is_open = before.kind is line.REPLY
    first = rollout.items.index(last.items[0])
    del rollout.items[first:]
    return last.items[0].offset


def _open(path: Path, limit: int | None = None) -> Lines:
    return Lines(path, is_record, unpacked(path, limit) if path.suffix == ".zst" else None)


def _scaled(progress: Progress, size: int, length: int) -> Progress:
    """Tells bytes of what is unpacked as bytes of the file."""
    return lambda done: progress(done * size // length)


def _rollouts(folder: Path) -> Iterator[Path]:
    for at, _, names in os.walk(folder):
        yield from (Path(at, name) for name in names)


def _source(path: Path) -> Source | None:
    named = _NAME.fullmatch(path.name)
    if named is None:
        return None
    try:
        found = path.stat()
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    uuid = named[1] or path.name.removesuffix(".zst").removesuffix(".jsonl")
    return Source(KIND, uuid, path, found.st_size, found.st_mtime_ns)


READER = Codex()
