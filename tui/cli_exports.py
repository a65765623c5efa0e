"""`memagent-tui import …`, the part on files that the person names: exports of web chats, and small files."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sessions.clock import from_environment
from sessions.errors import UsageError
from sessions.paths import HomePaths
from tui.cli_import import as_json, day, told, unread
from tui.cli_output import say_json, say_rows, tell
from tui.import_report import would_come
from tui.widgets.when import counted, size_told

if TYPE_CHECKING:
    from sessions.importers.export import Export, Talk
    from sessions.importers.exports import Way
    from sessions.importers.proposing import Proposing

_WHERE = {
    "chatgpt": "Settings, Data controls, Export data: name the ZIP that you are sent",
    "claude-ai": "Settings, Privacy, Export data: name the ZIP that you are sent",
}


def exports(args: argparse.Namespace, paths: HomePaths) -> int:
    """Takes over what a file holds and this home does not; the file is only read."""
    from sessions.importers.exports import export
    from sessions.importers.proposing import Proposing
    from sessions.importers.taking import Taking
    from sessions.memory.store import FactStore

    one = export(args.format)
    if args.path is None:
        raise UsageError(f"Which file of {one.name}", _WHERE.get(args.format, "Name the file, or its folder"))
    if args.format == "memory-json" and args.only == "sessions":
        raise UsageError("There are no sessions in a memory.json", "Without --only sessions its facts come, to review")
    path, clock = Path(args.path).expanduser().absolute(), from_environment()
    try:
        one.size(path)
        if args.dry_run:
            return _preview(args, one, path, Taking(paths, clock), Proposing(paths, FactStore(paths, clock), clock))
        out: dict[str, Any] = {}
        failed = 0
        if args.only != "memory":
            failed = _sessions(one, path, Taking(paths, clock), args, out)
        if args.only != "sessions":
            failed |= _facts(one, path, Proposing(paths, FactStore(paths, clock), clock), args, out)
    except OSError as e:
        raise UsageError(f"{path} cannot be read: {e.strerror or e}", "") from e
    if args.json:
        say_json(out)
    return failed


def _sessions(one: Export, path: Path, taking: Any, args: argparse.Namespace, out: dict[str, Any]) -> int:
    from sessions.importers.exports import take_export

    shows = sys.stderr.isatty() and not args.json
    stopped = False
    try:
        tally = take_export(taking, one, path, progress=_progress if shows else None)
    except KeyboardInterrupt:
        stopped = True
        raise
    finally:
        if shows:
            sys.stderr.write("\r\x1b[K")
        if stopped:
            tell("stopped: what came stays, and the same command goes on from there")
    out |= as_json(tally)
    if not args.json and (args.format != "memory-json" or tally.failed):
        told(tally)
    return 1 if tally.failed or (tally.bad_lines and not any(tally.statuses.values())) else 0


def _facts(one: Export, path: Path, proposing: Proposing, args: argparse.Namespace, out: dict[str, Any]) -> int:
    from sessions.importers.base import Report
    from tui import cli_memories

    report = Report()
    found = list(one.remembered(path, report))
    if not found and args.only == "memory" and not report.bad:
        raise UsageError(f"There are no memories in {path}", "Without --only memory its sessions come")
    done = proposing.propose(found)
    if found or args.format == "memory-json":
        out |= cli_memories.as_json(done)
        out.setdefault("bad", []).extend({"file": file, "line": line, "why": why} for file, line, why in report.bad)
        if not args.json:
            cli_memories.told(done)
    if not args.json:
        unread(report.bad, report.bad_lines)
    return 1 if report.bad_lines and not found else 0


def _preview(args: argparse.Namespace, one: Export, path: Path, taking: Any, proposing: Proposing) -> int:
    from sessions.importers.base import Report
    from sessions.importers.exports import fresh
    from sessions.importers.proposing import short
    from sessions.memory.secrets import without_secrets

    report = Report()
    talks: list[Talk] = []
    others: Counter[str] = Counter()
    if args.only != "memory":
        talks, others, report = fresh(taking, one, path)
    found = list(one.remembered(path, report)) if args.only != "sessions" else []
    facts = proposing.fresh(found)
    total = len(talks) + others.total()
    if args.json:
        say_json(
            [
                {"path": str(t.source.path), "uuid": t.source.uuid, "bytes": t.source.size, "title": t.title,
                 "cwd": t.cwd, "at": t.at, "new": taking.ledger.entry(t.source.kind, t.source.uuid) is None}
                for t in talks
            ]
            + [{"path": str(f.path), "summary": without_secrets(f.summary), "kind": f.kind} for f in facts]
        )  # fmt: skip
        return int(report.bad_lines > 0 and not total and not found)
    say_rows([(day(t.at), size_told(t.source.size), t.title or "untitled") for t in talks], (1,))
    say_rows([(f.group, f.kind, short(without_secrets(f.summary))) for f in facts])
    unread(report.bad, report.bad_lines)
    if total or args.format != "memory-json":
        tell(would_come(len(talks), others.total(), others["deleted"]))
    if facts or args.format == "memory-json":
        tell(f"{counted(len(facts), 'fact')} would wait for your review")
    return int(report.bad_lines > 0 and not total and not found)


def _progress(way: Way) -> None:
    part = way.bytes_done / way.bytes_total if way.bytes_total else 1.0
    sys.stderr.write(f"\r\x1b[K{part:4.0%}  {counted(way.done, 'conversation')}")
    sys.stderr.flush()
