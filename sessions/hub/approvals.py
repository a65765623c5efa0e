"""The calls that wait for the person's yes or no, of all open sessions."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from sessions.agent.approval import PERSON, ApprovalRequest, Approver, Consent, Decision
from sessions.errors import MemagentError, UsageError
from sessions.home import Home
from sessions.hub.threads import Threads
from sessions.settings_edit import change


class Approvals:
    """Asks whoever looks at `waiting` and gives an `answer`. Lives on the hub's event loop."""

    by = PERSON

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], tuple[ApprovalRequest, asyncio.Future[Decision]]] = {}
        self.changed: Callable[[str], object] = lambda session: None
        """Called when a session has another question, or one less."""

    async def decide(self, request: ApprovalRequest) -> Decision:
        future: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        key = request.session, request.call_id
        self._waiting[key] = request, future
        self.changed(request.session)
        try:
            return await future
        finally:
            del self._waiting[key]
            self.changed(request.session)

    def waiting(self, session: str) -> list[ApprovalRequest]:
        """The questions of a session that can be answered now, oldest first."""
        return [
            request for request, future in self._waiting.values() if request.session == session and not future.done()
        ]

    def answer(self, session: str, call_id: str, decision: Decision) -> None:
        """Let the call run, or not. UsageError when it does not wait any more."""
        _, future = self._waiting.get((session, call_id), (None, None))
        if future is None or future.done():
            raise UsageError("The call does not wait for an answer any more")
        future.set_result(decision)


def consent_of(
    home: Home, threads: Threads, warn: Callable[[str], None], approver: Approver, allow: tuple[str, ...] = ()
) -> Consent:
    """A session's consent. `allow` are rules beside those of the settings, for as long as the program runs."""
    return Consent(approver, lambda: (*home.settings.approvals, *allow), _keeper(home, threads, warn))


def _keeper(home: Home, threads: Threads, warn: Callable[[str], None]) -> Callable[[str], Awaitable[None]]:
    async def keep(rule: str) -> None:
        try:
            await threads.run(partial(_write, home), rule)
        except MemagentError as e:
            warn(f"{rule} is allowed until this session ends only: {e}")

    return keep


def _write(home: Home, rule: str) -> None:
    always = home.reload_settings().approvals
    if rule not in always:
        change(home.paths.config, "approvals.always", [*always, rule])
        home.reload_settings()
