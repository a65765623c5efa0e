"""All open sessions of a program, behind one door and with one stream of events."""

from __future__ import annotations

from sessions.hub.hub import SessionHub
from sessions.hub.state import ContextUse, SessionState, StartInfo, WaitingOn
from sessions.hub.subscription import Subscription

__all__ = ["ContextUse", "SessionHub", "SessionState", "StartInfo", "Subscription", "WaitingOn"]
