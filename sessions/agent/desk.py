"""What the turns of a session work with: the model, the log, the tools, and the requests made of them."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from sessions import ids
from sessions.agent import context
from sessions.agent.budget import Budget, messages_chars, request_chars
from sessions.agent.environment import environment
from sessions.agent.line import main_line, messages_of
from sessions.agent.logs import Log
from sessions.agent.prompt import SYSTEM_PROMPT
from sessions.clock import Clock
from sessions.messages import AssistantMessage, Marker, Record
from sessions.providers.base import Provider, Request
from sessions.settings import MemoryMode, Settings
from sessions.tools.base import MEMORY_TOOLS, ContextBlock, ContextSource, Tool
from sessions.tools.registry import Registry
from sessions.typed import Typed, typed_words

# After a refusal for length, this part of what was refused is taken to be what fits.
_AFTER_REFUSAL = 0.6


@dataclass(frozen=True, slots=True)
class Parts:
    """What all requests of one turn share."""

    system: str
    blocks: tuple[ContextBlock, ...]
    registry: Registry
    environment: str
    stubbed: frozenset[str]

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
        io: Executor | None = None,
        report: Callable[[Exception], None] = traceback.print_exception,
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
        self.budget = Budget()
        self.report = report
        """Takes what should not have happened; the person sees the turn fail."""
        self._io = io or ThreadPoolExecutor(1, "memagent-log")
        self._fits: int | None = None  # tokens, learned from a refusal
        answers = (r for r in self.records if isinstance(r, AssistantMessage))
        self._call_ids = {call.id for answer in answers for call in answer.tool_calls}

    def use(self, provider: Provider) -> None:
        """Answer with another model from now on."""
        if (provider.profile, provider.model) != (self.provider.profile, self.provider.model):
            self.budget = Budget()
            self._fits = None
        self.provider = provider

    async def parts(self) -> Parts:
        """Make what this turn's requests share; sources may read files, so not on the event loop."""
        return await asyncio.to_thread(self._parts)

    def build(self, parts: Parts, *more: Record) -> Request:
        """The request for the newest user message of the log, or of `more` records after it."""
        return self._build(parts, [*self.records, *more], self.window)

    def shorter(self, parts: Parts, refused: Request) -> Request | None:
        """The request without its oldest turns, after the model refused it for length; None when only one is left."""
        fits = round(self.budget.estimate(refused) * _AFTER_REFUSAL)
        request = self._build(parts, self.records, fits)
        if request_chars(request) >= request_chars(refused):
            return None
        self._fits = fits
        return request

    def context_tokens(self) -> int:
        """Tokens of the conversation as it stands: the last report of the provider, else an estimate."""
        reported = _reported(self.records)
        if reported is None:
            reported = _reported(main_line(self.records))
        return reported or self.budget.tokens(messages_chars(messages_of(main_line(self.records))))

    @property
    def window(self) -> int:
        """Tokens that a request may take."""
        window = self.provider.context_window
        return window if self._fits is None else min(window, self._fits)

    def write(self, record: Record, *, sync: bool = False) -> asyncio.Future[Record]:
        """Append to the log, in order, off the event loop."""
        return asyncio.get_running_loop().run_in_executor(self._io, self._append, record, sync)

    def typed(self) -> list[Typed]:
        """What the person typed in this session and did not take back."""
        return typed_words(main_line(list(self.records)))

    def new_call_id(self) -> str:
        while (new := ids.call_id()) in self._call_ids:
            pass
        self._call_ids.add(new)
        return new

    def _append(self, record: Record, sync: bool) -> Record:
        written = self.log.append(record, sync=sync)
        self.records.append(written)
        return written

    def _parts(self) -> Parts:
        off = self.mode() == "off"
        hidden = MEMORY_TOOLS if off else frozenset()
        hidden |= set(self.settings.tools.off)
        tools = [tool for source in self.sources for tool in source.tools()]
        registry = Registry(tool for tool in (*tools, *self.tools) if tool.name not in hidden)
        changed = "\n".join(line for source in self.sources if (line := source.changed()))
        return Parts(
            system=self.settings.agent.system_prompt or SYSTEM_PROMPT,
            blocks=tuple(source.block() for source in self.sources),
            registry=registry,
            environment=environment(self.clock.now(), self.cwd, changed),
            stubbed=MEMORY_TOOLS if off else frozenset(),
        )

    def _build(self, parts: Parts, records: Sequence[Record], window: int) -> Request:
        return context.build(
            records,
            system=parts.system,
            blocks=parts.blocks,
            tools=parts.registry.specs(),
            environment=parts.environment,
            settings=self.settings.context,
            window=window,
            profile=self.provider.profile,
            stubbed=parts.stubbed,
            chars_per_token=self.budget.chars_per_token,
        )


def _reported(records: Sequence[Record]) -> int | None:
    """Tokens of the newest report; 0 when the context began anew since, None when the conversation went back."""
    for record in reversed(records):
        if isinstance(record, Marker) and record.kind == "rewound":
            return None
        if isinstance(record, Marker) and record.kind in {"cleared", "compaction"}:
            return 0
        if isinstance(record, AssistantMessage) and record.usage and record.parent is None:
            return record.usage.input + record.usage.output
    return 0
