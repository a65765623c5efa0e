"""Memory folders of Claude Code: each file is a fact that waits for the person's review.

`projects/<folder>/memory/<name>.md`: YAML front matter (`name`, `description`, `type`) and a text. The folder's name
does not tell where the project is; its sessions do, those that were taken over too.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from sessions.importers.base import Reader, Report
from sessions.importers.claude_places import ClaudePlaces, is_of_project
from sessions.importers.plain import open_plain
from sessions.memory.rules import KINDS, RELATED_MAX, USER, Kind, is_name, is_scope, one_line, slug
from sessions.store.meta import Meta

NAME = "Claude Code"
_INDEX = "memory.md"
_TYPES: Mapping[str, Kind] = {"user": "user", "feedback": "feedback", "project": "project", "reference": "reference"}
_MOST = 256 << 10
"""Bytes of a file that are read."""
_KEY = re.compile(r"([A-Za-z][\w-]*):(?:\s+(.*))?\Z")
_INNER = "metadata"
"""Newer versions put some of the keys below this one."""
_FLAGS = {"true": True, "false": False}
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "/": "/"}


@dataclass(frozen=True, slots=True)
class Remembered:
    """What one file or one bullet says."""

    path: Path
    key: str
    """What tells it from others of the same file; empty when the file is one fact."""
    name: str
    summary: str
    body: str
    kind: Kind
    group: str
    """Where it comes from, as the review says it."""
    cwd: str = ""
    """The folder of its project; empty when it is about the person, or when that is not known."""
    lost: str = ""
    """What its project is called there, when it is of one and nothing tells that one's folder."""
    due: date | None = None
    pinned: bool | None = None
    """Whether it was always sent there; None: as is usual for its kind."""
    scope: str = ""
    """`user` or `project:<id>`, when it says so itself, as our own exports do."""
    project: str = ""
    """What the project of the scope is called."""
    locked: bool = False
    related: tuple[str, ...] = ()
    """Both, too, only as our own exports say it."""
    label: str = ""
    """What the person finds it by in a file that holds several; empty where its line is that."""
    value: str = ""
    """What stands there without its name, where the line has both."""

    @property
    def ours(self) -> bool:
        """Whether it was exported here, and is as a person saved it."""
        return bool(self.scope)

    @property
    def digest(self) -> str:
        """Of all that it says."""
        text = "\0".join((self.name, self.summary, self.body.strip(), self.kind, str(self.due)))
        # What says neither is told by the same digest as before there were these.
        text += f"\0{self.pinned}\0{self.scope}" if self.scope else ""
        text += f"\0{self.locked}\0{self.related}" if self.locked or self.related else ""
        return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:32]


def memories(
    reader: Reader,
    roots: Iterable[Path],
    report: Report | None = None,
    kept: Iterable[Meta] = (),
    here: Path | None = None,
) -> Iterator[Remembered]:
    """Those of all projects, in the order of their files. What cannot be read is passed over, and named in `report`.

    `kept` are the sessions of the home and `here` is a folder: they help to tell where a project is.
    """
    kept = list(kept)
    for root in roots:
        folders = sorted(root.glob("projects/*/memory"))
        places = ClaudePlaces(reader, root, kept, here) if folders else None
        for folder in folders:
            yield from of_folder(folder, places.of(folder.parent.name) if places else "", report=report)


def of_folder(folder: Path, cwd: str = "", here: str = "", report: Report | None = None) -> Iterator[Remembered]:
    """The facts of one memory folder; `cwd` is the folder of its project.

    `here` is the folder for which those are taken over that say of which project they are.
    """
    group = f"{NAME} · {Path(cwd).name or cwd}" if cwd else NAME
    for path in sorted(folder.glob("*.md")):
        if path.name.lower() == _INDEX:
            continue
        try:
            with open_plain(path) as file:
                text = file.read(_MOST).decode("utf-8-sig", "replace")
        except OSError as e:
            if report is not None:
                report.cannot(path.name, 0, e.strerror or "cannot be opened")
            continue
        found = _remembered(path, text.replace("\r\n", "\n"), group, cwd, here)
        if found is not None:
            yield found


def _remembered(path: Path, text: str, group: str, cwd: str, here: str) -> Remembered | None:
    head, body = front(text)
    scope = head.get("scope", "") if is_scope(head.get("scope", "")) else ""
    # Blanks before a first line are its indent, and those behind a line are a break in Markdown.
    body = body.strip("\n") if scope or body.strip() else ""
    summary = one_line(head.get("description", "")) or _first_words(body)
    if not summary:
        return None
    written = head.get("name", "")
    if not (scope and is_name(written)):
        written = slug(written if written and written == slug(written) else path.stem)
    own = head.get("kind", "")
    kind = own if own in KINDS else _TYPES.get(head.get("type", "").strip().lower(), "project")
    due = None
    with suppress(ValueError):
        due = date.fromisoformat(head.get("due", ""))
    about_person = kind not in {"project", "reference", "feedback"}
    if scope:
        place = (cwd or here) if scope != USER else ""
        body = "" if body == summary and head.get("body") != "same" else body
    else:
        place = "" if about_person else cwd
        body = "" if one_line(body) == summary else body
    lost = path.parent.parent.name if not (scope or about_person or cwd) and is_of_project(path.parent) else ""
    return Remembered(
        path, "", written, summary, body, kind, group, place, lost, due if kind == "open-thread" else None,
        _FLAGS.get(head.get("pinned", "").lower()), scope, one_line(head.get("project", "")),
        bool(scope) and _FLAGS.get(head.get("locked", "").lower(), False),
        _names(head.get("related", "")) if scope else (),
    )  # fmt: skip


def _first_words(body: str) -> str:
    """The first line that says something, and is no rule."""
    lines = (one_line(line.strip().lstrip("# ")) for line in body.split("\n"))
    return next((line for line in lines if line.strip("-*_=. ")), "")


def _names(written: str) -> tuple[str, ...]:
    """The names of `[a, "b"]`."""
    parts = (part.strip(" \"'") for part in written.strip("[] ").split(",")[:RELATED_MAX])
    return tuple(dict.fromkeys(name for part in parts if (name := part if is_name(part) else slug(part))))


def front(text: str) -> tuple[dict[str, str], str]:
    """The keys before the text, and the text. A plain value may hold `:` and `#`, and a file may have none of it.

    Where nothing closes them they end with the first line that is none; those in `metadata` count as well.
    """
    if not text.startswith("---\n"):
        return {}, text
    lines = text.split("\n")
    end = next((i for i in range(1, len(lines)) if lines[i].rstrip() in {"---", "..."}), None)
    if end is not None:
        return _keys(lines[1:end]), "\n".join(lines[end + 1 :])
    rest = next(
        (i for i in range(1, len(lines)) if not _KEY.match(lines[i]) and not lines[i].startswith(" ")), len(lines)
    )
    head = _keys(lines[1:rest])
    return (head, "\n".join(lines[rest:])) if {"name", "description"} & head.keys() else ({}, text)


def _keys(lines: Sequence[str]) -> dict[str, str]:
    head: dict[str, str] = {}
    inner: dict[str, str] = {}
    key = ""
    for line in lines:
        match = _KEY.match(line)
        if match is not None:
            key, value = match[1].lower(), (match[2] or "").strip()
            head[key] = "" if value in {"|", ">", "|-", ">-", "|+", ">+"} else _plain(value)
        elif key == _INNER and (match := _KEY.match(line.strip())) is not None:
            inner[match[1].lower()] = _plain((match[2] or "").strip())
        elif key and line.startswith((" ", "\t")):
            # The value goes on.
            head[key] = f"{head[key]} {line.strip()}".strip()
    return inner | head


def _plain(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    if len(value) > 1 and value[0] == value[-1] == '"':
        return re.sub(r"\\(u[0-9a-fA-F]{4}|.)", _unescaped, value[1:-1])
    return value


def _unescaped(match: re.Match[str]) -> str:
    found = match[1]
    return chr(int(found[1:], 16)) if len(found) == 5 else _ESCAPES.get(found, found)
