"""The fact files on the disk, read again only when they changed."""

from __future__ import annotations

import hashlib
import os
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from sessions.errors import FactError
from sessions.memory.fact import BrokenFact, Fact, Proposal, parse_fact
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
    """Empty when the file cannot be read; it is tried again with every scan."""
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
        self._blind: dict[str, str] = {}
        """Folder -> why it cannot be listed."""
        self._guard = threading.RLock()

    def scan(self, *folders: Path, settled: bool = False) -> list[FactFile]:
        """The fact files of these folders. One that just vanished is given for half a second more, unless `settled`.

        A folder that cannot be listed gives what was in it before, and itself as broken.
        """
        found: list[FactFile] = []
        with self._guard:
            for folder in folders:
                prefix = self.rel(folder)
                try:
                    entries = _entries(folder)
                except OSError as e:
                    found += [*self._known(prefix + "/").values(), self._closed(folder, prefix, e)]
                    continue
                self._see(prefix)
                names = set()
                for entry in entries:
                    rel = f"{prefix}/{entry.name}"
                    names.add(rel)
                    file = self._file(rel, entry)
                    if file:
                        found.append(file)
                found += self._vanished(self._known(prefix + "/"), names, settled)
        return found

    def unseen(self, rel: str) -> bool:
        """Whether the file lies in a folder that cannot be listed now: nobody knows if it is there."""
        return any(rel.startswith(prefix + "/") for prefix in self._blind)

    def live_folders(self) -> list[Path]:
        """The folders of facts in use: the user's, then each project's."""
        try:
            projects = sorted(p for p in self.paths.projects.iterdir() if p.is_dir() and not p.name.startswith("."))
            self._see("projects")
        except FileNotFoundError:
            projects = []
            self._see("projects")
        except OSError as e:
            projects = self._folders
            self._closed(self.paths.projects, "projects", e)
        if projects != self._folders:
            self._folders = projects
            self.revision += 1
        return [self.paths.user_facts, *projects]

    def read(self, rel: str) -> FactFile | None:
        """One file as it is now; None when there is none."""
        path = self.paths.memory / rel
        try:
            with self._guard:
                return self._load(path, rel, path.stat())
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
        path = Path(entry.path)
        try:
            status = entry.stat()
            self._missing.pop(rel, None)
            known = self._known(rel).get(rel)
            return known if known and known.sha and known.stamp == _stamp(status) else self._load(path, rel, status)
        except FileNotFoundError:
            # Removed between listing and reading: the next scan misses it. A link that leads nowhere stays.
            return self._unreadable(path, rel, (0, 0, 0), "a link to nothing") if entry.is_symlink() else None
        except OSError as e:
            return self._unreadable(path, rel, (0, 0, 0), f"cannot be read: {e.strerror or e}")

    def _load(self, path: Path, rel: str, status: os.stat_result) -> FactFile:
        stamp, size = _stamp(status), status.st_size
        if not S_ISREG(status.st_mode):
            return self._unreadable(path, rel, stamp, "a folder, no file" if S_ISDIR(status.st_mode) else "no file")
        try:
            data = b"" if size > _SIZE_MAX else path.read_bytes()
        except FileNotFoundError:
            raise
        except OSError as e:
            return self._unreadable(path, rel, stamp, f"cannot be read: {e.strerror or e}")
        sha = sha256(data)
        cache = self._known(rel)
        known = cache.get(rel)
        if known and known.sha == sha and size <= _SIZE_MAX:
            file = replace(known, stamp=stamp)
        else:
            file = FactFile(path, rel, stamp, sha, self._content(path, rel, data, size))
            self.revision += 1
        cache[rel] = file
        return file

    def _unreadable(self, path: Path, rel: str, stamp: tuple[int, int, int], why: str) -> FactFile:
        file = FactFile(path, rel, stamp, "", BrokenFact(path, None, why))
        cache = self._known(rel)
        if cache.get(rel) != file:
            cache[rel] = file
            self.revision += 1
        return file

    def _closed(self, folder: Path, prefix: str, error: OSError) -> FactFile:
        why = f"cannot be opened: {error.strerror or error}"
        if self._blind.get(prefix) != why:
            self._blind[prefix] = why
            self.revision += 1
        return FactFile(folder, prefix, (0, 0, 0), "", BrokenFact(folder, None, why))

    def _see(self, prefix: str) -> None:
        if self._blind.pop(prefix, None):
            self.revision += 1

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


def sha256(data: bytes) -> str:
    """The hash by which a text of a file is known in the journal."""
    return hashlib.sha256(data).hexdigest()


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
    about = {key: str(extra.pop(key, "")) for key in ("proposes", "target", "base", "why")}
    about["proposes"] = about["proposes"] or "new"
    returns = extra.pop("returns", False) is True
    return Proposal(replace(fact, extra=extra), **about, returns=returns)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """The fact files by name, none when there is no such folder. Raises OSError when it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            return sorted((e for e in entries if is_fact_file(e.name)), key=lambda e: e.name)
    except FileNotFoundError:
        return []


def _stamp(status: os.stat_result) -> tuple[int, int, int]:
    return (status.st_mtime_ns, status.st_size, status.st_ino)
