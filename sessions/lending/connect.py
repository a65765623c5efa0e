"""Registers the memory with another agent, and takes that back: first as a plan, then in the files."""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from sessions.errors import StoreError
from sessions.lending.made import Made, Record
from sessions.lending.parts import Found, JsonServer, Part, TomlServer
from sessions.lending.places import Place
from sessions.lending.unfit import Unfit
from sessions.store.atomic import TEMP_SUFFIX, is_temp, replacing, runs, write_all

_LEFT = re.compile(rf"(\d+)-[0-9a-f]{{8}}{re.escape(TEMP_SUFFIX)}")
"""Behind a file's name, as `replacing` has it: the process that writes, and a number."""
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class Change:
    """What is to become of one file."""

    path: Path
    before: bytes | None
    """None: there is none."""
    after: bytes | None
    """None: it is taken away."""
    made: Made | None
    """What is made besides our entry, or was and goes with it."""


@dataclass(slots=True)
class Plan:
    """All that is to be done, nothing of it done yet."""

    changes: list[Change] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    """What was changed by hand and therefore stays, in words with file and line."""


def connecting(places: list[Place], record: Record) -> Plan:
    """What registers us. Raises StoreError, which names the file and its line, where one cannot be edited."""
    plan = Plan()
    for place in places:
        text = _Text.read(place.path)
        found = _find(place.path, place.part, text)
        if found.state in {"edited", "foreign"}:
            said = _there(place.path, place.part, found)
            if isinstance(place.part, JsonServer | TomlServer):
                raise StoreError(
                    f"{said}, which connect did not write so: nothing was changed",
                    "Keep it, or take it out and connect again",
                )
            plan.kept.append(f"{said}, changed by hand: it stays as it is")
        elif found.state != "same":
            plan.changes.append(_put(place, text, record if found.state == "old" else None))
    return plan


def undoing(places: list[Place], record: Record, *, edited: bool) -> Plan:
    """What takes us out again; with `edited` also what was changed by hand since. Raises StoreError."""
    plan = Plan()
    for place in places:
        for path in (place.path, *place.also):
            text = _Text.read(path)
            found = _find(path, place.part, text)
            if found.state == "edited" and not edited:
                plan.kept.append(f"{_there(path, place.part, found)}, changed by hand: it stays")
            elif found.state not in {"none", "foreign"}:
                plan.changes.append(_take(path, place.part, text, record.of(_target(path))))
    return plan


def look(place: Place) -> Found:
    """How a part stands where it belongs. Raises StoreError."""
    return _find(place.path, place.part, _Text.read(place.path))


def carry_out(plan: Plan, record: Record, *, private: bool) -> None:
    """Write it all. New files and folders are for the user alone with `private`, else as the system has it.

    Raises LockedError while another program does so, and StoreError: for a file that changed since the plan was made or
    may not be written, before anything is; for one that then cannot be written, with what was written before it in
    place and noted.
    """
    with record.alone():
        _carry_out(plan, record, private)


def sweep(places: list[Place], record: Record) -> None:
    """Take away what a kill in the middle of writing one of these files left beside it. Never raises OSError."""
    with record.alone(), suppress(OSError):
        for target in {_target(path) for place in places for path in (place.path, *place.also)}:
            for left in target.parent.iterdir() if target.parent.is_dir() else ():
                found = _LEFT.fullmatch(left.name.removeprefix(f".{target.name}."))
                if found and is_temp(left.name) and not runs(int(found[1])):
                    left.unlink()


def _carry_out(plan: Plan, record: Record, private: bool) -> None:
    for change in plan.changes:
        if _Text.read(change.path).raw != change.before:
            raise StoreError("Another program has just changed it: nothing was written", "Try again", path=change.path)
        if change.before is not None and not os.access(change.path, os.W_OK):
            raise StoreError("It may not be written: nothing was", "Make it writable first", path=change.path)
    try:
        record.note({_target(c.path): c.made for c in plan.changes if c.after is not None and c.made is not None})
        for change in plan.changes:
            if change.after is None:
                _remove(change, record.of(_target(change.path)))
            else:
                _write(change.path, change.after, private)
        record.note({_target(c.path): None for c in plan.changes if c.made is None})
    except OSError as e:
        raise StoreError(f"{e.filename or 'A file'}: {e.strerror or e}", "--undo takes back what was written") from e


def _put(place: Place, text: _Text, record: Record | None) -> Change:
    """`record` where ours is there already, of another place: what was made for it then."""
    try:
        new, ways = place.part.put(text.body)
    except Unfit as e:
        raise _cannot(place.path, e) from e
    target = _target(place.path)
    if record is not None:
        return Change(place.path, text.raw, text.encoded(new), record.of(target))
    if text.raw is None and not new.endswith("\n"):
        new += "\n"
    folders = tuple(str(f) for f in target.parents if not f.exists()) if text.raw is None else ()
    blank = text.body if text.raw is not None and not text.body.strip() else None
    return Change(place.path, text.raw, text.encoded(new), Made(text.raw is None, folders, blank, tuple(ways)))


def _take(path: Path, part: Part, text: _Text, made: Made) -> Change:
    new = part.take(text.body, made.ways)
    if not new.strip() or (() in made.ways and new.strip() == "{}"):
        if made.blank is not None:
            return Change(path, text.raw, text.encoded(made.blank), None)
        return Change(path, text.raw, None, None)
    return Change(path, text.raw, text.encoded(new), None)


def _find(path: Path, part: Part, text: _Text) -> Found:
    try:
        return part.find(text.body)
    except Unfit as e:
        raise _cannot(path, e) from e


def _cannot(path: Path, e: Unfit) -> StoreError:
    column = f", column {e.column}" if e.column else ""
    return StoreError(
        f"It cannot be edited: {e.why}{column}", "Correct it; nothing was changed", path=path, line=e.line or None
    )


def _there(path: Path, part: Part, found: Found) -> str:
    return f"{path}, line {found.line}: {part.what} is there already" if found.line else f"{path}: {part.what} is there"


def _target(path: Path) -> Path:
    """The file itself, when the path is or goes over a link."""
    return Path(os.path.realpath(path))


def _write(path: Path, data: bytes, private: bool) -> None:
    target = _target(path)
    for folder in reversed([f for f in target.parents if not f.exists()]):
        folder.mkdir(0o700 if private else 0o777)
    try:
        mode = stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        mode = None
    with replacing(target, mode=0o600 if private or mode is not None else 0o666) as fd:
        if mode is not None:
            os.fchmod(fd, mode)
        write_all(fd, data)


def _remove(change: Change, made: Made) -> None:
    _target(change.path).unlink()
    for folder in made.folders:
        try:
            Path(folder).rmdir()
        except OSError:
            break


@dataclass(frozen=True, slots=True)
class _Text:
    """A file as text: what comes before and how it is encoded are kept."""

    raw: bytes | None
    body: str
    mark: str = ""
    """A byte order mark."""

    @classmethod
    def read(cls, path: Path) -> _Text:
        """Raises StoreError."""
        try:
            raw = path.read_bytes()
        except FileNotFoundError:
            return cls(None, "")
        except OSError as e:
            raise StoreError(f"It cannot be read: {e.strerror}", "Nothing was changed", path=path) from e
        try:
            text = raw.decode()
        except UnicodeDecodeError as e:
            line = raw.count(b"\n", 0, e.start) + 1
            raise StoreError(
                "It is no UTF-8 text", "Save it as UTF-8; nothing was changed", path=path, line=line
            ) from e
        mark = _BOM if text.startswith(_BOM) else ""
        return cls(raw, text.removeprefix(_BOM), mark)

    def encoded(self, body: str) -> bytes:
        return (self.mark + body).encode()
