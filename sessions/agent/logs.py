"""Where a session's records go: to a file from the first message on, or nowhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sessions.messages import Marker, Record
from sessions.paths import HomePaths
from sessions.store.log import LogWriter, Wanted


class Log(Protocol):
    """Takes records, one after the other, from one thread at a time."""

    def append(self, record: Record, *, sync: bool = False) -> Record:
        """Keep the record; `sync` = it is on the disk when this returns. Gives the record as it was kept."""
        ...

    def erase(self, wanted: Wanted) -> int:
        """Replace the lines of the wanted records by what says that they were erased; how many. Raises StoreError."""
        ...

    def close(self) -> None: ...


class MemoryLog:
    """A private session's log: its records live as long as the conversation on the screen."""

    def append(self, record: Record, *, sync: bool = False) -> Record:
        return record

    def erase(self, wanted: Wanted) -> int:
        return 0

    def close(self) -> None:
        pass


class NewLog:
    """A new session's log: the file is made with its first message, so that an empty session leaves none.

    A `meta` marker that comes earlier becomes part of the first line.
    """

    def __init__(self, paths: HomePaths, session: str, first: Marker) -> None:
        self._paths = paths
        self._session = session
        self._first = first
        self._writer: LogWriter | None = None

    @property
    def exists(self) -> bool:
        return self._writer is not None

    @property
    def first(self) -> Marker:
        return self._first

    def append(self, record: Record, *, sync: bool = False) -> Record:
        if self._writer is None:
            if isinstance(record, Marker) and record.kind == "meta":
                self._first = Marker(self._first.id, self._first.at, "session", self._first.data | record.data)
                return record
            self._writer = LogWriter.create(self._paths, self._session, self._first)
        return self._writer.append(record, sync=sync)

    def append_all(self, records: Sequence[Record]) -> None:
        """Write a whole conversation, or, when that fails, nothing."""
        try:
            for i, record in enumerate(records, 1):
                self.append(record, sync=i == len(records))
        except BaseException:
            self.close()
            if self._writer is not None:
                self._writer.path.unlink(missing_ok=True)
            raise

    def erase(self, wanted: Wanted) -> int:
        return self._writer.erase(wanted) if self._writer is not None else 0

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
