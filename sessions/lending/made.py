"""What connecting had to make besides our own entries, so that undoing it leaves nothing behind."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sessions.lending.json_edit import Way
from sessions.paths import HomePaths
from sessions.store.atomic import make_folder, write_atomic
from sessions.store.locks import FileLock


@dataclass(frozen=True, slots=True)
class Made:
    """Of one file. No text of it is kept: it is another program's, and may hold secrets."""

    file: bool = False
    """There was none."""
    folders: tuple[str, ...] = ()
    """Folders that were missing, the innermost first."""
    blank: str | None = None
    """The spaces that it held, where it held nothing else."""
    ways: tuple[Way, ...] = ()
    """The objects in it that were missing."""


class Record:
    """`local/connected.json`: file -> what was made. Without it undoing leaves an empty object here and there."""

    def __init__(self, paths: HomePaths) -> None:
        self._file = paths.local / "connected.json"
        self._lock = paths.locks / "connected.lock"

    def alone(self) -> AbstractContextManager[object]:
        """While no other program connects: what is made is written and noted in one. Without a home nothing is noted.

        Raises LockedError.
        """
        return FileLock(self._lock) if self._file.parent.is_dir() else nullcontext()

    def of(self, path: Path) -> Made:
        """What was made of this file; never raises."""
        raw = self._read().get(str(path))
        if not isinstance(raw, dict):
            return Made()
        blank, ways = raw.get("blank"), raw.get("ways")
        return Made(
            raw.get("file") is True,
            _texts(raw.get("folders")),
            blank if isinstance(blank, str) else None,
            tuple(_texts(way) for way in ways) if isinstance(ways, list) else (),
        )

    def note(self, changes: dict[Path, Made | None]) -> None:
        """Keep what was made of these files, None = forget the file. Raises OSError."""
        known = self._read()
        for path, made in changes.items():
            known.pop(str(path), None)
            if made is not None and made != Made():
                known[str(path)] = {
                    "file": made.file,
                    "folders": list(made.folders),
                    "blank": made.blank,
                    "ways": [list(way) for way in made.ways],
                }
        if known or self._file.exists():
            make_folder(self._file.parent)
            write_atomic(self._file, json.dumps(known, ensure_ascii=False, indent=1).encode())

    def _read(self) -> dict[str, Any]:
        try:
            raw = json.loads(self._file.read_bytes())
        except (OSError, ValueError):
            return {}
        return raw if isinstance(raw, dict) else {}


def _texts(raw: object) -> tuple[str, ...]:
    return tuple(text for text in raw if isinstance(text, str)) if isinstance(raw, list) else ()
