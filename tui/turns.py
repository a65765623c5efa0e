"""What goes on in all open sessions: which have a running turn, which wait for the person, which ended unseen."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from sessions.events import TurnFailed, TurnFinished
from tui.widgets.beat import Beat

if TYPE_CHECKING:
    from sessions.hub import SessionState
    from tui.app import MemagentApp
    from tui.desk import Desk

_ENDS = {"cancelled": "stopped", "length": "the answer is cut", "max_steps": "stopped: too many steps"}


class Turns:
    """A part of the desk."""

    def __init__(self, app: MemagentApp, desk: Desk) -> None:
        self._app = app
        self._desk = desk
        self.running: dict[str, tuple[int, float]] = {}
        """Session -> its running turn and since when (monotonic)."""
        self._waiting: dict[str, set[str]] = {}
        """Session -> the calls that wait for the person's yes or no."""
        self._unseen: set[str] = set()
        """Sessions in which a turn ended that nobody has looked at."""
        self._beat = Beat(app, self.tick, 2)

    def states(self) -> dict[str, str]:
        """What the list of sessions says of each."""
        out = dict.fromkeys(self._unseen, "new")
        # Until the other program lets go of it, nothing can be done with what is new.
        out |= dict.fromkeys(self._desk.elsewhere.sessions, "running elsewhere")
        out |= dict.fromkeys(self.running, "running")
        return out | dict.fromkeys(self._waiting, "waits for you")

    def began(self, session: str, turn: int) -> None:
        self.running[session] = (turn, time.monotonic())
        self._unseen.discard(session)
        self._changed()

    def asked(self, session: str, call: str) -> None:
        """A call of the session waits for the person."""
        self._waiting.setdefault(session, set()).add(call)
        if not self._sees(session):
            self._desk.run("told", self._tell, session, "waits for you", "warning")
        self._changed()
        self._desk.approving.changed(session)

    def waiting(self, session: str, but: str = "") -> int:
        """How many calls of the session wait for the person, without that one."""
        return len(self._waiting.get(session, set()) - {but})

    def decided(self, session: str, call: str) -> None:
        waiting = self._waiting.get(session, set())
        waiting.discard(call)
        if not waiting:
            self._waiting.pop(session, None)
        self._changed()
        self._desk.approving.changed(session)

    def shortened(self, session: str) -> None:
        """What the person asked for outside of a turn is over."""
        if self.running.get(session, (None,))[0] == 0:
            del self.running[session]
            self._changed()

    def ended(self, event: TurnFinished | TurnFailed) -> None:
        """A turn is over; of one that nobody watches the person is told."""
        session = event.session
        self.running.pop(session, None)
        self._waiting.pop(session, None)
        if not self._sees(session) and not self._desk.closing:
            self._unseen.add(session)
            failed = isinstance(event, TurnFailed)
            word = f"failed: {event.error}" if isinstance(event, TurnFailed) else _ENDS.get(event.stop, "answered")
            self._desk.run("told", self._tell, session, word, "error" if failed else "info")
            if session != self._desk.session:
                self._desk.run("left", self._desk.let_go, session)
        self._changed()
        self._desk.approving.changed(session)

    def shown(self, state: SessionState) -> None:
        """A session is on the screen."""
        if state.running and state.id not in self.running:
            turn = max((event.turn for event in state.events), default=1)
            self.running[state.id] = (turn, time.monotonic())
        self.seen()
        self._changed()
        self._desk.approving.refresh()

    def seen(self) -> None:
        """What the chat shows is being looked at."""
        if self._desk.session in self._unseen and self._sees(self._desk.session):
            self._unseen.discard(self._desk.session)
            self._changed()

    def _sees(self, session: str) -> bool:
        return session == self._desk.session and self._app.body.shows("chat")

    async def _tell(self, session: str, word: str, level: str) -> None:
        title = await self._title(session)
        self._app.say(f"{title}: {word}", level)

    async def _title(self, session: str) -> str:
        if session == self._desk.session and self._desk.state is not None and self._desk.state.title:
            return self._desk.state.title
        meta = await self._desk.hub.run(self._desk.home.catalog.get, session)
        return (meta.title if meta is not None else "") or "untitled"

    def _changed(self) -> None:
        self.tick()
        self._beat.run(bool(self.running))
        self._app.show_keys()
        if self._desk.session:
            self._desk.show_queue()
        if self._app.lists is not None:
            self._app.lists.states_changed()

    def tick(self) -> None:
        """The composer says for how long the shown session's turn runs."""
        running = self.running.get(self._desk.session)
        composer = self._app.body.chat.composer
        if running is None:
            composer.running(None)
        else:
            turn = self._app.body.agent.count_of(running[0])
            waits = self._desk.session in self._waiting
            composer.running(turn, (time.monotonic() - running[1]) * 1000, waits=waits)
