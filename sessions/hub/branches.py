"""The course of a session: back, elsewhere, in short. The log only grows, what is left behind stays readable."""

from __future__ import annotations

from collections.abc import Iterable

from sessions.errors import UsageError
from sessions.events import Event, SessionChanged
from sessions.home import Home
from sessions.hub.background import Background
from sessions.hub.live import LiveSession
from sessions.hub.threads import Threads
from sessions.messages import UserMessage
from sessions.store.line import main_line


class Branching:
    """A part of the hub."""

    home: Home
    work: Background
    _threads: Threads

    def said(self, session: str) -> UserMessage:
        """The newest message of the person, to be edited. UsageError as of `retry`."""
        return prompt_of(self._writable(session))

    async def retry(self, session: str) -> None:
        """Say the newest message again, with memory as it is now; the old answer stays readable.

        UsageError while a turn runs, or when nothing was said yet; so do `edit` and `rewind`.
        """
        live = self._writable(session)
        prompt = prompt_of(live)
        live.remake()
        live.send(prompt.content, prompt.typed, instead=prompt)

    async def edit(
        self, session: str, message: str, text: str, *, typed: Iterable[tuple[int, int]] | None = None
    ) -> None:
        """Say `text` in the place of a message; that one and all after it leave the context and stay readable."""
        live = self._writable(session)
        await live.reach(message)
        live.send(text, typed, instead=prompt_of(live, message))

    async def rewind(self, session: str) -> UserMessage:
        """Take back the last turn; gives its message, to be said otherwise or not at all."""
        live = self._writable(session)
        prompt_of(live)
        await live.idle()
        await self.work.stirs(session)
        prompt = prompt_of(live)
        await live.go_back(prompt)
        self.work.rests(session)
        return prompt

    async def fork(self, session: str, upto: str | None = None) -> str:
        """A new session that begins with copies of the lines of this one, to the end of the turn of message `upto`.

        Also of one that another program writes. StoreError when it has no file: a private or an empty session.
        """
        new = await self._threads.run(self.home.sessions.fork, session, upto)
        self._publish(SessionChanged(session=new, what={"forked_from": session}))
        self.index_soon(new)
        return new

    def compact(self, session: str, focus: str = "") -> None:
        """Put older turns in short, with special care of `focus`. UsageError when it is only read here."""
        self._writable(session).compact(focus)

    def _writable(self, session: str) -> LiveSession:
        raise NotImplementedError

    def _publish(self, event: Event) -> None:
        raise NotImplementedError

    def index_soon(self, session: str | None = None) -> None:
        raise NotImplementedError


def prompt_of(live: LiveSession, message: str | None = None) -> UserMessage:
    """The message to go back before: the newest, or the one of that id. UsageError when that cannot be done now."""
    if live.running or live.queued():
        raise UsageError("A turn is running", "Stop it first")
    prompts = [r for r in main_line(live.records) if isinstance(r, UserMessage) and r.parent is None]
    found = [r for r in prompts if message is None or r.id == message]
    if not found:
        raise UsageError("Nothing was said yet" if message is None else "That message is not in this conversation")
    return found[-1]
