"""Work while nobody talks: a conversation that rests, or was left, is looked through for what is worth remembering.

It gives way to the person at once: a message ends it, and what was under way counts as not begun. Two programs on one
home never read the same conversation at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from sessions.agent.complete import Completion, complete
from sessions.agent.environment import environment
from sessions.errors import LockedError, MemagentError
from sessions.events import DistillFinished, DistillStarted, Event
from sessions.home import Home
from sessions.hub.pool import Pool
from sessions.hub.reflecting import Reflection, reflect
from sessions.hub.resting import ClosedPlace, Conversation, Kept, OpenPlace, recent
from sessions.hub.worker import take_worker
from sessions.store.locks import FileLock

if TYPE_CHECKING:
    from sessions.memory.distill import Learned, Portion
    from sessions.memory.reflect import Task

REST_S = 20.0
"""After so long without a message a conversation rests."""
Rest: TypeAlias = Callable[[], Awaitable[None]]
Done: TypeAlias = Literal["nothing", "done", "busy", "paused"]
"""Nothing was to do, or it failed; something was read; another program is at it; enough waits for the person."""
Place: TypeAlias = OpenPlace | ClosedPlace


async def rest() -> None:
    """Return when a conversation that begins to rest now does rest."""
    await asyncio.sleep(REST_S)


@dataclass(slots=True)
class Lent:
    """What the hub lends to the background."""

    home: Home
    pool: Pool
    publish: Callable[[Event], None]
    open: Mapping[str, Conversation]
    """The sessions that are open here, by id."""
    recap: Callable[[str], Awaitable[None]]
    """Writes the recap of a session that was left, if the settings ask for that."""


class Background:
    """`rest` None = nothing is done in the background."""

    def __init__(self, lent: Lent, rest: Rest | None) -> None:
        self._home = lent.home
        self._lent = lent
        self._rest = rest
        self._tasks: dict[str, asyncio.Task[None]] = {}
        """Session -> what waits for its rest, or works on it."""
        self._looked: dict[str, int] = {}
        """A session that is not open -> the size of its log in which nothing was to do."""

    @property
    def busy(self) -> bool:
        """Whether anything waits for a rest or is done in it."""
        return bool(self._tasks)

    def rests(self, session: str) -> None:
        """Nothing happens in this open session from now on."""
        if self._rest is not None:
            self._start(session, self._after_rest(session, self._rest))

    def left(self, session: str) -> None:
        """This session was closed here."""
        if self._rest is not None:
            self._start(session, self._after_leave(session))

    async def stirs(self, session: str) -> None:
        """Something is about to happen in a session: what is done for it ends, and so does work on sessions left."""
        wanted = {session, *(self._tasks.keys() - self._lent.open.keys())}
        gone = [task for key, task in self._tasks.items() if key in wanted]
        for task in gone:
            task.cancel()
        if gone:
            await asyncio.wait(gone)

    async def reflect(self, task: Task, cwd: Path, profile: str = "", model: str = "") -> Reflection:
        """What the person asks for: look through the facts. Raises ProviderError when the model fails."""
        return await reflect(self._home, self._lent.pool, task, cwd, profile, model)

    async def close(self) -> None:
        """End all work; what is being written is written."""
        self._rest = None
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=2.0)

    # When

    def _start(self, session: str, work: Coroutine[Any, Any, None]) -> None:
        before = self._tasks.get(session)
        if before is not None:
            before.cancel()
        task = self._tasks[session] = asyncio.get_running_loop().create_task(work)

        def over(_: object) -> None:
            if self._tasks.get(session) is task:
                del self._tasks[session]

        task.add_done_callback(over)

    async def _after_rest(self, session: str, rest: Rest) -> None:
        while True:
            await rest()
            talk = self._lent.open.get(session)
            if talk is not None and talk.private:
                return  # it starts nothing, not even for others
            if talk is None or await self._learn(OpenPlace(self._home, talk)) != "busy":
                break
        # The workbench rests as well: now those are read that nobody has open.
        found = await asyncio.to_thread(recent, self._home, frozenset(self._lent.open), self._looked)
        for other, size in found:
            if other in self._lent.open:
                continue
            if await self._learn(ClosedPlace(self._home, other)) == "nothing":
                self._looked[other] = size
            await self._recap(other)

    async def _after_leave(self, session: str) -> None:
        await self._learn(ClosedPlace(self._home, session))
        await self._recap(session)

    async def _recap(self, session: str) -> None:
        """Nobody asked for it now, so a failure is no news; what should not happen is written down."""
        try:
            await self._lent.recap(session)
        except MemagentError:
            pass
        except Exception as e:
            self._home.report(e)

    async def _learn(self, place: Place) -> Done:
        """A failure is no news to somebody who did not ask for the work; what should not happen is written down."""
        try:
            return await self._portions(place)
        except LockedError:
            return "busy"
        except MemagentError:
            return "nothing"
        except Exception as e:
            self._home.report(e)
            return "nothing"

    # What

    async def _portions(self, place: Place) -> Done:
        """Read all portions of a session. Raises LockedError while another program does."""
        if self._home.settings.memory.distill == "off" or not await place.portions():
            return "nothing"
        from sessions.memory import distill

        async with _alone(self._home, place.id):
            # Another program may have been at it until now.
            for portion in await place.portions():
                if await asyncio.to_thread(distill.enough_waits, self._home.facts):
                    return "paused"
                await self._read(place, portion)
        return "done"

    async def _read(self, place: Place, portion: Portion) -> None:
        told = False

        async def keep(answer: Completion) -> None:
            nonlocal told
            kept = await place.keep(portion, self._taker(place, answer), answer.spent)
            if kept is not None:
                told = True
                self._tell(place.id, portion, kept, answer)

        head: dict[str, Any] = {"session": place.id, "turn": portion.turn}
        self._lent.publish(DistillStarted(**head))
        stop: Literal["cancelled", "failed"] = "failed"
        try:
            answer = await self._asked(place, portion)
            # From here on it comes to its end: what is learned and that it was learned belong together.
            keeping = asyncio.ensure_future(keep(answer))
            try:
                await asyncio.shield(keeping)
                stop = "cancelled"  # what was not kept no longer counted
            except asyncio.CancelledError:
                await asyncio.wait({keeping})
                if error := keeping.exception():
                    self._home.report(error)
                raise
        except asyncio.CancelledError:
            stop = "cancelled"
            raise
        finally:
            if not told:
                self._lent.publish(DistillFinished(**head, stop=stop))

    async def _asked(self, place: Place, portion: Portion) -> Completion:
        from sessions.memory import distill

        provider = await take_worker(self._home, self._lent.pool, portion.profile, portion.model, portion.place)
        now = environment(self._home.clock.now(), place.cwd)
        answer = await complete(provider, distill.request(portion, now))
        # One whose stream was broken off is not used again.
        self._lent.pool.give_back(provider)
        return answer

    def _taker(self, place: Place, answer: Completion) -> Callable[[Portion, Path], list[Learned]]:
        from sessions.memory import distill

        by_itself = self._home.settings.memory.distill == "auto"

        def take(portion: Portion, cwd: Path) -> list[Learned]:
            learner = distill.Learner(self._home.facts, place.id, portion, cwd, by_itself)
            return learner.take(distill.items(answer.text))

        return take

    def _tell(self, session: str, portion: Portion, kept: Kept, answer: Completion) -> None:
        for event in kept.saved:
            self._lent.publish(event)
        self._lent.publish(
            DistillFinished(
                session=session,
                turn=portion.turn,
                facts=tuple(one.name for one in kept.learned),
                numbers=tuple(one.number for one in kept.learned),
                summaries=tuple(one.summary for one in kept.learned),
                usage=answer.usage,
            )
        )


@asynccontextmanager
async def _alone(home: Home, session: str) -> AsyncIterator[None]:
    """Hold what only one program holds while it reads a session. Raises LockedError when another does."""
    lock = FileLock(home.paths.local / "locks" / f"distill-{session}.lock")
    taking = asyncio.ensure_future(asyncio.to_thread(lock.acquire, 0))
    try:
        await asyncio.shield(taking)
    except asyncio.CancelledError:
        await asyncio.wait({taking})
        if taking.exception() is None:
            lock.release()
        raise
    try:
        yield
    finally:
        lock.release()
