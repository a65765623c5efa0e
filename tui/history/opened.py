"""The wish to take a session up again, from the list or from its detail."""

from __future__ import annotations

from textual.message import Message

from tui.history.hit_rows import HitRow


class OpenedAt(Message):
    """The session and, when a search found it, the hit, the words that found it, and their needles."""

    def __init__(self, session: str, row: HitRow | None = None) -> None:
        super().__init__()
        self.session = session
        self.hit = row.hit if row is not None else None
        self.words = row.words if row is not None else ""
        self.needles = row.needles if row is not None else ()
