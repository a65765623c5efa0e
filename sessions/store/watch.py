"""Tells what other programs, editors included, change under the home, or under other folders."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path

from sessions.paths import HomePaths
from sessions.store.atomic import is_temp, make_folder

_DEBOUNCE_MS = 400
"""Changes are told at most this late while more of them come."""
_QUIET_MS = 50
_POLL_MS = 500


async def changes(paths: HomePaths, *, poll: bool = False) -> AsyncGenerator[set[Path], None]:
    """The changed, new and removed files under `memory/` and `sessions/`, in batches, until closed or cancelled.

    Our own writes are among them; writes under way are not. `poll` as of `changes_below`.
    """
    folders = (paths.memory, paths.sessions)
    for folder in folders:
        make_folder(folder)
    async with aclosing(changes_below(folders, poll=poll)) as watching:
        async for batch in watching:
            yield batch


async def changes_below(folders: Sequence[Path], *, poll: bool = False) -> AsyncGenerator[set[Path], None]:
    """The changed, new and removed files in folders that exist, in batches, until closed or cancelled.

    `poll` looks twice a second instead of being told by the system, for network folders; it is also what happens
    where the system can watch no more files.
    """
    import watchfiles

    while True:
        try:
            watching = watchfiles.awatch(
                *folders,
                watch_filter=lambda _, path: not is_temp(path.rsplit("/", 1)[-1]),
                debounce=_DEBOUNCE_MS,
                step=_QUIET_MS,
                force_polling=poll or None,
                poll_delay_ms=_POLL_MS,
                ignore_permission_denied=True,
            )
            async for batch in watching:
                yield {Path(path) for _, path in batch}
            return
        except OSError:
            if poll:
                raise
            poll = True
