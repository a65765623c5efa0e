"""What a client sends, made readable: half a surrogate pair, or a request of another shape, gets an answer, too."""

from __future__ import annotations

import json
from types import TracebackType
from typing import Any

import mcp_types as types
from anyio import EndOfStream
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from sessions.messages import clean


class Mended:
    """The stream of what comes, with what could not be read read again, or answered by an error."""

    def __init__(self, comes: Any, goes: Any) -> None:
        self._comes = comes
        self._goes = goes

    @property
    def last_context(self) -> Any:
        """That of the sender of the last item."""
        return getattr(self._comes, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        while True:
            item: SessionMessage | Exception = await self._comes.receive()
            if not isinstance(item, ValidationError):
                return item
            sent = _sent(item)
            try:
                return SessionMessage(types.jsonrpc_message_adapter.validate_python(sent, by_name=False))
            except ValidationError:
                if not isinstance(sent, dict) or type(sent.get("id")) not in {int, str} or "method" not in sent:
                    return item
            error = types.ErrorData(code=types.INVALID_REQUEST, message="This is no request")
            await self._goes.send(SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=sent["id"], error=error)))

    async def aclose(self) -> None:
        await self._comes.aclose()

    def __aiter__(self) -> Mended:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Mended:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _sent(error: ValidationError) -> Any:
    """What was sent, as far as it is JSON, with no half of a surrogate pair in it."""
    for found in error.errors(include_url=False, include_context=False):
        given = found["input"]
        if found["type"] == "json_invalid" and isinstance(given, str):
            try:
                given = json.loads(given)
            except (ValueError, RecursionError):
                return None
        if isinstance(given, dict) and "jsonrpc" in given:
            return _clean(given)
    return None


def _clean(value: Any) -> Any:
    match value:
        case str():
            return clean(value)
        case list():
            return [_clean(item) for item in value]
        case dict():
            return {clean(key): _clean(item) for key, item in value.items()}
        case _:
            return value
