"""`memagent-tui context`: what an agent should know here, as text for its hooks."""

from __future__ import annotations

import argparse
from pathlib import Path

from tui.cli_output import say, say_json, tell


def run(args: argparse.Namespace) -> int:
    """Prints the facts that are always sent and the table of contents, as in this folder; nothing with memory off."""
    from sessions.home import Home

    home = Home(args.home)
    folder = Path(args.folder) if args.folder else Path.cwd()
    if home.settings.memory.mode == "off":
        tell("Memory is off: nothing is sent. memagent-tui config set memory.mode on")
    always, contents = home.memory.prompt(folder), home.memory.contents(folder)
    if args.json:
        say_json({"always_sent": always, "contents": contents})
        return 0
    if contents:
        contents = f"Known facts, by number; memagent-tui facts show N tells more:\n{contents}"
    for text in filter(None, (always, contents)):
        say(text)
    return 0
