"""A server at an address: the SDK's streamable HTTP, with limits, and with what a refusal said."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

import httpx2
from anyio import EndOfStream
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage

from sessions.errors import UsageError
from sessions.tools.mcp_config import ServerConfig
from sessions.tools.mcp_guard import LINE, Guard, TooMuchError
from sessions.tools.mcp_passing import Passing

_CONNECT_S = 10.0


class Address:
    """Its streams, in the SDK's form."""

    def __init__(self, reads: Any, writes: Any, refusals: list[str]) -> None:
        self.reads = _Counted(reads, self)
        self.writes = writes
        self._refusals = refusals
        self.ended = asyncio.Event()
        """Nothing more is heard of it."""
        self.too_much = ""

    @property
    def why(self) -> str:
        """What it said when it refused last, or why it is not heard any longer."""
        return self.too_much or (self._refusals[-1] if self._refusals else "")


@asynccontextmanager
async def http(config: ServerConfig) -> AsyncIterator[Address]:
    """The server, while something is asked of it. Raises UsageError for no address, else what the SDK raises."""
    service = config.service
    if not service.valid:
        raise UsageError("Its url is no address", "Correct it")
    refusals: list[str] = []

    async def check(response: httpx2.Response) -> None:
        if response.request.method == "POST":  # others are extras, which a server may refuse
            refused = response.status_code >= HTTPStatus.BAD_REQUEST
            said = f"{service.host} answered {response.status_code} {response.reason_phrase}".rstrip()
            refusals[:] = [said] if refused else []
        if response.headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
            raise httpx2.StreamError(f"{service.host} packed its answer although none was asked for")
        if not response.headers.get("content-type", "").startswith("text/event-stream"):
            response.stream = _Capped(response.stream)

    client = httpx2.AsyncClient(
        # A packed answer can be a thousand times as long as what comes.
        headers={"Accept-Encoding": "identity", **config.headers},
        timeout=httpx2.Timeout(_CONNECT_S, read=None),
        trust_env=not service.local,
        event_hooks={"response": [check]},
    )
    async with client, streamable_http_client(config.url, http_client=client, max_sse_event_size=LINE) as streams:
        yield Address(*streams, refusals)


class _Capped(httpx2.AsyncByteStream):
    """An answer that is one document."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > LINE:
                raise httpx2.StreamError(f"it sent a message of more than {LINE >> 20} MB")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


class _Counted(Passing):
    """The stream of what comes, as long as it is not too much."""

    def __init__(self, comes: Any, address: Address) -> None:
        super().__init__(comes)
        self._address = address
        self._guard = Guard()

    async def receive(self) -> SessionMessage | Exception:
        item = await super().receive()
        try:
            self._guard.message()
        except TooMuchError as e:
            self._address.too_much = str(e)
            self._address.ended.set()
            raise EndOfStream from None
        return item
