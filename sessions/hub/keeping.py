"""What becomes of what was kept: sessions to the trash and back, and anything erased for good, open sessions too."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sessions.agent.logs import Log
from sessions.errors import UsageError
from sessions.events import Event, SessionChanged
from sessions.home import Home
from sessions.hub.live import LiveSession
from sessions.hub.threads import Threads
from sessions.store.atomic import write_atomic

if TYPE_CHECKING:
    from sessions.erase import Result, Survey, Target


@dataclass(frozen=True, slots=True)
class Keeping:
    """What the hub lends: its sessions, and how to close one."""

    home: Home
    threads: Threads
    live: Mapping[str, LiveSession]
    leave: Callable[[str, Callable[[], object]], Awaitable[None]]
    stirs: Callable[[str], Awaitable[None]]
    publish: Callable[[Event], None]

    async def delete(self, session: str) -> None:
        """To the trash. UsageError while a turn of it runs, LockedError when another program has it."""
        from sessions.store.trash import delete

        move = partial(delete, self.home.paths, session)
        if session in self.live:
            # At once: who reads it in another window takes it over when it is free.
            await self._close(session, move)
        else:
            await self.stirs(session)
            await self.threads.run(move)
        self.publish(SessionChanged(session=session, what={"deleted": True}))

    async def restore(self, session: str) -> None:
        """Back from the trash."""
        from sessions.store.trash import restore

        await self.threads.run(restore, self.home.paths, session)
        self.publish(SessionChanged(session=session, what={"deleted": False}))

    async def export(self, session: str, folder: Path) -> Path:
        """Write a session as Markdown into a folder, under a name that is free there; the file."""
        return await self.threads.run(_export, self.home, session, folder)

    async def still(self, session: str) -> None:
        """Stop what runs in a session, and wait for its end."""
        live = self.live.get(session)
        if live is not None and live.busy:
            live.cancel()
            await live.idle()

    async def survey(self, make: Callable[[Home], Target]) -> Survey:
        """What erasing a target would take. Raises FactError or StoreError when there is no such target."""
        from sessions.erase import survey

        return await self.threads.run(lambda: survey(self.home, make(self.home)))

    async def with_words(self, found: Survey) -> Survey:
        """The same, and wherever words stand that tell it."""
        from sessions.erase import with_words

        return await self.threads.run(with_words, self.home, found)

    async def erase(self, found: Survey) -> Result:
        """Erase it, also from sessions that are open here.

        UsageError while a turn of one of them runs, LockedError when another program has one: nothing was changed.
        """
        from sessions.erase import erase

        await self._ready(found.sessions)
        for session in found.whole:
            await self._close(session)
        done = found
        try:
            result = await self.threads.run(erase, self.home, found, self._logs())
            done = result.survey
            return result
        finally:
            self._tell(done)

    async def finish(self) -> Result | None:
        """Go on with an erasing that was cut off. Raises as `erase`."""
        from sessions.erase import finish, pending

        if not await self.threads.run(pending, self.home):
            return None
        await self._ready([*self.live])
        return await self.threads.run(finish, self.home, self._logs())

    async def _ready(self, sessions: list[str]) -> None:
        """Nothing is done in these sessions from here on. UsageError while a turn runs in one."""
        for session in sessions:
            await self.stirs(session)
            live = self.live.get(session)
            if live is not None and live.busy:
                raise UsageError("A turn is running", "Stop it first, esc")

    def _logs(self) -> dict[str, Log]:
        """The logs of the sessions that are open here for writing."""
        return {s: live.log for s, live in self.live.items() if live.writable and live.log is not None}

    async def _close(self, session: str, then: Callable[[], object] = lambda: None) -> None:
        live = self.live.get(session)
        if live is not None and live.busy:
            raise UsageError("A turn is running", "Stop it first, esc")
        await self.leave(session, then)
        await self.stirs(session)

    def _tell(self, found: Survey) -> None:
        for log in found.logs:
            live = self.live.get(log.session)
            if live is not None:
                live.erased(log.ids)
            what = {"deleted": True} if log.session in found.whole else {"erased": True}
            self.publish(SessionChanged(session=log.session, what=what))
        for live in self.live.values():
            live.remake()


def _export(home: Home, session: str, folder: Path) -> Path:
    from sessions.store.export import export, file_name

    meta = home.catalog.refresh(session)
    path = folder / file_name(meta, "md")
    stem, n = path.stem, 2
    while path.exists():
        path, n = path.with_name(f"{stem}-{n}.md"), n + 1
    write_atomic(path, export(home.paths, session, "md").encode())
    return path
