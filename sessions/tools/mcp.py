"""An MCP server as it is now: off, starting, running or failed, and the tools that it offers.

Whatever a server does, hanging, flooding, dying, lying, harms its own calls and no others. The SDK is loaded when the
first one starts.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from sessions.errors import MemagentError
from sessions.tools.base import Tool, ToolContext, ToolResult, tools_chars
from sessions.tools.mcp_config import Keeps, ServerConfig
from sessions.tools.mcp_guard import LinkError
from sessions.tools.mcp_listing import ListedTool, Listing
from sessions.tools.mcp_log import ServerLog

if TYPE_CHECKING:
    from sessions.tools.mcp_link import Link

State: TypeAlias = Literal["off", "starting", "running", "failed"]

START_S = 20.0
AGAIN = 3
"""A server that ended is started again so often"""
AGAIN_S = 300.0
"""within so many seconds."""
_LISTED_S = 1.0
"""The tools are listed anew at most so often."""
_PROGRESS_S = 0.1
_CLOSE_S = (2.5, 0.5)
MISSING = "the package mcp is not installed: python3 -m pip install 'memagent-tui[mcp]'"


@dataclass(frozen=True, slots=True)
class Health:
    """What can be told of a server."""

    config: ServerConfig
    state: State
    why: str = ""
    """Why it failed; empty unless it did."""
    tools: tuple[Tool, ...] = ()
    remarks: tuple[str, ...] = ()
    """What of its list was made harmless."""

    @property
    def name(self) -> str:
        return self.config.name

    @property
    def chars(self) -> int:
        """What its tools take of every request, in characters."""
        return tools_chars(self.tools)


class McpServer:
    """Lives on one event loop. `changed` is called whenever its state or its tools are others."""

    def __init__(
        self,
        config: ServerConfig,
        environ: Mapping[str, str],
        log: Path,
        changed: Callable[[McpServer], object],
        keeps: Keeps = lambda: True,
        sees: Callable[[Path], bool] = lambda folder: False,
    ) -> None:
        """`sees` = whether the agent may read a folder's files; it may block."""
        self.config = config
        self.state: State = "off"
        self.why = ""
        self.starts = 0
        """How often it was started."""
        self.died = False
        """It ran, and ended by itself."""
        self.waited = False
        """A turn has waited for this start already."""
        self._environ = environ
        self._log = ServerLog(log, keeps)
        self._changed = changed
        self._sees = sees
        self._listing = Listing()
        self._tools: tuple[Tool, ...] = ()
        self._link: Link | None = None
        self._legacy = False
        self._begun = False
        """Of this start: it answered, so that another handshake is no help."""
        self._task: asyncio.Task[None] | None = None
        self._settled = asyncio.Event()
        self._deaths: deque[float] = deque(maxlen=AGAIN)

    @property
    def name(self) -> str:
        return self.config.name

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What can be called now."""
        return self._tools if self.state == "running" else ()

    @property
    def health(self) -> Health:
        return Health(self.config, self.state, self.why, self.tools, self._listing.remarks)

    def start(self) -> None:
        """Start it, unless it starts or runs already."""
        if self.state in {"starting", "running"}:
            return
        self.starts += 1
        self.waited = self.died = False
        self._settled = asyncio.Event()
        self._become("starting")
        self._task = asyncio.get_running_loop().create_task(self._live())

    def revive(self) -> None:
        """Start one again that ended by itself, unless it did so too often of late."""
        if self.state == "failed" and self.died and not self._ends_often:
            self.start()

    async def settled(self) -> None:
        """Return when its start has come to an end, good or bad."""
        await self._settled.wait()

    async def stop(self) -> None:
        """End it; it is off then."""
        task, self._task = self._task, None
        for limit_s in _CLOSE_S if task is not None else ():
            assert task is not None
            task.cancel()  # twice, as a last word to an address may not be answered
            if (await asyncio.wait({task}, timeout=limit_s))[0]:
                break
        self._become("off")

    @property
    def _ends_often(self) -> bool:
        return len(self._deaths) == AGAIN and time.monotonic() - self._deaths[0] < AGAIN_S

    def _become(self, state: State, why: str = "") -> None:
        self.state, self.why = state, why
        if state != "starting":
            self._settled.set()
        self._changed(self)

    async def _live(self) -> None:
        try:
            try:
                why = await self._once(legacy=self._legacy)
            except Exception as e:
                if self._legacy or self._begun or self.config.url or not isinstance(_leaf_of(e), LinkError):
                    raise
                # Some servers end when the first thing they hear is not the handshake that they know.
                why = await self._once(legacy=True)
                self._legacy = True
        except Exception as e:
            why = self._told(e)
        finally:
            self._link = None
        ran = self.state == "running"
        self.died = ran
        if ran:
            self._deaths.append(time.monotonic())
        told = self._said(why or "it ended", ran)
        for value in self.config.hidden(self._environ):
            told = told.replace(value, "…")
        self._become("failed", told)

    async def _once(self, *, legacy: bool) -> str:
        """One life: why it ended by itself. Raises what went wrong before it ran."""
        self._begun = False
        self._log.begin()
        config = self.config.expanded(self._environ)
        linked = await asyncio.to_thread(_load)
        dirty = asyncio.Event()
        async with (
            asyncio.timeout(START_S) as limit,
            linked(config, self._log, dirty.set, legacy=legacy, sees=self._sees) as link,
        ):
            self._begun = True
            self._offer(await link.tools())
            limit.reschedule(None)
            self._link = link
            self._legacy = legacy
            self._become("running")
            following = asyncio.ensure_future(self._follow(link, dirty))
            try:
                why: str = await link.ended()
            finally:
                following.cancel()
        return why

    async def _follow(self, link: Link, dirty: asyncio.Event) -> None:
        """Take the tools up anew when the server says that they are others."""
        while True:
            await dirty.wait()
            dirty.clear()
            with suppress(Exception):  # what is known stays
                self._offer(await asyncio.wait_for(link.tools(), START_S))
                self._changed(self)
            await asyncio.sleep(_LISTED_S)

    def _offer(self, listing: Listing) -> None:
        self._listing = listing
        self._tools = tuple(self._made(tool) for tool in listing.tools)

    def _made(self, listed: ListedTool) -> Tool:
        name = f"{self.name}.{listed.name}"
        can = "can write · can delete" if listed.deletes else "can write"
        asks = "" if listed.reads else f"MCP server {self.name} · {can}"

        async def run(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
            now = next((tool.asks for tool in self.tools if tool.name == name), asks)
            if now not in {"", asks}:
                return ToolResult(f"{name} is not what it was: it now says that it {now.partition(' · ')[2]}", ok=False)
            return await self._call(listed.called, arguments, context)

        return Tool(
            name,
            listed.description,
            listed.parameters,
            run,
            side_effects=not listed.reads,
            asks=asks,
            source=hashlib.sha256(repr(self.config).encode(errors="replace")).hexdigest(),
        )

    async def _call(self, tool: str, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        link = self._link
        if link is None:
            return ToolResult(f"The MCP server {self.name} does not run: {self.why or self.state}", ok=False)
        told = 0.0

        def progress(text: str) -> None:
            nonlocal told
            if time.monotonic() - told >= _PROGRESS_S:
                told = time.monotonic()
                context.progress(text)

        try:
            text, ok = await link.call(tool, arguments, progress, context.cwd)
        except Exception as e:
            for _ in range(100):
                if self._link is not link or str(e) != "Connection closed":
                    break
                await asyncio.sleep(0.01)  # why it closed is known in a moment
            if self._link is not link:
                return ToolResult(
                    f"The MCP server {self.name} ended during the call: {self.why or self.state}", ok=False
                )
            return ToolResult(f"The MCP server {self.name} says: {_leaf(e)}", ok=False)
        return ToolResult(text, ok=ok)

    def _said(self, why: str, ran: bool) -> str:
        # What is no end of its own making is not explained by what it happened to write last.
        itself = why.startswith(("it ended with", "it closed", "it did not"))
        last = "" if why.startswith(("it sent", "it wrote")) else self._log.complaint(any_line=itself)
        text = f"{why}: {last}" if last and last not in why else why
        if ran and self._ends_often:
            return (
                f"{text}. That was {AGAIN} times within {AGAIN_S / 60:.0f} minutes: it is not started again by itself"
            )
        return text

    def _told(self, error: BaseException) -> str:
        """What went wrong, in words."""
        leaf = _leaf_of(error)
        match leaf:
            case TimeoutError():
                return f"it did not answer within {START_S:g} s"
            case ModuleNotFoundError() if (leaf.name or "").partition(".")[0] in {"mcp", "mcp_types", "httpx2"}:
                return MISSING
            case MemagentError():
                return str(leaf)
            case FileNotFoundError() if not self.config.url:
                return f"{self.config.command} is not found"
            case OSError() if not self.config.url:
                return f"{self.config.command} cannot be started: {leaf.strerror or leaf}"
            case _ if self.config.url and type(leaf).__name__ in {"ConnectError", "ConnectTimeout"}:
                return f"{self.config.shown} cannot be reached"
        return _leaf(error)


def _load() -> Any:
    from sessions.tools.mcp_link import linked

    return linked


def _leaf_of(error: BaseException) -> BaseException:
    """The first that went wrong of those that came together."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _leaf(error: BaseException) -> str:
    leaf = _leaf_of(error)
    return (str(leaf) or type(leaf).__name__)[:1_000]
