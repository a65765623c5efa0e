"""The records of a source on their way into a log of ours, and what has to be known of them afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from sessions.importers.base import Known, Source
from sessions.importers.ledger import Ledger
from sessions.importers.places import of_place
from sessions.importers.telling import ENDED
from sessions.messages import AssistantMessage, Marker, Message, Record, ToolMessage, Unknown


class AgainError(Exception):
    """What should only go on says something that stands in the log already: all has to be read."""


class Tape:
    """Passes each record on, a copy marked as one. With `goes_on` raises AgainError for what the log has already."""

    def __init__(
        self, ledger: Ledger, source: Source, session: str, records: Iterator[Record], *, goes_on: bool
    ) -> None:
        self._ledger = ledger
        self._session = session
        self._records = records
        self._goes_on = goes_on
        self._place = of_place(source.stem)
        self.messages = self.turn = 0
        self.last = ""
        self.uuids: list[str] = []
        """Ids of messages that no session had before."""
        self.names: list[str] = []
        """Other ids that were told in this session for the first time: of calls, and of messages that are copies."""
        self.open: dict[str, tuple[str, str]] = {}
        self._noted: set[str] = set()
        self._answered: set[str] = set()
        self._copied: set[str] = set()
        """Calls of replies that are copies."""

    def __iter__(self) -> Iterator[Record]:
        return map(self._passed, self._records)

    def _passed(self, record: Record) -> Record:
        if isinstance(record, Unknown):
            return record
        self.last = record.id
        if isinstance(record, Marker):
            if record.kind != "turn_end":
                self._note(record.id.removesuffix(ENDED))
            return record
        self.messages += 1
        self.turn = max(self.turn, record.turn)
        origin = self._origin(record)
        if isinstance(record, AssistantMessage):
            for call in record.tool_calls:
                self._note(call.id)
                if call.provider_id:
                    self._note(call.provider_id)
            self.open |= {call.provider_id or call.id: (call.id, call.name) for call in record.tool_calls}
            if origin:
                self._copied.update(call.id for call in record.tool_calls)
        elif isinstance(record, ToolMessage):
            self._answered.add(record.tool_call_id)
            self.open = {there: ours for there, ours in self.open.items() if ours[0] != record.tool_call_id}
        if origin:
            # A branch or a resumed session repeats its source's lines: they count where they came first.
            return replace(record, extra=record.extra | {"copied": True, "of": origin})
        return record

    def _origin(self, record: Message) -> str:
        """The other session that has the message; empty when it is new. Notes that it came."""
        if self._place.fullmatch(record.id):
            return ""  # Nothing that is told by its place can stand in another file.
        first = self._ledger.session_of(record.id)
        if first is None:
            self.uuids.append(record.id)
            return ""
        if first == self._session:
            if self._goes_on:
                raise AgainError(record.id)
            return ""
        self._note(record.id)
        # The id of a result that was made up is the call's, which may be a short one.
        made_up = bool(record.extra.get("synthetic")) and isinstance(record, ToolMessage)
        if made_up and isinstance(record, ToolMessage) and record.tool_call_id not in self._copied:
            return ""
        return first

    def _note(self, name: str) -> None:
        if name in self._noted:
            return
        self._noted.add(name)
        if not self._ledger.told(self._session, name):
            self.names.append(name)
        elif self._goes_on:
            raise AgainError(name)

    def met(self, names: Iterable[str]) -> None:
        """Note what the lines name and no record is called by."""
        self.names += sorted(name for name in names if not self._ledger.told(self._session, name))

    def had(self, record: Record) -> None:
        """It stands in the log already."""
        self.messages -= not isinstance(record, Marker | Unknown)

    def still(self, known: Known) -> dict[str, tuple[str, str]]:
        """The calls that have no result yet, those of before among them."""
        before = {there: ours for there, ours in known.open_calls.items() if ours[0] not in self._answered}
        return before | self.open
