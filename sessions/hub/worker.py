"""Who does the work in the background, and whose words it may see.

What was told to one model is no other's business. Work in the background therefore goes to the model that was told,
to one on this machine, or to the one that the person named for it in `memory.worker`.
"""

from __future__ import annotations

from sessions.errors import UsageError
from sessions.home import Home
from sessions.hub.pool import Pool
from sessions.providers.base import THIS_MACHINE, Provider
from sessions.settings import GUIDE


def may_see(provider: Provider, told: str, worker: str | None) -> bool:
    """Whether a model may be given what was told to the profile `told` (empty = to none)."""
    return provider.place == THIS_MACHINE or provider.profile in {worker, told}


async def take_worker(home: Home, pool: Pool, profile: str, model: str) -> Provider:
    """A free provider for work on what was told to a profile: give it back to the pool. Raises UsageError when
    `memory.worker` names no profile.

    For a profile that is no longer there the guide does it.
    """
    worker = home.settings.memory.worker
    if worker:
        chosen = home.profile(worker)
        return await pool.take(chosen.name, chosen.model)
    try:
        chosen = home.profile(profile, model)
    except UsageError:
        chosen = home.profile(GUIDE)
    return await pool.take(chosen.name, chosen.model)
