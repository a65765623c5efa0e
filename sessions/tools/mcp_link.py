"""One life of a connection to a server, through the official SDK. Imported when a server starts, and not before."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp.client.session import ClientSession
from mcp.client.subscriptions import listen
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher

from sessions.tools.mcp_asked import Asked
from sessions.tools.mcp_config import ServerConfig
from sessions.tools.mcp_guard import LinkError
from sessions.tools.mcp_http import Address, http
from sessions.tools.mcp_listing import MOST, Listing, listing
from sessions.tools.mcp_log import ServerLog
from sessions.tools.mcp_result import text_of
from sessions.tools.mcp_stdio import Program, stdio

_PAGES = 20
_INFO = types.Implementation(name="memagent-tui", version="1")
_LOST = "Session terminated"
"""What the SDK makes of an address that does not know us any more."""

# What the SDK logs may be words of the server: nobody writes it to the terminal, or takes time to lay it out.
for _name in ("mcp", "client"):
    logging.getLogger(_name).addHandler(logging.NullHandler())
    logging.getLogger(_name).propagate = False


class Link:
    """A connected server."""

    def __init__(self, ends: Program | Address, session: ClientSession, dispatcher: _Mending, asked: Asked) -> None:
        self._ends = ends
        self._session = session
        self._dispatcher = dispatcher
        self._asked = asked

    async def ended(self) -> str:
        """Return when nothing more can be heard of the server: why, as far as that is known."""
        await self._ends.ended.wait()
        return self._ends.why

    async def tools(self) -> Listing:
        """All that it lists, as far as it can be offered."""
        found: list[Any] = []
        cursor: str | None = None
        for _ in range(_PAGES):
            params = types.PaginatedRequestParams(cursor=cursor) if cursor else None
            page = await self._session.list_tools(params=params)
            found += self._dispatcher.listed
            cursor = page.next_cursor
            if not cursor or len(found) > 2 * MOST:
                break
        return listing(found)

    async def call(
        self, tool: str, arguments: dict[str, Any], told: Callable[[str], None], folder: Path
    ) -> tuple[str, bool]:
        """(text, whether it did what it should), for a session in this folder. A cancel is told to the server. Raises
        what the SDK raises."""

        async def shown(progress: float, total: float | None, message: str | None) -> None:
            told(message or (f"{progress:g} of {total:g}" if total else f"{progress:g}"))

        try:
            with self._asked.at_work(folder):
                result = await self._session.call_tool(tool, arguments, progress_callback=shown)
        except MCPError as e:
            if str(e) == _LOST:
                self._ends.ended.set()
            elif isinstance(self._ends, Address) and self._ends.why:
                raise LinkError(self._ends.why) from e
            raise
        text = "\n".join(block.text for block in result.content if isinstance(block, types.TextContent))
        return text, not result.is_error


@asynccontextmanager
async def linked(
    config: ServerConfig,
    log: ServerLog,
    changed: Callable[[], None],
    *,
    legacy: bool,
    sees: Callable[[Path], bool],
) -> AsyncIterator[Link]:
    """A server that can be asked, while that is so. `legacy` = the handshake of the versions before 2026-07 alone, for
    servers that do not survive another question. `changed` is called when the tools are others; `sees` tells whether
    the agent may read a folder's files. Raises LinkError, OSError, UsageError and what the SDK raises."""

    async def heard(message: types.ServerNotification | Exception) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            changed()

    transport = http(config) if config.url else stdio(config, log)
    async with transport as ends:
        asked = Asked(sees)
        dispatcher = _Mending(ends.reads, ends.writes)
        dispatcher.asked = asked
        try:
            async with ClientSession(dispatcher=dispatcher, client_info=_INFO, message_handler=heard) as session:
                await _shake_hands(session, legacy)
                listening = asyncio.ensure_future(_listen(session, changed))
                try:
                    yield Link(ends, session, dispatcher, asked)
                finally:
                    listening.cancel()
        except Exception as e:
            if ends.why:
                raise LinkError(ends.why) from e
            raise


async def _shake_hands(session: ClientSession, legacy: bool) -> None:
    """The newest version that both sides speak."""
    if not legacy:
        try:
            await session.discover()
        except (MCPError, RuntimeError, ValueError) as e:
            if isinstance(e, MCPError) and e.code == types.CONNECTION_CLOSED:
                raise
        else:
            return
    try:
        await session.initialize()
    except MCPError as e:
        if e.code != types.UNSUPPORTED_PROTOCOL_VERSION or legacy:
            raise
        await session.discover()  # it was only slow to answer the first time


async def _listen(session: ClientSession, changed: Callable[[], None]) -> None:
    """From 2026-07 on changes are told to who asked for them."""
    offers = session.server_capabilities
    if session.discover_result is None or offers is None or offers.tools is None or not offers.tools.list_changed:
        return
    with suppress(Exception):  # then they are not told
        async with listen(session, tools_list_changed=True) as told:
            async for _ in told:
                changed()


class _Mending(JSONRPCDispatcher[Any]):
    """Makes of what a server answers something that the SDK takes, whatever it is, and answers what it asks."""

    asked: Asked

    listed: tuple[Any, ...] = ()
    """The newest page of tools, as it came."""

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: Any = None, **more: Any
    ) -> dict[str, Any]:
        raw = await super().send_raw_request(method, params, opts, **more)
        if method == "tools/list":
            return self._page(raw)
        return _result(raw) if method == "tools/call" else raw

    async def run(self, on_request: Any, *given: Any, **more: Any) -> None:
        async def answered(context: Any, method: str, params: Mapping[str, Any] | None) -> dict[str, Any]:
            ours = await self.asked.answer(method)
            return ours if ours is not None else await on_request(context, method, params)

        await super().run(answered, *given, **more)

    def _page(self, raw: dict[str, Any]) -> dict[str, Any]:
        tools = raw.get("tools")
        self.listed = tuple(tools) if isinstance(tools, list) else ()
        kept = []
        for entry in self.listed[: 2 * MOST]:
            name = entry.get("name") if isinstance(entry, dict) else None
            if isinstance(name, str):
                kept.append({"name": name, "inputSchema": _taken(entry.get("inputSchema"))})
        cursor = raw.get("nextCursor")
        head = {key: raw[key] for key in ("resultType", "ttlMs", "cacheScope") if key in raw}
        return head | {"tools": kept} | ({"nextCursor": cursor} if isinstance(cursor, str) else {})


def _taken(schema: Any) -> dict[str, Any]:
    """The schema as the SDK wants it for its own headers; what is offered is made of the one that came."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    plain = isinstance(properties, dict) and all(isinstance(one, dict) for one in properties.values())
    return {"type": "object"} | ({"properties": properties} if plain else {})


def _result(raw: dict[str, Any]) -> dict[str, Any]:
    text, ok = text_of(raw)
    kind = {"resultType": "complete"} if "resultType" in raw else {}
    return kind | {"content": [{"type": "text", "text": text}], "isError": not ok}
