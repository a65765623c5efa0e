"""Which project a folder of Claude Code is of: `projects/<name>`, named after the project's own folder.

The name alone does not tell the folder, but of a folder it can be told whether it has that name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from sessions.importers.base import Reader, Source
from sessions.store.meta import Meta

_KIND = "claude-code"
_NEWEST = 3
"""Sessions of a folder that are looked into."""


class ClaudePlaces:
    """Tells the folder of a project by the sessions beside it, else by those that were taken over, else by its name."""

    def __init__(self, reader: Reader, root: Path, kept: Iterable[Meta] = (), here: Path | None = None) -> None:
        """`kept` are the sessions of the home; `here` is a folder that it may be, or be above of."""
        self._reader = reader
        self._sources: dict[str, list[Source]] = {}
        for source in sorted(reader.find([root]), key=lambda s: s.mtime_ns, reverse=True):
            self._sources.setdefault(source.path.parent.name, []).append(source)
        self._kept: dict[str, str] = {}
        """Name of the folder in which a session that was taken over stood -> where the newest such was begun."""
        self._folders = {str(here)} if here is not None else set[str]()
        for meta in sorted(kept, key=lambda m: m.created_at):
            if not meta.cwd:
                continue
            self._folders.add(meta.cwd)
            if meta.source is not None and meta.source.get("kind") == _KIND:
                self._kept[Path(str(meta.source.get("path", ""))).parent.name] = meta.cwd

    def of(self, name: str) -> str:
        """The project's folder, which may be gone; empty when nothing tells it."""
        return self._begun_in(name) or self._kept.get(name, "") or self._named(name)

    def _begun_in(self, name: str) -> str:
        """The folder in which the newest session of the project was begun."""
        for source in self._sources.get(name, [])[:_NEWEST]:
            with suppress(OSError):
                if cwd := self._reader.head(source).cwd:
                    return cwd
        return ""

    def _named(self, name: str) -> str:
        """The folder that has this name, of those in or below which sessions were begun; empty when several have."""
        below = [other for other in self._sources if other.startswith(f"{name}-")]
        folders = self._folders | {self._begun_in(other) for other in below}
        found = {folder for cwd in folders for folder in _upwards(cwd) if _has_name(folder, name)}
        there = {folder for folder in found if folder.is_dir()} or found
        return str(there.pop()) if len(there) == 1 else ""


def is_of_project(folder: Path) -> bool:
    """Whether this is the memory folder of a project there, by its place."""
    return folder.parent.parent.name == "projects"


def _upwards(cwd: str) -> Iterator[Path]:
    path = Path(cwd)
    if path.is_absolute():
        yield path
        yield from path.parents


def _has_name(folder: Path, name: str) -> bool:
    """Earlier versions left `_` as it is."""
    return name in {re.sub(rf"[^A-Za-z0-9{kept}]", "-", str(folder)) for kept in ("", "_")}
