"""Which sessions another program has open, as the list of sessions shows it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sessions.home import Home
    from tui.app import MemagentApp
    from tui.desk import Desk

_NEWEST = 200
"""Sessions that are looked at: what somebody works on was used lately."""
_AGAIN_S = 3.0


class Elsewhere:
    """A part of the desk. Taking up a session and letting go of it changes no file: it is looked at again and again."""

    def __init__(self, app: MemagentApp, desk: Desk) -> None:
        self._app = app
        self._desk = desk
        self.sessions: frozenset[str] = frozenset()

    def look(self) -> None:
        """Find out now, and again for as long as the list shows."""
        self._desk.run("elsewhere", self._look, exclusive=True)

    async def _look(self) -> None:
        await self._desk.ready.wait()
        while True:
            found = await self._desk.hub.run(_held, self._desk.home)
            if found != self.sessions:
                self.sessions = found
                if self._app.lists is not None:
                    self._app.lists.states_changed()
            if not self._app.body.shows("history"):
                return
            await asyncio.sleep(_AGAIN_S)


def _held(home: Home) -> frozenset[str]:
    from sessions.store.log import held_elsewhere

    newest = (home.catalog.known() or home.catalog.list())[:_NEWEST]
    return frozenset(meta.id for meta in newest if held_elsewhere(home.paths, meta.id))
