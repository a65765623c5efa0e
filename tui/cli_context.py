"""`memagent-tui context`: what an agent should know here, as text for its hooks."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from tui.cli_output import say, say_json, tell

if TYPE_CHECKING:
    import argparse


def run(args: argparse.Namespace) -> int:
    """Prints the facts that are always sent and the table of contents, as in this folder, and how many facts wait for
    review; nothing with memory off. Other agents wait for it whenever they begin, so it loads what it needs only."""
    from sessions.lending.quick import Said
    from sessions.paths import resolve_home

    paths, folder = resolve_home(args.home), Path(args.folder) if args.folder else Path.cwd()
    last = Said(paths, folder, os.environ)
    text = None if args.json else last.get()
    if text is None:
        from sessions.lending.context import context

        found = context(paths, folder, os.environ, last.folders)
        if found.off:
            tell("Memory is off: nothing is sent. memagent-tui config set memory.mode on")
        if args.json:
            say_json({"always_sent": found.always_sent, "contents": found.contents, "to_review": found.waiting})
            return 0
        text = found.text()
        if not found.off:
            last.keep(text)
    if text:
        say(text)
    return 0
