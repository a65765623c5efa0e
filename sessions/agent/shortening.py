"""Making room in the model's window: old results go first, then older turns become a summary."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from sessions import ids
from sessions.agent import compaction
from sessions.agent.complete import Completion, complete
from sessions.agent.context import answerable
from sessions.agent.desk import Desk, Parts
from sessions.agent.shapes import compacted
from sessions.agent.staying import STAYED
from sessions.clock import iso
from sessions.errors import ProviderError
from sessions.events import CompactionStarted, Event, Notice, Retrying
from sessions.messages import Marker, Record
from sessions.providers.base import Request

MOST_FAILURES = 2
"""After so many it is not tried again by itself."""
STOPPED = "That was the second time: the oldest turns are left out from now on, and /compact tries again"
# Leaving out old results is enough when it brings the request down to this part of the window.
_ENOUGH = 0.5
# A model that finds the request for a summary too long gets less to read.
_PORTIONS = (0.9, 0.5, 0.25)
_WORD_CHARS = 7
_NO_TOOLS = "It answers without any: it sees the facts that are always sent, and can look up and save nothing"


class Shortening:
    """For one turn, or for one wish of the person. `put` appends to the log and returns when the line is in it."""

    def __init__(
        self,
        desk: Desk,
        parts: Parts,
        head: dict[str, Any],
        emit: Callable[[Event], None],
        put: Callable[[Record], Awaitable[object]],
    ) -> None:
        self._desk = desk
        self.parts = parts
        self._head = head
        self._emit = emit
        self._put = put

    @property
    def _at(self) -> float:
        return self._desk.settings.context.compact_at

    async def request(self) -> Request:
        """The next request of a turn, after room was made for it if it needs that.

        Raises ProviderError when the turn alone is longer than what the model is known to take.
        """
        desk = self._desk
        request = desk.whole(self.parts)
        tokens = desk.budget.estimate(request)
        if not self._at or tokens < min(self._at * desk.window, answerable(desk.window)):
            return request
        if tokens >= self._at * desk.window and desk.failures < MOST_FAILURES:
            await self._shorten(running=True)
        request = desk.build(self.parts)
        tokens = desk.budget.estimate(request)
        if desk.budget.learned and tokens > desk.window:
            raise ProviderError(*self._too_long(f"it takes about {tokens:,}"), too_long=True)
        return request

    async def after_refusal(self, error: ProviderError, refused: Request) -> Request:
        """A shorter request, after the model found one too long, or one without tools, after it would take none.
        Raises what explains it when there is none.
        """
        desk = self._desk
        if not error.too_long:
            if not (error.no_tools and refused.tools):
                raise error
            self.parts = await desk.parts(self.parts.off)
            self._emit(Notice(**self._head, level="warning", text=f"{error.message}. {_NO_TOOLS}"))
            return await self.request()
        explained = ProviderError(*self._too_long(error.message), too_long=True)
        if not self._at:
            raise explained from error.__cause__
        before = desk.refused(refused)
        if desk.failures < MOST_FAILURES:
            await self._shorten(running=True)
        request = desk.build(self.parts)
        if desk.budget.estimate(request) >= desk.budget.estimate(refused):
            desk.fits = before  # it says something about this turn only
            raise explained from error.__cause__
        reason = "longer than the model takes: asked again with less"
        self._emit(Retrying(**self._head, reason=reason, wait_s=0, attempt=1))
        return request

    async def by_hand(self, focus: str) -> bool:
        """Summarise now, with what the person asks to be kept; False when there is nothing to summarise."""
        return await self._shorten(running=False, focus=focus)

    def _over(self, share: float) -> bool:
        return self._desk.tokens(self.parts) >= share * self._desk.window

    async def _shorten(self, *, running: bool, focus: str = "") -> bool:
        desk = self._desk
        before = desk.tokens(self.parts)
        now = desk.standing(self.parts.off)
        room = desk.window / compaction.KEPT_PART * desk.budget.chars_per_token
        found = compaction.cut(now, room, running=running)
        if running and found is not None and compaction.long_results(now, found.first_kept):
            marker = self._results(found.first_kept, before)
            if marker.data["tokens_after"] <= _ENOUGH * desk.window:
                await self._tell(marker)
                return True
        if found is not None:
            self._emit(CompactionStarted(**self._head, tokens_before=before))
            await self._tell(
                await self._summary(found, now.summary, before, focus, by="program" if running else "person")
            )
        if running and self._over(self._at):
            newest = compaction.newest_step(desk.standing(self.parts.off))
            if newest and compaction.long_results(desk.standing(self.parts.off), newest):
                await self._tell(self._results(newest, desk.tokens(self.parts)))
        return found is not None

    async def _summary(self, found: compaction.Cut, summary: str, before: int, focus: str, *, by: str) -> Marker:
        """The marker with a new summary, or with why there is none."""
        desk = self._desk
        failed = "The older part of the conversation could not be put in short"
        try:
            done = await self._written(found, summary, focus)
        except ProviderError as e:
            return self._failed(f"{failed}: {e.message}", before)
        text = done.text
        if not text:
            return self._failed(f"{failed}: the model wrote nothing", before, done)
        data = {"content": text, "first_kept": found.first_kept, "by": by}
        now = desk.standing(self.parts.off)
        data |= {"results_before": now.results_before} if now.results_before else {}
        marker = self._marker(data, before, done)
        if marker.data["tokens_after"] >= before:
            return self._failed(f"{failed}: the summary is no shorter", before, done)
        desk.failures = 0
        return marker

    async def _written(self, found: compaction.Cut, summary: str, focus: str) -> Completion:
        desk = self._desk
        rate, window = desk.budget.chars_per_token, desk.window
        most = compaction.summary_chars(window, rate)
        for portion in _PORTIONS:
            chars = round(answerable(window) * rate * portion)
            words = max(40, most // _WORD_CHARS)
            request = compaction.asked(found.older, summary, focus=focus, chars=chars, words=words)
            try:
                done = await complete(desk.provider, request)
            except ProviderError as e:
                if not e.too_long or portion == _PORTIONS[-1]:
                    raise
                continue
            text = done.text.strip()
            return replace(done, text=text if len(text) <= most else f"{text[:most].rstrip()} …")
        raise AssertionError("the last portion returns or raises")

    def _results(self, before: str | None, tokens: int) -> Marker:
        now = self._desk.standing(self.parts.off)
        data = {"content": now.summary, "first_kept": now.first, "results_before": before, "results_only": True}
        return self._marker(data, tokens, None)

    def _marker(self, data: dict[str, Any], before: int, done: Completion | None) -> Marker:
        desk = self._desk
        if self.parts.off:
            data["memory"] = "off"
        data["place"] = desk.provider.place
        data |= {STAYED: True} if desk.standing(self.parts.off).here else {}
        if done is not None and done.spent:
            data["usage"] = done.spent
        marker = Marker(ids.message_id(), iso(desk.clock.now()), "compaction", data)
        data |= {"tokens_before": before, "tokens_after": desk.tokens(self.parts, marker)}
        return marker

    def _failed(self, why: str, before: int, done: Completion | None = None) -> Marker:
        self._desk.failures += 1
        data: dict[str, Any] = {"content": None, "error": why, "tokens_before": before}
        data |= {"usage": done.spent} if done is not None and done.spent else {}
        if self._desk.failures == MOST_FAILURES:
            data["advice"] = STOPPED
        return Marker(ids.message_id(), iso(self._desk.clock.now()), "compaction", data)

    async def _tell(self, marker: Marker) -> None:
        await self._put(marker)
        for event in compacted(marker, self._head):
            self._emit(event)

    def _too_long(self, why: str) -> tuple[str, str]:
        window = self._desk.provider.context_window
        if not self._at:
            text = f"The conversation is longer than the model's window of {window:,} tokens: {why}"
            return text, "Nothing is put in short because context.compact_at is 0: /compact does it once, or /clear"
        text = f"This turn is longer than the model's window of {window:,} tokens: {why}"
        return text, "Begin anew with /clear, or ask for less at once"
