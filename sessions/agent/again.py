"""Which words of a message were said before, in one that was taken back so that this one stands in its place.

A message may be said again for another answer, or with one word changed. What the person mended by hand in between is
newer than the words that they did not change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sessions.messages import Again, Marker, Record, UserMessage
from sessions.store.line import main_line

_BETWEEN = re.compile(
    r"[.!?,;:\n…。！？、，；：–—]+|\s-\s|\b(?:and|but|so|und|aber|et|mais|y|pero|e|ma)\b", re.IGNORECASE
)
_FEW = 3
"""Words that tell a piece inside of a longer one."""


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
    """Where a text has pieces of another, however they are put together; the whole where both are the same."""
    if _words(text) == _words(source):
        return [(0, len(text))]
    known = {_flat(source[start:end]) for start, end in _pieces(source)}
    within = f" {_flat(source)} "
    found = []
    for start, end in _pieces(text):
        flat = _flat(text[start:end])
        if flat in known or (flat.count(" ") + 1 >= _FEW and f" {flat} " in within):
            found.append((start, end))
    return found


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Where what stands between marks and small words is, as far as there are words in it."""
    at = 0
    for m in _BETWEEN.finditer(text):
        yield from _spoken(text, at, m.start())
        at = m.end()
    yield from _spoken(text, at, len(text))


def _spoken(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    if _words(text[start:end]):
        yield start, end


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _flat(text: str) -> str:
    return " ".join(_words(text))


def _is_prompt(record: Record) -> bool:
    return isinstance(record, UserMessage) and record.parent is None


def _goes_back(record: Record) -> bool:
    return isinstance(record, Marker) and record.kind == "rewound"
