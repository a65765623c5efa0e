"""Which model answers in a session, and where it is: as the settings say now, and never elsewhere without a yes.

The place that is shown, the one that is asked about and the one to which words go are those of one provider.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sessions.errors import ProviderError, UsageError
from sessions.events import Event, SessionChanged
from sessions.hub.pool import Pool, Unavailable
from sessions.messages import THIS_MACHINE
from sessions.providers.base import Provider, ready

if TYPE_CHECKING:
    from sessions.home import Home
    from sessions.hub.live import LiveSession
    from sessions.hub.shared import Known


HERE = frozenset({"", THIS_MACHINE})
"""Places from which nothing went to another machine."""


def renewed(live: LiveSession, provider: Provider, publish: Callable[[Event], None]) -> str:
    """Let a session know what its profile is by now, and tell what changed.

    The other machine to which it leads, if it was on this one: then nothing is changed. Else empty.
    """
    known, before = live.known, live.known.provider
    if before.place in HERE and provider.place not in HERE:
        return provider.place
    if not provider.place:
        return ""  # there is no such profile at the moment
    known.provider = provider
    if (before.model, before.place) != (provider.model, provider.place):
        live.use(known.profile, known.model, provider)
        what = {"profile": known.profile, "model": provider.model, "place": provider.place}
        publish(SessionChanged(session=live.id, what=what))
    return ""


def held(known: Known, place: str) -> Provider:
    """Stands for the model of a session whose profile leads to another machine by now: nothing is sent there."""
    why = f"{known.profile} leads to {place} now, and not to this machine any more: nothing was sent"
    error = ProviderError(why, f"/model {known.profile} asks whether your words may go there")
    return Unavailable(known.profile, known.provider.model, error, known.provider.place)


class Leading:
    """A part of the hub."""

    home: Home
    _pool: Pool
    _live: dict[str, LiveSession]
    _profile: str | None
    _model: str | None

    async def warm(self, session: str) -> None:
        """Load what the session's model needs, so that its first answer does not wait for that. Never raises."""
        live = self._live.get(session)
        if live is not None:
            await ready(live.known.provider)

    async def renew(self, session: str) -> str:
        """Have the session's profile as the settings say now, and tell what changed; nothing while a turn runs.

        Where it leads when that is another machine and was this one: then all stays as it was, and a turn sends nothing
        before `set_profile`. Empty otherwise.
        """
        live = self._get(session)
        if not live.writable or self._get(session).busy:
            return ""
        provider = await self._pool.take(live.known.profile, live.known.model)
        self._pool.give_back(provider)
        return "" if live.busy else renewed(live, provider, self._publish)

    async def leads(self, profile: str, model: str | None = None) -> str:
        """The place of a profile's model. UsageError for an unknown profile."""
        chosen = await self._pool.chosen(profile, model)
        provider = await self._pool.take(chosen.name, chosen.model)
        self._pool.give_back(provider)
        return provider.place

    def place(self, session: str) -> str:
        """Where the session's next words go."""
        return self._get(session).known.provider.place

    def model(self, session: str) -> str:
        """The model that was chosen in place of its profile's own; empty for that one."""
        return self._get(session).known.model

    async def set_profile(
        self, session: str, profile: str, model: str | None = None, *, place: str | None = None
    ) -> None:
        """Answer with another model, from the next turn on. `place` is where the person was told that it is.

        UsageError for an unknown profile, and for one that is at another place by now.
        """
        live = self._writable(session)
        chosen = await self._pool.chosen(profile, model)
        provider = await self._pool.take(chosen.name, chosen.model)
        self._pool.give_back(provider)
        if place is not None and provider.place != place:
            raise UsageError(
                f"{profile} leads to {provider.place or 'no place'} by now: nothing was changed", "Try again"
            )
        live.use(chosen.name, model or "", provider)
        await self._mark(live, {"profile": chosen.name, "model": provider.model}, place=provider.place)

    def begins_with(self, profile: str) -> None:
        """Sessions begun from now on have this profile, whatever the command line or the environment said before."""
        if self._profile or self._model or self.home.settings.agent.profile != profile:
            self._profile, self._model = profile, None

    def _get(self, session: str) -> LiveSession:
        raise NotImplementedError

    def _writable(self, session: str) -> LiveSession:
        raise NotImplementedError

    def _publish(self, event: Event) -> None:
        raise NotImplementedError

    async def _mark(self, live: LiveSession, data: dict[str, Any], **more: Any) -> None:
        raise NotImplementedError
