"""Which records of a log still count: those that no `rewound` took back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sessions.messages import AssistantMessage, Marker, Message, Record, ToolMessage, Unknown, UserMessage
from sessions.store.tail import STAYS


def main_line(records: Iterable[Record]) -> list[Record]:
    """The records without what each `rewound{to}` took back. `to` is the last line kept; null keeps none.

    A `to` that is not on the line takes nothing back. The `rewound` markers themselves are left out.
    """
    line: list[Record] = []
    for record in records:
        if not (isinstance(record, Marker) and record.kind == "rewound"):
            line.append(record)
            continue
        keep = kept(line, record.data.get("to"))
        if keep is not None:
            line[keep:] = staying(line[:keep], line[keep:])
    return line


def kept(line: Sequence[Record], to: object) -> int | None:
    """How many records of the line a `rewound{to}` keeps; None when `to` is not on the line."""
    return 0 if to is None else _after(line, to)


def staying(kept: Sequence[Record], gone: Sequence[Record]) -> list[Record]:
    """What of the records after `to` is not taken back.

    So is a summary of nothing but what is kept: its turns need not be summarised again.
    """
    first = next((r.id for r in gone if isinstance(r, UserMessage) and r.parent is None), None)
    ids = {r.id for r in kept}

    def stays(marker: Marker) -> bool:
        if marker.kind != "compaction":
            return marker.kind in STAYS
        upto = marker.data.get("first_kept")
        return isinstance(upto, str) and (upto in ids or upto == first)

    return [r for r in gone if isinstance(r, Marker) and stays(r)]


def before(line: Sequence[Record], message: str) -> str | None:
    """The `to` that goes back to before a message of the line: the last line kept, None when there is none.

    The first line of a log is not named: a copy of the log has another one.
    """
    for record in reversed(line[: (_after(line, message) or 1) - 1]):
        if not isinstance(record, Unknown) and not (isinstance(record, Marker) and record.kind == "session"):
            return record.id
    return None


def messages_of(records: Iterable[Record]) -> list[Message]:
    """The conversation's own messages: no markers, no unknown lines, nothing of a sub-agent."""
    kinds = (UserMessage, AssistantMessage, ToolMessage)
    return [r for r in records if isinstance(r, kinds) and r.parent is None]


def whole_turns(messages: Iterable[Message]) -> list[list[Message]]:
    """The messages in groups that each begin with a user's message (the first may not)."""
    turns: list[list[Message]] = []
    for message in messages:
        if isinstance(message, UserMessage) or not turns:
            turns.append([])
        turns[-1].append(message)
    return turns


def last_turn(records: Sequence[Record]) -> int:
    """The highest turn number in the log, 0 for none."""
    return max((r.turn for r in records if isinstance(r, UserMessage | AssistantMessage | ToolMessage)), default=0)


def _after(line: Sequence[Record], id_: object) -> int | None:
    for i in range(len(line) - 1, -1, -1):
        record = line[i]
        if getattr(record, "id", None) == id_:
            return i + 1
    return None
