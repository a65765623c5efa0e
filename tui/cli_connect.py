"""`memagent-tui connect …`: the memory registered with another agent."""

from __future__ import annotations

import argparse
import os
from importlib.util import find_spec
from pathlib import Path

from sessions.lending import entry
from sessions.lending.connect import carry_out, connecting, sweep, undoing
from sessions.lending.diff import diff
from sessions.lending.made import Record
from sessions.lending.places import CLIENTS, Machine, places
from sessions.paths import make_home, resolve_home
from tui.cli_output import agreed, say, say_json, tell


def run(args: argparse.Namespace) -> int:
    """Shows what changes in which file, asks, writes. Exit code 1 when something that was to be undone stays."""
    paths = resolve_home(args.home)
    machine = Machine(Path.home(), os.environ)
    folder = Path.cwd() if args.folder else None
    record = Record(paths)
    wanted = places(args.client, machine, folder, entry.program(), paths)
    if not args.print:
        sweep(wanted, record)
    plan = undoing(wanted, record, edited=args.yes) if args.undo else connecting(wanted, record)
    if args.json and args.print:
        say_json([_json(change.path, diff(change)) for change in plan.changes])
    else:
        for change in plan.changes:
            say("\n".join(diff(change)))
    for text in plan.kept:
        tell(f"{text}; --undo --yes takes it out, too" if args.undo else text)
    left = int(args.undo and bool(plan.kept))
    name = CLIENTS[args.client]
    if not plan.changes:
        tell(_nothing(args, name, left))
        return left
    if args.print:
        return 0
    count = len(plan.changes)
    if not agreed(f"Write {'this file' if count == 1 else f'these {count} files'}?", args.yes):
        tell("Nothing was written")
        return 1
    known = machine.has(args.client)
    if not args.undo:
        make_home(paths)
    carry_out(plan, record, private=folder is None)
    _told(args, known)
    return left


def _json(path: Path, lines: list[str]) -> dict[str, object]:
    return {"file": str(path), "diff": lines}


def _nothing(args: argparse.Namespace, name: str, left: int) -> str:
    where = "in this folder" if args.folder else "in your own settings"
    if args.undo:
        return "Nothing was changed" if left else f"There is nothing of ours {where} of {name}: nothing to take back"
    return f"{name} is connected already {where}: nothing to change"


def _told(args: argparse.Namespace, known: bool) -> None:
    """What was done, and what the person has to do."""
    name = CLIENTS[args.client]
    if args.undo:
        tell(f"Taken back. Restart {name} when it is running.")
        return
    tell(f"{name} is connected. Restart it when it is running; memagent-tui doctor then says when it called last.")
    if args.folder:
        tell(_folder_words(args.client))
    if not known:
        tell(f"There is no sign of {name} on this machine yet; it finds this when it comes.")
    if find_spec("mcp") is None:
        tell("The package mcp is missing: python3 -m pip install 'memagent-tui[mcp]' in this environment.")
    undo = f"memagent-tui connect {args.client}{' --folder' if args.folder else ''} --undo"
    tell(f"{undo} takes it back.")


def _folder_words(client: str) -> str:
    asked = {
        "claude-code": "Claude Code asks once whether it may use the server of this folder.",
        "codex": "Codex reads the settings of folders that it trusts only.",
        "cursor": "Cursor may ask whether to use the server of this folder.",
    }
    return f"{asked[client]} These files hold a path of this machine: think before you share them."
