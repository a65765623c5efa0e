"""Going back in a session, and going on elsewhere: the log only grows, what is left behind stays readable."""

from __future__ import annotations

from sessions import ids
from sessions.agent.line import main_line
from sessions.errors import StoreError, UsageError
from sessions.home import Home
from sessions.hub.live import LiveSession
from sessions.library import first_line
from sessions.messages import UserMessage
from sessions.store.fork import fork


def prompt_of(live: LiveSession, message: str | None = None) -> UserMessage:
    """The message to go back before: the newest, or the one of that id. UsageError when that cannot be done now."""
    if live.running or live.queued():
        raise UsageError("A turn is running", "Stop it first")
    prompts = [r for r in main_line(live.records) if isinstance(r, UserMessage) and r.parent is None]
    found = [r for r in prompts if message is None or r.id == message]
    if not found:
        raise UsageError("Nothing was said yet" if message is None else "That message is not in this conversation")
    return found[-1]


def forked(home: Home, session: str, upto: str | None) -> str:
    """Write the copy and give its id. Reads and writes files. StoreError when the session cannot be read."""
    if not ids.is_session_id(session) or not home.paths.session_log(session).exists():
        raise StoreError(f"There is no session {session} to fork", "A session has a file from its first message on")
    meta = home.catalog.get(session)
    had = {"profile": meta.profile or None, "model": meta.model or None, "memory": meta.memory} if meta else {}
    new = ids.session_id(home.clock.now())
    fork(home.paths, session, new, first_line(home, meta.cwd if meta and meta.cwd else None, **had), upto=upto)
    home.catalog.refresh(new)
    return new
