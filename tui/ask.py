"""`memagent-tui ask`: one turn without a screen. The answer goes to stdout as it comes, all else to stderr."""

from __future__ import annotations

import asyncio
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sessions.errors import LockedError, UsageError
from sessions.events import (
    ApprovalDecided,
    ApprovalRequested,
    Event,
    FactDeleted,
    FactProposed,
    FactWritten,
    Notice,
    Retrying,
    StepStarted,
    TextDelta,
    ToolCallFinished,
    TurnFailed,
    TurnFinished,
    as_json,
)
from sessions.settings import MemoryMode
from tui.cli_output import complain, json_text, safe, silence, tell

if TYPE_CHECKING:
    from sessions.home import Home
    from sessions.hub import SessionHub, SessionState

INTERRUPTED = 130
_PATIENCE_S = 10.0
"""MCP servers have so long to start: there is only this one turn for them."""
_QUIET_S = 2.0
"""After so long it is said what is waited for."""
_WHY = 300
"""Characters that are told of what went wrong in a call."""


@dataclass(frozen=True, slots=True)
class AskOptions:
    """The call, as the command line gave it."""

    text: str | None = None
    """None or `-` = stdin, which does not count as typed."""
    json: bool = False
    session: str | None = None
    """An id, or the beginning of only one."""
    continue_: bool = False
    fork: bool = False
    home: str | None = None
    profile: str | None = None
    model: str | None = None
    memory: MemoryMode | None = None
    private: bool = False
    allow: tuple[str, ...] = ()
    """Rules for calls that can change something, as in `approvals.always`."""


def ask(options: AskOptions) -> int:
    """Answer one message; the exit code. Raises MemagentError for what goes wrong before the turn."""
    text, typed = _question(options)
    if options.fork and not (options.session or options.continue_):
        raise UsageError("--fork copies a session", "Name one with --session ID or --continue")
    if options.private and (options.session or options.continue_):
        raise UsageError("--private begins a new session", "Leave out --session and --continue")
    return asyncio.run(_ask(options, text, typed))


def _question(options: AskOptions) -> tuple[str, tuple[tuple[int, int], ...] | None]:
    """The message and its typed spans."""
    if options.text is not None and options.text != "-":
        text, typed = options.text, None
    else:
        if options.text is None and sys.stdin.isatty():
            raise UsageError("There is nothing to ask", 'Give it as memagent-tui ask "TEXT", or pipe it in')
        text, typed = sys.stdin.buffer.read().decode("utf-8", "replace"), ()
    if not text.strip():
        raise UsageError("There is nothing to ask: the text is empty")
    return text, typed


async def _ask(options: AskOptions, text: str, typed: tuple[tuple[int, int], ...] | None) -> int:
    from sessions.agent.approval import Nobody
    from sessions.home import Home
    from sessions.hub import SessionHub

    home = Home(options.home)
    for problem in home.settings.problems:
        tell(f"Settings: {problem.key}: {problem.text}" + (f" (line {problem.line})" if problem.line else ""))
    hub = SessionHub(
        home,
        profile=options.profile,
        model=options.model,
        memory=options.memory,
        private=options.private,
        screen=False,
        approver=Nobody(),
        allow=options.allow,
    )
    async with hub:
        state, printer = await _session(hub, home, options), _Printer(options.json)
        if home.settings.mcp_servers and not _is_guide(home, state):
            hub.servers.tell = printer.said
            hub.servers.patience_s = _PATIENCE_S
            hub.servers.quiet_s = _QUIET_S
            hub.servers.begin()
        if options.profile is None and home.settings.agent.profile is None and _is_guide(home, state):
            tell("No model is connected: the guide answers (rules, no AI). memagent-tui config set connects one")
        _unknown(options.allow, home)
        code = await _turn(hub, state.id, printer, text, typed)
        _missing(options.allow, hub)
        return code


def _is_guide(home: Home, state: SessionState) -> bool:
    return home.profile(state.profile).type == "guide"


async def _session(hub: SessionHub, home: Home, options: AskOptions) -> SessionState:
    """The session to talk in: the named one, the newest, a fork of either, or a new one."""
    cwd = Path.cwd()
    found: str | None = None
    if options.session:
        from tui.cli_sessions import find

        found = (await hub.run(find, home.catalog, options.session)).id
    elif options.continue_:
        newest = await hub.run(home.catalog.newest, str(cwd)) or await hub.run(home.catalog.newest, None)
        found = newest.id if newest else None
        if found is None:
            tell("No session yet: this is a new one")
    if found is None:
        return await hub.new(cwd)
    if options.fork:
        found = await hub.fork(found)
    state = await hub.open(found)
    for event in state.events:
        if isinstance(event, Notice) and event.level != "info":
            tell(event.text)
    if state.stays and state.writable:
        turns = f"{state.stays} earlier turn{'s' if state.stays > 1 else ''}, told to a model on this machine,"
        tell(f"{turns} not sent to {state.place}. memagent-tui sessions share {found} lets it see them")
    if not state.writable:
        why = state.holder_note or "The session cannot be written"
        raise LockedError(why, "Add --fork to go on in a copy of it")
    return state


def _unknown(rules: tuple[str, ...], home: Home) -> None:
    """Say which rules are for servers that there are not."""
    for rule in rules:
        name = rule.partition(":")[0]
        server, dot, _ = name.partition(".")
        if not dot or server not in home.settings.mcp_servers:
            there = ", ".join(home.settings.mcp_servers) or "none"
            tell(f"--allow {rule} allows nothing: tools are called SERVER.TOOL, and the MCP servers are: {there}")


def _missing(rules: tuple[str, ...], hub: SessionHub) -> None:
    """Say which rules were for tools that their servers, as far as these ran, do not have."""
    for server in hub.servers.health():
        names = {tool.name for tool in server.tools}
        for rule in rules:
            name = rule.partition(":")[0]
            if server.state == "running" and name.partition(".")[0] == server.name and name not in names:
                tell(f"--allow {rule} allowed nothing: {server.name} has no such tool")


async def _turn(
    hub: SessionHub, session: str, printer: _Printer, text: str, typed: tuple[tuple[int, int], ...] | None
) -> int:
    """Send the message and print what happens until the turn is over."""
    loop = asyncio.get_running_loop()
    watched = []
    for number in (signal.SIGINT, signal.SIGTERM):
        # Not on every system, and only in the main thread; there an interrupt ends the program as usual.
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, hub.cancel, session)
            watched.append(number)
    try:
        async with hub.subscribe(session) as events:
            await hub.send(session, text, typed=typed)
            async for event in events:
                try:
                    printer.show(event)
                except BrokenPipeError:
                    silence()
                    hub.cancel(session)
                if isinstance(event, TurnFinished | TurnFailed):
                    return _code(event)
        return 1
    finally:
        for number in watched:
            loop.remove_signal_handler(number)


def _code(over: TurnFinished | TurnFailed) -> int:
    if isinstance(over, TurnFailed):
        complain(f"{over.error}. {over.advice}" if over.advice else over.error)
        return 1
    match over.stop:
        case "cancelled":
            return INTERRUPTED
        case "max_steps":
            complain("The turn reached its limit of steps. Ask again to go on, or raise agent.max_steps")
            return 1
        case "repeat":
            complain("The model asked for the same call again and again, so the turn was stopped")
            return 1
    return 0


class _Printer:
    """Writes the events: the answer's words, or every event as a line of JSON."""

    def __init__(self, as_lines: bool) -> None:
        self._json = as_lines
        self._terminal = sys.stdout.isatty()
        self._wrote = False
        self._last = ""
        self._gap = False
        self._asked: dict[str, str] = {}
        """Calls that need a yes -> their tools."""
        self._declined: set[str] = set()
        self._told: set[str] = set()

    def said(self, text: str) -> None:
        """Tell this of a server; what the turn says of it, too, is said once."""
        if text not in self._told:
            self._told.add(text)
            tell(text)

    def show(self, event: Event) -> None:
        """Print one event. Raises BrokenPipeError when the reader has gone."""
        if self._json:
            self._write(json_text(as_json(event)) + "\n")
            return
        match event:
            case TextDelta(text=text):
                # What a model says before and after a tool call is two paragraphs.
                self._write(("\n\n" if self._last != "\n" else "\n") + text if self._gap else text)
                self._gap = False
            case StepStarted(step=step) if step > 1:
                self._gap = self._wrote
            case TurnFinished() | TurnFailed() if self._wrote and self._last != "\n":
                self._write("\n")
            case ApprovalRequested():
                self._asked[event.call_id] = event.name
            case ApprovalDecided(decision="no"):
                self._declined.add(event.call_id)
                name = self._asked.get(event.call_id, "a call")
                tell(f"{name} was not run: it needs your consent. Allow it with --allow {name}")
            case ToolCallFinished() if event.call_id in self._declined:
                pass  # that was said
            case Notice(level="warning" | "error"):
                self.said(event.text)
            case _:
                note = _aside(event)
                if note:
                    tell(note)

    def _write(self, text: str) -> None:
        if not text:
            return
        self._wrote = True
        self._last = text[-1]
        encoding = sys.stdout.encoding or "utf-8"
        shown = safe(text) if self._terminal else text
        sys.stdout.write(shown.encode(encoding, "backslashreplace").decode(encoding))
        sys.stdout.flush()


def _aside(event: Event) -> str:
    """What the person should know beside the answer; empty for what needs no word."""
    match event:
        case FactWritten(op="confirmed"):
            return ""
        case FactWritten():
            return "\n".join(_named("Remembered", event))
        case FactProposed():
            return "\n".join(_named("To review", event))
        case FactDeleted():
            return "\n".join(_named("Forgotten", event))
        case ToolCallFinished(ok=False) if not event.content.startswith("⚠️"):
            # What begins with the sign is an answer for the person and comes as one.
            why = event.content.strip().split("\n")[0]
            why = why if len(why) <= _WHY else f"{why[:_WHY]}…"
            return f"{event.name} failed: {why}" if why else f"{event.name} failed"
        case Retrying():
            return f"{event.reason}; trying again in {event.wait_s:g} s"
        case _:
            return ""


def _named(word: str, event: FactWritten | FactProposed | FactDeleted) -> list[str]:
    texts = event.summaries or event.names
    return [f"{word}: {text} · #{number}" for text, number in zip(texts, event.numbers, strict=False)]
