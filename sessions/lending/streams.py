"""What a client sends, made readable: half a surrogate pair, or a request of another shape, gets an answer, too."""

from __future__ import annotations

import json
from typing import Any

import mcp_types as types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from sessions.messages import clean_json
from sessions.tools.mcp_passing import Passing


class Mended(Passing):
    """The stream of what comes, with what could not be read read again, or answered by an error."""

    def __init__(self, comes: Any, goes: Any) -> None:
        super().__init__(comes)
        self._goes = goes

    async def receive(self) -> SessionMessage | Exception:
        while True:
            item = await super().receive()
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
            return clean_json(given)
    return None
