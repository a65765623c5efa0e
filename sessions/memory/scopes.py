"""Which project a folder belongs to, and where its facts are kept.

A project is a repository: its first commit names it, else its remote, else the path of the folder. Clones and work
trees of one repository share their facts. Git is asked once a folder; the answer is kept beside the facts
(`project.toml`) and in `local/`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

from sessions.memory.rules import slug
from sessions.paths import HomePaths
from sessions.store.atomic import make_folder, write_atomic

_GIT_S = 3.0


class Project(NamedTuple):
    """A project that has, or had, facts."""

    scope: str
    paths: tuple[Path, ...]
    """Where it is known to be, or to have been; the newest last."""
    marks: frozenset[str]
    """What this machine's file system calls these folders, whatever they are named."""


class Scopes:
    """Finds and makes the scopes of projects."""

    def __init__(self, paths: HomePaths) -> None:
        self.paths = paths
        self._cache_file = paths.local / "projects.json"
        self._marks_file = paths.local / "project-folders.json"
        self._ids: dict[str, str] = {}
        self._known: dict[str, str] = {}
        """Path of a project -> its id, from every project.toml."""
        self._known_stamp: tuple[tuple[str, int], ...] | None = None

    def of(self, cwd: Path) -> str:
        """`project:<id>` of the repository that holds the folder, else of the folder itself."""
        root = root_of(cwd)
        for folder in (root, *root.parents) if not _is_repository(root) else (root,):
            known = self._known_projects().get(str(folder))
            if known:
                return f"project:{known}"
        return f"project:{self._id(root)}"

    def existing(self, cwd: Path) -> str | None:
        """The same, or None when no project has facts. Asks nobody in that case."""
        return self.of(cwd) if self.paths.projects.is_dir() else None

    def folder(self, scope: str) -> Path:
        """Where the facts of a scope are. The folder of a project that has none yet is not made."""
        id_ = scope.partition(":")[2]
        if not id_:
            return self.paths.user_facts
        return self._folder(id_) or self.paths.projects / f"project-{id_}"

    def prepare(self, scope: str, cwd: Path | None = None) -> Path:
        """The folder of a scope, made if need be; a project notes the path that it is known by."""
        id_ = scope.partition(":")[2]
        root = root_of(cwd) if cwd and id_ else None
        if id_ and root is None:
            root = next((Path(p) for p, known in self._roots().items() if known == id_), None)
        folder = self.folder(scope)
        if id_ and root and not folder.is_dir():
            folder = self.paths.projects / f"{slug(root.name) or 'project'}-{id_}"
        make_folder(folder)
        if id_:
            self._note(folder, id_, root)
        return folder

    def projects(self) -> list[Project]:
        """All projects with a note of where they are."""
        marks = self._marks()
        out = []
        for file in sorted(self.paths.projects.glob("*/project.toml")):
            paths = _paths_of(file)
            if paths:
                known = frozenset(marks[path] for path in paths if path in marks)
                out.append(Project(f"project:{file.parent.name.rpartition('-')[2]}", tuple(map(Path, paths)), known))
        return out

    def mark_of(self, folder: Path) -> str:
        """What the file system calls a folder; it stays when the folder is renamed. Empty when it is not there."""
        try:
            found = folder.stat()
        except OSError:
            return ""
        return f"{found.st_dev}:{found.st_ino}"

    def title(self, scope: str) -> str:
        """A word for the scope: the name of the project's folder."""
        id_ = scope.partition(":")[2]
        return self.folder(scope).name.removesuffix(f"-{id_}") if id_ else scope

    def _note(self, folder: Path, id_: str, root: Path | None) -> None:
        file = folder / "project.toml"
        known = _paths_of(file)
        if file.exists() and (root is None or str(root) in known):
            return
        import tomli_w

        table = {"id": id_, "name": root.name if root else id_, "paths": [*known, *([str(root)] if root else [])]}
        write_atomic(file, tomli_w.dumps(table).encode())
        if root is not None and (mark := self.mark_of(root)):
            write_atomic(self._marks_file, json.dumps(self._marks() | {str(root): mark}).encode(), durable=False)

    def _marks(self) -> dict[str, str]:
        try:
            raw = json.loads(self._marks_file.read_bytes())
            return {k: v for k, v in raw.items() if isinstance(v, str)}
        except (OSError, ValueError, AttributeError):
            return {}

    def _folder(self, id_: str) -> Path | None:
        try:
            return next((p for p in sorted(self.paths.projects.iterdir()) if p.name.rpartition("-")[2] == id_), None)
        except OSError:
            return None

    def _known_projects(self) -> dict[str, str]:
        stamp = []
        files = sorted(self.paths.projects.glob("*/project.toml"))
        for file in files:
            try:
                stamp.append((str(file), file.stat().st_mtime_ns))
            except OSError:
                continue
        if tuple(stamp) != self._known_stamp:
            self._known_stamp = tuple(stamp)
            self._known = {path: f.parent.name.rpartition("-")[2] for f in files for path in _paths_of(f)}
        return self._known

    def _roots(self) -> dict[str, str]:
        if not self._ids:
            try:
                raw = json.loads(self._cache_file.read_bytes())
                self._ids = {k: v for k, v in raw.items() if isinstance(v, str)}
            except (OSError, ValueError, AttributeError):
                self._ids = {}
        return self._ids

    def _id(self, root: Path) -> str:
        known = self._roots()
        if str(root) not in known:
            from hashlib import sha256

            name = (_first_commit(root) or _remote(root)) if _is_repository(root) else ""
            id_ = sha256((name or str(root)).encode("utf-8", "surrogateescape")).hexdigest()[:8]
            known[str(root)] = id_
            if name:  # a repository without a commit or remote may get one
                make_folder(self._cache_file.parent)
                write_atomic(self._cache_file, json.dumps(known).encode(), durable=False)
        return known[str(root)]


def _paths_of(file: Path) -> list[str]:
    import tomllib

    try:
        paths = tomllib.loads(file.read_text(encoding="utf-8")).get("paths", [])
    except (OSError, ValueError):
        return []
    return [p for p in paths if isinstance(p, str)] if isinstance(paths, list) else []


def root_of(cwd: Path) -> Path:
    """The top of the repository that holds the folder, else the folder."""
    folder = cwd.resolve()
    return next((p for p in (folder, *folder.parents) if _is_repository(p)), folder)


def _is_repository(folder: Path) -> bool:
    return (folder / ".git").exists()


def _first_commit(root: Path) -> str:
    import subprocess  # `context` asks for what is known, and does without

    command = ["git", "-C", str(root), "rev-list", "--max-parents=0", "HEAD"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=_GIT_S, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return run.stdout.split()[-1] if run.returncode == 0 and run.stdout.split() else ""


def _remote(root: Path) -> str:
    """The address of `origin` without scheme, user and `.git`, so that all ways to write it are one."""
    git = root / ".git"
    try:
        if git.is_file():
            git = (root / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()).resolve()
            common = git / "commondir"
            git = (git / common.read_text(encoding="utf-8").strip()).resolve() if common.exists() else git
        config = (git / "config").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
    found = re.search(r'^\[remote "origin"\][^\[]*?^\s*url\s*=\s*(\S+)', config, re.MULTILINE)
    if not found:
        return ""
    address = re.sub(r"^\w+://", "", found[1]).rpartition("@")[2].removesuffix("/").removesuffix(".git")
    return address.replace(":", "/").lower()
