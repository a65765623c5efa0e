"""How much of the end of a log a request can be built of."""

from __future__ import annotations

from collections.abc import Sequence

from sessions.agent.budget import messages_chars
from sessions.messages import AssistantMessage, Marker, Record, ToolMessage, UserMessage
from sessions.store.line import main_line

_CHARS = 8
"""Of a token, more than any text has on the average."""
_WINDOWS = 8
"""What is older than the window is put in short; of a conversation many times as long, so much of its end."""


def enough(records: Sequence[Record], *, window: int, max_turns: int) -> bool:
    """Whether the records, which begin at a whole turn, hold all that a request of `window` tokens can hold.

    So they do from the newest `cleared` or `compaction` on, and when they are several times longer than the window: a
    summary is then made of what does not fit. Turns that were said while memory was off do not count, as they may not
    be sent.
    """
    ids = {record.id for record in records}
    if any(first not in ids for record in records if (first := _first_kept(record))):
        return False
    most = window * _CHARS * _WINDOWS
    chars = turn = 0
    turns = 0
    for record in reversed(main_line(records)):
        match record:
            case Marker(kind="cleared"):
                return True
            case Marker(kind="compaction", data=data) if isinstance(data.get("content"), str):
                if data.get("memory") != "off":
                    return True
            case UserMessage(parent=None) | AssistantMessage(parent=None) | ToolMessage(parent=None):
                turn += messages_chars([record])
                if isinstance(record, UserMessage):
                    if record.memory != "off":
                        chars, turns = chars + turn, turns + 1
                    turn = 0
                    if chars >= most or turns >= max_turns > 0:
                        return True
            case _:
                pass
    return False


def _first_kept(record: Record) -> str:
    if not isinstance(record, Marker) or record.kind != "compaction" or not isinstance(record.data.get("content"), str):
        return ""
    first = record.data.get("first_kept")
    return first if isinstance(first, str) else ""
