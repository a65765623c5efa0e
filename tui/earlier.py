"""What a long session holds above what is shown: read when the reader or the agent's tree wants it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sessions.events import CompactionFinished, Event, Rewound

if TYPE_CHECKING:
    from sessions.hub import SessionState
    from tui.app import MemagentApp
    from tui.chat.messages import ResultWanted
    from tui.chat.paging import PartWanted
    from tui.desk import Desk


class Earlier:
    """A part of the desk."""

    def __init__(self, app: MemagentApp, desk: Desk) -> None:
        self._app = app
        self._desk = desk

    def loaded(self, state: SessionState) -> None:
        """A session is shown: its tree gets the turns that are not."""
        if state.above:
            self._desk.run("above", self._turns, state, exclusive=True)

    async def _turns(self, state: SessionState) -> None:
        earlier = await self._desk.hub.past.turns(state.id, state.above)
        if self._desk.session == state.id:
            await self._app.body.agent.put_above(earlier.turns, earlier.taken_back)

    def part(self, wanted: PartWanted) -> None:
        """The reader comes near to what is not here."""
        self._desk.run("part", self._part, self._desk.session, wanted)

    async def _part(self, session: str, wanted: PartWanted) -> None:
        past, gap, transcript = self._desk.hub.past, wanted.gap, self._app.body.chat.transcript
        page = None
        try:
            if wanted.said is not None:
                page = await past.around(session, wanted.said.message, gap.end)
                if page is None and session == self._desk.session:
                    self._app.say("the message is no longer in this session", "warning")
            elif wanted.which == "before":
                page = await past.before(session, gap.start, gap.end)
            else:
                page = await past.after(session, gap.start, gap.end)
        finally:
            if page is None:
                transcript.nothing(wanted)
        if page is not None:
            await transcript.put(wanted, page.events, page.start, page.end)

    def result(self, wanted: ResultWanted) -> None:
        """The reader wants all of a result that is kept beside the log."""
        self._desk.run("result", self._result, self._desk.session, wanted)

    async def _result(self, session: str, wanted: ResultWanted) -> None:
        call = wanted.call
        text = await self._desk.hub.past.result(session, call.call_id, call.file)
        if session != self._desk.session:
            return
        if text is None:
            self._app.say("the rest of this result is no longer kept", "warning")
        self._app.body.chat.transcript.put_result(call, text)

    def steps(self, part: tuple[int, int]) -> None:
        """A turn of the tree was opened whose steps are not here."""
        self._desk.run("steps", self._steps, self._desk.session, part)

    async def _steps(self, session: str, part: tuple[int, int]) -> None:
        turn = await self._desk.hub.past.turn(session, *part)
        if turn is not None and session == self._desk.session:
            self._app.body.agent.put_steps(turn)

    def breaks(self, event: Event) -> bool:
        """Whether the event is about something that is not shown: the session is then shown anew, from there on."""
        match event:
            case Rewound(message=message):
                wanted: str | None = message
            case CompactionFinished(first_kept=first, results_only=False):
                wanted = first
            case _:
                wanted = ""
        return bool(wanted) and self._app.body.chat.transcript.document.lacks(wanted or "")
