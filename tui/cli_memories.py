"""`memagent-tui import …`, the part on memories: what other agents and instruction files say waits for review."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sessions.clock import from_environment
from sessions.errors import UsageError
from sessions.paths import HomePaths
from tui.cli_output import say, say_json, say_rows, tell
from tui.import_report import facts_came, refused
from tui.widgets.when import counted

if TYPE_CHECKING:
    from sessions.importers.base import Report
    from sessions.importers.memories import Remembered
    from sessions.importers.proposing import Proposed


def memories(args: argparse.Namespace, paths: HomePaths) -> int:
    """Proposes what is new; nothing of it is known to the agent before the person accepts it."""
    from sessions.importers.base import Report
    from sessions.importers.proposing import Proposing, short
    from sessions.memory.secrets import without_secrets
    from sessions.memory.store import FactStore

    clock = from_environment()
    proposing = Proposing(paths, FactStore(paths, clock), clock)
    report = Report()
    found = _instructions(args.path) if args.format == "instructions" else _memories(args, paths, report)
    if not found and not report.bad and args.only is None and args.format != "instructions":
        return 0
    if args.dry_run:
        fresh = proposing.fresh(found)
        if args.json:
            rows = [{"path": str(one.path), "summary": without_secrets(one.summary), "kind": one.kind} for one in fresh]
            say_json(rows)
        else:
            say_rows([(one.group, one.kind, short(without_secrets(one.summary))) for one in fresh])
            tell(f"{counted(len(fresh), 'fact')} would wait for your review")
            unread(report)
        return 0
    done = proposing.propose(found)
    if args.json:
        bad = [{"file": file, "line": line, "why": why} for file, line, why in report.bad]
        say_json(as_json(done) | ({"bad": bad} if bad else {}))
    else:
        told(done)
        unread(report)
    return 0


def _memories(args: argparse.Namespace, paths: HomePaths, report: Report) -> list[Remembered]:
    from sessions.importers.claude_places import ClaudePlaces, is_of_project
    from sessions.importers.memories import memories, of_folder
    from sessions.importers.passing import roots
    from sessions.importers.registry import reader
    from sessions.store.catalog import Catalog

    one, here = reader(args.format), Path.cwd()
    if args.format != "claude-code":
        raise UsageError(f"{one.name} keeps no memory of its own", "Use: import instructions, for AGENTS.md")
    kept = Catalog(paths, from_environment()).list()
    if args.path is None:
        return list(memories(one, roots(args.format), report, kept, here))
    folder = Path(args.path).expanduser().absolute()
    if not folder.is_dir():
        raise UsageError(f"There is no folder {args.path}", "Name a memory folder, or that of Claude Code")
    if is_of_project(folder):
        cwd = ClaudePlaces(one, folder.parent.parent.parent, kept, here).of(folder.parent.name)
        return list(of_folder(folder, cwd, str(here), report))
    return list(memories(one, [folder], report, kept, here)) or list(of_folder(folder, here=str(here), report=report))


def _instructions(path: str | None) -> list[Remembered]:
    from sessions.importers.instructions import bullets, of_folder

    user = Path.home()
    named = Path(path).expanduser().absolute() if path else Path.cwd()
    if named.is_file():
        return list(bullets(named, own=False, folder=named.parent, user=user))
    if not named.is_dir():
        raise UsageError(f"There is no file or folder {path}", "Name CLAUDE.md, AGENTS.md, or a project's folder")
    found = of_folder(named, user, os.environ)
    if not found:
        raise UsageError(f"There are no instructions for {named}", "Looked for bullets in CLAUDE.md and AGENTS.md")
    return found


def unread(report: Report) -> None:
    """Say which files could not be read."""
    for file, _, why in report.bad:
        tell(f"{file}: {why}")


def as_json(done: Proposed) -> dict[str, Any]:
    """What came of what is remembered there."""
    return {
        "facts": dict(sorted(done.statuses.items())),
        "refused": [{"path": path, "summary": text, "why": why} for path, text, why in done.refused],
    }


def told(done: Proposed) -> None:
    """Say it."""
    say(facts_came(done))
    for text in refused(done):
        tell(text)
