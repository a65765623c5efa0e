"""`memagent-tui doctor`: what is well, what is not, what to do."""

from __future__ import annotations

import argparse
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from sessions.clock import from_environment
from sessions.errors import MemagentError, StoreError
from sessions.paths import HomePaths, make_home, resolve_home
from sessions.settings import Settings
from tui.cli_output import say, say_json
from tui.commands import Keymap
from tui.widgets.when import counted


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    state: Literal["ok", "warning", "failed"]
    what: str
    says: str
    do: str = ""
    """What helps, when something is not well."""


MISSING_MCP = "python3 -m pip install 'memagent-tui[mcp]'"
_MARKS = {"ok": "✓", "warning": "!", "failed": "✗"}


def run(args: argparse.Namespace) -> int:
    """Exit code 1 when something failed; warnings are no failure."""
    findings = list(examine(resolve_home(args.home)))
    if args.json:
        say_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            say(f"{_MARKS[finding.state]} {finding.what}: {finding.says}")
            if finding.do:
                say(f"    {finding.do}")
    return int(any(finding.state == "failed" for finding in findings))


def examine(paths: HomePaths) -> Iterator[Finding]:
    """Looks at everything; nothing but the home's own folders is made."""
    try:
        make_home(paths)
    except MemagentError as error:
        yield Finding("failed", "home", error.message, error.advice)
        return
    yield Finding("ok", "home", str(paths.root))
    yield from _permissions(paths)
    from sessions.settings_file import load

    settings = load(paths.config, os.environ, {})
    yield from _settings(settings, paths)
    from tui.cli_doctor_model import model

    looks: dict[str, Callable[[], Iterator[Finding]]] = {
        "model": lambda: model(settings),
        "spending": lambda: _spending(paths),
        "sessions": lambda: _sessions(paths),
        "facts": lambda: _facts(paths),
        "journal": lambda: _journal(paths),
        "index": lambda: _index(paths),
        "agents": lambda: _agents(paths),
        "mcp": lambda: _servers(settings, paths),
    }
    for what, look in looks.items():
        try:
            yield from look()
        except Exception as error:  # one fault must not hide the others
            words = error.message if isinstance(error, MemagentError) else f"{type(error).__name__}: {error}"
            yield Finding("failed", what, words, error.advice if isinstance(error, MemagentError) else "")


def _permissions(paths: HomePaths) -> Iterator[Finding]:
    loose = [p for p in (paths.root, paths.sessions, paths.memory, paths.local, paths.config) if _loose(p)]
    if loose:
        names = " ".join(str(path) for path in loose)
        yield Finding("warning", "permissions", f"others can read {names}", f"chmod go-rwx {names}")
    else:
        yield Finding("ok", "permissions", "only you can read the home")


def _loose(path: Path) -> bool:
    try:
        return bool(path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))
    except OSError:
        return False


def _settings(settings: Settings, paths: HomePaths) -> Iterator[Finding]:
    for problem in settings.problems:
        line = f", line {problem.line}" if problem.line else ""
        way = f"Change it in {paths.config}"
        if problem.key in os.environ:
            way = f"Change the environment variable {problem.key}, or unset it"
        yield Finding("failed", "settings", f"{problem.key}{line}: {problem.text}", way)
    keys = Keymap(settings.keys).problems
    for text in keys:
        yield Finding("failed", "settings", text, f"Change it in {paths.config}")
    if not settings.problems and not keys:
        yield Finding("ok", "settings", str(paths.config) if paths.config.exists() else "none, the defaults hold")


def _spending(paths: HomePaths) -> Iterator[Finding]:
    """Only where a profile has a price."""
    from sessions.home import Home
    from sessions.hub.spending import Spending, money

    home = Home(paths)
    spending, limit = Spending(home), home.settings.agent.spend_limit
    if limit is not None and not spending.priced:
        do = "memagent-tui config set profiles.NAME.price_in USD, and price_out: per million tokens"
        yield Finding("warning", "spending", "spend_limit is set, and no profile has a price", do)
    elif spending.priced:
        spent = spending.today()
        over = limit is not None and spent.usd + spent.guess >= limit
        do = "Until midnight nothing is sent to a profile with a price, unless you raise agent.spend_limit"
        most = f" of {money(limit)}" if limit is not None else ""
        yield Finding("warning" if over else "ok", "spending", f"{spent}{most} today{spent.source}", do if over else "")


def _sessions(paths: HomePaths) -> Iterator[Finding]:
    from sessions.store.log import read_log

    logs, bad = sorted(paths.sessions.glob("*.jsonl")), 0
    for path in logs:
        if not path.is_file():
            bad += 1
            yield Finding("warning", "session", f"{path.name}: it is no file", "It is skipped; take it away")
            continue
        try:
            problems = read_log(path).problems
        except StoreError as error:
            bad += 1
            yield Finding("warning", "session", f"{path.name}: {error.message}", "It is skipped")
            continue
        bad += bool(problems)
        if problems:
            lines = _lines([p.line for p in problems])
            yield Finding("warning", "session", f"{path.name}: {lines} cannot be read: left out")
    yield Finding("ok", "sessions", f"{counted(len(logs), 'log')}, {len(logs) - bad} without a fault")


def _facts(paths: HomePaths) -> Iterator[Finding]:
    from sessions.memory.store import FactStore

    snapshot = FactStore(paths, from_environment()).snapshot()
    for broken in snapshot.broken:
        yield Finding("warning", "fact", f"{broken.path}: {broken.why}", "Correct the file; nothing else is touched")
    yield Finding("ok", "facts", counted(len(snapshot.facts), "fact"))


def _journal(paths: HomePaths) -> Iterator[Finding]:
    """Every line of a journal must be readable, or a change can be neither shown nor undone."""
    from sessions.memory.journal import lost

    if gone := lost(paths):
        yield Finding("warning", "journal", gone, "Bring it back from a copy; what is written from now on is kept")
    lines = 0
    for file in sorted(paths.journal.glob("*.jsonl")):
        bad = []
        if not file.is_file():
            yield Finding("warning", "journal", f"{file}: it is no file", "It is skipped; take it away")
            continue
        try:
            for number, line in enumerate(file.read_bytes().split(b"\n"), 1):
                if line.strip():
                    lines += 1
                    bad += [] if _is_change(line) else [number]
        except OSError as error:
            yield Finding("warning", "journal", f"{file}: cannot be read: {error.strerror}")
            continue
        if bad:
            yield Finding("warning", "journal", f"{file}: {_lines(bad)} cannot be read", "What they say is not undone")
    yield Finding("ok", "journal", counted(lines, "change"))


def _lines(numbers: Sequence[int]) -> str:
    """`line 3`, `lines 3, 5`; of many the first."""
    some = ", ".join(map(str, numbers[:5]))
    return f"line{'s' if len(numbers) > 1 else ''} {some}{' …' if len(numbers) > 5 else ''}"


def _is_change(line: bytes) -> bool:
    from sessions.memory.entries import readable

    return readable(line)


def _index(paths: HomePaths) -> Iterator[Finding]:
    from sessions.home import Home

    home = Home(paths)
    try:
        home.index.catch_up()
        ranker, left = home.index.ranking()
        problem = home.index.questions.take_problem()
    except Exception as error:
        yield Finding("failed", "index", f"{type(error).__name__}: {error}", "memagent-tui index rebuild")
        return
    finally:
        home.close()
    yield Finding("ok", "index", "up to date")
    waiting = f", {counted(left, 'message has', 'messages have')} no vectors yet" if left else ""
    if problem:
        yield Finding("warning", "search", problem, "Start that server, or memagent-tui config set memory.embedder off")
    else:
        yield Finding("ok", "search", f"{ranker}{waiting}")


def _servers(settings: Settings, paths: HomePaths) -> Iterator[Finding]:
    """Each MCP server of the settings is started, looked at and ended."""
    if not settings.mcp_servers:
        return
    import asyncio

    from sessions.agent.approval import allowed
    from sessions.hub.servers import examined, log_of

    for server in asyncio.run(examined(settings, paths)):
        what = f"mcp {server.name}"
        if server.state == "failed":
            log = log_of(paths, server.name)
            wrote = f"; what it wrote is in {log}" if log.is_file() and not server.config.url else ""
            way = f"Correct [mcp.servers.{server.name}] in {paths.config}{wrote}"
            yield Finding("failed", what, server.why, MISSING_MCP if MISSING_MCP in server.why else way)
            continue
        ask = [tool for tool in server.tools if tool.asks]
        free = sum(allowed(settings.approvals, tool.name) == "always" for tool in ask)
        tools = f"{counted(len(server.tools), 'tool')}, {len(ask) - free} of them ask first"
        tools += f", {free} never by approvals.always" if free else ""
        yield Finding("ok", what, f"starts; {tools}; {server.config.place}")
        for remark in server.remarks:
            yield Finding("warning", what, remark, "Made harmless; tell who made the server")


def _agents(paths: HomePaths) -> Iterator[Finding]:
    """The other agents on this machine."""
    from sessions.lending.calls import Calls
    from sessions.lending.places import CLIENTS, Machine
    from sessions.lending.standing import missing_package, standings

    for standing in standings(paths, Machine(Path.home(), os.environ), Path.cwd(), Calls(paths, from_environment())):
        name, called = CLIENTS[standing.client], f"last call {standing.last}" if standing.last else "no call yet"
        for text, way in standing.wrong:
            yield Finding("warning", standing.client, text, way)
        if not standing.registered:
            do = f"memagent-tui connect {standing.client} lends it this memory"
            yield Finding("ok", standing.client, f"{name} is on this machine, not connected; {called}", do)
            continue
        where = " and ".join(str(path) for path in standing.registered)
        if missing_package():
            install = f"{MISSING_MCP} in this environment"
            yield Finding("warning", standing.client, "the package mcp is not installed", install)
        yield Finding("ok", standing.client, f"registered in {where}; {called}")
