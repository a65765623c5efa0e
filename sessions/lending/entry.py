"""What other agents get to know of us: how our server is started, the hook, and when to use the tools."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

from sessions.errors import UsageError
from sessions.paths import HomePaths, resolve_home

NAME = "memagent"
"""Of our server, in the settings of every client."""
PROGRAM = "memagent-tui"
WHEN = """\
The user keeps one memory for all their agents; the MCP server memagent lends it to you.
Call recall_memory when they refer to the past, and before you assume a preference, convention, person or decision.
Call search_history for what was said before, to you or another agent.
Offer with save_memory what they say of themselves or their work and will matter in a month: it waits for their yes."""
_RULE = f"""\
---
description: When to use the user's own memory
alwaysApply: true
---

{WHEN}
"""
_HOOK_S = 10
"""Seconds that the start of a session waits for the hook, at most."""
_OPTIONS = {"--home", "--folder"}
_LIKE_OURS = re.compile(rf"{PROGRAM}[\"']?\s+context\b")


def program() -> str:
    """The absolute path of this program as it was called; links are kept, so that an update finds its way.

    Raises UsageError when it is not installed as a program.
    """
    called = Path(sys.argv[0])
    beside = Path(sys.executable).with_name(PROGRAM)
    named = [called.absolute()] if called.name.startswith(PROGRAM) else []
    found = shutil.which(PROGRAM)
    for path in (*named, beside, *([Path(found).absolute()] if found else [])):
        if path.is_file():
            return str(path)
    raise UsageError(f"{PROGRAM} is not installed as a program", "Install it with pip, pipx or uv, and call that one")


def server(command: str, paths: HomePaths, folder: Path | None) -> dict[str, Any]:
    """`{"command": …, "args": […]}` for the client to start us; the folder counts where the client tells none."""
    home = [] if paths == usual_home() else ["--home", str(paths.root)]
    return {"command": command, "args": ["mcp", *home, *(["--folder", str(folder)] if folder else [])]}


def hook(command: str, paths: HomePaths) -> dict[str, Any]:
    """What runs when a session of Claude Code starts, goes on, was cleared or put in short: its stdout is context."""
    home = [] if paths == usual_home() else ["--home", _quoted(str(paths.root))]
    return _hook(" ".join([_quoted(command), "context", *home]))


def _hook(command: str) -> dict[str, Any]:
    run = {"type": "command", "command": command, "timeout": _HOOK_S}
    return {"matcher": "startup|resume|clear|compact", "hooks": [run]}


def rule() -> str:
    """A rule file of Cursor."""
    return _RULE


def made_server(value: Any) -> bool:
    """Whether an entry is one that we wrote, of whatever place and home, and not changed since."""
    if not isinstance(value, dict) or not value.keys() <= {"type", "command", "args"}:
        return False
    command, args = value.get("command"), value.get("args")
    if not isinstance(command, str) or not isinstance(args, list) or value.get("type", "stdio") != "stdio":
        return False
    options = args[1::2]
    return (
        Path(command).name.startswith(PROGRAM)
        and all(isinstance(a, str) for a in args)
        and args[:1] == ["mcp"]
        and len(args) % 2 == 1
        and set(options) <= _OPTIONS
        and len(options) == len(set(options))
    )


def made_hook(value: Any) -> bool:
    """The same of a hook."""
    if not isinstance(value, dict) or not isinstance(value.get("hooks"), list) or len(value["hooks"]) != 1:
        return False
    run = value["hooks"][0]
    return runs_us(run) and value == _hook(run["command"])


def runs_us(run: Any) -> bool:
    """Whether a command of a hook runs our `context` and does nothing else: one that we can have written."""
    words = words_of(run["command"]) if may_run_us(run) else []
    ours = [*words[:1], "context", *(["--home", words[3]] if len(words) == 4 else [])]
    return words == ours and Path(words[0]).name.startswith(PROGRAM)


def may_run_us(run: Any) -> bool:
    """Whether a command of a hook runs our `context`, maybe among other things, or speaks of it."""
    return isinstance(run, dict) and isinstance(run.get("command"), str) and bool(_LIKE_OURS.search(run["command"]))


def words_of(command: str) -> list[str]:
    """The words of a command line, the program first; none when it cannot be read as a shell reads it."""
    try:
        return shlex.split(command)
    except ValueError:
        return []


def usual_home() -> HomePaths:
    """The home of a program that is given neither option nor variable: a client may start us without our own."""
    return resolve_home(environ={})


def _quoted(word: str) -> str:
    return f'"{word}"' if not re.search(r'["$`\\!\n]', word) else shlex.quote(word)
