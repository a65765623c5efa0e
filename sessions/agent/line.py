"""Which records of a log still count: those that no `rewound` took back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sessions.messages import AssistantMessage, Marker, Message, Record, ToolMessage, UserMessage

# These say something about the session, not about the conversation: going back does not take them back.
_STAYS = frozenset({"session", "meta", "imported"})


def main_line(records: Iterable[Record]) -> list[Record]:
    """The records without what each `rewound{to}` took back. `to` is the last line kept; null keeps none.

    A `to` that is not on the line takes nothing back. The `rewound` markers themselves are left out.
    """
    line: list[Record] = []
    for record in records:
        if not (isinstance(record, Marker) and record.kind == "rewound"):
            line.append(record)
            continue
        to = record.data.get("to")
        keep = 0 if to is None else _after(line, to)
        if keep is not None:
            line[keep:] = [r for r in line[keep:] if isinstance(r, Marker) and r.kind in _STAYS]
    return line


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
