"""Asks before what was said to a model on this machine goes to one elsewhere, and keeps the answer."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

from textual.screen import Screen

from sessions.hub.state import SessionState
from tui.dialogs.confirm import Confirm
from tui.dialogs.sharing import ALL, NOW
from tui.dialogs.sharing import Sharing as Question
from tui.widgets.rows import wrap

if TYPE_CHECKING:
    from tui.app import MemagentApp
    from tui.desk import Desk

_CELLS = 70
_OFF = "In Memory, space switches a fact off; ^o shows what is sent."


class Sharing:
    """Belongs to connecting."""

    def __init__(self, app: MemagentApp, desk: Desk) -> None:
        self._app = app
        self._desk = desk
        self.agreed: set[str] = set()
        """Sessions of which the person said that they may go to another machine."""

    def shown(self, state: SessionState) -> None:
        """A session is shown whose model is elsewhere, though it was said here: by an option, or because its profile
        leads elsewhere now."""
        if state.stays and not state.share and state.writable:
            self._desk.run("share", self._resumed, state)

    async def _resumed(self, state: SessionState) -> None:
        count = f"{state.stays} turn{'s' if state.stays > 1 else ''}"
        text = [f"{count} of this session went to a model on this machine.", f"{state.place} answers now."]
        await self._ask(text, state.id, state.stays, "Not now")

    async def ask(self, text: list[str], no: str) -> bool:
        """Whether the shown session may go where `text` says; nothing has been sent until then."""
        desk = self._desk
        session, said = desk.session, 0
        if desk.state is not None and desk.state.writable:
            said = await desk.hub.staying(session)
        if said or await self._past(session):
            yes = await self._ask(text, session, said, no)
        else:
            lines = [*(part for one in (*text, _OFF) for part in wrap(one, _CELLS)), "", "/model changes back."]
            asked: Screen[object] = cast("Screen[object]", Confirm("Where your words go", lines, "Use it", no))
            yes = bool(await self._app.push_screen_wait(asked))
        if yes:
            self.agreed.add(session)
        return yes

    async def _past(self, session: str) -> bool:
        """Whether there is something to ask about other sessions."""
        home = self._desk.home
        if home.settings.history.share is not None:
            return False
        return await self._desk.hub.run(home.anything_stays, session)

    async def _ask(self, text: list[str], session: str, said: int, no: str) -> bool:
        past = await self._past(session)
        lines = [part for one in text for part in wrap(one, _CELLS)]
        asked: Screen[object] = cast("Screen[object]", Question(lines, said, past, no))
        answer = await self._app.push_screen_wait(asked)
        if answer is None:
            return False
        if said:
            await self._desk.hub.set_share(session, "local" if answer == NOW else "any")
        if past:
            await asyncio.to_thread(self._desk.home.share_history, answer == ALL)
        return True
