"""Finding something in the shown session: the box, the places, and the one that the reader is at."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sessions.events import Event, Rewound, SessionChanged, StepFinished, TurnFailed, TurnFinished, TurnStarted

if TYPE_CHECKING:
    from sessions.store.find import Finds, Spot
    from tui.app import MemagentApp
    from tui.chat.blocks import Said
    from tui.desk import Desk

_REST_S = 0.08
"""How long nothing is typed before the session is looked through."""


class Finding:
    """A part of the desk."""

    def __init__(self, app: MemagentApp, desk: Desk) -> None:
        self._app = app
        self._desk = desk
        self._text = ""
        self._needles: tuple[str, ...] = ()
        """Those of the search that led here, until something else is typed."""
        self._finds: Finds | None = None
        self._at = 0
        """Which of the places; from 0."""
        self._aside = False
        """The reader is at a hit in an answer that does not count any more."""

    @property
    def open(self) -> bool:
        return self._app.body.chat.finding

    def begin(self, text: str = "") -> None:
        """Open the box, with what was looked for last, or go to it."""
        chat = self._app.body.chat
        if not chat.said:
            self._app.say("nothing was said yet")
            return
        chat.show_find(True)
        if text:
            chat.find.text = text
            self.typed(text)
        elif not self.open or self._finds is None:
            self.typed(chat.find.text)
        chat.find.select()
        self._app.screen.set_focus(chat.find)
        self._app.show_keys()

    async def begin_at(self, session: str, said: Said | None, words: str, needles: tuple[str, ...]) -> None:
        """Take up a session where a search found something; its other places are a key away."""
        await self._desk.open(session, said)
        if words and said is not None and self._desk.session == session:
            self._app.body.chat.show_find(True)
            self._app.body.chat.find.text = words
            self._app.body.chat.find.fact = "…"
            self._text, self._needles = words, needles
            self._desk.run("find", self._look, said, exclusive=True)
            self._app.show_keys()

    def typed(self, text: str) -> None:
        """Look for it, from where the reader is."""
        self._text, self._needles, self._aside = text, (), False
        self._app.body.chat.find.fact = "…" if text.strip() else ""
        self._desk.run("find", self._rested, exclusive=True)

    async def _rested(self) -> None:
        await asyncio.sleep(_REST_S)
        await self._look()

    async def _look(self, said: Said | None = None, *, stay: bool = False) -> None:
        """`said`: the place that the reader came for; `stay`: the one that he is at stays."""
        session, transcript = self._desk.session, self._app.body.chat.transcript
        finds = await self._desk.hub.finding.find(session, self._text, self._needles)
        if finds is None:
            return
        known = await transcript.look_through(finds.spots, finds.wording)
        if not self.open or session != self._desk.session:
            return
        before = self._place() if not self._aside else None
        self._finds = finds
        transcript.seek(finds.wording if finds.spots else None, known)
        if stay and self._aside:
            self._tell()
            return
        if stay and before is not None:
            spot, nth = before
            there = self._same((spot.message, spot.call, nth))
            self._at = max(0, min(self._at, finds.count - 1)) if there is None else there
            self._tell()
            return
        there = self._same((said.message, "", 0)) if said is not None else None
        if said is not None and there is None:
            # It is in an older answer, whose places do not count: the reader stays with what he came for.
            self._aside = True
            transcript.seek(finds.wording, known)
            self._tell()
            return
        self._at = transcript.first_place(finds.spots) if there is None else there
        self._go()

    def step(self, by: int) -> None:
        """To the next or the previous place; behind the last comes the first."""
        finds = self._finds
        count = finds.count if finds is not None else 0
        if finds is not None and count:
            if self._aside:
                self._at = self._app.body.chat.transcript.first_place(finds.spots) - max(0, by)
            self._at = (self._at + by) % count
            self._go()
            self._app.body.chat.transcript.stepped()

    def close(self) -> None:
        """The reader stays where he is."""
        if not self.open:
            return
        chat = self._app.body.chat
        inside = chat.find.has_focus or (chat.made_transcript is not None and chat.made_transcript.has_focus)
        self._finds, self._at, self._aside = None, 0, False
        chat.show_find(False)
        if chat.made_transcript is not None:
            chat.made_transcript.seek(None)
        if inside:
            chat.composer.input.focus()
        self._app.show_keys()

    def changed(self, event: Event) -> None:
        """Something was said in the shown session, or taken back."""
        ends = TurnStarted | StepFinished | TurnFinished | TurnFailed | Rewound
        if self.open and self._text and (isinstance(event, ends) or _erased(event)):
            self._desk.run("find", self._again, exclusive=True)

    async def _again(self) -> None:
        await self._look(stay=True)

    def _place(self) -> tuple[Spot, int] | None:
        """The place that the reader is at: its message, and which of the places there."""
        left = self._at
        for spot in self._finds.spots if self._finds is not None else ():
            if left < spot.count:
                return spot, left
            left -= spot.count
        return None

    def _same(self, place: tuple[str, str, int]) -> int | None:
        """The number of a place, by message, call (empty = any) and which of the places there."""
        message, call, nth = place
        before = 0
        for spot in self._finds.spots if self._finds is not None else ():
            if spot.message == message and call in {"", spot.call}:
                return before + min(nth, spot.count - 1)
            before += spot.count
        return None

    def _go(self) -> None:
        self._aside = False
        self._tell()
        place = self._place()
        if place is not None:
            self._app.body.chat.transcript.go_to_place(*place)

    def _tell(self) -> None:
        finds = self._finds
        fact = ""
        if finds is not None and finds.text.strip():
            fact = f"{self._at + 1:,} of {finds.count:,}" if finds.count else "not here"
            if self._aside:
                fact = f"older answer · {finds.count:,} elsewhere" if finds.count else "in an older answer"
        self._app.body.chat.find.fact = fact


def _erased(event: Event) -> bool:
    return isinstance(event, SessionChanged) and bool(event.what.get("erased"))
