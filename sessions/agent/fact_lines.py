"""What tools did to the facts, as events of a turn and as lines of the log. Knows nothing of how facts are kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from sessions.events import FactDeleted, FactEvent, FactProposed, FactsRecalled, FactWritten
from sessions.messages import Marker, ToolMessage

_DELETED, _PROPOSED = "deleted", "proposed"


def of_call(events: Iterable[FactEvent], head: Mapping[str, Any], call_id: str | None) -> list[FactEvent]:
    """The events under this turn and call: one for each fact written, as the log keeps them.

    Recalled facts come last, as they stand on the result's own line, and lose their summaries, which the log does not
    repeat with every recall.
    """
    out: list[FactEvent] = []
    for event in sorted(events, key=lambda e: isinstance(e, FactsRecalled)):
        if isinstance(event, FactsRecalled):
            out.append(replace(event, **head, call_id=call_id, summaries=()))
            continue
        for i, (name, number) in enumerate(zip(event.names, event.numbers, strict=False)):
            summaries = event.summaries[i : i + 1]
            out.append(replace(event, **head, call_id=call_id, names=(name,), numbers=(number,), summaries=summaries))
    return out


def marker(event: FactEvent, id_: str, at: str) -> Marker:
    """The `fact` line of an event about one fact."""
    op = event.op if isinstance(event, FactWritten) else _PROPOSED if isinstance(event, FactProposed) else _DELETED
    data: dict[str, Any] = {"op": op, "name": event.names[0], "number": event.numbers[0]}
    data |= {"summary": event.summaries[0] if event.summaries else ""}
    if event.call_id:
        data["call_id"] = event.call_id
    return Marker(id_, at, "fact", data | {"turn": event.turn})


def from_marker(line: Marker, session: str) -> FactEvent | None:
    """The event of a `fact` line, None for one that names no fact."""
    data = line.data
    name, number, turn = data.get("name"), data.get("number"), data.get("turn")
    if not isinstance(name, str) or not isinstance(number, int):
        return None
    summary, call = data.get("summary"), data.get("call_id")
    common: dict[str, Any] = {
        "session": session,
        "turn": turn if isinstance(turn, int) else 0,
        "names": (name,),
        "numbers": (number,),
        "summaries": (summary,) if isinstance(summary, str) and summary else (),
        "call_id": call if isinstance(call, str) else None,
    }
    op = str(data.get("op") or "updated")
    if op in {_DELETED, "forgotten"}:
        return FactDeleted(**common)
    if op == _PROPOSED:
        return FactProposed(**common)
    return FactWritten(**common, op=op)


def recalled(line: ToolMessage, session: str) -> FactsRecalled | None:
    """The event of a tool's line that showed facts to the model."""
    if not line.facts:
        return None
    head: dict[str, Any] = {"session": session, "turn": line.turn, "call_id": line.tool_call_id}
    return FactsRecalled(**head, names=line.facts, numbers=line.fact_numbers)
