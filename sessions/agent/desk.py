"""What the turns of a session work with: the model, the log, the tools, and the requests made of them."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Collection, Iterable, Sequence, Set
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from sessions import ids
from sessions.agent import context
from sessions.agent.approval import Consent, Nobody
from sessions.agent.before import Before
from sessions.agent.budget import Budget, messages_chars, plausible
from sessions.agent.context import Built, Standing
from sessions.agent.environment import environment
from sessions.agent.logs import Log
from sessions.agent.offering import SMALL, Why, asked_for
from sessions.agent.prompt import system_prompt
from sessions.clock import Clock
from sessions.messages import THIS_MACHINE, AssistantMessage, Marker, Record, ToolCall, Usage
from sessions.numbers import whole
from sessions.providers.base import Provider, Request, ready
from sessions.settings import GUIDE, MemoryMode, Settings
from sessions.store.line import main_line
from sessions.tools.base import (
    MEMORY_TOOLS,
    ContextBlock,
    ContextSource,
    Offered,
    Offering,
    Tool,
    ToolContext,
    tools_chars,
)
from sessions.tools.registry import Registry
from sessions.tools.short import in_short
from sessions.typed import Typed, typed_words

# After a refusal for length, this part of what was refused is taken to be what fits.
_AFTER_REFUSAL = 0.6
FIXED_PART = 4
"""Tools, system prompt, facts and contents together take at most this part of the window, as far as facts can give
way: the contents first, then the facts that are always sent."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What all requests of one turn share."""

    system: str
    blocks: tuple[ContextBlock, ...]
    registry: Registry
    now: str
    """Date, zone and folder."""
    changed: str
    """One line on the facts that changed since the blocks were made; empty without any."""
    off: bool
    """Memory is off for this turn."""
    left: tuple[str, ...] = ()
    """Names of the tools that are not offered now."""
    why: Why = ""
    """What speaks against offering all tools, and in full."""

    @property
    def fixed_chars(self) -> int:
        """What stands in every request of the turn."""
        return len(self.system) + sum(len(block.text) for block in self.blocks) + tools_chars(self.registry.specs())

    @property
    def environment(self) -> str:
        return f"{self.now}\n{self.changed}" if self.changed else self.now

    @property
    def count(self) -> int:
        """How many facts are sent with every request."""
        return sum(block.count for block in self.blocks)


class Desk:
    """`records` is the log as read so far; it grows with what is written.

    The log is written on one thread of `io`, in order (None = a thread of its own).
    """

    def __init__(
        self,
        provider: Provider,
        log: Log,
        records: Iterable[Record],
        sources: Sequence[ContextSource],
        tools: Sequence[Tool],
        settings: Settings,
        clock: Clock,
        session: str,
        cwd: Path,
        *,
        mode: Callable[[], MemoryMode] = lambda: "on",
        notes: Callable[[], str] = str,
        io: Executor | None = None,
        report: Callable[[Exception], None] = traceback.print_exception,
        consent: Consent | None = None,
        offered: Offered | None = None,
        shared: Callable[[], bool] = lambda: True,
    ) -> None:
        self.provider = provider
        self.log = log
        self.records: list[Record] = list(records)
        self.sources = tuple(sources)
        self.tools = tuple(tools)
        self.settings = settings
        self.clock = clock
        self.session = session
        self.cwd = cwd
        self.mode = mode
        self.notes = notes
        """What else the model should know of the session now, beside date and folder."""
        self.shared = shared
        """Whether all of the session may go to a model elsewhere."""
        self.budget = Budget()
        self.report = report
        """Takes what should not have happened; the person sees the turn fail."""
        self.consent = consent or Consent(Nobody(), lambda: settings.approvals)
        self._offered = offered
        self.remarks: list[str] = []
        """What a turn has to tell of tools that it does not have."""
        self._io = io or ThreadPoolExecutor(1, "memagent-log")
        self._fits: tuple[int, int] | None = None
        """Tokens, learned from a refusal, and the window that was believed then."""
        self._small: tuple[object, ...] = ()
        """What was offered when it turned out that there is little room for it."""
        self.before = Before()
        self.failures = 0
        """Summaries in a row that came to nothing."""
        answers = (r for r in self.records if isinstance(r, AssistantMessage))
        self._call_ids = {call.id for answer in answers for call in answer.tool_calls}

    def use(self, provider: Provider) -> None:
        """Answer with another model from now on."""
        if (provider.profile, provider.model) != (self.provider.profile, self.provider.model):
            self.budget = Budget()
            self._fits = None
        self.provider = provider

    async def parts(self, off: bool, *, wait: bool = True, text: str = "") -> Parts:
        """Make what this turn's requests share; sources may read files, so not on the event loop.

        `off`: the turn's message was sent while memory was off. Without `wait` no tools that are coming are waited for,
        and the model is taken to see as much as is known of it.
        `text` is a message that is not in the log yet.
        """
        if wait:
            await ready(self.provider)
        # The guide calls none of them.
        wait = wait and self.provider.model != GUIDE
        more = await self._offered(wait) if self._offered is not None else Offering(())
        self.remarks += more.remarks
        return await asyncio.to_thread(self._parts, off, more.tools, text)

    def build(self, parts: Parts) -> Request:
        """The request for the newest user message of the log, of as many turns as fit."""
        return self._build(parts, self.records).request

    def whole(self, parts: Parts, *more: Record) -> Request:
        """The same with nothing left out of it to fit; `more` = as if these were in the log."""
        return self._build(parts, [*self.records, *more] if more else self.records, whole=True).request

    def next(self, parts: Parts, message: Record) -> Built:
        """The same for a message that is not in the log yet."""
        records = [*self.records, message]
        return self.before.counted(self._build(parts, records), records, parts.off)

    def tokens(self, parts: Parts, *more: Record) -> int:
        """Tokens of the `whole` request."""
        return self.budget.estimate(self.whole(parts, *more))

    def standing(self, off: bool) -> Standing:
        """The conversation as it stands."""
        return context.standing(self.records, off, self._summary(off), self._stays())

    def staying(self) -> int:
        """How many turns stay on this machine when the model is elsewhere and they are not shared."""
        return context.standing(self.records, True, "", self.settings.profiles.keys()).here

    def _stays(self) -> Collection[str] | None:
        """The profiles of the settings when the model is elsewhere and must not see what was told to one here."""
        if self.provider.place in {"", THIS_MACHINE} or self.shared():
            return None
        return self.settings.profiles.keys()

    def _summary(self, off: bool) -> str:
        return self.before.summary_off if off else self.before.summary

    def refused(self, request: Request) -> int | None:
        """The model found this request too long: less fits from now on. What was known to fit before."""
        before, self.fits = self.fits, round(self.budget.estimate(request) * _AFTER_REFUSAL)
        return before

    def reported(self, request: Request, usage: Usage) -> str:
        """Learn from what the provider counted. What to say when it cut the prompt: less fits from now on, too."""
        if not self.budget.was_cut(request, usage):
            self.budget.learn(request, usage)
            return ""
        known, self.fits = self.fits, usage.input
        if known is not None and known <= usage.input * 1.1:
            return ""
        expected = self.budget.estimate(request)
        where = f"context_window = {usage.input} in its profile says so, or give the model a larger window there"
        return f"The server cut your prompt at {usage.input:,} of about {expected:,} tokens: {where}"

    def context_tokens(self) -> int:
        """Tokens of the conversation as it stands: the last report of the provider, or what a compaction left; else an
        estimate.
        """
        reported = _reported(self.records)
        if reported is None:
            reported = _reported(main_line(self.records))
        now = self.standing(self.mode() == "off")
        chars = len(now.summary) + sum(map(messages_chars, now.turns))
        return reported if reported and plausible(reported, chars) else self.budget.tokens(chars)

    @property
    def fits(self) -> int | None:
        """Tokens that the model took, where it refused more; of a model that was loaded anew with another window
        nothing is known."""
        return self._fits[0] if self._fits is not None and self._fits[1] == self.provider.context_window else None

    @fits.setter
    def fits(self, tokens: int | None) -> None:
        self._fits = (tokens, self.provider.context_window) if tokens is not None else None

    @property
    def window(self) -> int:
        """Tokens that a request may take."""
        window = self.provider.context_window
        return window if self.fits is None else min(window, self.fits)

    def write(self, record: Record, *, sync: bool = False) -> asyncio.Future[Record]:
        """Append to the log, in order, off the event loop."""
        return asyncio.get_running_loop().run_in_executor(self._io, self._append, record, sync)

    def typed(self) -> list[Typed]:
        """What the person typed in this session and did not take back."""
        return [*self.before.typed, *typed_words(main_line(list(self.records)))]

    def tool_context(self, turn: int, message: str) -> Callable[[ToolCall, Callable[[str], None]], ToolContext]:
        """What the calls of a turn, which answers the message with this id, are told of where they come from."""

        def of(call: ToolCall, progress: Callable[[str], None]) -> ToolContext:
            head = (self.session, turn, call.id, message)
            return ToolContext(*head, cwd=self.cwd, clock=self.clock, progress=progress, typed=self.typed)

        return of

    def new_call_id(self) -> str:
        while (new := ids.call_id()) in self._call_ids:
            pass
        self._call_ids.add(new)
        return new

    def _append(self, record: Record, sync: bool) -> Record:
        written = self.log.append(record, sync=sync)
        self.records.append(written)
        return written

    def _parts(self, off: bool, more: Sequence[Tool] = (), text: str = "") -> Parts:
        hidden = (MEMORY_TOOLS if off else frozenset()) | set(self.settings.tools.off)
        others = [tool for tool in (*self.tools, *more) if tool.name not in hidden]
        if not getattr(self.provider, "calls_tools", True):
            parts = self._made(off, hidden, others, ())
            none = Registry()
            system = self.settings.agent.system_prompt or system_prompt(memory=not off, tools=False)
            return replace(parts, system=system, registry=none, left=tuple(parts.registry.names()), why="no tools")
        now = (self.window, self.provider.model, off, *(tool.name for tool in others))
        if self.window >= SMALL and now != self._small:
            parts = self._made(off, hidden, others, None)
            if parts.fixed_chars <= self.window * self.budget.chars_per_token / FIXED_PART:
                return parts
            self._small = now
        asked = asked_for(others, self.records, text)
        left = tuple(tool.name for tool in others if tool not in asked)
        return replace(self._made(off, hidden, others, asked), left=left, why="small")

    def _made(self, off: bool, hidden: Set[str], others: Sequence[Tool], asked: Sequence[Tool] | None) -> Parts:
        """`others` are all tools beside those of the sources; `asked` = only these, in short; None = all."""
        short = asked is not None
        if asked is not None:
            others = [in_short(tool) for tool in asked]
        away = hidden if any(tool.name == "get_weather" for tool in others) or not short else {*hidden, "get_weather"}
        system = self.settings.agent.system_prompt or system_prompt(memory=not off, without=away)
        room = round(self.window * self.budget.chars_per_token / FIXED_PART) - len(system) - tools_chars(others)
        blocks: list[ContextBlock] = []
        tools: list[Tool] = []
        changed: list[str] = []
        for source in () if off else self.sources:
            source.fit(room, short)
            # First, as it may find that block and tools must be made anew.
            changed.append(source.changed())
            blocks.append(source.block())
            tools += (tool for tool in source.tools() if tool.name not in hidden)
        return Parts(
            system=system,
            blocks=tuple(blocks),
            registry=Registry((*tools, *others)),
            now=environment(self.clock.now(), self.cwd, self.notes()),
            changed="\n".join(line for line in changed if line),
            off=off,
        )

    def _build(self, parts: Parts, records: Sequence[Record], *, whole: bool = False) -> Built:
        return context.build(
            records,
            system=parts.system,
            blocks=parts.blocks,
            tools=parts.registry.specs(),
            environment=parts.environment,
            settings=self.settings.context,
            window=None if whole or not self.settings.context.compact_at else self.window,
            profile=self.provider.profile,
            off=parts.off,
            chars_per_token=self.budget.chars_per_token,
            before=self._summary(parts.off),
            stays=self._stays(),
        )


def _reported(records: Sequence[Record]) -> int | None:
    """Tokens of the newest report, or as a compaction left them; 0 when the context began anew since, None when the
    conversation went back.
    """
    for record in reversed(records):
        if isinstance(record, Marker) and record.kind == "rewound":
            return None
        if isinstance(record, Marker) and record.kind == "cleared":
            return 0
        # One that failed left all as it was.
        if isinstance(record, Marker) and record.kind == "compaction" and record.data.get("content") is not None:
            return whole(record.data.get("tokens_after")) or 0
        if isinstance(record, AssistantMessage) and record.usage and record.parent is None:
            return record.usage.input + record.usage.output
    return 0
