"""Brings events to the panes: one `apply` for what happens now and for what a log replays."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from sessions.events import (
    ApprovalDecided,
    ApprovalRequested,
    CompactionFinished,
    CompactionStarted,
    DistillFinished,
    DistillStarted,
    Event,
    FactDeleted,
    FactProposed,
    FactsRecalled,
    FactWritten,
    Notice,
    ReasoningDelta,
    Retrying,
    Rewound,
    SessionChanged,
    StepFinished,
    StepStarted,
    TextDelta,
    ToolCallDelta,
    ToolCallFinished,
    ToolCallStarted,
    TurnFailed,
    TurnFinished,
    TurnStarted,
)
from tui.widgets.when import folder

if TYPE_CHECKING:
    from sessions.hub import SessionState
    from tui.app import MemagentApp
    from tui.desk import Desk


def only_read(state: SessionState) -> str:
    """Why a session is only read here, and what can be done instead."""
    return f"{state.holder_note or 'open in another window: here it is only read'} · /fork goes on in a copy"


class Presenter:
    """Knows which pane shows what; draws nothing itself."""

    def __init__(self, app: MemagentApp, desk: Desk) -> None:
        self._app = app
        self._desk = desk
        self._answers: list[TurnFinished] = []
        """Ends of the shown session's turns that count."""
        self._who = "", ""
        """Profile and model that answer in it."""
        self._used = 0
        """Tokens that its newest step read and wrote, as its log says."""

    @property
    def answer(self) -> str:
        """The newest finished answer of the shown session, for copying."""
        return next((end.text for end in reversed(self._answers) if end.text), "")

    def _ended(self, event: Event) -> None:
        if isinstance(event, TurnFinished):
            self._answers.append(event)
        elif isinstance(event, Rewound):
            self._answers = [end for end in self._answers if end.turn < event.turn]
            self._used = 0
        elif isinstance(event, StepFinished) and event.usage is not None:
            self._used = event.usage.input + event.usage.output
        elif isinstance(event, CompactionFinished) and event.tokens_after is not None:
            self._used = event.tokens_after

    def load(self, state: SessionState) -> None:
        """Show a session: its past comes as the events that its turns gave."""
        app, chat = self._app, self._app.body.chat
        chat.notice.clear()
        chat.show_start(not state.events)
        self._who = state.profile, state.model
        chat.transcript.answered_by(*self._who)
        chat.transcript.load(state.events, state.above)
        app.body.agent.load(state.events, state.above)
        self._desk.earlier.loaded(state)
        self._desk.finding.close()
        self._answers, self._used = [], 0
        for event in state.events:
            self._ended(event)
        self.name(state)
        app.header.change(model=state.model, place=state.place, memory=self.mode(state))
        self.gauge()
        if not state.writable:
            # In the conversation, which may come in sight only now.
            chat.notice.show(only_read(state), "warning")
        elif state.cwd_missing and not any(isinstance(e, Notice) and str(state.cwd) in e.text for e in state.events):
            # It went since the session was opened: what was so then, the conversation says.
            chat.notice.show(f"the folder {folder(state.cwd)} is gone", "warning")

    def name(self, state: SessionState) -> None:
        self._app.body.chat.name_session(state.title, folder(state.cwd))

    def mode(self, state: SessionState) -> str:
        """The memory mode as the header calls it."""
        if state.private:
            return "private-off" if state.memory == "off" else "private"
        return state.memory

    def mode_changed(self) -> None:
        """Show how the shown session uses memory now."""
        if self._desk.state is not None:
            self._app.header.change(memory=self.mode(self._desk.state))

    def gauge(self) -> None:
        """How full the context of the shown session is."""
        if self._desk.session:
            use, state = self._desk.hub.context_use(self._desk.session), self._desk.state
            if state is not None and not state.writable:
                # No request is made from here: there is what its log tells, or nothing.
                self._app.header.change(tokens=self._used, window=use.window if self._used else 0)
            else:
                self._app.header.change(tokens=use.tokens, window=use.window)

    def apply(self, event: Event) -> None:
        """Show an event. Those of other sessions only move marks."""
        self._everywhere(event)
        if event.session == self._desk.session:
            if self._desk.earlier.breaks(event):
                self._desk.erasing.reload()
            self._app.body.chat.transcript.apply(event)
            self._app.body.agent.apply(event)
            self._shown(event)
            self._desk.finding.changed(event)

    def _everywhere(self, event: Event) -> None:
        lists = self._app.lists
        match event:
            case TurnStarted():
                self._desk.turns.began(event.session, event.turn)
            case CompactionStarted(turn=0):
                # By hand, outside of a turn: it can be stopped like one.
                self._desk.turns.began(event.session, 0)
            case CompactionFinished(turn=0):
                self._desk.turns.shortened(event.session)
            case ApprovalRequested():
                self._desk.turns.asked(event.session, event.call_id)
            case ApprovalDecided():
                self._desk.turns.decided(event.session, event.call_id)
            case TurnFinished() | TurnFailed():
                self._desk.turns.ended(event)
                if lists is not None:
                    lists.history_changed()
            case FactWritten() | FactProposed() | FactDeleted():
                if lists is not None:
                    lists.memory_changed()
            case SessionChanged():
                if lists is not None:
                    lists.history_changed()
            case Notice() if not event.session:
                self._app.say(event.text, event.level)
            case _:
                pass

    def _shown(self, event: Event) -> None:
        match event:
            case TurnStarted():
                self._app.body.chat.show_start(False)
                self.gauge()
            case StepFinished() | CompactionFinished() | TurnFinished() | Rewound():
                self._ended(event)
                self.gauge()
            case SessionChanged():
                self._changed(event)
            case Notice():
                # The conversation shows it, where that can be seen.
                if not self._app.body.shows("chat"):
                    self._app.say(event.text, event.level)
            case (
                TurnFailed()
                | StepStarted()
                | ReasoningDelta()
                | TextDelta()
                | ToolCallStarted()
                | ToolCallDelta()
                | ToolCallFinished()
                | Retrying()
                | CompactionStarted()
                | FactsRecalled()
                | FactWritten()
                | FactProposed()
                | FactDeleted()
                | DistillStarted()
                | DistillFinished()
                | ApprovalRequested()
                | ApprovalDecided()
            ):
                # Transcript and tree show these; nothing else on the screen does.
                pass
            case _ as unreachable:
                assert_never(unreachable)

    def _changed(self, event: SessionChanged) -> None:
        what, header = event.what, self._app.header
        if isinstance(title := what.get("title"), str):
            self._app.body.chat.title.title_text = title
        if isinstance(memory := what.get("memory"), str) and self._desk.state is not None:
            self._desk.state = replace(self._desk.state, memory=memory)  # type: ignore[arg-type]
            self.mode_changed()
        if isinstance(model := what.get("model"), str):
            self._who = str(what.get("profile") or self._who[0]), model
            self._app.body.chat.transcript.answered_by(*self._who)
            header.change(model=model)
            if self._desk.state is not None:
                self._desk.state = replace(self._desk.state, profile=self._who[0], model=model)
            self._desk.warm()
        if isinstance(place := what.get("place"), str):
            header.change(place=place)
            if self._desk.state is not None:
                self._desk.state = replace(self._desk.state, place=place)
        if what.get("erased"):
            self._desk.erasing.reload()
        if what.get("writable") and self._desk.state is not None:
            self._desk.state = replace(self._desk.state, writable=True, holder_note="")
            self._app.say("the other program has closed this session: it goes on here")
        if "note" in what and self._desk.state is not None:
            # It went to the trash, or came back from there, while it is followed here.
            self._desk.state = replace(self._desk.state, holder_note=str(what["note"]))
            self._app.body.chat.notice.show(str(what["note"]), "warning")
        self.gauge()
