"""`memagent-tui import …`"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sessions.clock import from_environment, parse_iso
from sessions.errors import UsageError
from sessions.importers.registry import EXPORTS
from sessions.paths import HomePaths, make_home, resolve_home
from tui import import_report as report
from tui.cli_output import safe, say, say_json, say_rows, tell
from tui.widgets.when import size_told

if TYPE_CHECKING:
    from sessions.importers.base import Reader, Source
    from sessions.importers.passing import Step, Tally
    from sessions.importers.taking import Taking

_SHOWN = 20
"""Lines that could not be read are named up to here."""


def run(args: argparse.Namespace) -> int:
    """Takes over what an agent's files hold and this home does not; the files are only read."""
    paths = resolve_home(args.home)
    make_home(paths)
    if args.format in EXPORTS:
        from tui.cli_exports import exports

        return exports(args, paths)
    if args.format == "instructions" or args.only == "memory" or (args.only is None and _is_memory(args)):
        from tui.cli_memories import memories

        return memories(args, paths)
    failed = _sessions(args, paths)
    if args.only is None and args.path is None and args.format == "claude-code" and not args.json:
        from tui.cli_memories import memories

        failed |= memories(args, paths)
    return failed


def _is_memory(args: argparse.Namespace) -> bool:
    """Whether the folder that was named is a memory folder, such as `facts export` writes, with no sessions in it."""
    if args.format != "claude-code" or args.path is None:
        return False
    folder = Path(args.path).expanduser()
    return (folder / "MEMORY.md").is_file() and next(folder.rglob("*.jsonl"), None) is None


def _sessions(args: argparse.Namespace, paths: HomePaths) -> int:
    from sessions.importers.passing import due, take_all
    from sessions.importers.taking import Taking

    taking = Taking(paths, from_environment())
    sources = _sources(args.format, args.path)
    waiting = due(taking, sources)
    if args.dry_run:
        return _preview(args, taking, waiting, sources)
    shows = sys.stderr.isatty() and not args.json
    tally = take_all(taking, waiting, progress=_progress if shows else None)
    if shows:
        sys.stderr.write("\r\x1b[K")
    deleted = sum(taking.deleted(source) for _, source in sources)
    tally.statuses["deleted"] += deleted
    tally.statuses["same"] += len(sources) - len(waiting) - deleted
    if args.json:
        say_json(as_json(tally))
    else:
        told(tally)
    return 1 if tally.failed else 0


def _sources(kind: str, path: str | None) -> list[tuple[Reader, Source]]:
    from sessions.importers.passing import found, roots
    from sessions.importers.registry import reader

    one = reader(kind)
    if path is None:
        if not roots(kind):
            raise UsageError(f"There are no files of {one.name} on this machine", "Name a file or a folder of it")
        return found((kind,))
    named = Path(path).expanduser()
    if named.is_dir():
        # A folder as the agent has it, or any other with its files in it.
        inside = [*one.find([named])] or [s for p in sorted(named.rglob("*.jsonl*")) if (s := one.at(p)) is not None]
        if not inside:
            more = "; for a folder of memories say --only memory" if kind == "claude-code" else ""
            raise UsageError(f"There are no sessions of {one.name} in {path}", f"Name a file or a folder of it{more}")
        return [(one, source) for source in inside]
    if not named.exists():
        raise UsageError(f"There is no file {path}", "Name a session's file, or the folder in which they are")
    source = one.at(named)
    if source is None:
        raise UsageError(f"{path} is no session of {one.name}", "Name a session's file, or the folder they are in")
    return [(one, source)]


def _preview(
    args: argparse.Namespace, taking: Taking, due: list[tuple[Reader, Source]], all_: list[tuple[Reader, Source]]
) -> int:
    from sessions.importers.passing import head_of

    heads = [(source, head_of(one, source)) for one, source in due]
    if args.json:
        say_json(
            [
                {
                    "path": str(source.path),
                    "uuid": source.uuid,
                    "bytes": source.size,
                    "title": head.title,
                    "cwd": head.cwd,
                    "at": head.at,
                    "new": taking.ledger.entry(source.kind, source.uuid) is None,
                }
                for source, head in heads
            ]
        )
        return 0
    say_rows(
        [(day(head.at), size_told(source.size), head.title or "untitled", head.cwd) for source, head in heads], (1,)
    )
    deleted = sum(taking.deleted(source) for _, source in all_)
    tell(report.would_come(len(due), len(all_) - len(due), deleted))
    return 0


def _progress(step: Step) -> None:
    part = step.bytes_done / step.bytes_total if step.bytes_total else 1.0
    sys.stderr.write(f"\r\x1b[K{part:4.0%}  {step.done + 1:,} of {step.total:,}  {safe(step.source.path.name)}")
    sys.stderr.flush()


def as_json(tally: Tally) -> dict[str, Any]:
    """What came of a pass."""
    return {
        "sessions": {status: n for status, n in sorted(tally.statuses.items()) if n},
        "changed": tally.sessions,
        "messages": tally.messages,
        "bad_lines": tally.bad_lines,
        "bad": [{"file": file, "line": line, "why": why} for file, line, why in tally.bad],
        "failed": [{"path": path, "why": why} for path, why in tally.failed],
    }


def told(tally: Tally) -> None:
    """Say what came of a pass, and what could not be read."""
    say(report.sessions_came(tally))
    unread(tally.bad, tally.bad_lines)
    for text in report.failed(tally):
        tell(text)


def unread(bad: list[tuple[str, int, str]], count: int) -> None:
    """Say which lines could not be read, the first ones, and how many there are."""
    for text in [*report.unread(bad[:_SHOWN]), *report.in_all(count, min(_SHOWN, len(bad)))]:
        tell(text)


def day(at: str) -> str:
    """A time of a log as people read it; empty for none."""
    when = parse_iso(at)
    return f"{when.astimezone():%Y-%m-%d %H:%M}" if when else ""
