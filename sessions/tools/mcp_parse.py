"""A server's line as a message, at a bounded cost: neither its length nor what it holds stops the event loop."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import mcp_types as types
from pydantic import ValidationError

from sessions.messages import clean_json
from sessions.tools.mcp_guard import PARTS, Guard

QUICK = 1 << 16
"""Bytes that are read at once; more of them in a thread."""
_STARTS = b",[{"
_SLICE = 1 << 20


async def parsed(line: bytes, guard: Guard) -> types.JSONRPCMessage | None:
    """None for what is no message; half of a surrogate pair in it is mended. Raises TooMuchError.

    The values in it are counted first: no thread helps against a reader that makes millions of them in one go.
    """
    if len(line) <= QUICK:
        guard.parts(roughly(line))
        return _quick(line)
    guard.parts(await asyncio.to_thread(parts_of, line))
    return await asyncio.to_thread(_large, line)


def parts_of(text: bytes) -> int:
    """How many values a JSON text holds, roughly; what stands in its strings does not count unless that is few."""
    if (most := roughly(text)) <= PARTS:
        return most
    bare = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    if (strings := bare.count(b'"') // 2) > PARTS:
        return strings
    return roughly(b"".join(bare.split(b'"')[::2]))


def roughly(text: bytes) -> int:
    """The same for a piece of one, at most as many as there seem to be."""
    # In slices, as nothing else runs while one is counted.
    slices = (text[at : at + _SLICE] for at in range(0, len(text), _SLICE))
    return sum(part.count(start) for part in slices for start in _STARTS)


def _quick(line: bytes) -> types.JSONRPCMessage | None:
    try:
        return types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        return _large(line)


def _large(line: bytes) -> types.JSONRPCMessage | None:
    try:
        value: Any = json.loads(line)
        if b"\\u" in line:
            value = clean_json(value)
        return types.jsonrpc_message_adapter.validate_python(value, by_name=False)
    except (ValueError, RecursionError):
        return None
