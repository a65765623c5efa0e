"""Opens the workbench: what must be known before the first paint, and nothing else."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sessions.errors import StoreError, UsageError
from sessions.paths import HomePaths, make_home, resolve_home
from sessions.settings import MemoryMode, Settings


@dataclass(frozen=True, slots=True)
class StartOptions:
    """What the command line asked for."""

    cwd: Path
    home: str | None = None
    """As `--home` named it."""
    overrides: Mapping[str, str] = field(default_factory=dict)
    """Settings that the command line gave."""
    profile: str | None = None
    model: str | None = None
    memory: MemoryMode | None = None
    private: bool = False
    resume: str | None = None
    """A session's id; `newest` = the newest of this folder, else the newest; None = a new session."""


def run_workbench(args: argparse.Namespace) -> int:
    """Runs until the person quits; the exit code."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("The workbench needs a terminal", 'Without one: memagent-tui ask "TEXT"')
    from sessions.settings_file import load

    paths = resolve_home(args.home)
    make_home(paths)
    if args.private and (args.resume or args.resume_newest):
        raise UsageError("--private begins a new session", "Leave out --resume and --continue")
    if args.resume:
        args.resume = _session(paths, args.resume)
    overrides = {"agent.profile": args.profile} if args.profile else {}
    settings = load(paths.config, os.environ, overrides)
    return open_app(paths, settings, options_of(args, settings, overrides))


def _session(paths: HomePaths, ref: str) -> str:
    """The id of the session to take up, of which `ref` may be the beginning. Raises StoreError."""
    from sessions.clock import from_environment
    from sessions.store.catalog import Catalog
    from tui.cli_sessions import find

    try:
        return find(Catalog(paths, from_environment()), ref).id
    except UsageError as error:
        raise StoreError(error.message, f"{error.advice}; without --resume a new one begins") from None


def options_of(args: argparse.Namespace, settings: Settings, overrides: Mapping[str, str]) -> StartOptions:
    """The start options; `agent.start` in the settings decides when none was given."""
    resume = args.resume or ("newest" if args.resume_newest else None)
    if resume is None and not args.new and not args.private and settings.agent.start == "resume":
        resume = "newest"
    return StartOptions(Path.cwd(), args.home, overrides, args.profile, args.model, args.memory, args.private, resume)


def open_app(paths: HomePaths, settings: Settings, options: StartOptions) -> int:
    """The app in this terminal."""
    from sessions.clock import from_environment
    from tui.app import MemagentApp
    from tui.cli_output import silence

    app = MemagentApp(paths, settings, options, from_environment())
    code = app.run()
    if app.has_hung_up:
        silence(errors=True)
    if app.failure is not None:
        raise app.failure
    return code or 0
