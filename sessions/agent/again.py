"""Which words of a message were said before, in one that was taken back so that this one stands in its place.

A message may be said again for another answer, or with one word changed. What the person mended by hand in between is
newer than the words that they did not change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sessions.messages import Again, Marker, Record, UserMessage
from sessions.store.line import main_line

_PIECE = re.compile(r"[^.!?,;:\n…。！？、，；：]+")


def said_before(records: Sequence[Record], text: str) -> tuple[Again, ...]:
    """The pieces of a new message that stood in those that were taken back since the newest one that counts."""
    return tuple(
        Again(message, at, start, end)
        for message, at, words in _sources(_taken_back(records))
        for start, end in _shared(text, words)
    )


def _taken_back(records: Sequence[Record]) -> list[UserMessage]:
    newest = next((r for r in reversed(records) if _is_prompt(r) or _goes_back(r)), None)
    if newest is None or not _goes_back(newest):
        return []
    stays = {record.id for record in main_line(records)}
    gone: list[UserMessage] = []
    for record in reversed(records):
        if isinstance(record, UserMessage) and _is_prompt(record):
            if record.id in stays:
                break
            gone.append(record)
    return gone


def _sources(messages: Sequence[UserMessage]) -> Iterator[tuple[str, str, str]]:
    """Id, time and words: of each message, and of those whose words it had already."""
    for message in messages:
        yield message.id, message.at, message.content
        for again in message.again:
            yield again.message, again.at, message.content[again.start : again.end]


def _shared(text: str, source: str) -> list[tuple[int, int]]:
    """Where a text has pieces of another; the whole where both are the same."""
    if _flat(text) == _flat(source):
        return [(0, len(text))]
    known = {_flat(m[0]) for m in _PIECE.finditer(source)}
    return [m.span() for m in _PIECE.finditer(text) if m[0].strip() and _flat(m[0]) in known]


def _flat(text: str) -> str:
    return " ".join(text.casefold().split())


def _is_prompt(record: Record) -> bool:
    return isinstance(record, UserMessage) and record.parent is None


def _goes_back(record: Record) -> bool:
    return isinstance(record, Marker) and record.kind == "rewound"
