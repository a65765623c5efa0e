"""`memagent-tui config …`"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping

from sessions.errors import UsageError
from sessions.paths import resolve_home
from tui.cli_output import say, say_json, tell
from tui.commands import Keymap, actions


def run(args: argparse.Namespace) -> int:
    from sessions.settings_file import load, set_value, shown

    paths = resolve_home(args.home)
    match args.do:
        case "path":
            say(str(paths.config))
        case "show":
            settings = load(paths.config, os.environ, {})
            values = shown(settings)
            if args.json:
                say_json(values)
            else:
                for key, value in values.items():
                    say(f"{key} = {json.dumps(value, ensure_ascii=False, default=str)}")
            tell(f"keys.ACTION: {', '.join(actions())}")
            for problem in settings.problems:
                where = f"{paths.config}, line {problem.line}: " if problem.line else ""
                tell(f"{where}{problem.key} {problem.text}")
            for text in Keymap(settings.keys).problems:
                tell(text)
        case _:
            _check_keys(load(paths.config, {}, {}).keys, args.key, args.value)
            set_value(paths.config, args.key, args.value)
            tell(f"{args.key} is set in {paths.config}")
    return 0


def _check_keys(chosen: Mapping[str, tuple[str, ...]], key: str, text: str) -> None:
    """Raises UsageError for keys of an action that there is not, for what is no key, and for one that is taken."""
    table, _, action = key.partition(".")
    if table != "keys" or not action:
        return
    others = {name: keys for name, keys in chosen.items() if name != action}
    wanted = tuple(part.strip() for part in text.split(",") if part.strip())
    problem = next((p for p in Keymap(others | {action: wanted}).problems if p.startswith(f"{key}: ")), "")
    if problem:
        raise UsageError(problem)
