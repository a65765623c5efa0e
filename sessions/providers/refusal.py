"""What a service answers instead of an answer: read no further than a reason needs, and never followed elsewhere."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any

from sessions.providers.limits import ERROR_BODY

if TYPE_CHECKING:
    import httpx2

_MESSAGE = re.compile(r'"(?:message|detail|error)"\s*:\s*"((?:[^"\\]|\\.)*)')


class Refused(Exception):
    """Any status but success. `body` is the JSON, or the text where it is none."""

    def __init__(self, status: int, body: Any, headers: Mapping[str, str]) -> None:
        super().__init__(status)
        self.status = status
        self.body = body
        self.headers = headers


async def check(response: httpx2.Response, limit_s: float) -> None:
    """Raises Refused, with what came of the body within `limit_s` seconds, unless the status is one of success."""
    if response.status_code < 300:
        return
    body = bytearray()
    with suppress(Exception):  # what came until then is enough
        async with asyncio.timeout(limit_s), aclosing(response.aiter_bytes()) as parts:
            async for part in parts:
                body += part
                if len(body) >= ERROR_BODY:
                    break
    raise Refused(response.status_code, body_of(bytes(body[:ERROR_BODY])), dict(response.headers))


def body_of(data: bytes) -> Any:
    """The JSON, or the text; of JSON that is not whole its message."""
    text = data.decode("utf-8", "replace").strip()
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    if text.startswith(("{", "[")) and (found := _MESSAGE.search(text)):
        with suppress(ValueError):
            return json.loads(f'"{found[1]}"', strict=False)
    return text
