"""The calls of the shown session that wait for the person: the sheet asks, the hub is told the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sessions.agent.approval import ApprovalRequest, Decision
    from tui.app import MemagentApp
    from tui.desk import Desk


class Approving:
    """A part of the desk."""

    def __init__(self, app: MemagentApp, desk: Desk) -> None:
        self._app = app
        self._desk = desk
        self._answered = ""
        """The call that the person answered last."""

    @property
    def asked(self) -> bool:
        """Whether the shown session has a question."""
        return bool(self._desk.session) and bool(self._desk.hub.approvals.waiting(self._desk.session))

    def changed(self, session: str) -> None:
        if session == self._desk.session:
            self.refresh()

    def refresh(self) -> None:
        """Show the oldest question of the shown session, or none."""
        chat, session = self._app.body.chat, self._desk.session
        waiting = self._desk.hub.approvals.waiting(session) if session else []
        sheet = chat.approval
        had_focus = sheet.has_focus
        shown = sheet.request
        if (
            not waiting
            and had_focus
            and shown is not None
            and (shown.session, shown.call_id) == (session, self._answered)
        ):
            # The calls of a step are asked about one after the other: the next question comes at once.
            if self._desk.turns.waiting(session, but=self._answered):
                sheet.hold()
                return
        sheet.show(waiting[0] if waiting else None, max(0, self._desk.turns.waiting(session) - 1))
        # It never takes the focus by itself: what a person is about to type must not be an answer.
        if not waiting and had_focus:
            chat.composer.input.focus()
        self._app.show_keys()

    def go(self) -> None:
        """To the question."""
        self._app.go("chat")
        self._app.call_after_refresh(self._app.body.chat.approval.focus)

    def answered(self, request: ApprovalRequest, decision: Decision) -> None:
        self._answered = request.call_id
        self._desk.run("approval", self._answer, request, decision)

    async def _answer(self, request: ApprovalRequest, decision: Decision) -> None:
        self._desk.hub.approvals.answer(request.session, request.call_id, decision)

    def read(self, request: ApprovalRequest) -> None:
        from tui.dialogs.arguments import Arguments

        self._app.push_screen(Arguments(request.name, request.arguments))
