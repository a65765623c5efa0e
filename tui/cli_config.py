"""`memagent-tui config …`"""

from __future__ import annotations

import argparse
import json
import os

from sessions.paths import resolve_home
from tui.cli_output import say, say_json, tell


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
            for problem in settings.problems:
                where = f"{paths.config}, line {problem.line}: " if problem.line else ""
                tell(f"{where}{problem.key} {problem.text}")
        case _:
            set_value(paths.config, args.key, args.value)
            tell(f"{args.key} is set in {paths.config}")
    return 0
