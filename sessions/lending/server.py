"""The MCP server of a home, over stdin and stdout, by the official SDK."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from sessions.errors import FactError
from sessions.home import Home
from sessions.lending.room import Room
from sessions.lending.streams import Mended
from sessions.memory.contents import as_data, as_data_lines
from sessions.memory.fact import GROUPS, Proposal
from sessions.messages import clean
from sessions.tools.base import Tool, ToolResult

NAME = "memagent"
_INSTRUCTIONS = (
    "The user's own memory, shared by all their agents: recall_memory for facts about them, search_history for what "
    "was said before, save_memory to offer a new fact, which waits for the user's review."
)
_ASK_S = 120.0
"""How long the person may think before what was saved simply waits."""
_ROOTS_S = 3.0
_ROOTS_MOST = 20
_READ_ONLY = frozenset({"recall_memory", "search_history"})

Context = ServerRequestContext[Any, Any]


async def serve(home: Home, *, folder: Path | None, all_folders: bool, version: str) -> None:
    """Serve one client until it closes its end. `folder` counts where the client does not tell its own."""
    server = server_of(home, folder=folder, all_folders=all_folders, version=version)
    try:
        async with stdio_server() as (read, write):
            await server.run(Mended(read, write), write, server.create_initialization_options())
    except* (BrokenPipeError, ConnectionResetError):
        pass  # it has closed its end before an answer


def server_of(home: Home, *, folder: Path | None, all_folders: bool, version: str) -> Server[Any]:
    """What answers one client, by whatever streams."""
    lender = Lender(home, folder, all_folders)
    with warnings.catch_warnings():
        # Still how the clients of most versions say where they work.
        warnings.simplefilter("ignore")
        return Server(
            NAME,
            version=version,
            instructions=_INSTRUCTIONS,
            on_list_tools=lender.list_tools,
            on_call_tool=lender.call_tool,
            on_roots_list_changed=lender.moved,
        )


class Lender:
    """Answers one client's requests."""

    def __init__(self, home: Home, folder: Path | None, all_folders: bool) -> None:
        self._home = home
        given = [] if folder is None or holds_everything(folder) else [folder]
        self._given = self._folders = tuple(given)
        self._all = all_folders
        self._room: Room | None = None
        self._knows_folder = False
        """The client told where it works, or cannot."""
        self._asking = asyncio.Lock()

    async def list_tools(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        room = await self._of(ctx)
        await asyncio.to_thread(self._home.reload_settings)
        return types.ListToolsResult(tools=[_told(tool) for tool in await asyncio.to_thread(room.tools)])

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        answers = params.input_responses or {}
        if isinstance(roots := answers.get("roots"), types.ListRootsResult):
            self._works_in(roots)
        room = await self._of(ctx)
        if not self._knows_folder and _can_ask_back(ctx, "roots"):
            return types.InputRequiredResult(input_requests={"roots": types.ListRootsRequest()})
        if params.request_state is not None:
            return await _decided(room, params.request_state, answers.get("remember"))
        result = await room.call(params.name, params.arguments or {})
        return await self._reviewed(ctx, room, result)

    async def _of(self, ctx: Context) -> Room:
        """The room of this client; where it works is asked once, if it can be asked."""
        if not self._knows_folder and ctx.session.can_send_request and _has(ctx, "roots"):
            async with self._asking:
                if not self._knows_folder:
                    with suppress(Exception), warnings.catch_warnings():
                        # Still how the clients of these versions say where they work.
                        warnings.simplefilter("ignore")
                        self._works_in(await asyncio.wait_for(ctx.session.list_roots(), _ROOTS_S))
                    self._knows_folder = True
        if self._room is None:
            params = ctx.session.client_params
            client = params.client_info.name if params is not None else ""
            self._room = Room(self._home, client=client, folders=self._folders, all_folders=self._all)
        self._room.folders = self._folders
        return self._room

    async def moved(self, ctx: Context, params: types.NotificationParams | None) -> None:
        """The client works elsewhere now: it is asked again with its next call."""
        self._knows_folder = False
        self._folders = self._given

    def _works_in(self, roots: types.ListRootsResult) -> None:
        self._knows_folder = True
        self._folders = _folders_of([str(root.uri) for root in roots.roots]) or self._given

    async def _reviewed(
        self, ctx: Context, room: Room, result: ToolResult
    ) -> types.CallToolResult | types.InputRequiredResult:
        """What was saved and waits is put to the person at once, where the client can ask."""
        proposal = await asyncio.to_thread(room.waits, result) if result.ok and result.events else None
        if proposal is None or not _has(ctx, "elicitation"):
            return _result(result.content, ok=result.ok)
        question = _question(proposal)
        form: dict[str, Any] = {
            "type": "object",
            "properties": {"remember": {"type": "boolean", "title": "Remember it", "default": False}},
            "required": ["remember"],
        }
        if _can_ask_back(ctx, "elicitation"):
            ask = types.ElicitRequest(params=types.ElicitRequestFormParams(message=question, requested_schema=form))
            return types.InputRequiredResult(input_requests={"remember": ask}, request_state=str(proposal.number))
        answer: Any = None
        with suppress(Exception):
            answer = await asyncio.wait_for(ctx.session.elicit_form(question, form, ctx.request_id), _ASK_S)
        if not _yes(answer):
            return _result(result.content)
        return await _decided(room, str(proposal.number), answer)


async def _decided(room: Room, state: str, answer: object) -> types.CallToolResult:
    number = int(state) if state.isdecimal() else 0
    if not _yes(answer):
        return _result(f"Waits for the user's review as #{number}")
    try:
        return _result(await asyncio.to_thread(room.remember, number))
    except FactError as e:
        return _result(str(e), ok=False)


def _question(proposal: Proposal) -> str:
    """All that a yes does, in words."""
    fact = proposal.fact
    kind = next((group for group, kinds in GROUPS.items() if fact.kind in kinds), fact.kind)
    lines = [f"{fact.source.client} wants all your agents to remember ({kind}): {as_data(fact.summary)}"]
    lines += [f"In full: {as_data_lines(fact.body)}"] if fact.body else []
    lines += [f"In the place of #{proposal.target}"] if proposal.target else []
    return "\n".join(lines)


def _yes(answer: object) -> bool:
    return (
        isinstance(answer, types.ElicitResult)
        and answer.action == "accept"
        and (answer.content or {}).get("remember") is True
    )


def _has(ctx: Context, capability: str) -> bool:
    found = ctx.session.client_capabilities
    return found is not None and getattr(found, capability) is not None


def _can_ask_back(ctx: Context, capability: str) -> bool:
    """Whether the client is one that is asked by the answer to its own request."""
    return not ctx.session.can_send_request and _has(ctx, capability)


def _folders_of(uris: Sequence[str]) -> tuple[Path, ...]:
    """The roots that are folders of this machine, the first ones of very many."""
    found: dict[Path, None] = {}
    for uri in uris:
        parts = urlparse(uri)
        if parts.scheme == "file" and parts.netloc in {"", "localhost"}:
            path = Path(unquote(parts.path))
            if path.is_absolute() and not holds_everything(path):
                found[path] = None
    return tuple(found)[:_ROOTS_MOST]


def holds_everything(folder: Path) -> bool:
    """Whether a folder, its links followed, is the home folder or above it: then it is none to lend for."""
    return Path.home().resolve().is_relative_to(folder.resolve())


def _told(tool: Tool) -> types.Tool:
    hints = types.ToolAnnotations(read_only_hint=tool.name in _READ_ONLY, destructive_hint=False, open_world_hint=False)
    return types.Tool(
        name=tool.name, description=clean(tool.description), input_schema=tool.parameters, annotations=hints
    )


def _result(text: str, *, ok: bool = True) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=clean(text))], is_error=not ok)
