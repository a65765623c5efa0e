"""Who does the work in the background, and whose words it may see.

What was told to one model is no other's business. Work in the background therefore goes to the model that was told,
to one on this machine, or to the one that the person named for it in `memory.worker`.
"""

from __future__ import annotations

from dataclasses import dataclass

from sessions.errors import UsageError
from sessions.home import Home
from sessions.hub.pool import Pool
from sessions.messages import THIS_MACHINE
from sessions.providers.base import Provider
from sessions.settings import GUIDE


@dataclass(frozen=True, slots=True)
class Told:
    """To whom something was said: to nobody, when empty."""

    profile: str = ""
    place: str = ""
    """Where the profile led then; empty when the log does not say."""

    def is_to(self, provider: Provider) -> bool:
        """Whether that was this model, where it is now."""
        return provider.profile == self.profile and self.place in {"", provider.place}


def may_see(provider: Provider, told: Told, worker: str | None) -> bool:
    """Whether a model may be given what was told to another."""
    return provider.place == THIS_MACHINE or provider.profile == worker or told.is_to(provider)


async def take_worker(home: Home, pool: Pool, profile: str, model: str, place: str = "") -> Provider:
    """A free provider for work on what was told to a profile: give it back to the pool. Raises UsageError when
    `memory.worker` names no profile.

    For a profile that is no longer there, or leads elsewhere now, the guide does it.
    """
    worker = home.settings.memory.worker
    if worker:
        chosen = home.profile(worker)
        return await pool.take(chosen.name, chosen.model)
    try:
        chosen = home.profile(profile, model)
    except UsageError:
        chosen = home.profile(GUIDE)
    provider = await pool.take(chosen.name, chosen.model)
    if may_see(provider, Told(profile, place), None):
        return provider
    pool.give_back(provider)
    chosen = home.profile(GUIDE)
    return await pool.take(chosen.name, chosen.model)
