"""`memagent-tui index …`"""

from __future__ import annotations

import argparse

from sessions.clock import from_environment
from sessions.paths import make_home, resolve_home
from tui.cli_output import tell
from tui.widgets.when import counted


def run(args: argparse.Namespace) -> int:
    """Throws the index away and makes it again from the logs; the logs are only read."""
    from sessions.store.index import Index

    paths = resolve_home(args.home)
    make_home(paths)
    for file in paths.local.glob("index-*.sqlite*"):
        file.unlink(missing_ok=True)
    index = Index(paths, from_environment())
    try:
        index.catch_up()
    finally:
        index.close()
    logs = counted(sum(1 for _ in paths.sessions.glob("*.jsonl")), "session")
    tell(f"The index in {paths.local} is made anew from {logs}")
    return 0
