"""How each other agent on this machine stands to us: where we are registered, when it called, what is wrong."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

from sessions.clock import parse_iso
from sessions.errors import StoreError
from sessions.lending import entry
from sessions.lending.calls import Calls
from sessions.lending.connect import look
from sessions.lending.parts import JsonHook
from sessions.lending.places import CLIENTS, Machine, known_as, places
from sessions.paths import HomePaths, resolve_home

_ANSWER_S = 20.0


@dataclass(slots=True)
class Standing:
    """Of one client."""

    client: str
    registered: list[Path] = field(default_factory=list)
    """The files that name our server."""
    wrong: list[tuple[str, str]] = field(default_factory=list)
    """What is not well, and what to do."""
    last: str = ""
    """When it called last, and where, in words; empty when it never did."""


def standings(paths: HomePaths, machine: Machine, folder: Path, calls: Calls) -> Iterator[Standing]:
    """Of the clients that are on this machine; the folder's own settings count, too. Starts what is registered."""
    answers: dict[str, str] = {}

    def answer(command: str) -> str:
        if command not in answers:
            answers[command] = _trouble(command)
        return answers[command]

    for client in CLIENTS:
        if machine.has(client):
            standing = Standing(client, last=_last(client, calls))
            for where in (None, folder):
                _look(standing, paths, machine, where, answer)
            yield standing


def _look(
    standing: Standing, paths: HomePaths, machine: Machine, folder: Path | None, answer: Callable[[str], str]
) -> None:
    again = f"memagent-tui connect {standing.client}{' --folder' if folder else ''}"
    registered = False
    for i, place in enumerate(places(standing.client, machine, folder, "", paths)):
        try:
            found = look(place)
        except StoreError as e:
            if not i or registered:
                standing.wrong.append((e.message, e.advice.partition(";")[0]))
            continue
        if not i and found.state != "none":
            registered = True
            standing.registered.append(place.path)
            standing.wrong += _server(place.path, found.value, again, paths, answer)
            if isinstance(found.value, dict) and found.value.get("enabled") is False:
                standing.wrong.append((f"{place.path}: the server is switched off", "Take out enabled = false"))
        elif registered and found.state == "none":
            standing.wrong.append((f"{place.path}: {place.part.what} is missing", again))
        elif registered and isinstance(place.part, JsonHook) and found.state != "none":
            standing.wrong += _hook(place.path, found.value, again, paths, answer)


def _server(
    path: Path, value: Any, again: str, paths: HomePaths, answer: Callable[[str], str]
) -> Iterator[tuple[str, str]]:
    """What is wrong with an entry."""
    command, args = (value.get("command"), value.get("args")) if isinstance(value, dict) else (None, None)
    if not isinstance(command, str) or not Path(command).name.startswith(entry.PROGRAM):
        yield f"{path}: the entry {entry.NAME} starts something else", f"Take it out, then {again}"
        return
    if trouble := answer(command):
        yield f"{path}: {trouble}", again
    args = args if isinstance(args, list) else []
    named = next((str(b) for a, b in pairwise(args) if a == "--home"), None)
    yield from _other_home(path, named, again, paths)


def _hook(
    path: Path, value: Any, again: str, paths: HomePaths, answer: Callable[[str], str]
) -> Iterator[tuple[str, str]]:
    for run in value["hooks"]:
        if entry.runs_us(run):
            words = entry.words_of(run["command"])
            if words and (trouble := answer(words[0])):
                yield f"{path}: {trouble}", again
            named = words[words.index("--home") + 1] if "--home" in words[:-1] else None
            yield from _other_home(path, named, again, paths)


def _other_home(path: Path, named: str | None, again: str, paths: HomePaths) -> Iterator[tuple[str, str]]:
    lent = resolve_home(named, environ={})
    if lent != paths:
        yield f"{path}: it lends another home, {lent.root}", f"{again}, to lend {paths.root}"


def _trouble(command: str) -> str:
    """Why a program does not answer; empty when it does."""
    if not Path(command).is_file():
        return f"{command} is not there any more"
    try:
        done = subprocess.run(
            [command, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=_ANSWER_S, check=False
        )
    except subprocess.TimeoutExpired:
        return f"{command} does not answer within {_ANSWER_S:.0f} s"
    except OSError as e:
        return f"{command} cannot be started: {e.strerror or e}"
    answers = done.returncode == 0 and done.stdout.startswith(entry.PROGRAM.encode())
    return "" if answers else f"{command} does not answer to --version"


def missing_package() -> bool:
    """Whether the package is missing without which this program cannot be a server."""
    return find_spec("mcp") is None


def _last(client: str, calls: Calls) -> str:
    known = [(name, call) for name, call in calls.last().items() if known_as(name) == client]
    if not known:
        return ""
    call = known[-1][1]
    at = parse_iso(call.get("at", ""))
    where = f" in {call['folder']}" if call.get("folder") else ""
    return f"{at.astimezone():%Y-%m-%d %H:%M}{where}" if at else ""
