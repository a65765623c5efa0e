"""Names that are made once and never change."""

from __future__ import annotations

import re
import secrets
import uuid
from datetime import UTC, datetime

_SESSION = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}\Z")


def session_id(now: datetime) -> str:
    """`20261129-171408-7f3a9c`: UTC, sorts by time, unique by its random end."""
    return f"{now.astimezone(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"


def is_session_id(text: str) -> bool:
    """Whether the text is a session id, and so safe as a file name."""
    return _SESSION.match(text) is not None


def message_id() -> str:
    """Unique in a session: twelve hexadecimal digits."""
    return secrets.token_hex(6)


def call_id() -> str:
    """Our id of a tool call; the provider's own is kept beside it."""
    return "call-" + secrets.token_hex(4)


def uuid4() -> str:
    """A fact's or an operation's identity."""
    return str(uuid.uuid4())
