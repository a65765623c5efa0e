"""Asks a provider one thing and sorts what comes."""

from __future__ import annotations

import pytest

from sessions.errors import ProviderError
from sessions.messages import UserMessage
from sessions.providers.base import Finished, Piece, Provider, ReasoningPiece, Request, TextPiece, ToolSpec

REQUEST = Request("be brief", (UserMessage("m1", "", 1, "hi"),), environment="Today: Sunday")
TOOL = ToolSpec("f", "does f", {"type": "object", "properties": {}})
WITH_TOOL = Request("be brief", (UserMessage("m1", "", 1, "hi"),), (TOOL,))


async def all_of(provider: Provider, request: Request = REQUEST) -> list[Piece]:
    return [piece async for piece in provider.stream(request)]


async def answer(provider: Provider, request: Request = REQUEST) -> tuple[str, str, Finished]:
    """(text, reasoning, end)."""
    pieces = await all_of(provider, request)
    assert isinstance(pieces[-1], Finished)
    said = "".join(p.text for p in pieces if isinstance(p, TextPiece))
    thought = "".join(p.text for p in pieces if isinstance(p, ReasoningPiece))
    return said, thought, pieces[-1]


async def failure(provider: Provider, request: Request = REQUEST) -> ProviderError:
    with pytest.raises(ProviderError) as e:
        await all_of(provider, request)
    return e.value
