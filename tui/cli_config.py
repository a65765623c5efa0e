"""`memagent-tui config …`"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from sessions.errors import StoreError, UsageError
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
            from sessions.hub.spending import Spending, has_price

            if any(map(has_price, settings.profiles.values())):
                from sessions.home import Home

                spent = Spending(Home(paths)).today()
                tell(f"spent today: {spent}{spent.source}")
            tell(f"keys.ACTION: {', '.join(actions())}")
            for problem in settings.problems:
                where = f"{paths.config}, line {problem.line}: " if problem.line else ""
                tell(f"{where}{problem.key} {problem.text}")
            for text in Keymap(settings.keys).problems:
                tell(text)
        case "key":
            _key(paths.config, args.profile, delete=args.delete)
        case _:
            _check_keys(load(paths.config, {}, {}).keys, args.key, args.value)
            set_value(paths.config, args.key, args.value)
            tell(f"{args.key} is set in {paths.config}")
    return 0


def _key(config: Path, name: str, *, delete: bool) -> None:
    """Keep a key, or take it out. Raises UsageError for a profile that is not there or an empty key, ProviderError
    where the keyring cannot be used."""
    from sessions.providers import keys
    from sessions.settings_file import load, set_value, unset

    known = [profile.name for profile in load(config, os.environ).profiles.values() if profile.type == "openai"]
    if name not in known:
        there = (
            f"There are: {', '.join(known)}"
            if known
            else f"First: memagent-tui config set profiles.{name}.base_url URL"
        )
        raise UsageError(f"There is no profile {name!r} that takes a key", there)
    if delete:
        gone = keys.drop(name)
        unset(config, f"profiles.{name}.api_key")
        tell(f"the key of {name} is out of the keyring" if gone else f"the keyring had no key for {name}")
        return
    if why := keys.usable():
        raise StoreError(why.rstrip("."))
    if sys.stdin.isatty():
        from getpass import getpass

        key = getpass(f"Key for {name} (it is not shown): ").strip()
    else:
        key = sys.stdin.readline().strip()
    if not key or not key.isprintable() or not key.isascii():
        raise UsageError("That is no key", "It is one line of ASCII letters; nothing was changed")
    keys.keep(name, key)
    set_value(config, f"profiles.{name}.api_key", "keyring")
    unset(config, f"profiles.{name}.api_key_env")
    tell(f"kept in the keyring; the profile {name} takes it from there")


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
