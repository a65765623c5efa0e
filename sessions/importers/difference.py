"""What has to be appended to a log of ours so that it says what its source says now."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from sessions.messages import AssistantMessage, Marker, Record, ToolMessage, Unknown, UserMessage, clean
from sessions.store.line import main_line
from sessions.store.tail import STAYS


def changes(
    have: Sequence[Record],
    now: Iterable[Record],
    rewound: Callable[[str | None], Marker],
    had: Callable[[Record], None],
) -> Iterator[Record]:
    """The records of the source that the log has not, behind a `rewound` where another way begins.

    `have`: all records of the log; `now`: those of the source, in order; `had` is told those that stand there already.
    An erased line stays erased.
    """
    line = [r for r in main_line(have) if not (isinstance(r, Marker) and r.kind in STAYS)]
    taken = {r.id for r in have}
    erased = {r.id.partition("~")[0] for r in have if isinstance(r, Unknown) and r.erased}
    at, common = 0, True
    last: str | None = None
    for record in now:
        if isinstance(record, Marker) and record.kind in STAYS:
            # Going back takes none of these back, so they stand outside of what is compared.
            if record.id in taken:
                had(record)
            else:
                taken.add(record.id)
                yield record
            continue
        if common and at < len(line) and _same(line[at], record):
            last = line[at].id
            at += 1
            had(record)
            continue
        if common and at < len(line):
            yield rewound(last)
        common = False
        if record.id in erased:
            had(record)
            continue
        new = _renamed(record, taken) if record.id in taken else record
        taken.add(new.id)
        yield new
    if common and at < len(line):
        yield rewound(last)


def _same(ours: Record, theirs: Record) -> bool:
    """Whether a record of the log says what that of the source says: one that was merged of lines may have grown since,
    and a source may have been written anew under the same uuids."""
    if ours.id.partition("~")[0] != theirs.id:
        return False
    match ours, theirs:
        case UserMessage(), UserMessage():
            return ours.content == clean(theirs.content)
        case AssistantMessage(), AssistantMessage():
            return ours.content == clean(theirs.content) and _calls(ours) == _calls(theirs)
        case ToolMessage(), ToolMessage():
            return ours.ok == theirs.ok and ours.tool_call_id == theirs.tool_call_id and _same_result(ours, theirs)
        case Unknown(), _:
            return ours.erased
        case _:
            return type(ours) is type(theirs)


def _calls(message: AssistantMessage) -> str:
    """As they stand in a line, which is not for each value what it was before."""
    calls = [[call.name, call.arguments, call.arguments_text] for call in message.tool_calls]
    return clean(json.dumps(calls, ensure_ascii=False, sort_keys=True, default=str))


def _same_result(ours: ToolMessage, theirs: ToolMessage) -> bool:
    """Of a result that is kept beside the log the line has the beginning."""
    if ours.file is None or theirs.file is not None:
        return ours.content == clean(theirs.content)
    return bool(ours.file.get("sha256") == hashlib.sha256(clean(theirs.content).encode()).hexdigest())


def _renamed(record: Record, taken: set[str]) -> Record:
    """An id stands in a log once; the one that was taken back keeps it."""
    if isinstance(record, Unknown):
        return record
    n = 2
    while f"{record.id}~{n}" in taken:
        n += 1
    return replace(record, id=f"{record.id}~{n}")
