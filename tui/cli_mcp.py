"""`memagent-tui mcp`: the memory as an MCP server for other agents, over stdin and stdout."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from sessions.errors import UsageError
from tui.cli_output import tell


def run(args: argparse.Namespace) -> int:
    """Serves one client until it closes its end; stdout belongs to the protocol."""
    from importlib.metadata import version

    if sys.stdin is None or sys.stdout is None:
        raise UsageError("stdin or stdout is closed, and over them a client is served", "memagent-tui connect --help")
    try:
        from sessions.lending.server import holds_everything, serve
    except ModuleNotFoundError as e:
        if (e.name or "").partition(".")[0] not in {"mcp", "mcp_types"}:
            raise
        raise UsageError(
            "The package mcp is not installed", "python3 -m pip install 'memagent-tui[mcp]' in this environment"
        ) from None
    from sessions.home import Home

    folder = Path(args.folder).expanduser().absolute() if args.folder else None
    if folder is not None and holds_everything(folder):
        tell(f"{folder} is your home folder or above it: only your own facts are lent, of no folder")
    home = Home(args.home)
    try:
        asyncio.run(serve(home, folder=folder, all_folders=args.all_folders, version=version("memagent-tui")))
    finally:
        home.close()
    return 0
