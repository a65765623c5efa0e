"""Reflecting on the facts: which of them a model may see, what it finds, and what waits for the person then."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from sessions.agent.complete import complete
from sessions.agent.environment import environment
from sessions.clock import parse_iso
from sessions.errors import StoreError
from sessions.home import Home
from sessions.hub.pool import Pool
from sessions.hub.worker import Told, may_see, take_worker
from sessions.messages import AssistantMessage, Record, Usage, UserMessage
from sessions.providers.base import Provider
from sessions.store.line import main_line
from sessions.store.log import read_log
from sessions.typed import Typed, typed_of

if TYPE_CHECKING:
    from sessions.memory.fact import Fact
    from sessions.memory.reflect import Proposed, Task

_DAYS = 30
_SESSIONS = 10
_TYPED_CHARS = 12_000
_FACT_CHARS = 60_000


@dataclass(frozen=True, slots=True)
class Reflection:
    """What came of it."""

    proposed: tuple[Proposed, ...]
    facts: int
    """Facts that the model read."""
    withheld: int
    """Facts that were told to another model and not shown to this one."""
    left: int
    """Facts for which there was no room."""
    place: str
    usage: Usage | None = None

    @property
    def tokens(self) -> int:
        """How many tokens fewer the facts take when all is accepted."""
        return sum(one.tokens for one in self.proposed)


@dataclass(slots=True)
class _Read:
    facts: list[Fact]
    typed: list[Typed]
    withheld: int
    left: int


async def reflect(home: Home, pool: Pool, task: Task, cwd: Path, profile: str = "", model: str = "") -> Reflection:
    """Look through the facts and let what is found wait for review. Raises ProviderError when the model fails.

    `profile` is the model that the person talks to; `memory.worker` beats it.
    """
    from sessions.memory import distill
    from sessions.memory import reflect as rules

    provider = await take_worker(home, pool, profile or home.profile().name, model)
    read = await asyncio.to_thread(_read, home, provider, task, cwd)
    if not read.facts:
        return Reflection((), 0, read.withheld, read.left, provider.place)
    now = environment(home.clock.now(), cwd)
    answer = await complete(provider, rules.request(task, read.facts, read.typed, now))
    pool.give_back(provider)
    found = await asyncio.to_thread(rules.propose, home.facts, distill.items(answer.text), read.facts, task)
    return Reflection(tuple(found), len(read.facts), read.withheld, read.left, provider.place, answer.usage)


def _read(home: Home, provider: Provider, task: Task, cwd: Path) -> _Read:
    from sessions.memory.contents import numbered

    told = _Told(home, provider)
    visible = home.facts.visible(cwd)
    allowed = [fact for fact in visible if told.fact(fact)]
    room = min(_FACT_CHARS, provider.context_window * 2)
    facts: list[Fact] = []
    for fact in sorted(allowed, key=lambda f: f.confirmed_at, reverse=True):
        room -= len(numbered(fact)) + 1
        if room < 0:
            break
        facts.append(fact)
    facts.sort(key=lambda f: f.number)
    typed = told.lately() if task == "reflect" else []
    return _Read(facts, typed, len(visible) - len(allowed), len(allowed) - len(facts))


class _Told:
    """Whose words a model may see: those that were told to it."""

    def __init__(self, home: Home, provider: Provider) -> None:
        self._home = home
        self._provider = provider
        self._worker = home.settings.memory.worker
        self._logs: dict[str, list[Record]] = {}

    def fact(self, fact: Fact) -> bool:
        """Whether the fact may be shown: of what was said, when it was said to this model."""
        source = fact.source
        if may_see(self._provider, Told(), self._worker) or not source.session:
            return True
        return self._models(self._line(source.session)).get(source.message, Told()).is_to(self._provider)

    def lately(self) -> list[Typed]:
        """What was typed in the last sessions, oldest first."""
        now = self._home.clock.now()
        out: list[Typed] = []
        room = _TYPED_CHARS
        for meta in self._home.catalog.list()[:_SESSIONS]:
            at = parse_iso(meta.updated_at)
            if at is None or now - at > timedelta(days=_DAYS) or meta.source is not None or meta.memory != "on":
                continue
            line = self._line(meta.id)
            models = self._models(line)
            for record in reversed(line):
                if not isinstance(record, UserMessage) or record.parent or record.memory or record.extra.get("copied"):
                    continue
                one = typed_of(record)
                told = models.get(record.id, Told())
                if one is None or not told.profile or not may_see(self._provider, told, self._worker):
                    continue
                room -= len(one.text)
                if room < 0:
                    return out[::-1]
                out.append(one)
        return out[::-1]

    def _line(self, session: str) -> list[Record]:
        if session not in self._logs:
            try:
                self._logs[session] = main_line(read_log(self._home.paths.session_log(session)).records)
            except StoreError:
                self._logs[session] = []
        return self._logs[session]

    @staticmethod
    def _models(line: Sequence[Record]) -> dict[str, Told]:
        """Id of a message -> who answered it."""
        answered = {
            r.turn: Told(r.profile, r.place) for r in line if isinstance(r, AssistantMessage) and r.parent is None
        }
        return {r.id: answered.get(r.turn, Told()) for r in line if isinstance(r, UserMessage) and r.parent is None}
