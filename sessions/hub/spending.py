"""What was spent: today, and in a session, by the prices of the profiles. All of it follows from the logs.

A price stands in a profile and is that of its model, so a sum says what the tokens cost at the price that holds now.
Where the profile has none for the model, what the service told counts: its answers' lines hold it. Of what is left the
price is not known, and the limit of a day takes it to cost as much as the profile's model. What leaves no
line in a log (a look through the facts, a private session) counts too, for as long as this program runs.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sessions.clock import parse_iso
from sessions.errors import ProviderError
from sessions.home import Home
from sessions.messages import Usage
from sessions.providers.base import Finished, Piece, Provider, Request
from sessions.providers.known import place_of
from sessions.providers.service import Service
from sessions.settings import Profile, Settings

_COSTS = {"distilled", "compaction", "meta"}
"""Kinds of lines that say what a model took that wrote them."""
_EVER = datetime(1, 1, 2, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Spent:
    """USD."""

    usd: float = 0.0
    """At known prices."""
    guess: float = 0.0
    """Of models whose price is not known, as if they cost what their profile says; only for the limit."""
    told_by: frozenset[str] = frozenset()
    """The hosts that told a part of `usd` themselves."""

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.usd + other.usd, self.guess + other.guess, self.told_by | other.told_by)

    def __bool__(self) -> bool:
        return bool(self.usd or self.guess)

    def __str__(self) -> str:
        """`$0.20`; `$0.20 + price unknown`; `price unknown`."""
        if not self.guess:
            return money(self.usd)
        return f"{money(self.usd)} + price unknown" if self.usd else "price unknown"

    @property
    def brief(self) -> str:
        """The same where there is little room: `$0.20 + ?`."""
        return str(self).replace("+ price unknown", "+ ?")

    @property
    def source(self) -> str:
        """`, as openrouter.ai tells it` where a service told the price; empty where the settings have it."""
        return f", as {' and '.join(sorted(self.told_by))} tells it" if self.told_by else ""

    def least(self, other: Spent) -> Spent:
        """The larger of both, part by part."""
        return Spent(max(self.usd, other.usd), max(self.guess, other.guess), self.told_by | other.told_by)

    def but(self, other: Spent) -> Spent:
        """Without the other, and not below nothing."""
        return Spent(max(0.0, self.usd - other.usd), max(0.0, self.guess - other.guess), self.told_by)


@dataclass(slots=True)
class _Read:
    """How far a log was read, and what its lines of today came to."""

    midnight: datetime
    size: int = 0
    spent: Spent = Spent()
    profile: str = ""
    model: str = ""
    """Of the newest answer: a line that names no other model cost as much."""


class Spending:
    """A part of the hub. What reads files is not for the event loop; thread-safe."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._guard = threading.Lock()
        self._reads: dict[Path, _Read] = {}
        self._first: tuple[datetime, Spent] | None = None
        """Today's midnight, and what the logs said when this program first looked."""
        self._mine: list[tuple[datetime, Spent]] = []

    @property
    def priced(self) -> bool:
        """Whether any profile has a price, or leads to a service that tells one."""
        return any(map(has_price, self._home.settings.profiles.values()))

    def today(self) -> Spent:
        """Since midnight, here and by other programs on this home."""
        if not self.priced:
            return Spent()
        midnight = _midnight(self._home.clock.now())
        with self._guard:
            logs = self._home.paths.sessions.glob("*.jsonl")
            logged = sum((self._log_today(path, midnight) for path in logs), Spent())
            if self._first is None or self._first[0] != midnight:
                before = sum((spent for at, spent in self._mine if at >= midnight), Spent())
                self._first = midnight, logged.but(before)
            mine = sum((spent for at, spent in self._mine if at >= midnight), Spent())
            return logged.least(self._first[1] + mine)

    def of_session(self, session: str) -> Spent:
        """What all answers of a session cost."""
        read, spent = _Read(_EVER), Spent()
        if not self.priced:
            return spent
        with suppress(OSError):
            for line in self._home.paths.session_log(session).read_bytes().split(b"\n"):
                spent += self._cost(line, read)
        return spent

    def add(self, profile: str, model: str, usage: Usage) -> None:
        """An answer came."""
        spent = cost_of(self._home.settings, profile, model, usage)
        if spent:
            with self._guard:
                self._mine.append((self._home.clock.now(), spent))

    def check(self) -> None:
        """Raises ProviderError when today's limit is reached."""
        limit = self._home.settings.agent.spend_limit
        if limit is None or not self.priced or (spent := self.today()).usd + spent.guess < limit:
            return
        why = f"Today's limit of {money(limit)} is reached: {spent} spent"
        raise ProviderError(why, "Raise agent.spend_limit, or take a model without a price with /model")

    def metered(self, provider: Provider) -> Provider:
        """The same provider, asked only within the limit, and counted; as it is where it costs nothing."""
        profile = self._home.settings.profiles.get(provider.profile)
        if profile is None or not (_priced_as(self._home.settings, profile) or has_price(profile)):
            return provider
        return Metered(provider, self)

    def _log_today(self, path: Path, midnight: datetime) -> Spent:
        try:
            found = path.stat()
        except OSError:
            return Spent()
        read = self._reads.get(path)
        if read is None or read.midnight != midnight or found.st_size < read.size:
            if found.st_mtime < midnight.timestamp():
                return Spent()
            read = self._reads[path] = _Read(midnight)
        if found.st_size == read.size:
            return read.spent
        with suppress(OSError), path.open("rb") as file:
            file.seek(read.size)
            data = file.read(found.st_size - read.size)
            end = data.rfind(b"\n") + 1
            read.size += end
            read.spent += sum((self._cost(line, read) for line in data[:end].split(b"\n")), Spent())
        return read.spent

    def _cost(self, line: bytes, read: _Read) -> Spent:
        """What one line of a log cost, if it is of today and no copy."""
        if b'"usage"' not in line:
            return Spent()
        try:
            record = json.loads(line)
            answered = record.get("role") == "assistant"
            if answered:
                read.profile = str(record.get("profile") or read.profile)
                read.model = str(record.get("model") or read.model)
            elif record.get("kind") not in _COSTS:
                return Spent()
            at, usage = parse_iso(str(record.get("at") or "")), record.get("usage")
        except (ValueError, AttributeError, RecursionError):
            return Spent()
        if record.get("copied") or at is None or at < read.midnight or not isinstance(usage, dict):
            return Spent()
        by = usage if usage.get("profile") else {"profile": read.profile, "model": read.model}
        return cost_of(self._home.settings, str(by["profile"]), str(by.get("model") or ""), Usage.of(usage))


class Metered:
    """Asks only while there is something left to spend, and counts what an answer took."""

    def __init__(self, inner: Provider, spending: Spending) -> None:
        self._inner = inner
        self._spending = spending

    @property
    def profile(self) -> str:
        return self._inner.profile

    @property
    def model(self) -> str:
        return self._inner.model

    @property
    def place(self) -> str:
        return self._inner.place

    @property
    def context_window(self) -> int:
        return self._inner.context_window

    @property
    def calls_tools(self) -> bool:
        return getattr(self._inner, "calls_tools", True)

    async def warm(self) -> None:
        ready = getattr(self._inner, "warm", None)
        if ready is not None:
            await ready()

    async def stream(self, request: Request) -> AsyncGenerator[Piece, None]:
        await asyncio.to_thread(self._spending.check)
        inner: Any = self._inner.stream(request)
        async with aclosing(inner) as pieces:
            async for piece in pieces:
                if isinstance(piece, Finished) and piece.usage is not None:
                    self._spending.add(self.profile, self.model, piece.usage)
                yield piece

    async def close(self) -> None:
        await self._inner.close()


def cost_of(settings: Settings, profile: str, model: str, usage: Usage) -> Spent:
    """By the prices of the profile, which are those of its model, else as its service told; nothing where it has none
    and is like no other."""
    found = settings.profiles.get(profile)
    like = _priced_as(settings, found) if found is not None else None
    usd = 0.0
    if like is not None:
        usd = (usage.input * (like.price_in or 0.0) + usage.output * (like.price_out or 0.0)) / 1e6
        if like is found and model in {"", found.model}:
            return Spent(usd)
    if usage.usd is not None:
        place = Service(found, None).host if found is not None else ""
        return Spent(usage.usd, told_by=frozenset({place} if place and usage.usd else ()))
    return Spent(guess=usd)


def has_price(profile: Profile) -> bool:
    """Whether what it answers has a price: in the settings, or told by its service."""
    place = place_of(Service(profile, None).host) if profile.type == "openai" else None
    return bool(profile.price_in or profile.price_out or (place is not None and place.prices))


def _priced_as(settings: Settings, profile: Profile) -> Profile | None:
    """The profile whose prices count for this one: it itself, or, where it has none, the dearest that leads to the same
    service on another machine. What one model costs there the others may cost, too.
    """
    if profile.price_in or profile.price_out:
        return profile
    if profile.type != "openai" or Service(profile, None).local:
        return None
    same = [p for p in settings.profiles.values() if Service(p, None).url == Service(profile, None).url]
    priced = [p for p in same if p.price_in or p.price_out]
    return max(priced, key=lambda p: (p.price_out or 0.0, p.price_in or 0.0), default=None)


def money(usd: float) -> str:
    """`$0.0021`, `$0.42`, `$12.00`; `$0` for nothing."""
    return "$0" if usd <= 0 else f"${usd:.4f}" if usd < 0.01 else f"${usd:.2f}"


def _midnight(now: datetime) -> datetime:
    return now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
