"""Going back in a session: the log only grows, what is left behind stays readable."""

from __future__ import annotations

from sessions.agent.line import main_line
from sessions.errors import UsageError
from sessions.hub.live import LiveSession
from sessions.messages import UserMessage


def prompt_of(live: LiveSession, message: str | None = None) -> UserMessage:
    """The message to go back before: the newest, or the one of that id. UsageError when that cannot be done now."""
    if live.running or live.queued():
        raise UsageError("A turn is running", "Stop it first")
    prompts = [r for r in main_line(live.records) if isinstance(r, UserMessage) and r.parent is None]
    found = [r for r in prompts if message is None or r.id == message]
    if not found:
        raise UsageError("Nothing was said yet" if message is None else "That message is not in this conversation")
    return found[-1]
