"""Recaps and titles that a model writes, on demand or when a session was left; the ruled ones are there at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from sessions.agent import recaps
from sessions.agent.complete import Completion, complete
from sessions.clock import iso
from sessions.errors import StoreError, UsageError
from sessions.home import Home
from sessions.hub.pool import Pool
from sessions.hub.worker import take_worker
from sessions.messages import AssistantMessage, Marker, Message, Record, ToolMessage, Usage, UserMessage
from sessions.providers.base import Provider, Purpose
from sessions.store.log import read_log

_MESSAGES = (UserMessage, AssistantMessage, ToolMessage)
Mark = Callable[[str, dict[str, Any]], Awaitable[None]]
"""Writes into the log of a session, and tells it."""


class Recaps:
    """What a model writes is kept in the log, with the message that it reaches to; when more is said, it is too old."""

    def __init__(self, home: Home, pool: Pool, mark: Mark) -> None:
        self._home = home
        self._pool = pool
        self._mark = mark

    async def make(self, session: str) -> str:
        """Write a session's recap anew, and its title unless a person gave one; the recap.

        Goes to the model that was told, to one on this machine, or to `memory.worker`. Raises StoreError when there is
        no such session, UsageError when nothing may be told, ProviderError when the model fails.
        """
        records = await asyncio.to_thread(self._records, session)
        messages = recaps.told(records)
        if not recaps.has_words(messages):
            raise UsageError("There is nothing to make a recap of", "What was said while memory was off is not told")
        upto = next(r.id for r in reversed(records) if isinstance(r, _MESSAGES) and r.parent is None)
        provider = await self._worker(session, messages)
        answer = await self._asked(provider, messages, "recap")
        text, spent = recaps.recap(answer.text), answer.usage or Usage()
        if not text:
            raise UsageError(f"{provider.model} wrote no recap", "Try again")
        at = iso(self._home.clock.now())
        data: dict[str, Any] = {"recap": {"text": text, "by": provider.model, "at": at, "upto": upto}}
        if not _named(records):
            answer = await self._asked(provider, messages, "title")
            spent += answer.usage or Usage()
            data |= {"title": title, "by": provider.model} if (title := recaps.title(answer.text)) else {}
        if taken := replace(answer, usage=spent if spent != Usage() else None).spent:
            data["usage"] = taken
        self._pool.give_back(provider)
        await self._mark(session, data)
        return text

    async def after_leaving(self, session: str) -> None:
        """The same for a session that has grown since its last one."""
        meta = await asyncio.to_thread(self._home.catalog.get, session)
        if meta is None or not meta.turns or meta.source is not None or meta.memory == "off":
            return
        if not meta.recap or meta.recap.get("by") == "rule":
            await self.make(session)

    def _records(self, session: str) -> list[Record]:
        path = self._home.paths.session_log(session)
        if not path.exists():
            raise StoreError(f"There is no session {session}", "A private or an empty session has no file")
        return read_log(path).records

    async def _worker(self, session: str, messages: Sequence[Message]) -> Provider:
        answers = [m for m in messages if isinstance(m, AssistantMessage)]
        places = {m.place for m in answers}
        newest = answers[-1] if answers else None
        profile, model = (newest.profile, newest.model) if newest else ("", "")
        # Told to models in several places, it is told to a further one only by one on this machine.
        place = places.pop() if len(places) == 1 else "several places" if places else ""
        return await take_worker(self._home, self._pool, profile, model, place)

    async def _asked(self, provider: Provider, messages: Sequence[Message], purpose: Purpose) -> Completion:
        return await complete(provider, recaps.request(messages, purpose))


def _named(records: Sequence[Record]) -> bool:
    """Whether a person gave the title."""
    metas = (r.data for r in records if isinstance(r, Marker) and r.kind == "meta")
    return any(data.get("title") and "by" not in data for data in metas)
