"""What a reader of files gives that hold conversations or facts and are taken over when the person names them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from sessions.importers.base import Known, Progress, Reading, Report, Source
from sessions.importers.memories import Remembered
from sessions.importers.spoken import Said, tell


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation that is held; its messages are looked at when they are wanted."""

    source: Source
    """With a digest, as one file holds many."""
    said: Callable[[Report], Iterable[Said]]
    title: str = ""
    at: str = ""
    """When it began, or at least a time that the next reading finds again."""
    model: str = ""
    cwd: str = ""
    report: Report = field(default_factory=Report)

    def read(self, source: Source, known: Known | None = None, progress: Progress | None = None) -> Reading:
        """As a reader gives it: all of it, each time."""
        records = tell(self.said(self.report), source.uuid, source.kind, self.report, at=self.at)
        return Reading(
            source, records, self.cwd, self.at, self.title, self.model, source.digest, source.size, None, self.report
        )


class Export(Protocol):
    """Knows one kind of such files. Raises UsageError for a file that is none, DamagedError for one of which
    nothing can be read, OSError when it cannot be opened."""

    kind: str
    name: str
    """As people call it: ChatGPT."""

    def size(self, path: Path) -> int:
        """Bytes that going through it reads."""
        ...

    def talks(self, path: Path, report: Report, told: Callable[[int], None]) -> Iterator[Talk]:
        """The conversations in it; `report` gets what cannot be read, `told` each number of bytes that was."""
        ...

    def remembered(self, path: Path, report: Report) -> Iterator[Remembered]:
        """The facts in it."""
        ...
