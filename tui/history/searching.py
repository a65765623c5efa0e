"""Brings what is typed in History's search box to the search, and its answers to the list."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tui.widgets.when import counted

if TYPE_CHECKING:
    from sessions.hub.search import Scope
    from sessions.store.index import Where
    from tui.app import MemagentApp
    from tui.desk import Desk

_REST_S = 0.25
"""How long nothing is typed before the meaning is asked for."""
_AGAIN_S = 0.5
"""How often the answer is renewed while the index takes something in."""
NOT_YET = "Nothing found yet: the sessions are being read"


class Searching:
    """One question at a time; a newer one drops the older."""

    def __init__(self, app: MemagentApp) -> None:
        self.app = app

    @property
    def _desk(self) -> Desk:
        assert self.app.desk is not None
        return self.app.desk

    def typed(self, text: str) -> None:
        """Answer it, if it asks for something, and again whenever more can be found, for as long as it stands there."""
        if text.strip():
            self._desk.run("search", self._answers, text, exclusive=True)

    async def _answers(self, text: str) -> None:
        from sessions.hub.search import Answer

        await self._desk.ready.wait()
        search, history, indexing = self._desk.hub.search, self.app.body.history, self._desk.hub.indexing
        scope = history.scope
        pending = self._pending()
        try:
            answer = await search.ask(text, scope=scope)
        except Exception:
            # The row that Enter waits for will not come; what is wrong is told by the desk.
            history.show_answer(Answer(text, scope=scope))
            raise
        if answer is None or history.filter_text != text:
            return
        history.show_answer(answer, pending)
        if scope.trash:
            return
        await asyncio.sleep(_REST_S)
        while history.filter_text == text and history.scope == scope:
            behind = indexing.behind
            await self._renew(text, scope)
            if behind and (progress := indexing.progress) is not None:
                done, due = progress
                history.list.foot_right = f"indexing: {due - done:,} sessions to go"
            if not behind:
                await indexing.stirs()
            await asyncio.sleep(_AGAIN_S)

    def _pending(self) -> str:
        """Why something may be found later that is not found now; empty when the index has everything."""
        indexing = self._desk.hub.indexing
        if not indexing.behind:
            return ""
        done, due = indexing.progress or (0, 0)
        return f"Nothing found yet: {counted(due - done, 'session')} to be read" if due > done else NOT_YET

    async def _renew(self, text: str, scope: Scope) -> None:
        """The same again by meaning too, now that the person rests; by words only it was there at once."""
        state, history = self._desk.state, self.app.body.history
        # What is typed beside a private conversation goes to no other machine.
        where: Where = "here" if state is not None and state.private else "anywhere"
        pending = self._pending()
        answer = await self._desk.hub.search.ask(text, meaning=where, scope=scope)
        if answer is not None:
            history.show_answer(answer, pending)
