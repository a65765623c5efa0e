"""The words that a person typed in a session, apart from all that only stands beside them in its log.

Pasted blocks, files and piped input are outside of a message's `typed` spans. Fenced and indented code, quoted lines
and forwarded mail are somebody else's words even where the person typed them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from sessions.messages import Record, UserMessage

_FENCE = re.compile(r"^[ \t]*(```+|~~~+).*?(?:^[ \t]*\1|\Z)", re.M | re.S)
_QUOTED = re.compile(r"^[ \t]*(?:>|&gt;|\|[ \t]).*$", re.M)
_INDENTED = re.compile(r"(?:\A|^[ \t]*\n)(?:(?: {4}|\t)[ \t]*\S.*(?:\n|\Z)|[ \t]*\n)+", re.M)
_MAIL_HEADS = re.compile(
    r"^[ \t]*(?:-{2,}[ \t]*(?:original|forwarded|begin forwarded|weitergeleitete|ursprüngliche)\b.*$"
    r"|(?:begin forwarded message|on .{4,80} wrote|am .{4,80} schrieb.{0,60}):[ \t]*$"
    r"|(?:(?:from|to|cc|date|sent|subject|reply-to|von|an|datum|betreff|gesendet|de|para|asunto|"
    r"objet):[ \t]\S.*(?:\n|\Z)){2,})",
    re.M | re.I,
)


@dataclass(frozen=True, slots=True)
class Earlier:
    """Words of a message that were typed before, in one that was taken back."""

    message: str
    at: str
    text: str


@dataclass(frozen=True, slots=True)
class Typed:
    """What the person typed in one message."""

    message: str
    """Id of the message."""
    at: str
    """When it was sent, as an ISO time."""
    parts: tuple[str, ...]
    """The typed pieces in order; what stood between two of them was not typed."""
    off: bool = False
    """Said while memory was off: nothing may be kept of it."""
    again: tuple[Earlier, ...] = ()
    """What of it is only said again: an answer that is asked for once more is no new statement."""

    @property
    def text(self) -> str:
        return "\n".join(self.parts)


def typed_words(records: Iterable[Record]) -> list[Typed]:
    """What the person typed, oldest first. Messages of which nothing was typed are left out."""
    prompts = (r for r in records if isinstance(r, UserMessage) and r.parent is None)
    return [typed for typed in map(typed_of, prompts) if typed is not None]


def typed_of(record: UserMessage) -> Typed | None:
    """What the person typed of one message; None for nothing."""
    parts = typed_parts(record.content, record.typed)
    if not parts:
        return None
    again = tuple(Earlier(a.message, a.at, record.content[a.start : a.end]) for a in record.again)
    return Typed(record.id, record.at, parts, record.memory == "off", again)


def typed_parts(content: str, spans: Iterable[tuple[int, int]] | None = None) -> tuple[str, ...]:
    """The person's own words of a message: within the typed spans (None = all), outside of code and quotations."""
    size = len(content)
    wanted = sorted((max(0, a), min(b, size)) for a, b in ([(0, size)] if spans is None else spans))
    foreign = sorted(_foreign(content))
    out = []
    for start, end in _joined(wanted):
        at = start
        for a, b in foreign:
            if b <= at or a >= end:
                continue
            out.append(content[at:a])
            at = b
        out.append(content[at:end])
    return tuple(part for part in out if part.strip())


def _foreign(content: str) -> list[tuple[int, int]]:
    found = [m.span() for rule in (_FENCE, _QUOTED, _INDENTED) for m in rule.finditer(content)]
    mail = _MAIL_HEADS.search(content)
    return [*found, (mail.start(), len(content))] if mail else found


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans that touch as one."""
    out: list[tuple[int, int]] = []
    for start, end in spans:
        if start >= end:
            continue
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out
