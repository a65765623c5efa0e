"""The program: parses the call, runs it, and turns every failure into a line and an exit code."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from sessions.paths import HomePaths


def main(argv: list[str] | None = None) -> int:
    """Exit code: 0 done, 1 failed, 2 usage, 130 interrupted. Argparse itself raises SystemExit."""
    words = sys.argv[1:] if argv is None else argv
    if words[:1] == ["context"] and (len(words) == 1 or (len(words) == 3 and words[1] == "--home")):
        # So it is called by hooks, and others wait for it: without the grammar it takes a third less.
        args: Any = SimpleNamespace(command="context", home=words[2] if words[2:] else None, folder=None, json=False)
    else:
        from tui.cli import parse

        args = parse(words)
    if getattr(args, "version", False):
        from importlib.metadata import version

        from tui.cli import PROGRAM

        print(f"{PROGRAM} {version(PROGRAM)}")
        return 0
    try:
        return _run(args)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of our output went away, as `head` does; nobody is left to be told.
        from tui.cli_output import silence

        silence()
        return 1
    except Exception as error:
        return _failed(error, args.home, private=getattr(args, "private", False))


def _run(args: argparse.Namespace) -> int:
    match args.command:
        case None:
            from tui.start import run_workbench

            return run_workbench(args)
        case "ask":
            from tui.cli_ask import run
        case "sessions":
            from tui.cli_sessions import run
        case "facts":
            from tui.cli_facts import run
        case "review":
            from tui.cli_review import run
        case "context":
            from tui.cli_context import run
        case "import":
            from tui.cli_import import run
        case "mcp":
            from tui.cli_mcp import run
        case "connect":
            from tui.cli_connect import run
        case "config":
            from tui.cli_config import run
        case "doctor":
            from tui.cli_doctor import run
        case _:
            from tui.cli_index import run
    return run(args)


def _failed(error: Exception, home: str | None, *, private: bool) -> int:
    from sessions.errors import MemagentError, UsageError
    from sessions.paths import resolve_home
    from tui.cli_output import complain

    if isinstance(error, MemagentError):
        complain(str(error))
        return 2 if isinstance(error, UsageError) else 1
    # What went wrong may hold what was said.
    where = "" if private else f". The details are in {log_traceback(resolve_home(home), error)}"
    complain(f"{type(error).__name__}: {error}{where}")
    return 1


def log_traceback(paths: HomePaths, error: BaseException) -> str:
    """Append the traceback to the home's log file; gives where it went."""
    import tempfile
    import traceback
    from datetime import UTC, datetime
    from pathlib import Path

    text = "".join(traceback.format_exception(error))
    for file in (paths.log_file, Path(tempfile.gettempdir()) / "memagent.log"):
        try:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with file.open("a", encoding="utf-8", errors="backslashreplace") as out:
                out.write(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}\n{text}\n")
            return str(file)
        except OSError:
            continue
    return "no file: neither the home nor the temporary folder can be written"


if __name__ == "__main__":
    sys.exit(main())
