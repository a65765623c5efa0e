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
from sessions.tools.mcp_parse import parts_of, roughly
from sessions.tools.mcp_passing import Passing

_CONNECT_S = 10.0


class Address:
    """Its streams, in the SDK's form."""

    def __init__(self) -> None:
        self.reads: Any = None
        self.writes: Any = None
        self.refusals: list[str] = []
        self.guard = Guard()
        self.ended = asyncio.Event()
        """Nothing more is heard of it."""
        self.too_much = ""

    @property
    def why(self) -> str:
        """What it said when it refused last, or why it is not heard any longer."""
        return self.too_much or (self.refusals[-1] if self.refusals else "")

    def stop(self, error: TooMuchError) -> None:
        self.too_much = self.too_much or str(error)
        self.ended.set()


@asynccontextmanager
async def http(config: ServerConfig) -> AsyncIterator[Address]:
    """The server, while something is asked of it. Raises UsageError for no address, else what the SDK raises."""
    service = config.service
    if not service.valid:
        raise UsageError("Its url is no address", "Correct it")
    address = Address()

    async def check(response: httpx2.Response) -> None:
        if response.request.method == "POST":  # others are extras, which a server may refuse
            refused = response.status_code >= HTTPStatus.BAD_REQUEST
            address.refusals[:] = [_refusal(service.host, response, config)] if refused else []
        if response.headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
            raise httpx2.StreamError(f"{service.host} packed its answer although none was asked for")
        flows = response.headers.get("content-type", "").strip().lower().startswith("text/event-stream")
        response.stream = (_Flow if flows else _Document)(response.stream, address)

    client = httpx2.AsyncClient(
        # A packed answer can be a thousand times as long as what comes.
        headers={"Accept-Encoding": "identity", **config.headers},
        timeout=httpx2.Timeout(_CONNECT_S, read=None),
        trust_env=not service.local,
        event_hooks={"response": [check]},
    )
    async with client, streamable_http_client(config.url, http_client=client, max_sse_event_size=LINE) as streams:
        address.reads, address.writes = _Counted(streams[0], address), streams[1]
        yield address


def _refusal(host: str, response: httpx2.Response, config: ServerConfig) -> str:
    """What it said, and for who wants a key what to do; there is no browser here to sign in with."""
    said = f"{host} answered {response.status_code} {response.reason_phrase}".rstrip()
    if response.status_code not in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return said
    if config.headers:
        return f"{said}: it does not take the key in {', '.join(config.headers)}. Look whether it is still valid"
    table = f'headers = {{ Authorization = "Bearer ${{TOKEN}}" }} under [mcp.servers.{config.name}]'
    return f"{said}: it wants a key. Make one there, set it as TOKEN in the environment, and write {table}"


class _Answer(httpx2.AsyncByteStream):
    """What comes for a request, as long as it is not too much."""

    def __init__(self, stream: Any, address: Address) -> None:
        self._stream = stream
        self._address = address

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._checked():
                yield chunk
        except TooMuchError as e:
            self._address.stop(e)
            raise httpx2.StreamError(str(e)) from None

    def _checked(self) -> AsyncIterator[bytes]:
        raise NotImplementedError

    async def aclose(self) -> None:
        await self._stream.aclose()


class _Document(_Answer):
    """One message."""

    async def _checked(self) -> AsyncIterator[bytes]:
        body = bytearray()
        async for chunk in self._stream:
            body += chunk
            self._address.guard.line(len(body))
        whole = bytes(body)
        self._address.guard.came(len(whole))
        self._address.guard.parts(await asyncio.to_thread(parts_of, whole))
        yield whole


class _Flow(_Answer):
    """A stream of events: a blank line ends each."""

    async def _checked(self) -> AsyncIterator[bytes]:
        guard, before = self._address.guard, 0
        async for chunk in self._stream:
            guard.came(len(chunk))
            guard.lines(max(chunk.count(b"\n"), chunk.count(b"\r")))
            ended = max(chunk.rfind(b"\n\n"), chunk.rfind(b"\r\n\r\n"), chunk.rfind(b"\r\r"))
            guard.parts(roughly(chunk), 0 if ended >= 0 else before)
            before = roughly(chunk[ended:]) if ended >= 0 else before + roughly(chunk)
            yield chunk
            await asyncio.sleep(0)


class _Counted(Passing):
    """The stream of what comes, as long as it is not too much."""

    def __init__(self, comes: Any, address: Address) -> None:
        super().__init__(comes)
        self._address = address

    async def receive(self) -> SessionMessage | Exception:
        item = await super().receive()
        try:
            self._address.guard.message()
        except TooMuchError as e:
            self._address.stop(e)
            raise EndOfStream from None
        return item
