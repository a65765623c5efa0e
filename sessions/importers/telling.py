"""What telling a foreign conversation as records of ours has in common: turns and their ends, ids of calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256

from sessions.clock import parse_iso
from sessions.importers.base import Known, Report
from sessions.messages import AssistantMessage, Json, Marker, Record, Stop, ToolCall, ToolMessage, Usage, UserMessage

NO_RESULT = "No result of this call was recorded."
ENDED = "-end"
"""Ends the id of a turn's end and of a marker after it: so the last id tells whether the turn has its end."""
TOO_DEEP = "(Left out: nested too deeply.)"
_DEPTH = 100
"""Lists and objects in each other; what goes through them calls itself for each."""
_SAFE = re.compile(r"[A-Za-z0-9_-]{1,80}")


class Telling:
    """How far a conversation is told. A sub-agent's has a `parent`, stays in its turn, and has no markers."""

    def __init__(
        self,
        report: Report,
        known: Known | None = None,
        *,
        parent: str | None = None,
        turn: int = 0,
        used: set[str] | None = None,
    ) -> None:
        self.report = report
        self.parent = parent
        self.turn = known.turn if known is not None else turn
        self.at = ""
        """The time of the newest line that has one."""
        self.ended = known is None or known.last.endswith(ENDED)
        self.waiting: Mapping[str, tuple[str, str]] = known.open_calls if known is not None else {}
        """Calls that were told at an earlier reading and have no result yet: id there -> ours, tool."""
        self.last = known.last if known is not None else ""
        self.newest = self.last.removesuffix(ENDED)
        """Id of the newest message of the conversation itself."""
        self._used = {ours for ours, _ in self.waiting.values()} if used is None else used
        self._before = self._asked = ""
        """When the newest record was told, and when the newest reply ended."""
        self._began: str | None = None
        """When the turn began; None when that is not told here."""
        self._usage: Usage | None = None
        self._calls: dict[str, int] = {}
        """Call there -> the stretch between two compactions that it was last met in."""

    def passed(self, records: Iterator[Record]) -> Iterator[Record]:
        """The same records, noted as told."""
        for record in records:
            self.last = record.id
            yield self._timed(record)

    def _timed(self, record: Record) -> Record:
        """With how long it took, as the times of the lines tell."""
        match record:
            case AssistantMessage(ms=0):
                took = span_ms(self._before, self.at)
                self._asked = self._before = self.at
                return replace(record, ms=took) if took else record
            case ToolMessage(ms=0) if not record.extra:
                self._before = record.at
                took = span_ms(self._asked, record.at)
                return replace(record, ms=took) if took else record
            case UserMessage():
                self._before = record.at
        return record

    def begin(self) -> None:
        """A user's message begins the next turn."""
        if self.parent is None:
            self.turn += 1
            self.ended, self._began, self._usage = False, self.at, None

    def answered(self, usage: Usage | None) -> None:
        """A reply: the turn is under way, also when it seemed to have ended."""
        self.ended = self.ended and self.turn == 0
        if usage is not None:
            self._usage = usage if self._usage is None else self._usage + usage

    def end(self, stop: Stop, error: str = "") -> Iterator[Marker]:
        """The turn's end, unless it has one."""
        if self.ended or self.parent is not None:
            return
        self.ended = True
        data: Json = {"turn": self.turn, "stop": stop}
        if error:
            data["error"] = error
        if self._began is not None:
            if self._usage is not None:
                usage = self._usage
                data["usage"] = {"input": usage.input, "output": usage.output, "cached": usage.cached}
            if parse_iso(self._began) is not None and parse_iso(self.at) is not None:
                data["ms"] = span_ms(self._began, self.at)
        yield Marker(self.last + ENDED, self.at, "turn_end", data)

    def own(self, calls: Mapping[str, ToolCall], segment: int) -> dict[str, ToolCall]:
        """The calls with ids that no other call of the session has; a call that was told already is not told again."""
        out: dict[str, ToolCall] = {}
        for there, call in calls.items():
            if self._calls.get(there) == segment:
                continue
            self._calls[there] = segment
            id_, n = there, 2
            while id_ in self._used:
                id_, n = f"{there}~{n}", n + 1
            self._used.add(id_)
            own = call if id_ == there else replace(call, id=id_)
            out[there] = replace(own, arguments=None, arguments_text=TOO_DEEP) if _deep(own.arguments) else own
        return out

    def no_result(self, id_: str, name: str) -> ToolMessage:
        """In place of a result that never came."""
        self.report.missing_results += 1
        self.newest = record_id(id_.replace("~", ".") if _SAFE.fullmatch(id_) else id_) + "-none"
        extra = {"synthetic": True}
        return ToolMessage(
            self.newest, self.at, self.turn, id_, name, NO_RESULT, False, parent=self.parent, extra=extra
        )

    def marker_id(self, uuid: str) -> str:
        return record_id(uuid) + (ENDED if self.ended else "")


def span_ms(start: str, end: str) -> int:
    """Milliseconds between two times of a log; 0 when one is unknown or they are the wrong way round."""
    began, ended = parse_iso(start), parse_iso(end)
    if began is None or ended is None or ended < began:
        return 0
    return round((ended - began).total_seconds() * 1000)


def record_id(uuid: str) -> str:
    """A record's id, made of the line's uuid alone and safe as a name."""
    return uuid if _SAFE.fullmatch(uuid) else sha256(uuid.encode("utf-8", "replace")).hexdigest()[:32]


def _deep(value: object) -> bool:
    """Whether lists and objects stand in it in each other more than `_DEPTH` times."""
    level: list[object] = [value]
    for _ in range(_DEPTH):
        level = [
            item
            for one in level
            if isinstance(one, dict | list)
            for item in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return False
    return True
