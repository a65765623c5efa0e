"""Brings what is typed in History's search box to the search, and its answers to the list."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sessions.hub.search import Scope
    from sessions.store.index import Where
    from tui.app import MemagentApp
    from tui.desk import Desk

BY_WORDS = "by words"
_REST_S = 0.25
"""How long nothing is typed before the meaning is asked for."""
_AGAIN_S = 0.5
"""How often the answer is renewed while the index is still being made."""


class Searching:
    """One question at a time; a newer one drops the older."""

    def __init__(self, app: MemagentApp) -> None:
        self.app = app

    @property
    def _desk(self) -> Desk:
        assert self.app.desk is not None
        return self.app.desk

    def typed(self, text: str) -> None:
        """Answer it, if it asks for something."""
        if text.strip():
            self._desk.run("search", self._answer, text, exclusive=True)

    async def _answer(self, text: str) -> None:
        from sessions.hub.search import Answer

        await self._desk.ready.wait()
        search, history = self._desk.hub.search, self.app.body.history
        scope = history.scope
        try:
            answer = await search.ask(text, scope=scope)
        except Exception:
            # The row that Enter waits for will not come; what is wrong is told by the desk.
            history.show_answer(Answer(text, scope=scope))
            raise
        if answer is None or history.filter_text != text:
            return
        history.show_answer(answer)
        if not scope.trash:
            await self._by_meaning(text, scope)
        if (progress := self._desk.hub.indexing.progress) is not None:
            done, due = progress
            history.list.foot_right = f"indexing: {due - done:,} sessions to go"
            history.set_timer(_AGAIN_S, lambda: self._again(text))

    async def _by_meaning(self, text: str, scope: Scope) -> None:
        """The same again by meaning too, when the person rests; by words only it was there at once."""
        await asyncio.sleep(_REST_S)
        state, history = self._desk.state, self.app.body.history
        # What is typed beside a private conversation goes to no other machine.
        where: Where = "here" if state is not None and state.private else "anywhere"
        answer = await self._desk.hub.search.ask(text, meaning=where, scope=scope)
        if answer is not None and answer.ranker != BY_WORDS and history.filter_text == text:
            history.show_answer(answer)

    def _again(self, text: str) -> None:
        if self.app.body.history.filter_text == text:
            self.typed(text)
