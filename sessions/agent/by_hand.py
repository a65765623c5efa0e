"""What the person asks for outside of a turn: older turns put in short now."""

from __future__ import annotations

import asyncio
from typing import Any

from sessions.agent.channel import Channel
from sessions.agent.desk import Desk
from sessions.agent.shortening import Shortening
from sessions.errors import MemagentError
from sessions.events import CompactionFinished, Event, Notice

NOTHING = "There is nothing older to put in short"


class ByHand:
    """Puts its events into `events`, then None; a cancel changes nothing."""

    def __init__(self, desk: Desk, focus: str) -> None:
        self.events: Channel[Event | None] = Channel()
        self._desk = desk
        self._focus = focus
        self._task: asyncio.Task[None] | None = None

    def start(self) -> asyncio.Task[None]:
        self._task = asyncio.get_running_loop().create_task(self._run())
        return self._task

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        desk, head = self._desk, self._head
        try:
            parts = await desk.parts(desk.mode() == "off")
            done = await Shortening(desk, parts, head, self.events.put, desk.write).by_hand(self._focus)
            if not done:
                self.events.put(Notice(**head, level="info", text=NOTHING))
        except asyncio.CancelledError:
            self.events.put(CompactionFinished(**head, tokens_before=0))
        except Exception as e:
            if not isinstance(e, MemagentError):
                desk.report(e)
            self.events.put(CompactionFinished(**head, tokens_before=0))
            self.events.put(Notice(**head, level="error", text=f"Nothing was put in short: {e}"))
        finally:
            self.events.put(None)

    @property
    def _head(self) -> dict[str, Any]:
        return {"session": self._desk.session, "turn": 0}
