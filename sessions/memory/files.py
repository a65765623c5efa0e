"""The fact files on the disk, read again only when they changed."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from sessions.errors import FactError
from sessions.memory.fact import BrokenFact, Fact, Proposal, parse_fact
from sessions.memory.journal import sha256
from sessions.memory.rules import USER
from sessions.paths import HomePaths

VANISHED_S = 0.5
"""Editors save by a dance of renames; a file that is away for less was not deleted."""
_CONFLICT = re.compile(r"\.sync-conflict-|\bconflicted copy\b", re.IGNORECASE)
_SIZE_MAX = 1_000_000


@dataclass(frozen=True, slots=True)
class FactFile:
    """One file as it was read."""

    path: Path
    rel: str
    """Relative to the memory folder, with slashes."""
    stamp: tuple[int, int, int]
    """mtime_ns, size, inode."""
    sha: str
    content: Fact | BrokenFact

    @property
    def fact(self) -> Fact | None:
        return self.content if isinstance(self.content, Fact) else None

    def rested_s(self) -> float:
        """Seconds since the file was written."""
        return time.time() - self.stamp[0] / 1e9


class FactFiles:
    """Reads the folders of the memory. `revision` grows with every change that a scan sees."""

    def __init__(self, paths: HomePaths) -> None:
        self.paths = paths
        self.revision = 0
        self._cache: dict[str, dict[str, FactFile]] = {}
        """Folder -> path -> file."""
        self._missing: dict[str, float] = {}
        self._folders: list[Path] = []
        self._guard = threading.RLock()

    def scan(self, *folders: Path, settled: bool = False) -> list[FactFile]:
        """The fact files of these folders. One that just vanished is given for half a second more, unless `settled`."""
        found: list[FactFile] = []
        with self._guard:
            for folder in folders:
                prefix = self.rel(folder)
                names = set()
                for entry in _entries(folder):
                    rel = f"{prefix}/{entry.name}"
                    names.add(rel)
                    file = self._file(rel, entry)
                    if file:
                        found.append(file)
                found += self._vanished(self._known(prefix + "/"), names, settled)
        return found

    def live_folders(self) -> list[Path]:
        """The folders of facts in use: the user's, then each project's."""
        try:
            projects = sorted(p for p in self.paths.projects.iterdir() if p.is_dir() and not p.name.startswith("."))
        except OSError:
            projects = []
        if projects != self._folders:
            self._folders = projects
            self.revision += 1
        return [self.paths.user_facts, *projects]

    def read(self, rel: str) -> FactFile | None:
        """One file as it is now; None when there is none."""
        path = self.paths.memory / rel
        try:
            with self._guard:
                status = path.stat()
                return self._load(path, rel, (status.st_mtime_ns, status.st_size, status.st_ino))
        except OSError:
            return None

    def rel(self, path: Path) -> str:
        return path.relative_to(self.paths.memory).as_posix()

    def absent(self) -> list[str]:
        """Files that are still given though they are not there."""
        with self._guard:
            return [rel for rel in self._missing if rel in self._known(rel)]

    def missing_s(self, rel: str) -> float:
        """Seconds since a scan first missed this file."""
        since = self._missing.setdefault(rel, time.monotonic())
        return time.monotonic() - since

    def _file(self, rel: str, entry: os.DirEntry[str]) -> FactFile | None:
        try:
            status = entry.stat()
            stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
            self._missing.pop(rel, None)
            known = self._known(rel).get(rel)
            return known if known and known.stamp == stamp else self._load(Path(entry.path), rel, stamp)
        except OSError:
            return None  # removed between listing and reading; the next scan misses it

    def _load(self, path: Path, rel: str, stamp: tuple[int, int, int]) -> FactFile:
        data = b"" if stamp[1] > _SIZE_MAX else path.read_bytes()
        sha = sha256(data)
        cache = self._known(rel)
        known = cache.get(rel)
        if known and known.sha == sha and stamp[1] <= _SIZE_MAX:
            file = replace(known, stamp=stamp)
        else:
            file = FactFile(path, rel, stamp, sha, self._content(path, rel, data, stamp[1]))
            self.revision += 1
        cache[rel] = file
        return file

    def _content(self, path: Path, rel: str, data: bytes, size: int) -> Fact | BrokenFact:
        if _CONFLICT.search(path.name):
            return BrokenFact(path, None, "conflict copy")
        if size > _SIZE_MAX:
            return BrokenFact(path, None, f"too large, {size // 1_000_000} MB")
        try:
            fact = parse_fact(data.decode("utf-8"), path)
        except UnicodeDecodeError as e:
            line = data.count(b"\n", 0, e.start) + 1
            return BrokenFact(path, line, f"line {line}, not UTF-8")
        except FactError as e:
            at = re.match(r"line (\d+)", e.message)
            return BrokenFact(path, int(at[1]) if at else None, e.message)
        scope = scope_of(rel, fact.scope)
        return fact if scope == fact.scope else replace(fact, scope=scope)

    def _known(self, rel: str) -> dict[str, FactFile]:
        return self._cache.setdefault(rel.rpartition("/")[0], {})

    def _vanished(self, cache: dict[str, FactFile], names: set[str], settled: bool) -> Iterator[FactFile]:
        for rel in cache.keys() - names:
            if self.missing_s(rel) >= VANISHED_S:
                del cache[rel]
                self.revision += 1
            elif not settled:
                yield cache[rel]

    def drop(self, rel: str) -> None:
        """Forget a file that the store itself removed."""
        with self._guard:
            if self._known(rel).pop(rel, None):
                self.revision += 1
            self._missing.pop(rel, None)


def scope_of(rel: str, written: str) -> str:
    """The scope that a file's place gives it; in the archive the front matter says it."""
    place = rel.split("/")
    if place[0] == "projects" and len(place) > 2:
        return f"project:{place[1].rpartition('-')[2]}"
    return USER if place[0] == "user" else written


def is_fact_file(name: str) -> bool:
    """Whether a file of this name is a fact, and not an editor's or a write under way."""
    return name.endswith(".md") and name[0] not in ".#~"


def as_proposal(fact: Fact) -> Proposal:
    """The proposal that a file under `proposed/` holds; its own keys leave the fact's unknown ones."""
    extra = dict(fact.extra)
    about = {key: str(extra.pop(key, "")) for key in ("proposes", "target", "base")}
    return Proposal(replace(fact, extra=extra), about["proposes"] or "new", about["target"], about["base"])


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted((e for e in entries if is_fact_file(e.name)), key=lambda e: e.name)
    except OSError:
        return []
