"""The guide: the built-in provider that follows rules, for a first start without any model.

It gets the same requests as a model and answers through the same loop: it asks for tools, reads their results from
the next request and says what they came to. No network, no state between requests, and the same request always
gets the same answer.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from sessions.clock import Clock
from sessions.messages import THIS_MACHINE, AssistantMessage, Usage
from sessions.providers.base import Finished, Piece, Provider, Request, RequestedCall, TextPiece
from sessions.providers.guide_help import documented_sentences, help_text
from sessions.settings import GUIDE, Profile

if TYPE_CHECKING:
    from sessions.providers.guide_turn import Call

__all__ = ["GuideProvider", "documented_sentences", "help_text", "make"]

_CHARS_PER_TOKEN = 4
_WORDS_PER_PIECE = 3


class GuideProvider:
    """Answers by rules, on this machine."""

    def __init__(self, profile: Profile, clock: Clock) -> None:
        self._profile = profile
        self._clock = clock

    @property
    def profile(self) -> str:
        return self._profile.name

    @property
    def model(self) -> str:
        return GUIDE

    @property
    def place(self) -> str:
        return THIS_MACHINE

    @property
    def context_window(self) -> int:
        return self._profile.context_window or 32_000

    async def stream(self, request: Request) -> AsyncIterator[Piece]:
        # The rules are many patterns: the screen does not wait while they are made ready and tried.
        answer = await asyncio.to_thread(self._answer, request)
        size = _chars(request) // _CHARS_PER_TOKEN
        if isinstance(answer, list):
            calls = tuple(_requested(call) for call in answer)
            written = sum(len(c.arguments_text) + len(c.name) for c in calls) // _CHARS_PER_TOKEN
            yield Finished("tool_calls", calls, Usage(size, max(1, written)), GUIDE)
            return
        words = re.findall(r"\s*\S+\s*", answer)
        for i in range(0, len(words), _WORDS_PER_PIECE):
            yield TextPiece("".join(words[i : i + _WORDS_PER_PIECE]))
            # Whoever draws the pieces gets its turn between them.
            await asyncio.sleep(0)
        yield Finished("stop", (), Usage(size, max(1, len(answer) // _CHARS_PER_TOKEN)), GUIDE)

    async def close(self) -> None:
        return

    def _answer(self, request: Request) -> list[Call] | str:
        from sessions.providers import guide_summary, guide_upkeep
        from sessions.providers.guide_script import script
        from sessions.providers.guide_turn import advance, read_turn

        match request.purpose:
            case "chat":
                turn = read_turn(request, self._clock)
                return advance(script(turn), turn.done)
            case "title":
                return guide_summary.title(request)
            case "recap":
                return guide_summary.recap(request)
            case "compact":
                return guide_summary.compact(request)
            case "distill":
                return guide_upkeep.distill(request, self._clock)
            case "reflect":
                return guide_upkeep.reflect(request, self._clock)


def _requested(call: Call) -> RequestedCall:
    return RequestedCall(call.name, call.arguments, json.dumps(call.arguments, ensure_ascii=False))


def _chars(request: Request) -> int:
    messages = sum(
        len(m.content) + sum(len(str(c.arguments)) for c in (m.tool_calls if isinstance(m, AssistantMessage) else ()))
        for m in request.messages
    )
    tools = sum(len(t.description) + len(json.dumps(t.parameters)) for t in request.tools)
    return len(request.system) + len(request.environment) + len(request.summary) + messages + tools


def make(profile: Profile, clock: Clock) -> Provider:
    """The guide for a profile of type `guide`."""
    return GuideProvider(profile, clock)
