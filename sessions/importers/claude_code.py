"""Reads the sessions of Claude Code: `projects/<folder>/<session>.jsonl`, a tree of lines that only grows."""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from sessions.importers import claude_lines as line
from sessions.importers.base import Head, Known, Progress, Reading, Report, Source, folder_named
from sessions.importers.claude_agents import Agents
from sessions.importers.claude_blocks import spoken, words
from sessions.importers.claude_branch import Branch, arrange, last_step, newest, upwards
from sessions.importers.claude_grown import grown, named
from sessions.importers.claude_lines import blocks, is_record, kind_of, message_of, title_of
from sessions.importers.claude_records import KIND, Talk
from sessions.importers.claude_skeleton import Skeleton
from sessions.importers.jsonl import Lines, text_of, told_on
from sessions.messages import Json, Record
from sessions.store.meta import time_text
from sessions.store.recap import one_line

_HEAD = 256 << 10
_TAIL = 64 << 10
_FIRST = 1_000
"""Characters of what was said first."""


class ClaudeCode:
    """The reader of Claude Code's sessions."""

    kind = KIND
    name = "Claude Code"

    def roots(self, environ: Mapping[str, str], user: Path) -> list[Path]:
        """`$CLAUDE_CONFIG_DIR`, which may be several with commas between them, else both usual folders."""
        named = [part.strip() for part in environ.get("CLAUDE_CONFIG_DIR", "").split(",") if part.strip()]
        folders = [folder_named(part, user) for part in named] or [user / ".claude", user / ".config" / "claude"]
        out: dict[Path, Path] = {}
        for folder in folders:
            with suppress(OSError):
                if (folder / "projects").is_dir():
                    out.setdefault(folder.resolve(), folder)
        return list(out.values())

    def find(self, roots: Iterable[Path]) -> Iterator[Source]:
        """The sessions of all projects; no file is opened, and empty ones are none."""
        for root in roots:
            for project in _entries(root / "projects"):
                for entry in _entries(project) if project.is_dir() else ():
                    if _named_like_one(entry) and (source := _source(entry)) is not None and source.size:
                        yield source

    def at(self, path: Path) -> Source | None:
        """The session in this file; None when name or first lines say that it is none."""
        if not _named_like_one(path) or (source := _source(path)) is None:
            return None
        try:
            lines = Lines(path, is_record)
        except OSError:
            return None
        try:
            for raw in lines.first(_HEAD):
                if is_record(raw) or (title_of(raw)[1] and "payload" not in raw):
                    return source
            return None
        finally:
            lines.close()

    def head(self, source: Source) -> Head:
        """Folder, time, model and words of the beginning; the title may stand at the end."""
        lines = Lines(source.path, is_record)
        try:
            cwd = at = first = model = title = ""
            rank = -1
            for raw in lines.first(_HEAD):
                kind, _ = kind_of(raw, blocks(raw))
                if raw.get("isSidechain") is True:
                    continue
                cwd = cwd or text_of(raw.get("cwd"))
                at = at or time_text(text_of(raw.get("timestamp"))) or ""
                if kind is line.USER and not first:
                    first = spoken(raw)[0].strip()[:_FIRST]
                if kind is line.ANSWER and not model:
                    model = text_of(message_of(raw).get("model"))
                rank, title = max((rank, title), title_of(raw), key=lambda found: found[0] if found[1] else -1)
                if cwd and at and first and model:
                    break
            at_end = [title_of(raw) for raw in lines.last(_TAIL)]
            for found in reversed(at_end):
                rank, title = found if found[1] and found[0] >= rank else (rank, title)
            return Head(title or one_line(first), cwd, at, first, model)
        finally:
            lines.close()

    def read(self, source: Source, known: Known | None = None, progress: Progress | None = None) -> Reading:
        """The conversation, or what came since. OSError only when the file cannot be opened."""
        lines = Lines(source.path, is_record)
        try:
            report = Report()
            found = grown(lines, source.stem, known, report) if known is not None else None
            if found is not None and known is not None:
                skeleton, nodes, path = found
                branch = arrange(nodes, path, report, known.open_calls)
            else:
                known, report, skeleton = None, Report(), Skeleton(source.stem)
                skeleton.read(lines, 0, report, progress)
                leaf_there = skeleton.index.get(skeleton.leaf)
                skeleton.index.clear()
                end = newest(skeleton.nodes, leaf_there, skeleton.leaf_after)
                path = [*upwards(skeleton.nodes, end)][::-1]
                branch = arrange(skeleton.nodes, path, report)
                nodes = skeleton.nodes
            size = _hold_back(lines, branch)
            report.named.update(named(node for node in nodes if node.offset < size))
            leaf = branch.path[-1].uuid if branch.path else ""
            records = _records(source, lines, skeleton, branch, report, known, progress)
            return Reading.of(source, records, skeleton, known, report, leaf=leaf, size=size, mark=lines.mark(size))
        except BaseException:
            lines.close()
            raise

    def resume_command(self, uuid: str, cwd: str) -> str:
        """Sessions are found again from their own folder only."""
        command = f"claude --resume {shlex.quote(uuid)}"
        return f"cd {shlex.quote(cwd)} && {command}" if cwd else command


def _records(
    source: Source,
    lines: Lines,
    skeleton: Skeleton,
    branch: Branch,
    report: Report,
    known: Known | None,
    progress: Progress | None,
) -> Iterator[Record]:
    def records(told: Callable[[int], None]) -> Iterator[Record]:
        agents = Agents(source, lines, skeleton, report)
        if known is not None:
            agents.shared.used.update(ours for ours, _ in known.open_calls.values())
        yield from Talk(lines, branch, agents.shared, known=known, told=told).records()
        agents.left()

    return told_on(lines, records, progress)


def _hold_back(lines: Lines, branch: Branch) -> int:
    """Leave a reply that has nothing but thoughts for the next time, when its words are there; the bytes that count."""
    last = last_step(branch)
    if last is None or last.node.kind is not line.ANSWER or any(node.calls or node.results for node in last.lines):
        return lines.size
    raws: list[Json] = [lines.again(node.offset, node.length, node.part) or {} for node in last.lines]
    if words([part for raw in raws for part in blocks(raw)])[0].strip():
        return lines.size
    gone = set(map(id, last.lines))
    first = next(i for i, node in enumerate(branch.path) if id(node) in gone)
    del branch.path[first:]
    return min(node.offset for node in last.lines)


def _named_like_one(path: Path) -> bool:
    return path.suffix == ".jsonl" and not path.name.startswith(("agent-", "."))


def _source(path: Path) -> Source | None:
    try:
        found = path.stat()
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    beside = tuple(sorted(p for p in _entries(path.with_suffix("") / "subagents") if _is_agent(p)))
    return Source(KIND, path.stem, path, found.st_size, found.st_mtime_ns, beside)


def _is_agent(path: Path) -> bool:
    return path.name.startswith("agent-") and path.suffix == ".jsonl"


def _entries(folder: Path) -> list[Path]:
    try:
        return [Path(entry.path) for entry in os.scandir(folder)]
    except OSError:
        return []


READER = ClaudeCode()
