"""What holds right now, as the line before the newest message: date, weekday, time, zone, folder."""

from __future__ import annotations

import os
import unicodedata
from datetime import datetime
from pathlib import Path

_PATH_CHARS = 300


def environment(now: datetime, cwd: Path, notes: str = "") -> str:
    """`Today: 2026-11-29 (Sunday), 17:14, zone Europe/Berlin. Folder: ~/code/atlas`, the notes before the folder."""
    local = now.astimezone()
    line = f"Today: {local:%Y-%m-%d} ({_DAYS[local.weekday()]}), {local:%H:%M}, zone {zone(local)}."
    return f"{line} {notes} Folder: {_inert(short(cwd))}" if notes else f"{line} Folder: {_inert(short(cwd))}"


def session_notes(*, private: bool, screen: bool) -> str:
    """What a model should know of the session to promise nothing that it cannot keep."""
    notes = ["This session is private: nothing said in it is kept."] if private else []
    return " ".join([*notes, *([] if screen else ["Asked from a shell, without a screen."])])


def short(path: Path) -> str:
    """The path with `~` for the person's home folder."""
    try:
        inside = path.relative_to(Path.home())
    except (ValueError, RuntimeError):
        return str(path)
    return "~" if inside == Path() else f"~/{inside.as_posix()}"


def _inert(text: str) -> str:
    """One line that cannot end what it stands in: a folder may be called anything."""
    shown = "".join("?" if unicodedata.category(c)[0] == "C" or c in "\u2028\u2029" else c for c in text)
    shown = shown.replace("<", "‹").replace(">", "›")
    return shown if len(shown) <= _PATH_CHARS else f"…{shown[-_PATH_CHARS:]}"


def zone(local: datetime) -> str:
    """The zone's name where the system tells it, else its abbreviation."""
    named = os.environ.get("TZ", "").lstrip(":")
    if "/" in named and not named.startswith("/"):
        return named
    if not named:
        try:
            target = str(Path("/etc/localtime").readlink())
        except OSError:
            target = ""
        _, found, name = target.partition("zoneinfo/")
        if found:
            return name
    return local.tzname() or "UTC"


# Not strftime's names: those follow the machine's language.
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
