"""What `context` said last in a folder, for as long as nothing is different: other agents wait for it at their start.

Everything that the text is made of is asked for its time and size, nothing is read. Loads next to nothing.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from sessions.paths import HomePaths

_MADE_BY = (Path(__file__).with_name("context.py"), Path(__file__).parents[1] / "memory/contents.py")
"""Texts of another version are none of ours."""
_MOST = 100
"""Folders that are kept."""
_KIND, _FOLDER, _FILE = 0o170000, 0o040000, 0o100000
_SMALL = 100_000


class Entry(NamedTuple):
    """A name in a folder, and what changes with what is behind it."""

    name: str
    mtime_ns: int
    size: int
    inode: int
    mode: int

    @property
    def is_folder(self) -> bool:
        return self.mode & _KIND == _FOLDER

    @property
    def is_small_file(self) -> bool:
        return self.mode & _KIND == _FILE and self.size < _SMALL


class Said:
    """`local/context/`, a file a folder. It holds facts; erasing looks through it as through all that is local."""

    def __init__(self, paths: HomePaths, folder: Path, environ: Mapping[str, str]) -> None:
        self._paths = paths
        self._folder = Path(os.path.realpath(folder))
        self._environ = environ
        self._file = paths.local / "context" / f"{zlib.crc32(os.fsencode(self._folder)):08x}.txt"
        self.folders = Folders()
        self._key = os.fsencode("\n".join(self._parts()))

    def get(self) -> str | None:
        """The text, if it would be the same now."""
        key = self._key + b"\0"
        try:
            known = self._file.read_bytes()
            return known[len(key) :].decode() if known.startswith(key) else None
        except (OSError, ValueError):
            return None

    def keep(self, text: str) -> None:
        """Keep the text that was made since this was asked, unless something changed meanwhile. Never raises."""
        from sessions.store.atomic import make_folder, write_atomic

        try:
            if not self._paths.local.is_dir() or not self.folders.as_they_were():
                return
            make_folder(self._file.parent)
            others = [p for p in self._file.parent.glob("*.txt") if p != self._file]
            if len(others) >= _MOST:
                min(others, key=lambda path: path.stat().st_mtime_ns).unlink()
            write_atomic(self._file, self._key + b"\0" + text.encode(), durable=False)
        except (OSError, ValueError):
            return

    def _parts(self) -> Iterator[str]:
        """All that the text is made of, as it is now."""
        yield str(self._folder)
        yield from (f"{k}={v}" for k, v in sorted(self._environ.items()) if k.upper().startswith("MEMAGENT_"))
        root = next((p for p in (self._folder, *self._folder.parents) if (p / ".git").exists()), self._folder)
        for path in (*_MADE_BY, self._paths.config, root / ".git"):
            yield repr(entry_of(path.name, path))
        for folder in (self._paths.user_facts, self._paths.proposed, *self._projects()):
            yield f"{folder}/"
            found = self.folders.entries(folder)
            yield from sorted(["{} {} {} {} {}".format(*entry) for entry in found])

    def _projects(self) -> list[Path]:
        try:
            return sorted(self._paths.projects.iterdir())
        except OSError:
            return []


class Folders:
    """What is in folders, looked at once each."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[Entry, list[Entry]]] = {}

    def entries(self, folder: Path) -> list[Entry]:
        """Nothing where it cannot be listed."""
        if folder not in self._known:
            itself = entry_of(folder.name, folder)
            try:
                with os.scandir(folder) as found:
                    inside = [entry_of(entry.name, entry) for entry in found]
            except OSError:
                inside = []
            self._known[folder] = itself, inside
        return self._known[folder][1]

    def as_they_were(self) -> bool:
        """Whether no file has come, gone or been replaced since: nothing is kept of what was erased meanwhile."""
        return all(entry_of(folder.name, folder) == itself for folder, (itself, _) in self._known.items())


def entry_of(name: str, path: Path | os.DirEntry[str]) -> Entry:
    """Without times where it cannot be looked at."""
    try:
        status = path.stat()
    except OSError as e:
        return Entry(name, 0, 0, 0, -(e.errno or 1))
    return Entry(name, status.st_mtime_ns, status.st_size, status.st_ino, status.st_mode)
