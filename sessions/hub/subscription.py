"""One listener of the hub. The hub never waits for it: its queue has no bound."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

from sessions.agent.channel import Channel
from sessions.events import Event


class Subscription:
    """`async with hub.subscribe() as events: async for event in events: …`, from the moment of `subscribe`.

    Ends when the hub closes. `batch` gives all events that came at once, for a screen that draws once for many.
    """

    def __init__(self, session: str | None, leave: Callable[[Subscription], None]) -> None:
        self._session = session
        self._leave = leave
        self._events: Channel[Event | None] = Channel()
        self._over = False

    async def __aenter__(self) -> Subscription:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    async def __aiter__(self) -> AsyncIterator[Event]:
        while events := await self.batch():
            for event in events:
                yield event

    async def batch(self) -> list[Event]:
        """At least one event; none when the hub has closed."""
        if self._over:
            return []
        events = await self._events.get()
        self._over = None in events
        return [event for event in events if event is not None]

    def close(self) -> None:
        """Hear no more."""
        self._leave(self)
        self.end()

    def put(self, event: Event) -> None:
        if self._session is None or event.session == self._session:
            self._events.put(event)

    def end(self) -> None:
        self._events.put(None)
