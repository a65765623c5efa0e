"""What has to be appended to a log of ours so that it says what its source says now."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

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
    An erased line stays erased. What a sub-agent said later, and a result that came after another, stand further up in
    the source: in the log they come behind what was there, for they name the call that they belong to.
    """
    line = [r for r in main_line(have) if not (isinstance(r, Marker) and r.kind in STAYS)]
    there = [*now]
    taken = {r.id for r in have}
    erased = {r.id.partition("~")[0] for r in have if isinstance(r, Unknown) and r.erased}
    kept, common = _common(line, there, erased)
    started: set[str] = set()
    """Calls that are told now."""
    late: list[Record] = []
    """Of sub-agents whose call stands in the log."""
    if kept < len(line):
        yield rewound(line[kept - 1].id if kept else None)
    for place, record in enumerate(there):
        stays = isinstance(record, Marker) and record.kind in STAYS
        # Going back takes none of those that stay back, so they stand outside of what is compared.
        if place in common or (stays and record.id in taken) or (not stays and record.id in erased):
            had(record)
            continue
        new = _renamed(record, taken) if record.id in taken else record
        taken.add(new.id)
        parent = None if isinstance(new, Marker | Unknown) else new.parent
        if parent is not None and parent not in started:
            # What is said otherwise the next time, the end of it, should have nothing behind it to be told again.
            late.append(new)
            continue
        if isinstance(new, AssistantMessage):
            started.update(call.id for call in new.tool_calls)
        yield new
    yield from late


def _common(line: Sequence[Record], there: Sequence[Record], erased: set[str]) -> tuple[int, set[int]]:
    """How many records of the log's line the source still says, and the places where these stand in the source."""
    threads: dict[_Thread, list[int]] = {}
    of: dict[str, _Thread] = {}
    behind: list[int] = []
    """For each record of the source, how many of the conversation itself come before it."""
    said = 0
    left_out = erased - {r.id.partition("~")[0] for r in line}
    for place, record in enumerate(there):
        behind.append(said)
        if not (isinstance(record, Marker) and record.kind in STAYS) and record.id not in left_out:
            thread = of[record.id] = _thread(record)
            threads.setdefault(thread, []).append(place)
            said += thread == _SAID
    at: Counter[_Thread] = Counter()
    found: list[int] = []
    for ours in line:
        thread = of.get(ours.id.partition("~")[0], _SAID)
        next_ = threads.get(thread, [])[at[thread] : at[thread] + 1]
        if not next_ or not _same(ours, there[next_[0]]):
            break
        if thread[0] == "result" and behind[next_[0]] != at[_SAID]:
            break
        at[thread] += 1
        found += next_
    # A result does not come behind what was said after it.
    common = set(found)
    late = (behind[p] for thread, places in threads.items() if thread[0] == "result" for p in places if p not in common)
    said = min(late, default=at[_SAID])
    if said < at[_SAID]:
        first = threads[_SAID][said]
        del found[found.index(first) :]
    return len(found), set(found)


_Thread: TypeAlias = tuple[str, str]
"""Records whose order among each other counts: the conversation itself, the results of one call, a sub-agent's."""
_SAID = ("", "")


def _thread(record: Record) -> _Thread:
    if isinstance(record, Marker | Unknown):
        return _SAID
    if record.parent is not None:
        return "agent", record.parent
    return ("result", record.tool_call_id) if isinstance(record, ToolMessage) else _SAID


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
