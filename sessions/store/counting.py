"""How many turns of a log count, told while it is read: what a `rewound` took back does not."""

from __future__ import annotations

from sessions.messages import Marker, Record, Unknown, UserMessage


class Counting:
    """Remembers only where a `rewound` can go back to: a marker, and what stands before a prompt."""

    def __init__(self) -> None:
        self._turns: list[int] = []
        """The numbers of those that count, 0 for one that was copied from another session."""
        self._at: dict[str, int] = {}
        """Id of a line -> how many there were then."""
        self._last: list[str] = []
        """The newest line that is known, and those behind it that are not."""

    @property
    def turns(self) -> int:
        """Those of this session."""
        return len({turn for turn in self._turns if turn})

    def feed(self, record: Record) -> None:
        """Take the next record of the log."""
        if isinstance(record, Unknown):
            self._last.append(record.id)
            return
        if isinstance(record, Marker):
            if record.kind == "rewound":
                self._back(record.data.get("to"))
                return
            self._at[record.id] = len(self._turns)
        elif isinstance(record, UserMessage) and record.parent is None:
            self._at |= dict.fromkeys(self._last, len(self._turns))
            self._turns.append(0 if record.extra.get("copied") is True else record.turn)
        self._last = [record.id]

    def _back(self, to: object) -> None:
        left = 0 if to is None else self._at.get(to) if isinstance(to, str) else None
        if left is not None:
            del self._turns[left:]
            self._at = {line: min(count, left) for line, count in self._at.items()}
