"""Private sessions on the screen: left, they are gone with the program, unless the person keeps them after all."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sessions.hub import SessionState
    from tui.app import MemagentApp
    from tui.desk import Desk


class PrivateTalk:
    """Knows the private session that was left last. Nothing of it is anywhere but in this process."""

    def __init__(self, app: MemagentApp, desk: Desk) -> None:
        self._app = app
        self._desk = desk
        self._left = ""

    @property
    def left_one(self) -> bool:
        """The private session that was left last can still be kept."""
        return bool(self._left)

    async def left(self, before: SessionState) -> None:
        """Another session is shown now."""
        desk = self._desk
        if before.id in desk.turns.running:
            return
        if not before.private or not (await desk.hub.state(before.id)).events:
            await desk.hub.leave(before.id)
            if before.private:
                self._app.say(self._this_one())
            return
        await self._discard()
        self._left = before.id
        self._app.say(f"{self._this_one()}; the last is not kept: /keep keeps it after all")

    def _this_one(self) -> str:
        """What becomes of the session that is shown now: a new one is an ordinary one, unless the start was private."""
        if self._desk.state is not None and self._desk.state.private:
            return "private too"
        return "this one is kept"

    async def keep(self) -> None:
        """Make an ordinary session of the shown private one if something was said in it, else of the one left last."""
        desk = self._desk
        await desk.ready.wait()
        state = desk.state
        shown = state is not None and state.private
        if state is not None and shown and (not self._left or (await desk.hub.state(state.id)).events):
            await desk.hub.keep(state.id)
            desk.state = replace(state, private=False)
            desk.presenter.mode_changed()
            desk.importing.shown(False)
        elif self._left:
            await desk.hub.keep(self._left)
            await self._discard()
        else:
            self._app.say("there is no private session to keep")
            return
        if self._app.lists is not None:
            self._app.lists.history_changed()
        self._app.say("kept: this session is in History like any other; other agents do not see it")

    async def _discard(self) -> None:
        left, self._left = self._left, ""
        if left:
            await self._desk.hub.leave(left)
