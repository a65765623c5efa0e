"""What one borrower gets: the tools of the memory for the folder in which it works."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, cast

from sessions import ids
from sessions.errors import FactError, MemagentError
from sessions.home import Home
from sessions.importers.passing import Places, due, found, take_all
from sessions.importers.taking import Taking
from sessions.lending.calls import Calls
from sessions.lending.places import known_as
from sessions.memory.fact import By, Proposal
from sessions.tools.base import Tool, ToolContext, ToolResult
from sessions.tools.history import SearchScope, history_tool
from sessions.tools.lent import SEARCH, Borrower, Lent, named
from sessions.tools.registry import Registry, ToolArgumentError

_FRESH_S = 1.5
"""How long a search may wait for what other agents have just written."""
_AT_ONCE = 4
"""Calls that are worked on at once; a flood of them waits."""
_NAME_MAX = 60


class Room:
    """Answers calls. What the settings say is read anew for each: the person's word counts from then on."""

    def __init__(self, home: Home, *, client: str, folders: Sequence[Path], all_folders: bool) -> None:
        self.home = home
        self.client = _named(client)
        self.folders = tuple(folders)
        self.all_folders = all_folders
        self._taking = Taking(home.paths, home.clock)
        self._places = Places()
        self._fresh = threading.Lock()
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._calls = Calls(home.paths, home.clock)

    def tools(self) -> list[Tool]:
        """What it may use now: nothing while memory is off. Reads files: not for the event loop."""
        if self.home.settings.memory.mode == "off":
            return []
        search = replace(history_tool(self.home.index, "", self._scope()), description=SEARCH)
        return [*self._lent().tools(), search]

    async def call(self, name: str, arguments: dict[str, Any]) -> ToolResult:
        """The answer of a tool; what goes wrong is said in it."""
        async with self._slots:
            try:
                return await self._call(name, arguments)
            except ToolArgumentError as e:
                return ToolResult(str(e), ok=False)
            except MemagentError as e:
                return ToolResult(f"{name} failed: {e}", ok=False)
            except Exception as e:
                self.home.report(e)
                return ToolResult(f"{name} failed: {type(e).__name__}", ok=False)

    async def _call(self, name: str, arguments: dict[str, Any]) -> ToolResult:
        await asyncio.to_thread(self.home.reload_settings)
        tools = {tool.name: tool for tool in await asyncio.to_thread(self.tools)}
        tool = tools.get(name)
        if tool is None:
            why = "memory is off" if not tools else f"there are {', '.join(tools)}"
            return ToolResult(f"There is no tool {name!r} now: {why}", ok=False)
        await asyncio.to_thread(self._calls.note, self.client, self._first)
        checked = Registry([tool]).check(tool, arguments)
        at = ids.message_id()
        context = ToolContext("", 0, ids.call_id(), at, self._first or self.home.paths.root, self.home.clock)
        result = await tool.run(checked, context)
        return ToolResult(result) if isinstance(result, str) else result

    @property
    def _first(self) -> Path | None:
        return self.folders[0] if self.folders else None

    def waits(self, result: ToolResult) -> Proposal | None:
        """The proposal that a call has just made. Reads files."""
        numbers = {n for event in result.events for n in event.numbers}
        return next((p for p in self._own() if p.number in numbers), None)

    def remember(self, number: int) -> str:
        """The person said yes in the other program: what comes of it, in words. Only of the borrower's own."""
        if number not in {p.number for p in self._own()}:
            raise FactError(f"#{number} does not wait any more")
        fact = self.home.facts.review.accept(number, by=By("user", client=self.client)).fact
        return f"Remembered by the user's word: #{fact.number} {fact.name}"

    def _own(self) -> list[Proposal]:
        return [p for p in self.home.facts.proposals() if p.fact.source.client == self.client]

    def _lent(self) -> Lent:
        settings = self.home.settings
        told = (settings.mcp_clients.get(name, {}) for name in (self.client, known_as(self.client)))
        save = next((table["save"] for table in told if "save" in table), "review")
        borrower = Borrower(self.client, self.folders, self.all_folders, cast(Literal["review", "auto", "off"], save))
        return Lent(
            self.home.facts,
            borrower,
            settings.memory.contents_tokens,
            lambda: self.home.settings.memory.mode == "off",
            lambda: self.home.settings.memory.mode == "read-only",
            self.home.meanings,
        )

    def _scope(self) -> SearchScope:
        if self.all_folders:
            note = ""
        elif not self.folders:
            note = "(No folder is known, so only sessions without one were searched; --all-folders searches all.)"
        else:
            note = f"(Searched: what was said in {named(self.folders)}. --all-folders searches all.)"
        return SearchScope(self._sessions, self._catch_up, places=True, note=note)

    def _sessions(self) -> Collection[str] | None:
        """Those that it may search; a private one stays the person's own when they keep it, and so does one of which
        they said so, or all that models here were told: the models of other agents are elsewhere."""
        metas = self.home.catalog.list()
        stays = self.home.stays_here if self.home.settings.history.share == "local" else lambda _: False
        lent = [m for m in metas if not m.private and m.share != "local" and not stays(m)]
        if self.all_folders and len(lent) == len(metas):
            return None
        return {m.id for m in lent if self.all_folders or self._belongs(m.cwd)}

    def _belongs(self, cwd: str) -> bool:
        if not self.folders:
            return not cwd
        return bool(cwd) and any(Path(cwd).resolve().is_relative_to(folder.resolve()) for folder in self.folders)

    def _catch_up(self) -> None:
        """Take over what other agents wrote since, if the person follows them: the newest first, for a moment."""
        if not self.home.settings.imports.follow or not self._fresh.acquire(blocking=False):
            return
        try:
            end = time.monotonic() + _FRESH_S
            wanted = partial(self._places.wanted, self.home.settings.imports.folders)
            waiting = due(self._taking, found())
            take_all(self._taking, waiting, stop=lambda: time.monotonic() > end, wanted=wanted)
        except (MemagentError, OSError):
            pass  # what is there already is searched
        finally:
            self._fresh.release()


def _named(client: str) -> str:
    """The name by which a client calls itself, as it can stand in a line: it is kept with each fact."""
    words = "".join(c if c.isprintable() else " " for c in client[: _NAME_MAX * 4]).split()
    return " ".join(words)[:_NAME_MAX].strip() or "another agent"
