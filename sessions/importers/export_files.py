"""The files of an export: `conversations.json`, or shards of it, as they are, in a folder, or in the ZIP that came."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from sessions.errors import DamagedError, UsageError
from sessions.importers.elements import UnreadableError
from sessions.importers.plain import open_plain

_NAME = re.compile(r"conversations(?:[-_ ]?\(?\d+\)?)?\.json", re.IGNORECASE)
_DEPTH = 3
"""Folders below the one that is named are looked into, so many."""
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, OSError)


@dataclass(frozen=True, slots=True)
class Part:
    """One file of an export."""

    path: Path
    """The file on the disk: the ZIP, when it is inside one."""
    member: str = ""
    size: int = 0
    """In bytes, unpacked."""

    @property
    def name(self) -> str:
        """As the person knows it."""
        return f"{self.path.name}: {self.member}" if self.member else self.path.name


def parts(path: Path, wanted: re.Pattern[str] = _NAME) -> list[Part]:
    """The files of an export with such a name, in their order; a file that was named itself may be called anything.

    Raises UsageError when there are none, DamagedError for a ZIP that is none, OSError when they cannot be looked at.
    """
    if path.is_dir():
        found = [Part(p, "", p.stat().st_size) for p in _below(path, wanted)]
        # Large exports come in several ZIPs.
        for zip_ in sorted(path.glob("*.zip")) if not found else ():
            with suppress(UsageError, DamagedError, OSError):
                found += _members(zip_, wanted)
        if not found:
            raise UsageError(f"There is no conversations.json in {path}", "Name the export: its ZIP, folder or file")
        return found
    if not path.exists():
        raise UsageError(f"There is no file {path}", "Name the export: its ZIP, folder or file")
    with open_plain(path) as file:
        packed = zipfile.is_zipfile(file)
    if packed or path.suffix.lower() == ".zip":
        return _members(path, wanted)
    return [Part(path, "", path.stat().st_size)]


def modified(path: Path) -> int:
    """When it was written last, in ns; 0 when that cannot be told."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _members(path: Path, wanted: re.Pattern[str]) -> list[Part]:
    try:
        with open_plain(path) as opened, zipfile.ZipFile(opened) as file:
            named = [(i.filename, i.file_size) for i in file.infolist() if not i.is_dir()]
    except _BROKEN as e:
        raise DamagedError(f"{path} is damaged: {e}", "Download the export again") from e
    places = [(PurePosixPath(name), name, size) for name, size in named if "__MACOSX" not in name]
    found = [Part(path, name, size) for place, name, size in sorted(places) if wanted.fullmatch(place.name)]
    if not found:
        raise UsageError(f"There is no conversations.json in {path}", "Name the ZIP that came with the export")
    return found


def _below(folder: Path, wanted: re.Pattern[str]) -> list[Path]:
    found = [p for depth in range(_DEPTH) for p in folder.glob("*/" * depth + "*.json") if wanted.fullmatch(p.name)]
    return sorted(p for p in found if p.is_file())


@contextmanager
def reading(part: Part, told: Callable[[int], None]) -> Iterator[Callable[[int], bytes]]:
    """What gives the next bytes of a part, and UnreadableError where they cannot be had; `told` hears how many.

    Raises OSError when it cannot be opened.
    """
    if not part.member:
        with open_plain(part.path) as file:
            yield _reader(file, told)
        return
    try:
        with open_plain(part.path) as opened, zipfile.ZipFile(opened) as packed:
            file_ = packed.open(part.member)
            with closing(file_):
                yield _reader(file_, told)
    except _BROKEN as e:
        raise OSError(f"{part.name} cannot be unpacked: {e}") from e


def _reader(file: IO[bytes], told: Callable[[int], None]) -> Callable[[int], bytes]:
    def read(size: int) -> bytes:
        try:
            data = file.read(size)
        except _BROKEN as e:
            raise UnreadableError(f"it cannot be read from here on: {e}") from e
        told(len(data))
        return data

    return read
